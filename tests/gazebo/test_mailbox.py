# SPDX-License-Identifier: Apache-2.0
"""Exchanges through the mailbox of a real server, beside other clients of it."""

from __future__ import annotations

import itertools
import logging
import subprocess
import sys
import threading
from collections.abc import Callable

import numpy as np
import pytest

from deepsim_conformance.models import BOX
from deepsim_gazebo import BatchStateClient, CallRefusedError, ExchangeRequest, GazeboSimulator
from deepsim_math import Pose
from deepsim_sync import SpawnRequest, Tables

Connect = Callable[..., GazeboSimulator]
KEEPER = """
from deepsim_gazebo import BatchStateClient
client = BatchStateClient()
client.open_mailbox()
print("open", flush=True)
input()
"""


def test_one_client_has_the_mailbox_and_others_go_through_ros(
    gazebo: GazeboSimulator, connect: Connect, caplog: pytest.LogCaptureFixture
) -> None:
    """Both make exactly the steps that they ask for."""
    with caplog.at_level(logging.INFO):
        other = connect()
    assert "another client uses the mailbox" in caplog.text
    for call in range(1, 201):
        gazebo.step(3)
        other.step(2)
        assert other.time == [call * 5 / 1000]


def test_the_mailbox_of_a_killed_client_is_free(gazebo: GazeboSimulator) -> None:
    """At once: the kernel has taken its lock away."""
    gazebo.close()
    command = [sys.executable, "-c", KEEPER]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as keeper:
        assert keeper.stdout is not None
        assert keeper.stdout.readline() == b"open\n"
        client = BatchStateClient()
        with pytest.raises(CallRefusedError, match="another client uses the mailbox"):
            client.open_mailbox()
        keeper.kill()
        keeper.wait()
        client.open_mailbox()
    assert client.exchange(ExchangeRequest(steps=2)).instant.iterations == 2
    client.close()


def test_steps_are_exact_while_others_pause_the_world_and_spawn(
    gazebo: GazeboSimulator,
) -> None:
    """The world's thread answers the mailbox, and still lets others in between two steps."""
    client, done = BatchStateClient(), threading.Event()
    spawner = GazeboSimulator()

    def meddle() -> None:
        for number in itertools.cycle(range(20)):
            if done.is_set():
                return
            client.pause()
            box = f"box{number}"
            if box in spawner.entities.models:
                spawner.delete(box)
            spawner.spawn([SpawnRequest(BOX, box, Pose((3 * number, 0, 50)))])

    thread = threading.Thread(target=meddle)
    thread.start()
    try:
        for call in range(1, 501):
            gazebo.step(1 + call % 3)
    finally:
        done.set()
        thread.join()
    assert gazebo.time == [sum(1 + call % 3 for call in range(1, 501)) / 1000]
    tables = Tables(gazebo.entities)
    gazebo.read(tables)
    assert len(tables.entities.models) > 1
    assert np.isfinite(tables.models.pose).all()
    spawner.close()
    client.close()


def test_a_large_world_comes_through(gazebo: GazeboSimulator) -> None:
    """Requests that the mailbox has no room for take the other way, large replies make it grow."""
    gazebo.spawn([SpawnRequest(BOX, f"box{n}", Pose((3 * n, 0, 5))) for n in range(300)])
    client = BatchStateClient()
    gazebo.close()
    client.open_mailbox()
    for kinds in (("models",), ("models", "links", "visuals"), ("links",)) * 40:
        reply = client.exchange(ExchangeRequest(kinds=kinds))
        assert set(reply.tables) == set(kinds)
        assert all(len(table) >= 300 for table in reply.tables.values())
    client.close()
