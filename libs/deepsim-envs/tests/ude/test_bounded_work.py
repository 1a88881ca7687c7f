# SPDX-License-Identifier: Apache-2.0
"""Calls that a client gives up leave work behind, which is bounded for each client."""

from __future__ import annotations

import threading
from itertools import count

import grpc
import pytest

from deepsim_envs.ude.codec import Limits
from deepsim_envs.ude.messages import SideChannelMessage, from_bytes

MOST = 16
ATTEMPTS = 100  # far more than are let in


class Busy:
    """A server whose environment is in a reset, which ends when the test says so."""

    def __init__(self, server, client):
        self.server = server
        self.area = server.environment.environment.area
        self.resets = 0
        self._entered, self._goes_on = threading.Event(), threading.Event()
        self.area.reset = self._reset
        self.client = client
        self.call = client.begin("reset")
        assert self._entered.wait(20.0)

    def go_on(self):
        self._goes_on.set()

    def _reset(self):
        self.resets += 1
        self._entered.set()
        assert self._goes_on.wait(60.0)


@pytest.fixture
def make_busy(start, raw):
    made = []

    def make(**options):
        server = start(**options)
        made.append(Busy(server, raw(server)))
        return made[-1]

    yield make
    for busy in made:
        busy.go_on()


def named(name):
    return [("deepsim-ude-version", "1"), ("deepsim-client", name)]


def fill(client, method, content, metadata):
    """Calls and gives up until the server refuses; returns the refusal."""
    numbers = count(1)
    for attempt in range(ATTEMPTS):
        numbered = [*metadata, ("deepsim-request", str(next(numbers)))]
        try:  # more and more patient, as a slow machine may not even have begun to answer
            return client.call(method, content, numbered, timeout=0.02 * 1.03**attempt)
        except grpc.RpcError as error:
            if error.code() is not grpc.StatusCode.DEADLINE_EXCEEDED:
                raise
    raise AssertionError(f"{ATTEMPTS} calls that were given up, and none refused")


@pytest.mark.parametrize(
    ("method", "content"),
    [("reset", None), ("side_channel_send", SideChannelMessage("level", 1))],
)
def test_a_client_that_gives_up_its_calls_is_refused_more(make_busy, raw, connect, method, content):
    busy = make_busy()
    told = fill(raw(busy.server), method, content, named("impatient"))
    assert told.status == 429
    assert f"{MOST} calls of this client" in told.text
    another = raw(busy.server).begin(method, content, named("patient"))
    busy.go_on()
    assert from_bytes(another.result(20.0), Limits()).status == 200
    assert connect(busy.server).reset()  # after all that waited
    assert busy.resets <= 1 + MOST + 2  # that client's, those of the fixture and the last two
    assert raw(busy.server).call(method, content, named("impatient")).status == 200


def test_whoever_leaves_does_not_leave_its_share_behind(make_busy, raw):
    """Else new names would bring new shares, without end."""
    busy = make_busy(max_clients=3)
    client = raw(busy.server)
    leave = [("deepsim-leave", "1")]
    for name in ("one", "two"):
        assert "calls of this client" in fill(client, "reset", None, named(name)).text
        assert client.call("close", None, [*named(name), *leave]).status == 200
    told = client.call("reset", None, named("three"))
    assert (told.status, told.text) == (429, "this server has 3 clients already")
    busy.go_on()
    assert busy.client.call("reset").status == 200  # after all that waited
    for name in ("three", "four"):
        assert client.call("reset", None, named(name)).status == 200
