# SPDX-License-Identifier: Apache-2.0
"""Pictures."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from deepsim_math import Pose
from deepsim_sync.errors import UnknownEntityError
from deepsim_sync.port.cameras import Cameras, CameraView
from deepsim_sync.testing.conformance.bench import Bench
from deepsim_sync.testing.conformance.models import BLOCK, BOX, EYE, LAMP

from .base import Conformance

VIEW = CameraView(Pose((-1.5, 0, 0)), horizontal_fov=1.0, width=64, height=48)
PAINT = "block::link::paint"


class CameraConformance(Conformance):
    """The capability `Cameras`."""

    def test_a_picture_is_an_array(self, cameras: Cameras) -> None:
        """A picture has three bytes per pixel, and each call returns another array."""
        picture = cameras.render(VIEW)
        assert picture.shape == (48, 64, 3)
        assert picture.dtype == np.uint8
        assert not np.shares_memory(picture, cameras.render(VIEW))

    def test_a_model_is_seen_where_it_is(self, bench: Bench, cameras: Cameras) -> None:
        """A green block in front of the camera turns the middle of the picture green."""
        empty = cameras.render(VIEW)
        bench.spawn(LAMP, "lamp", (-1, 0, 1))
        bench.spawn(BLOCK, "block")
        seen = cameras.render(VIEW)
        red, green, blue = seen[20:28, 28:36].mean(axis=(0, 1))
        assert green > 1.5 * max(red, blue)
        assert (seen[20:28, 28:36] != empty[20:28, 28:36]).any(axis=-1).all()
        bench.write({("models", "pose"): {"block": (0, 0, 50, 0, 0, 0, 1)}})
        gone = cameras.render(VIEW)
        assert not _is_green(gone).any()

    def test_left_is_left_and_up_is_up(self, bench: Bench, cameras: Cameras) -> None:
        """Things at +y are on the left of the picture, things at +z in its upper half."""
        bench.spawn(LAMP, "lamp", (-1, 0, 1))
        bench.spawn(BLOCK, "block", (0, 0.4, 0.3))
        rows, columns = np.nonzero(_is_green(cameras.render(VIEW)))
        assert columns.mean() < 32
        assert rows.mean() < 24

    @pytest.mark.parametrize(("column", "value"), [("transparency", 1.0), ("visible", False)])
    def test_what_is_hidden_is_not_seen(
        self, bench: Bench, cameras: Cameras, column: str, value: float | bool
    ) -> None:
        """A visual that is fully transparent or not visible leaves the picture, and returns."""
        bench.spawn(LAMP, "lamp", (-1, 0, 1))
        bench.spawn(BLOCK, "block")
        assert _is_green(cameras.render(VIEW)).any()
        shown = bench.get("visuals", column, PAINT)
        bench.write({("visuals", column): {PAINT: value}})
        assert not _is_green(cameras.render(VIEW)).any()
        bench.write({("visuals", column): {PAINT: shown}})
        assert _is_green(cameras.render(VIEW)).any()

    def test_a_new_colour_is_seen(self, bench: Bench, cameras: Cameras) -> None:
        """A block that is painted blue is no longer green."""
        bench.spawn(LAMP, "lamp", (-1, 0, 1))
        bench.spawn(BLOCK, "block")
        blue = {PAINT: (0.0, 0.0, 0.9, 1.0)}
        bench.write({("visuals", "ambient"): blue, ("visuals", "diffuse"): blue})
        picture = cameras.render(VIEW)
        red, green, blue_level = picture[20:28, 28:36].mean(axis=(0, 1))
        assert blue_level > 1.5 * max(red, green)

    def test_camera_sensors_are_listed_and_move(self, bench: Bench, cameras: Cameras) -> None:
        """A camera sensor is called model::link::sensor and looks from where its link is."""
        bench.spawn(LAMP, "lamp", (-1, 0, 1))
        bench.spawn(BLOCK, "block")
        bench.spawn(EYE, "eye", (-1.5, 0, 0))
        assert cameras.names == ("eye::link::camera",)
        ahead = cameras.render("eye::link::camera")
        assert ahead.shape == (48, 64, 3)
        assert _is_green(ahead).any()
        bench.write({("models", "pose"): {"eye": (-1.5, 0, 0, 0, 0, 1, 0)}})
        assert not _is_green(cameras.render("eye::link::camera")).any()
        bench.simulator.delete("eye")
        assert not cameras.names

    def test_any_world_can_be_seen(self, bench: Bench, cameras: Cameras) -> None:
        """A picture shows the poses and the appearance of the chosen world."""
        bench.spawn(LAMP, "lamp", (-1, 0, 1))
        bench.spawn(BLOCK, "block")
        bench.spawn(EYE, "eye", (-1.5, 0, 0))
        last = bench.worlds - 1
        for camera in (VIEW, "eye::link::camera"):
            np.testing.assert_array_equal(cameras.render(camera, last), cameras.render(camera))
        bench.write({("models", "pose"): {"block": (0, 0, 50, 0, 0, 0, 1)}}, [last])
        assert not _is_green(cameras.render(VIEW, last)).any()
        assert not _is_green(cameras.render("eye::link::camera", last)).any()
        bench.write({("models", "pose"): {"block": (0, 0, 0, 0, 0, 0, 1)}}, [last])
        blue = {PAINT: (0.0, 0.0, 0.9, 1.0)}
        bench.write({("visuals", "ambient"): blue, ("visuals", "diffuse"): blue}, [last])
        assert not _is_green(cameras.render(VIEW, last)).any()
        if last:
            assert _is_green(cameras.render(VIEW)).any()
            assert _is_green(cameras.render("eye::link::camera", last - 1)).any()

    def test_an_unknown_camera_is_named(self, cameras: Cameras) -> None:
        """A camera that does not exist raises UnknownEntityError."""
        with pytest.raises(UnknownEntityError, match="nowhere"):
            cameras.render("nowhere")

    def test_pictures_change_nothing(self, bench: Bench, cameras: Cameras) -> None:
        """Rendering leaves the state and the time alone."""
        bench.spawn(BOX, "box", (0, 0, 5))
        bench.run(0.05)
        before, time = bench.state("box"), bench.time
        cameras.render(VIEW)
        assert bench.state("box") == before
        assert bench.time == time


def _is_green(picture: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Returns a mask of the clearly green pixels, (height, width)."""
    red, green, blue = np.moveaxis(picture.astype(np.int64), -1, 0)
    mask: NDArray[np.bool_] = (green > 20) & (green > 1.5 * np.maximum(red, blue))
    return mask
