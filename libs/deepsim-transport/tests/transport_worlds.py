# SPDX-License-Identifier: Apache-2.0
"""Models and servers that several tests use, and waiting until something holds."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from deepsim_spawn import GazeboXMLLoader
from deepsim_transport import PhysicsServer

LIMIT = 60.0  # [s] of wall time
BALL = GazeboXMLLoader().load_model(
    "<sdf version='1.7'><model name='ball'><link name='link'><inertial><mass>1</mass><inertia>"
    "<ixx>.1</ixx><iyy>.1</iyy><izz>.1</izz></inertia></inertial><collision name='c'><geometry>"
    "<sphere><radius>.1</radius></sphere></geometry></collision><visual name='v'><geometry>"
    "<sphere><radius>.1</radius></sphere></geometry><material><diffuse>.2 .4 .6 1</diffuse>"
    "</material></visual></link></model></sdf>"
)
GROUND = GazeboXMLLoader().load_model(
    "<sdf version='1.7'><model name='ground'><static>1</static><link name='link'><collision "
    "name='c'><geometry><plane/></geometry></collision></link></model></sdf>"
)


def wait(condition: Callable[[], object]) -> None:
    """Waits until something holds."""
    end, pause = time.monotonic() + LIMIT, threading.Event()
    while not condition():
        assert time.monotonic() < end, "it never came"
        pause.wait(0.01)


@contextmanager
def running(server: PhysicsServer) -> Iterator[PhysicsServer]:
    """Runs a server in a thread; fails if it ends by itself."""
    ended: list[BaseException] = []

    def run() -> None:
        try:
            server.run()
        except BaseException as error:
            ended.append(error)
            raise

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield server
    finally:
        server.stop()
        thread.join(LIMIT)
        server.close()
    assert not ended
