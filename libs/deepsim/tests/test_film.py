# SPDX-License-Identifier: Apache-2.0
"""A film shows the world as it is at that instant."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from deepsim import CameraView, ModelSpawner, MujocoSimulator, Pose, Transform, World
from deepsim.episodes.film import Film

BALL = """<sdf version="1.6"><model name="ball"><static>true</static><link name="link">
  <visual name="v"><geometry><sphere><radius>0.5</radius></sphere></geometry></visual>
</link></model></sdf>"""


def test_a_change_that_was_not_sent_yet_is_in_the_picture(tmp_path: Path) -> None:
    camera = CameraView.from_above(0.0, 0.0, 3.0, size=(32, 24))
    world = World(MujocoSimulator())
    ModelSpawner(BALL).spawn(world, "ball", Pose())
    shown, gone = (Film(world, camera, tmp_path / "film.gif") for _ in range(2))
    shown.shoot()
    Transform(world, "ball").pose = Pose((100.0, 0.0, 0.0))
    gone.shoot()
    world.close()
    assert not np.array_equal(shown.frames[0], gone.frames[0])


@pytest.mark.parametrize("milliseconds", [500, 125, 20])
def test_ten_simulated_seconds_are_ten_seconds_of_film(tmp_path: Path, milliseconds: int) -> None:
    """However long a step is; it begins when the film does, and ends with the present."""
    camera = CameraView.from_above(0.0, 0.0, 3.0, size=(8, 6))
    world = World(MujocoSimulator(), steps_per_tick=milliseconds)
    ModelSpawner(BALL).spawn(world, "ball", Pose((100.0, 0.0, 0.0)))
    for _ in range(7):
        world.tick()
    film = Film(world, camera, tmp_path / "film.gif", fps=10)
    film.shoot()
    for time in range(0, 10_000, milliseconds):
        if time + milliseconds == 10_000:
            Transform(world, "ball").pose = Pose()
        world.tick()
        film.shoot()
    world.close()
    assert len(film.frames) == 101
    assert [np.array_equal(frame, film.frames[0]) for frame in film.frames[-2:]] == [True, False]
