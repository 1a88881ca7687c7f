# SPDX-License-Identifier: Apache-2.0
"""The topic on which each new subscriber gets the state of the whole world, as in Gazebo 1.0."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from deepsim_sync import Kind, Tables
from deepsim_transport.messages import (
    EntityState,
    Point,
    Pose,
    Quaternion,
    Twist,
    WorldState,
    WorldStatistics,
    Wrench,
)
from deepsim_transport.session import Transport

from .driver import Driver
from .updates import COLUMNS, STATE


class WorldTopic:
    """Publishes a `WorldState` of the first world whenever a subscriber comes.

    Args:
        transport: The session; its namespace is the name of the world.
        driver: Drives the simulator, and holds wrenches.
        gravity: Gravity [m/s^2], (3,).
    """

    def __init__(self, transport: Transport, driver: Driver, gravity: Sequence[float]) -> None:
        self._driver, self._gravity = driver, Point(*map(float, gravity))
        self._publisher = transport.advertise(STATE, WorldState)
        self._came = threading.Event()
        self._watch = transport.watch_subscribers(STATE, self._came.set)

    @property
    def is_asked(self) -> bool:
        """Whether a subscriber has come since the last `publish`."""
        return self._came.is_set()

    def publish(self, statistics: WorldStatistics) -> None:
        """Publishes the present state."""
        self._came.clear()
        simulator = self._driver.simulator
        states = (*self._states("models"), *self._states("links"))
        self._publisher.publish(
            WorldState(states, statistics, self._gravity, float(simulator.timestep))
        )

    def close(self) -> None:
        """Ends the topic."""
        self._watch.undeclare()

    def _states(self, kind: Kind) -> Iterator[EntityState]:
        simulator = self._driver.simulator
        tables = Tables(simulator.entities, simulator.worlds)
        simulator.read(tables, [key for key in COLUMNS if key[0] == kind])
        poses, twists = tables.columns[kind, "pose"][0], tables.columns[kind, "twist"][0]
        for name, pose, twist in zip(simulator.entities.names(kind), poses, twists, strict=True):
            held = self._driver.held(name) if kind == "links" else np.zeros(6)
            yield EntityState(
                name,
                Pose(_point(pose[:3]), Quaternion(*pose[3:].tolist())),
                Twist(_point(twist[:3]), _point(twist[3:])),
                Wrench(_point(held[:3]), _point(held[3:])),
            )


def _point(values: NDArray[np.float64]) -> Point:
    return Point(*values.tolist())
