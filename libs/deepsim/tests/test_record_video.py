# SPDX-License-Identifier: Apache-2.0
"""Gymnasium's own films of a task; skipped where the extra is not installed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers import RecordVideo

from deepsim import load_task, register_task

pytest.importorskip("moviepy", reason="the extra video is not installed: tox -e py311-train")
imageio = pytest.importorskip("imageio.v3")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # MoviePy's pipes
def test_record_video_films_a_registered_task(
    write_task: Callable[..., Path], tmp_path: Path
) -> None:
    """Each episode is a film with a picture of each step."""
    task = write_task(
        "pass",
        ("World(TableSimulator())", "World(MujocoSimulator())"),
        (
            'world.spawn(TableModel(), "puck", Pose())',
            'ModelSpawner(BALL).spawn(world, "puck", Pose())',
        ),
        ('film="none::none::none"', "film=CameraView.from_above(0.0, 0.0, 2.0)"),
        ("SPACE = ", 'from deepsim import ModelSpawner\nBALL = "' + BALL + '"\nSPACE = '),
    )
    film = RecordVideo(
        gymnasium.make(register_task(task), render_mode="rgb_array"),
        str(tmp_path / "films"),
        episode_trigger=lambda number: True,
    )
    for seed in (0, 1):
        film.reset(seed=seed)
        for _ in range(3):
            film.step(np.zeros(1, np.float32))
    film.close()
    films = sorted((tmp_path / "films").glob("*.mp4"))
    assert len(films) == 2
    for each in films:
        pictures = imageio.imread(each)
        assert pictures.ndim == 4
        assert len(pictures) >= 3
        assert pictures.std() > 1.0


BALL = (
    "<sdf version='1.6'><model name='puck'><link name='body'>"
    "<visual name='seen'><geometry><sphere><radius>0.3</radius></sphere></geometry></visual>"
    "<collision name='hit'><geometry><sphere><radius>0.3</radius></sphere></geometry></collision>"
    "</link></model></sdf>"
)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # MoviePy's pipes
def test_stable_baselines_records_all_worlds_of_a_task(tmp_path: Path) -> None:
    """Its usual recorder tiles the pictures of the worlds."""
    pytest.importorskip("stable_baselines3", reason="SB3 is not installed: tox -e py311-train")
    from stable_baselines3.common.vec_env import VecVideoRecorder  # noqa: PLC0415 (of an extra)

    from deepsim_train.sb3 import AgentsVecEnv  # noqa: PLC0415 (of an extra)

    task = load_task("cartpole")
    slots = AgentsVecEnv(task.environments(3), render_mode="rgb_array", camera=task.film)
    one = slots.environment.world.render(task.film)
    assert AgentsVecEnv(task.environments(1)).render_mode is None
    film = VecVideoRecorder(slots, str(tmp_path), lambda step: step == 0, video_length=4)
    film.reset()
    assert film.render().shape == (2 * one.shape[0], 2 * one.shape[1], 3)
    for _ in range(5):
        film.step(np.zeros((3, 1), np.float32))
    film.close()
    (written,) = tmp_path.glob("*.mp4")
    assert len(imageio.imread(written)) >= 4
