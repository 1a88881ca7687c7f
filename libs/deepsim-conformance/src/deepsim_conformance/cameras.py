# SPDX-License-Identifier: Apache-2.0
"""Pictures, and moving camera sensors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from deepsim_math import Euler, Pose
from deepsim_sync.errors import UnknownEntityError
from deepsim_sync.port.cameras import CameraMount, CameraMounts, Cameras, CameraView, DepthCameras
from deepsim_sync.port.tables import Key

from .base import Conformance
from .bench import Bench, Rows
from .models import BLOCK, EYE, LAMP

CAMERA = "eye::link::camera"
VIEW = CameraView(Pose((-1.5, 0, 0)), horizontal_fov=1.0, width=64, height=48)
PAINT = "block::link::paint"
BULB = "lamp::link::bulb"
PLACE: Key = ("lights", "pose")
GREEN = np.s_[20:28, 28:36, 1]
BLUE = {PAINT: (0.0, 0.0, 0.9, 1.0)}
FAR = (0.0, 0.0, 50.0, 0.0, 0.0, 0.0, 1.0)
TURNED = (-1.5, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)

NOT_GREEN: dict[str, Rows] = {
    "moved": {("models", "pose"): {"block": FAR}},
    "transparent": {("visuals", "transparency"): {PAINT: 1.0}},
    "invisible": {("visuals", "visible"): {PAINT: False}},
    "blue": {("visuals", "ambient"): BLUE, ("visuals", "diffuse"): BLUE},
    "turned": {("models", "pose"): {"eye": TURNED}},
}
"""Changes after which no green block is in the picture."""

DESCRIBED = CameraMount(Pose(), 1.0)
BACKWARD = CameraMount(Pose((0, 0, 0), Euler(0, 0, math.pi)), 1.0)


class CameraCases(Conformance):
    """The capabilities `Cameras` and `CameraMounts`."""

    def test_a_model_is_seen_where_it_is(self, bench: Bench, cameras: Cameras) -> None:
        """Objects at +y are on the left of the picture, objects at +z in its upper half."""
        empty = cameras.render(VIEW)
        spawn_scene(bench)
        seen = cameras.render(VIEW)
        middle = np.s_[20:28, 28:36]
        assert is_of(seen, "green")[middle].mean() > 0.5
        assert (seen[middle] != empty[middle]).any(axis=-1).all()
        bench.write({("models", "pose"): {"block": (0, 0.4, 0.3, 0, 0, 0, 1)}})
        rows, columns = np.nonzero(is_of(cameras.render(VIEW), "green"))
        assert columns.mean() < 32
        assert rows.mean() < 24

    @pytest.mark.parametrize("change", NOT_GREEN)
    def test_a_picture_shows_one_world_as_it_is(
        self, bench: Bench, cameras: Cameras, change: str
    ) -> None:
        """The block is green until its world changes, and again when the change is undone."""
        spawn_scene(bench)
        last = bench.worlds - 1
        rows = NOT_GREEN[change]
        shown = {key: {n: bench.get(*key, n) for n in by_name} for key, by_name in rows.items()}
        bench.write(rows, [last])
        for camera in (CAMERA,) if change == "turned" else (CAMERA, VIEW):
            picture = cameras.render(camera, last)
            assert not is_of(picture, "green").any()
            assert change != "blue" or is_of(picture, "blue").any()
            if last:
                assert is_of(cameras.render(camera), "green").any()
        bench.write(shown, [last])
        for camera in (CAMERA, VIEW):
            np.testing.assert_array_equal(cameras.render(camera, last), cameras.render(camera))
            assert is_of(cameras.render(camera, last), "green").any()

    def test_a_light_shines_from_where_it_is_put(self, bench: Bench, cameras: Cameras) -> None:
        """The light is moved in one world, and put back; it also moves with its link."""
        spawn_scene(bench)
        last, mount = bench.worlds - 1, bench.get(*PLACE, BULB)
        lit = cameras.render(VIEW, last)[GREEN].mean()
        bench.write({PLACE: {BULB: mount + np.eye(7)[2] * 40}}, [last])
        dark = cameras.render(VIEW, last)[GREEN].mean()
        assert dark < 0.8 * lit
        if last:
            assert cameras.render(VIEW)[GREEN].mean() == lit
        bench.write({("models", "pose"): {"lamp": (-1, 0, -39, 0, 0, 0, 1)}}, [last])
        assert cameras.render(VIEW, last)[GREEN].mean() == pytest.approx(lit, rel=0.01)
        bench.write({("models", "pose"): {"lamp": (-1, 0, 1, 0, 0, 0, 1)}}, [last])
        bench.write({PLACE: {BULB: mount}}, [last])
        assert cameras.render(VIEW, last)[GREEN].mean() == lit

    def test_depths_are_along_the_axis_and_segments_are_rows(
        self, bench: Bench, depth_cameras: DepthCameras
    ) -> None:
        """The face of a block in front of a camera has one depth; around it depths are infinite."""
        spawn_scene(bench)
        bench.write({("models", "pose"): {"block": (0, 0, 0, 0, 0, 0, 1)}})
        for camera in (CAMERA, VIEW):
            depth, models, links = depth_cameras.measure(camera, bench.worlds - 1)
            view = depth_cameras.view(camera) if isinstance(camera, str) else camera
            assert depth.shape == models.shape == links.shape == (view.height, view.width)
            middle = np.s_[view.height // 2 - 1 : view.height // 2 + 1, view.width // 2]
            face = depth[middle].mean()
            at = np.isclose(depth, face, rtol=0.01)
            assert (models[at] == bench.entities.models.row("block")).all()
            assert (links[at] == bench.entities.links.row("block::link")).all()
            assert (models[0] == -1).all()
            assert np.isinf(depth[0]).all()
            points = view.points(np.where(at, depth, np.inf))
            assert len(points) == at.sum() > 4
            np.testing.assert_allclose(points[:, 0], points[0, 0], atol=0.01)
            in_camera = points @ view.extrinsic_cv[:, :3].T + view.extrinsic_cv[:, 3]
            np.testing.assert_allclose(in_camera[:, 2], depth[at], rtol=1e-6)
            pixels = in_camera @ view.intrinsic.T
            rows, columns = np.nonzero(at)
            np.testing.assert_allclose(pixels[:, 0] / pixels[:, 2], columns + 0.5, atol=1e-6)
            np.testing.assert_allclose(pixels[:, 1] / pixels[:, 2], rows + 0.5, atol=1e-6)
        with pytest.raises(UnknownEntityError):
            depth_cameras.measure("nobody")
        with pytest.raises(UnknownEntityError):
            depth_cameras.view("nobody")

    def test_camera_sensors_are_listed(self, bench: Bench, cameras: Cameras) -> None:
        """A camera sensor is called model::link::sensor; a picture is a new array."""
        spawn_scene(bench)
        assert cameras.names == (CAMERA,)
        for camera in (CAMERA, VIEW):
            picture = cameras.render(camera)
            assert picture.shape == (48, 64, 3)
            assert picture.dtype == np.uint8
            assert not np.shares_memory(picture, cameras.render(camera))
        bench.simulator.delete("eye")
        with pytest.raises(UnknownEntityError, match="nowhere"):
            cameras.render("nowhere")
        assert not cameras.names

    def test_each_world_has_its_own_mounts(
        self, bench: Bench, mounts: CameraMounts, cameras: Cameras
    ) -> None:
        """A camera that is turned around in some worlds still sees the block in the others."""
        spawn_scene(bench)
        bench.alike = False
        turned = np.arange(0, bench.worlds, 2)
        mounts.set(CAMERA, BACKWARD, turned)
        bench.spawn(BLOCK, "another", (0, 3, 0))
        assert _turned(bench, mounts) == turned.tolist()
        assert mounts.described(CAMERA) == DESCRIBED
        for world in range(min(bench.worlds, 4)):
            assert is_of(cameras.render(CAMERA, world), "green").any() == (world not in turned)
        bench.reset(turned[:1])
        assert _turned(bench, mounts) == turned[1:].tolist()
        assert is_of(cameras.render(CAMERA), "green").any()
        mounts.set(CAMERA, BACKWARD)
        bench.simulator.delete("eye")
        bench.spawn(EYE, "eye", (-1.5, 0, 0))
        assert _turned(bench, mounts) == []

    def test_a_wider_lens_sees_things_smaller(
        self, bench: Bench, mounts: CameraMounts, cameras: Cameras
    ) -> None:
        """Twice the half-width at depth 1 leaves a quarter of the pixels."""
        spawn_scene(bench)
        before = is_of(cameras.render(CAMERA), "green").sum()
        mounts.set(CAMERA, CameraMount(Pose(), 2.0 * math.atan(2.0 * math.tan(0.5))))
        after = is_of(cameras.render(CAMERA), "green").sum()
        assert after == pytest.approx(before / 4, rel=0.3)

    def test_an_unfit_mount_is_refused(self, bench: Bench, mounts: CameraMounts) -> None:
        spawn_scene(bench)
        for mount in (CameraMount(Pose(), math.pi), CameraMount(Pose((math.inf, 0, 0)), 1.0)):
            with pytest.raises(ValueError, match=f"of camera '{CAMERA}'"):
                mounts.set(CAMERA, mount)
        for act in (mounts.get, mounts.described, lambda name: mounts.set(name, BACKWARD)):
            with pytest.raises(UnknownEntityError, match="nowhere"):
                act("nowhere")
        assert mounts.get(CAMERA) == DESCRIBED


def spawn_scene(bench: Bench) -> None:
    """Adds a green block, a lamp, and a camera that looks at the block as `VIEW` does."""
    bench.spawn(LAMP, "lamp", (-1, 0, 1))
    bench.spawn(BLOCK, "block")
    bench.spawn(EYE, "eye", (-1.5, 0, 0))


def _turned(bench: Bench, mounts: CameraMounts) -> list[int]:
    """Returns the worlds whose camera looks backward; all others are mounted as described."""
    found = [mounts.get(CAMERA, world) for world in range(bench.worlds)]
    turned = [world for world, mount in enumerate(found) if mount != DESCRIBED]
    assert all(found[world].pose.isclose(BACKWARD.pose) for world in turned)
    return turned


def is_of(picture: NDArray[np.uint8], color: str) -> NDArray[np.bool_]:
    """Returns a mask of the pixels that are clearly red, green or blue, (height, width)."""
    levels = np.moveaxis(picture.astype(np.int64), -1, 0)
    chosen = ("red", "green", "blue").index(color)
    level, others = levels[chosen], np.delete(levels, chosen, axis=0)
    mask: NDArray[np.bool_] = (level > 20) & (level > 1.5 * others.max(axis=0))
    return mask
