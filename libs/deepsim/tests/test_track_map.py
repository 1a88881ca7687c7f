# SPDX-License-Identifier: Apache-2.0
"""The map: lines and picture have one scale."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from deepsim import CameraView, Euler, Pose, Task, TaskError
from deepsim_train.episodes import Episode
from deepsim_train.film import write_map

ABOVE = CameraView.from_above(1.0, 2.0, 5.0, size=(90, 60))


def task(view: CameraView) -> Task:
    return Task("t", make=None, policies={}, film=view, map_view=view)


def test_commands_that_draw_nothing_do_without_matplotlib() -> None:
    """Importing it takes longer than all that they do."""
    script = "import sys, deepsim.cli; print('matplotlib' in sys.modules)"
    printed = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert printed.stdout.strip() == b"False"


@pytest.mark.parametrize(
    "turn",
    [
        Euler(),
        Euler(0.0, math.pi / 2, 0.0),
        Euler(0.0, math.pi / 2, -math.pi / 2),
        Euler(0.0, -math.pi / 2, math.pi / 2),
        Euler(0.0, math.pi / 2 - 1e-4, math.pi / 2),
    ],
    ids=["level", "x up", "y down", "looks up", "tilted"],
)
def test_the_maps_camera_must_look_straight_down_with_y_up(turn: Euler) -> None:
    with pytest.raises(TaskError, match=r"map_view of t must look .* use CameraView\.from_above"):
        task(CameraView(Pose((0.0, 0.0, 5.0), turn)))


def test_agents_without_a_body_leave_no_line(tmp_path: Path) -> None:
    write_map(tmp_path / "map.png", None, task(ABOVE), [Episode(1, rewards={"a": 0.0})])
    assert (tmp_path / "map.png").is_file()


@pytest.mark.parametrize("picture", [np.full((60, 90, 3), 255, np.uint8), None])
def test_the_map_shows_a_line_where_it_was_driven(
    tmp_path: Path, picture: NDArray[np.uint8] | None
) -> None:
    """One agent stands in the upper left quarter, +y up, of a white picture, or of none."""
    where = (ABOVE.pose.position.x - 1.5, ABOVE.pose.position.y + 1.0)
    row = (1, 0, 1, 0.1, "a", *where, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)
    episode = Episode(1, rewards={"a": 0.0}, rows=[row])
    path = tmp_path / "map.png"
    write_map(path, picture, task(ABOVE), [episode])
    with Image.open(path) as image:
        pixels = np.asarray(image.convert("RGB")).astype(int)
    ys, xs = np.nonzero((pixels[..., 0] > 180) & (pixels[..., 1:].max(axis=-1) < 90))  # red
    upper = ys < ys.min() + 30  # the mark of the legend is far below
    height, width = pixels.shape[:2]
    assert np.mean(xs[upper]) < 0.45 * width
    assert np.mean(ys[upper]) < 0.45 * height
