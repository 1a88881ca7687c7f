# SPDX-License-Identifier: Apache-2.0
"""A film shows the world as it is at that instant."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import Result

from deepsim import CameraView, ModelSpawner, MujocoSimulator, Pose, Transform, World
from deepsim_train.film import Film

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


SEEN = """
import numpy as np
from gymnasium.spaces import Box
from deepsim import (
    Agents, Area, CameraView, Environment, ModelSpawner, MujocoSimulator, Pose, Task, World,
)

ROBOT = '''<sdf version="1.6"><model name="robot"><static>true</static><link name="base">
<visual name="v"><geometry><box><size>0.5 0.2 0.3</size></box></geometry></visual>
<sensor name="eye" type="camera"><camera><horizontal_fov>1</horizontal_fov>
<image><width>48</width><height>32</height></image></camera></sensor></link></model></sdf>'''

class Still(Area):
    agents = Agents(["robot"], Box(-1.0, 1.0, (1,)), Box(-1.0, 1.0, (1,)))

    def reset(self, worlds):
        pass

    def act(self, actions):
        pass

    def observe(self):
        return np.zeros((len(self.world), 1, 1), np.float32)

    def reward(self):
        return np.zeros((len(self.world), 1))

def make(worlds=1, seed=0):
    world = World(MujocoSimulator(worlds=worlds), steps_per_tick=100)  # ticks of 0.1 s
    ModelSpawner(ROBOT).spawn(world, "robot", Pose())
    return Environment(Still(world), frame_skip=100, max_episode_steps=20, seed=seed)

TASK = Task("still", make, film=CameraView.from_above(0.0, 0.0, 3.0, size=(64, 36)))
"""
"""A task of 2 s in which nothing moves, and a camera sensor."""

RunTask = Callable[..., Result]


@pytest.fixture
def still(tmp_path: Path) -> Path:
    """The folder of the task."""
    folder = tmp_path / "still"
    folder.mkdir()
    (folder / "__init__.py").write_text(SEEN)
    return folder


def film_of(tmp_path: Path) -> tuple[Image.Image, list[int]]:
    """Returns the film of a run and the durations of its frames [ms]."""
    film = Image.open(tmp_path / "out" / "film.webp")
    durations = []
    for number in range(film.n_frames):
        film.seek(number)
        film.load()
        durations.append(film.info["duration"])
    return film, durations


def frame(film: Image.Image, number: int) -> np.ndarray:
    """Returns a frame of a film."""
    film.seek(number)
    return np.asarray(film.convert("RGB"), dtype=np.float64)


def test_a_film_has_the_size_and_rate_asked_for(run: RunTask, still: Path, tmp_path: Path) -> None:
    """The height keeps the shape of the camera's picture; the film lasts as long as the run."""
    result = run(still, "--camera", "orbit", "--width", "96", "--fps", "5")
    assert result.exit_code == 0, result.output
    film, durations = film_of(tmp_path)
    assert film.size == (96, 54)
    assert set(durations) == {200}
    assert sum(durations) == pytest.approx(2000, abs=200)


def test_a_film_ends_with_the_first_episode(run: RunTask, still: Path, tmp_path: Path) -> None:
    """However many are played, and however long the others are: the n-th takes n / 2 s."""
    shorter = """self.limit = getattr(self, "limit", 0.0) + 0.5

    def terminated(self):
        return (self.world.time >= self.limit - 1e-9)[:, None]
"""
    (still / "__init__.py").write_text(SEEN.replace("pass\n", shorter, 1))
    result = run(still, "--episodes", "3", "--camera", "orbit", "--fps", "10")
    assert result.exit_code == 0, result.output
    assert sum(film_of(tmp_path)[1]) == pytest.approx(500, abs=100)


def test_an_orbit_turns_around_what_stands_still(run: RunTask, still: Path, tmp_path: Path) -> None:
    """Follow shows the robot that does not move as one picture, orbit from all sides."""
    for camera, moves in (("follow", False), ("orbit", True)):
        assert run(still, "--camera", camera, "--fps", "5").exit_code == 0
        film, _ = film_of(tmp_path)
        change = np.abs(frame(film, 0) - frame(film, film.n_frames - 1)).max()
        assert (change > 60.0) == moves, camera


def test_a_film_is_that_of_a_sensor(run: RunTask, still: Path, tmp_path: Path) -> None:
    """It has the sensor's size, and no other can be asked for."""
    assert run(still, "--camera", "robot::base::eye").exit_code == 0
    assert film_of(tmp_path)[0].size == (48, 32)
    result = run(still, "--camera", "robot::base::eye", "--width", "96")
    assert result.exit_code == 1
    assert "'robot::base::eye' has a width of its own" in " ".join(result.output.split())


def test_a_wrong_camera_is_refused_by_name(run: RunTask, still: Path) -> None:
    """The error says which cameras there are."""
    result = run(still, "--camera", "robot::base::ey")
    assert result.exit_code == 1
    said = " ".join(result.output.split())
    assert "robot::base::ey" in said
    assert "robot::base::eye" in said.replace("robot::base::ey'", "")
    assert "Traceback" not in said


def test_a_film_of_all_worlds_has_each_of_them(run: RunTask, still: Path, tmp_path: Path) -> None:
    """Three worlds are two rows of two, of which the last place is empty."""
    assert run(still, "--worlds", "3", "--camera", "worlds", "--width", "128").exit_code == 0
    film, _ = film_of(tmp_path)
    assert film.size == (128, 72)
    shown = frame(film, 0)
    tiles = [shown[y : y + 36, x : x + 64] for y in (0, 36) for x in (0, 64)]
    for tile in tiles[1:3]:
        assert np.abs(tile - tiles[0]).mean() < 4.0
    assert tiles[0].std() > 10.0
    assert tiles[3].max() < 20.0
