# SPDX-License-Identifier: Apache-2.0
"""Going back to an instant."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from deepsim_math import Euler, Pose
from deepsim_sync.port.cameras import CameraMount, CameraMounts, Cameras
from deepsim_sync.port.physics_properties import (
    PHYSICS_PROPERTIES,
    PhysicsProperties,
    PhysicsProperty,
)
from deepsim_sync.port.snapshots import Snapshots
from deepsim_sync.testing.conformance.bench import Bench
from deepsim_sync.testing.conformance.models import BOX, GROUND, SINKER

from .base import CAMERA, Conformance

ASIDE = CameraMount(Pose((0.1, 0, 0), Euler(0, 0, 0.2)), 1.3)


class SnapshotConformance(Conformance):
    """The capability `Snapshots`.

    Factors and mounts are tested where `PhysicsProperties` and `CameraMounts` are offered too.
    """

    @pytest.fixture
    def scalable(self, bench: Bench, physics: PhysicsProperties) -> PhysicsProperties:
        """Physics properties of a simulator with a sliding box and a link on a rail."""
        bench.spawn(GROUND, "ground")
        bench.spawn(BOX, "box", (0, 0, 0.1))
        bench.spawn(SINKER, "sinker", (2, 0, 5))
        bench.write({("models", "twist"): {"box": (1.0, 0.2, 0, 0, 0, 1)}})
        bench.run(0.05)
        return physics

    def test_it_goes_on_from_an_instant(self, bench: Bench, snapshots: Snapshots) -> None:
        """The same bits follow, at the same time, whatever happened in between."""
        bench.spawn(GROUND, "ground")
        bench.spawn(BOX, "box", (0, 0, 0.3))
        bench.write({("models", "twist"): {"box": (1.0, 0.2, 0, 0.5, 0, 1)}})
        bench.run(0.1)
        state, time = _taken(snapshots), bench.time
        after = self._run(bench, "box")
        bench.simulator.reset()
        bench.run(0.02)
        snapshots.set_state(state)
        assert bench.time == time
        assert self._run(bench, "box") == after

    def test_a_state_of_other_models_is_refused(self, bench: Bench, snapshots: Snapshots) -> None:
        """It fits the same entities only."""
        bench.spawn(BOX, "box", (0, 0, 5))
        state = _taken(snapshots)
        bench.spawn(BOX, "another", (2, 0, 5))
        with pytest.raises(ValueError, match="state"):
            snapshots.set_state(state)

    def test_worlds_that_differ_go_back_together(self, bench: Bench, snapshots: Snapshots) -> None:
        """Each world goes on from its own instant, at its own time; so in another simulator."""
        self.need_determinism()
        _scatter(bench)
        state, times = _taken(snapshots), bench.simulator.time
        after = _runs(bench)
        bench.reset([0])
        bench.step(3)
        snapshots.set_state(state)
        np.testing.assert_array_equal(bench.simulator.time, times)
        assert _runs(bench) == after
        another = self.make_bench(bench.worlds)
        _scatter(another)
        another.reset()
        assert another.simulator.snapshots is not None
        another.simulator.snapshots.set_state(state)
        np.testing.assert_array_equal(another.simulator.time, times)
        assert _runs(another) == after
        another.close()

    def test_a_state_of_more_worlds_is_refused(self, bench: Bench, snapshots: Snapshots) -> None:
        """It fits the same number of worlds only."""
        more = self.make_bench(bench.worlds + 1)
        for each in (bench, more):
            each.spawn(BOX, "box", (0, 0, 5))
        assert more.simulator.snapshots is not None
        state = _taken(more.simulator.snapshots)
        more.close()
        before = bench.state("box")
        with pytest.raises(ValueError, match="state"):
            snapshots.set_state(state)
        assert bench.state("box") == before

    def test_factors_of_every_world_are_part_of_it(
        self, bench: Bench, snapshots: Snapshots, scalable: PhysicsProperties
    ) -> None:
        """After a reset each world has its own factors again, and runs with them."""
        bench.alike = False
        for name in PHYSICS_PROPERTIES:
            factors = np.linspace(0.4, 2.5, 2 * bench.worlds).reshape(bench.worlds, 2)
            scalable.scale(name, ["box::link", "sinker::link"], factors)
        state = _taken(snapshots)
        factors = scalable.factors("mass")
        bench.run(0.1)
        after = bench.states("box", "sinker")
        bench.simulator.reset()
        snapshots.set_state(state)
        np.testing.assert_array_equal(scalable.factors("mass"), factors)
        bench.run(0.1)
        if self.deterministic:
            assert bench.states("box", "sinker") == after

    def test_mounts_of_every_world_are_part_of_it(
        self, bench: Bench, snapshots: Snapshots, mounts: CameraMounts, cameras: Cameras
    ) -> None:
        """After a reset each world's camera takes the same picture again."""
        bench.alike = False
        last = bench.worlds - 1
        mounts.set(CAMERA, ASIDE, np.array([last]))
        state, mount = _taken(snapshots), mounts.get(CAMERA, last)
        views = [_picture(cameras, world) for world in (0, last)]
        bench.simulator.reset()
        mounts.set(CAMERA, ASIDE)
        snapshots.set_state(state)
        assert mounts.get(CAMERA, last) == mount
        if last:
            assert mounts.get(CAMERA) == mounts.described(CAMERA)
        assert [_picture(cameras, world) for world in (0, last)] == views

    @pytest.mark.parametrize("name", PHYSICS_PROPERTIES)
    def test_scaled_physics_is_part_of_it(
        self, bench: Bench, snapshots: Snapshots, scalable: PhysicsProperties, name: PhysicsProperty
    ) -> None:
        """After a reset, and after the physics was scaled otherwise, factors are as they were."""
        links = ["box::link", "sinker::link"]
        scalable.scale(name, links, [0.4, 2.5])
        state, factors = _taken(snapshots), scalable.factors(name).tolist()
        after = self._run(bench, "box", "sinker")

        def scale_otherwise() -> None:
            for each in PHYSICS_PROPERTIES:
                scalable.scale(each, links, 3.0)

        for change in (bench.simulator.reset, scale_otherwise):
            change()
            snapshots.set_state(state)
            assert scalable.factors(name).tolist() == factors
            assert self._run(bench, "box", "sinker") == after

    @pytest.mark.parametrize("name", PHYSICS_PROPERTIES)
    def test_physics_as_described_is_part_of_it(
        self, bench: Bench, snapshots: Snapshots, scalable: PhysicsProperties, name: PhysicsProperty
    ) -> None:
        """A property that was scaled later is as described again."""
        state = _taken(snapshots)
        after = self._run(bench, "box", "sinker")
        scalable.scale(name, ["box::link", "sinker::link"], [0.4, 2.5])
        snapshots.set_state(state)
        assert (scalable.factors(name) == 1.0).all()
        assert self._run(bench, "box", "sinker") == after

    def test_mounts_are_part_of_it(
        self, bench: Bench, snapshots: Snapshots, mounts: CameraMounts, cameras: Cameras
    ) -> None:
        """After a reset a camera takes the same picture again, also from its described mount."""
        described, described_view = _taken(snapshots), _picture(cameras)
        mounts.set(CAMERA, ASIDE)
        state, mount, view = _taken(snapshots), mounts.get(CAMERA), _picture(cameras)
        assert view != described_view
        bench.simulator.reset()
        snapshots.set_state(state)
        assert mounts.get(CAMERA) == mount
        assert _picture(cameras) == view
        snapshots.set_state(described)
        assert mounts.get(CAMERA) == mounts.described(CAMERA)
        assert _picture(cameras) == described_view

    def _run(self, bench: Bench, *models: str) -> bytes | None:
        """The bits of models 0.3 s later, if they are the same each time."""
        bench.run(0.3)
        return bench.state(*models) if self.deterministic else None


def _taken(snapshots: Snapshots) -> Any:
    """The state now, as another process would get it."""
    return pickle.loads(pickle.dumps(snapshots.get_state()))


def _picture(cameras: Cameras, world: int = 0) -> bytes:
    return cameras.render(CAMERA, world).tobytes()


def _scatter(bench: Bench) -> None:
    """Boxes on the ground that move in each world in another way."""
    bench.spawn(GROUND, "ground")
    bench.spawn(BOX, "box", (0, 0, 0.12))
    bench.spawn(BOX, "lid", (0.1, 0, 0.35))
    twists = np.zeros((bench.worlds, 6))
    twists[:, 0] = np.linspace(0.5, 1.0, bench.worlds)
    bench.write({("models", "twist"): {"box": twists}})
    bench.step(50)
    bench.step(20, range(0, bench.worlds, 2))


def _runs(bench: Bench) -> list[list[bytes]]:
    """The bits of every world, now and after each of some steps."""
    states = [bench.states("box", "lid")]
    for _ in range(10):
        bench.step(10)
        states.append(bench.states("box", "lid"))
    return states
