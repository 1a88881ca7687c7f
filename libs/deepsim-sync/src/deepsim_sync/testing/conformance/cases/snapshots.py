# SPDX-License-Identifier: Apache-2.0
"""Going back to an instant, for simulators that can."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from deepsim_math import Euler, Pose
from deepsim_sync.camera_mounts import CameraMount, CameraMounts
from deepsim_sync.cameras import Cameras
from deepsim_sync.physics_properties import (
    PHYSICS_PROPERTIES,
    PhysicsProperties,
    PhysicsProperty,
)
from deepsim_sync.snapshots import Snapshots
from deepsim_sync.testing.conformance.bench import Bench
from deepsim_sync.testing.conformance.models import BLOCK, BOX, EYE, GROUND, LAMP, SINKER

from .base import Conformance

CAMERA = "eye::link::camera"
ASIDE = CameraMount(Pose((0.1, 0, 0), Euler(0, 0, 0.2)), 1.3)


class SnapshotConformance(Conformance):
    """The capability `Snapshots`; skipped for simulators without it.

    Factors and mounts are tested where `PhysicsProperties` and `CameraMounts` are offered too.
    """

    @pytest.fixture
    def snapshots(self, bench: Bench) -> Snapshots:
        """The simulator under test, if it can go back."""
        if not isinstance(bench.simulator, Snapshots):
            pytest.skip("this simulator cannot go back to an instant")
        return bench.simulator

    @pytest.fixture
    def scalable(self, bench: Bench, snapshots: Snapshots) -> PhysicsProperties:
        """The same, if its physics can be scaled, with a sliding box and a link on a rail."""
        if not isinstance(bench.simulator, PhysicsProperties):
            pytest.skip("the physics of this simulator cannot be scaled")
        bench.spawn(GROUND, "ground")
        bench.spawn(BOX, "box", (0, 0, 0.1))
        bench.spawn(SINKER, "sinker", (2, 0, 5))
        bench.write({("models", "twist"): {"box": (1.0, 0.2, 0, 0, 0, 1)}})
        bench.run(0.05)
        return bench.simulator

    @pytest.fixture
    def mountable(self, bench: Bench, snapshots: Snapshots) -> CameraMounts:
        """The same, if its cameras can be moved, with a camera that sees a block."""
        if not isinstance(bench.simulator, CameraMounts):
            pytest.skip("the cameras of this simulator cannot be moved")
        bench.spawn(LAMP, "lamp", (-1, 0, 1))
        bench.spawn(BLOCK, "block")
        bench.spawn(EYE, "eye", (-1.5, 0, 0))
        return bench.simulator

    def test_it_goes_on_from_an_instant(self, bench: Bench, snapshots: Snapshots) -> None:
        """The same bits follow, at the same time, whatever happened in between."""
        bench.spawn(GROUND, "ground")
        bench.spawn(BOX, "box", (0, 0, 0.3))
        bench.write({("models", "twist"): {"box": (1.0, 0.2, 0, 0.5, 0, 1)}})
        bench.run(0.1)
        state, time = _taken(snapshots), bench.simulator.time
        after = self._run(bench, "box")
        bench.simulator.reset()
        bench.run(0.02)
        snapshots.set_state(state)
        assert bench.simulator.time == time
        assert self._run(bench, "box") == after

    def test_a_state_of_other_models_is_refused(self, bench: Bench, snapshots: Snapshots) -> None:
        """It fits the same entities only."""
        bench.spawn(BOX, "box", (0, 0, 5))
        state = _taken(snapshots)
        bench.spawn(BOX, "another", (2, 0, 5))
        with pytest.raises(ValueError, match="state"):
            snapshots.set_state(state)

    @pytest.mark.parametrize("name", PHYSICS_PROPERTIES)
    def test_scaled_physics_is_part_of_it(
        self, bench: Bench, snapshots: Snapshots, scalable: PhysicsProperties, name: PhysicsProperty
    ) -> None:
        """After a reset, and after the physics was scaled otherwise, factors are as they were."""
        links = ["box::link", "sinker::link"]
        scalable.scale_physics(name, links, [0.4, 2.5])
        state, factors = _taken(snapshots), scalable.physics_factors(name).tolist()
        after = self._run(bench, "box", "sinker")

        def scale_otherwise() -> None:
            for each in PHYSICS_PROPERTIES:
                scalable.scale_physics(each, links, 3.0)

        for change in (bench.simulator.reset, scale_otherwise):
            change()
            snapshots.set_state(state)
            assert scalable.physics_factors(name).tolist() == factors
            assert self._run(bench, "box", "sinker") == after

    @pytest.mark.parametrize("name", PHYSICS_PROPERTIES)
    def test_physics_as_described_is_part_of_it(
        self, bench: Bench, snapshots: Snapshots, scalable: PhysicsProperties, name: PhysicsProperty
    ) -> None:
        """What was scaled later is as described again."""
        state = _taken(snapshots)
        after = self._run(bench, "box", "sinker")
        scalable.scale_physics(name, ["box::link", "sinker::link"], [0.4, 2.5])
        snapshots.set_state(state)
        assert (scalable.physics_factors(name) == 1.0).all()
        assert self._run(bench, "box", "sinker") == after

    def test_mounts_are_part_of_it(
        self, bench: Bench, snapshots: Snapshots, mountable: CameraMounts
    ) -> None:
        """After a reset a camera sees again what it saw, and so it does as described."""
        described, described_view = _taken(snapshots), _picture(bench)
        mountable.mount_camera(CAMERA, ASIDE)
        state, mount, view = _taken(snapshots), mountable.camera_mount(CAMERA), _picture(bench)
        assert view != described_view
        bench.simulator.reset()
        snapshots.set_state(state)
        assert mountable.camera_mount(CAMERA) == mount
        assert _picture(bench) == view
        snapshots.set_state(described)
        assert mountable.camera_mount(CAMERA) == mountable.described_camera_mount(CAMERA)
        assert _picture(bench) == described_view

    def _run(self, bench: Bench, *models: str) -> bytes | None:
        """The bits of models 0.3 s later, if they are the same each time."""
        bench.run(0.3)
        return bench.state(*models) if self.deterministic else None


def _taken(snapshots: Snapshots) -> Any:
    """The state now, as another process would get it."""
    return pickle.loads(pickle.dumps(snapshots.get_state()))


def _picture(bench: Bench) -> bytes:
    assert isinstance(bench.simulator, Cameras)
    return bench.simulator.render(CAMERA).tobytes()
