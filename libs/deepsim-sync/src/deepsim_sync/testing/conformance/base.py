# SPDX-License-Identifier: Apache-2.0
"""The base of all cases: makes the simulator under test, and finds its capabilities."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar, TypeVar

import pytest

from deepsim_sync.port.cameras import CameraMounts, Cameras, DepthCameras
from deepsim_sync.port.contacts import Contacts
from deepsim_sync.port.dynamics import Dynamics
from deepsim_sync.port.physics_properties import PhysicsProperties
from deepsim_sync.port.sensors import Sensors
from deepsim_sync.port.simulator import Simulator
from deepsim_sync.port.snapshots import Snapshots

from .bench import Bench

GRAVITY = 9.8  # acceleration along -z in every simulator under test [m/s^2]

T = TypeVar("T")


class Conformance(ABC):
    """Makes the simulator under test, afresh for each test.

    Cases of a capability are skipped for simulators that lack it. A subclass leaves out a case that
    its engine cannot pass by ``test_name = None``.

    Attributes:
        world_counts: The numbers of worlds that every case is run with.
    """

    world_counts: ClassVar[tuple[int, ...]] = (1, 3, 33)

    @abstractmethod
    def make_simulator(self, worlds: int) -> Simulator:
        """A simulator without models at time 0, gravity (0, 0, -9.8) m/s^2, steps of 1 ms."""

    @abstractmethod
    def describe(self, sdf: str) -> Any:
        """Turns the SDF text of one model into a description that the simulator spawns.

        It may call ``pytest.skip`` for a model of a sort that the engine does not have.
        """

    @abstractmethod
    def unbuildable(self) -> Any:
        """A description that ``spawn`` must refuse with `SpawnError`."""

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Runs each test once for each of `world_counts`; pytest calls it."""
        if "worlds" in metafunc.fixturenames:
            metafunc.parametrize("worlds", self.world_counts, ids=lambda count: f"W{count}")

    @pytest.fixture
    def bench(self, worlds: int) -> Iterator[Bench]:
        bench = self.make_bench(worlds)
        yield bench
        bench.close()

    @pytest.fixture
    def cameras(self, bench: Bench) -> Cameras:
        return _capability(bench.simulator.cameras, "cameras")

    @pytest.fixture
    def depth_cameras(self, bench: Bench) -> DepthCameras:
        return _capability(bench.simulator.depth_cameras, "depth cameras")

    @pytest.fixture
    def mounts(self, bench: Bench) -> CameraMounts:
        return _capability(bench.simulator.camera_mounts, "camera mounts")

    @pytest.fixture
    def contacts(self, bench: Bench) -> Contacts:
        return _capability(bench.simulator.contacts, "contact points")

    @pytest.fixture
    def dynamics(self, bench: Bench) -> Dynamics:
        return _capability(bench.simulator.dynamics, "dynamics")

    @pytest.fixture
    def physics(self, bench: Bench) -> PhysicsProperties:
        return _capability(bench.simulator.physics, "physics properties")

    @pytest.fixture
    def sensors(self, bench: Bench) -> Sensors:
        return _capability(bench.simulator.sensors, "sensors")

    @pytest.fixture
    def snapshots(self, bench: Bench) -> Snapshots:
        return _capability(bench.simulator.snapshots, "snapshots")

    def make_bench(self, worlds: int) -> Bench:
        """A new simulator on a bench; whoever asks closes it."""
        return Bench(self.make_simulator(worlds), self.describe)


def _capability(value: T | None, name: str) -> T:
    if value is None:
        pytest.skip(f"this simulator has no {name}")
    return value
