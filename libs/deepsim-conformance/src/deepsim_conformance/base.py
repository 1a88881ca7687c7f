# SPDX-License-Identifier: Apache-2.0
"""The base of all test cases: the simulator under test, and its capabilities."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar

import pytest

from deepsim_sync.port.simulator import Simulator

from .bench import Bench

GRAVITY = 9.8  # acceleration along -z in every simulator under test [m/s^2]


def _capability(name: str, words: str) -> Any:
    """Returns a fixture of a capability, which skips tests of simulators that lack it."""

    @pytest.fixture
    def capability(_case: Conformance, bench: Bench) -> Any:
        found = getattr(bench.simulator, name)
        if found is None:
            pytest.skip(f"this simulator has no {words}")
        return found

    return capability


class Conformance(ABC):
    """Base class of test cases, which get a new simulator for each test.

    Tests of a capability are skipped for simulators that lack it. To omit a test that an engine
    cannot pass, a subclass sets ``test_name = None``.

    Attributes:
        world_counts: Numbers of worlds with which every test runs.
        precision: Largest error of positions and velocities that follow from a law or from other
            numbers of the same world [m, m/s, rad, rad/s]. Numbers that were written are read back
            with all their bits, and equal calls have equal results, whatever the precision.
        reset_precision: Largest error of the poses of links and positions of joints after a run
            that is repeated after a reset [m, rad]; with 0, all rounds must have the same bits.
    """

    world_counts: ClassVar[tuple[int, ...]] = (1, 3, 33)
    precision: ClassVar[float] = 1e-9
    reset_precision: ClassVar[float] = 0.0

    @abstractmethod
    def make_simulator(self, worlds: int) -> Simulator:
        """Returns a simulator without models, with gravity (0, 0, -9.8) m/s^2 and steps of 1 ms."""

    @abstractmethod
    def describe(self, sdf: str) -> Any:
        """Converts the SDF text of a model to a description for the simulator.

        It may call ``pytest.skip`` for models that the engine does not support.
        """

    @abstractmethod
    def unbuildable(self) -> Any:
        """Returns a description that ``spawn`` must refuse with `SpawnError`."""

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Runs each test with each of `world_counts`; called by pytest."""
        if "worlds" in metafunc.fixturenames:
            metafunc.parametrize("worlds", self.world_counts, ids=lambda count: f"W{count}")

    @pytest.fixture
    def bench(self, worlds: int) -> Iterator[Bench]:
        bench = self.make_bench(worlds)
        yield bench
        bench.close()

    cameras = _capability("cameras", "cameras")
    depth_cameras = _capability("depth_cameras", "depth cameras")
    mounts = _capability("camera_mounts", "camera mounts")
    contacts = _capability("contacts", "contact points")
    dynamics = _capability("dynamics", "dynamics")
    physics = _capability("physics", "physics properties")
    sensors = _capability("sensors", "sensors")
    snapshots = _capability("snapshots", "snapshots")

    def make_bench(self, worlds: int) -> Bench:
        """Returns a new simulator on a bench, which the caller closes."""
        return Bench(self.make_simulator(worlds), self.describe, self.precision)
