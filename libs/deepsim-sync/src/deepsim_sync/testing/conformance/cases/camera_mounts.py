# SPDX-License-Identifier: Apache-2.0
"""Camera sensors that are moved."""

from __future__ import annotations

import math

import numpy as np
import pytest

from deepsim_math import Euler, Pose
from deepsim_sync.errors import UnknownEntityError
from deepsim_sync.port.cameras import CameraMount, CameraMounts, Cameras
from deepsim_sync.testing.conformance.bench import Bench
from deepsim_sync.testing.conformance.models import BLOCK, EYE

from .base import CAMERA, Conformance

BACKWARD = CameraMount(Pose((0, 0, 0), Euler(0, 0, math.pi)), 1.0)


class CameraMountConformance(Conformance):
    """The capability `CameraMounts`."""

    def test_a_camera_is_mounted_as_described(self, mounts: CameraMounts) -> None:
        """The mount is that of the description."""
        assert mounts.get(CAMERA) == CameraMount(Pose(), 1.0)
        assert mounts.described(CAMERA) == CameraMount(Pose(), 1.0)

    def test_a_camera_looks_along_its_mount(self, mounts: CameraMounts, cameras: Cameras) -> None:
        """Turned round, it no longer sees the block."""
        assert _green(cameras) > 0
        mounts.set(CAMERA, BACKWARD)
        assert mounts.get(CAMERA).pose.isclose(BACKWARD.pose)
        assert mounts.described(CAMERA) == CameraMount(Pose(), 1.0)
        assert _green(cameras) == 0

    def test_a_wider_lens_sees_things_smaller(self, mounts: CameraMounts, cameras: Cameras) -> None:
        """Twice the half-width at depth 1 leaves a quarter of the pixels."""
        before = _green(cameras)
        wide = 2.0 * math.atan(2.0 * math.tan(0.5))
        mounts.set(CAMERA, CameraMount(Pose(), wide))
        assert _green(cameras) == pytest.approx(before / 4, rel=0.3)

    def test_a_reset_mounts_it_as_described(self, bench: Bench, mounts: CameraMounts) -> None:
        """After a reset, and when its model comes back, a camera is mounted as described."""
        mounts.set(CAMERA, BACKWARD)
        bench.spawn(BLOCK, "another", (0, 3, 0))
        assert mounts.get(CAMERA) != CameraMount(Pose(), 1.0)  # kept
        bench.simulator.reset()
        assert mounts.get(CAMERA) == CameraMount(Pose(), 1.0)
        mounts.set(CAMERA, BACKWARD)
        bench.simulator.delete("eye")
        bench.spawn(EYE, "eye", (-1.5, 0, 0))
        assert mounts.get(CAMERA) == CameraMount(Pose(), 1.0)

    def test_each_world_has_its_own_mounts(
        self, bench: Bench, mounts: CameraMounts, cameras: Cameras
    ) -> None:
        """A camera that is turned round in some worlds sees the block in the others."""
        bench.alike = False
        turned = np.arange(0, bench.worlds, 2)
        mounts.set(CAMERA, BACKWARD, turned)
        for world in range(bench.worlds):
            expected = BACKWARD if world in turned else CameraMount(Pose(), 1.0)
            assert mounts.get(CAMERA, world).pose.isclose(expected.pose)
        seeing = [world for world in range(min(bench.worlds, 4)) if _green(cameras, world)]
        assert seeing == [world for world in range(min(bench.worlds, 4)) if world not in turned]
        bench.reset(turned[:1])
        assert mounts.get(CAMERA, 0) == CameraMount(Pose(), 1.0)
        assert _green(cameras) > 0
        for world in turned[1:].tolist():
            assert mounts.get(CAMERA, world).pose.isclose(BACKWARD.pose)

    @pytest.mark.parametrize(
        ("mount", "message"),
        [
            (CameraMount(Pose(), 0.0), "horizontal_fov"),
            (CameraMount(Pose(), math.pi), "horizontal_fov"),
            (CameraMount(Pose(), math.nan), "horizontal_fov"),
            (CameraMount(Pose((math.inf, 0, 0)), 1.0), "pose"),
            (CameraMount(Pose((0, 0, 0), (0, 0, 0, 0)), 1.0), "pose"),
        ],
    )
    def test_an_unfit_mount_is_refused(
        self, mounts: CameraMounts, mount: CameraMount, message: str
    ) -> None:
        """Angles of view lie in (0, pi), and poses are poses."""
        with pytest.raises(ValueError, match=f"{message} of camera '{CAMERA}'"):
            mounts.set(CAMERA, mount)
        assert mounts.get(CAMERA) == CameraMount(Pose(), 1.0)

    def test_an_unknown_camera_cannot_be_mounted(self, mounts: CameraMounts) -> None:
        """A camera that does not exist raises UnknownEntityError."""
        for act in (mounts.get, mounts.described):
            with pytest.raises(UnknownEntityError, match="nowhere"):
                act("nowhere")
        with pytest.raises(UnknownEntityError, match="nowhere"):
            mounts.set("nowhere", BACKWARD)


def _green(cameras: Cameras, world: int = 0) -> int:
    """Returns the number of clearly green pixels of the camera's picture."""
    picture = cameras.render(CAMERA, world)
    red, green, blue = np.moveaxis(picture.astype(np.int64), -1, 0)
    return int(((green > 20) & (green > 1.5 * np.maximum(red, blue))).sum())
