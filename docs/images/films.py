# SPDX-License-Identifier: Apache-2.0
"""Makes the films of README, gallery and tasks again: ``python docs/images/films.py [NAME ...]``.

Without names, it makes all; some minutes on one core. That of clutter needs Scenic, which
requirements-scenes.txt installs. Look at them before you commit them.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from deepsim import CameraView, Euler, GazeboXMLLoader, MujocoSimulator, Pose, World, load_task
from deepsim_soccer import world_sdf
from deepsim_train.episodes import run_episodes
from deepsim_train.film import Film
from deepsim_train.policies.slot_policy import slot_policy
from deepsim_train.training.run_folder import chosen_policy

ROOT = Path(__file__).resolve().parents[2]
TASKS = ROOT / "libs/deepsim-tasks/src/deepsim_tasks"
IMAGES = ROOT / "libs/deepsim-tasks/docs/images"
sys.path.insert(0, str(ROOT / "examples"))
solo = importlib.import_module("robocup.solo")
QUALITY = 50  # of WebP, of 100


@dataclass(frozen=True)
class Shooting:
    """What a film shows of a task."""

    task: str
    policy: str | None = None
    seconds: float = 6.0
    seed: int = 0
    width: int = 640
    fps: int = 15


FILMS = {
    "cartpole": Shooting("cartpole", seconds=8.0),
    "clutter": Shooting("clutter", seconds=9.0),
    "duo": Shooting("duo", "trained"),
    "lift": Shooting("lift"),
    "navigate": Shooting("navigate", seconds=9.0),
    "push": Shooting("push"),
    "racetrack": Shooting("racetrack", "pursuit", seconds=8.0),
    "reach": Shooting("reach"),
    "robocup": Shooting("robocup", "chase"),
    "rough": Shooting("rough", seconds=8.0, seed=10),
    "striker": Shooting("striker", "trained"),
    "tag": Shooting("tag", seconds=9.0),
    "walk": Shooting("walk", seconds=3.3, width=960, fps=18),
}


class Enough(Exception):  # noqa: N818 (no error)
    """The film is as long as it should be."""


def shoot(shooting: Shooting) -> list[Any]:
    """Returns the pictures of a film."""
    task = load_task(TASKS / shooting.task)
    _, maker = chosen_policy(shooting.policy or task.default_policy, task, ROOT / "runs/none")
    environment = task.environment(shooting.seed)
    assert isinstance(task.film, CameraView)
    height = 2 * round(shooting.width * task.film.height / task.film.width / 2)
    view = replace(task.film, width=shooting.width, height=height)
    with environment:
        world: World = environment.world
        film = Film(world, view, Path("film.webp"), fps=shooting.fps)

        def on_step(_: object) -> None:
            film.shoot()
            if len(film.frames) >= shooting.seconds * shooting.fps:
                raise Enough

        with suppress(Enough):
            policy = slot_policy(maker, environment, shooting.seed)
            run_episodes(environment, policy, 1, shooting.seed, on_step)
        return film.frames


PITCH = CameraView(Pose((0.0, -15.5, 11.5), Euler(0.0, 0.66, np.pi / 2)), 1.06, 640, 334)
EVERY = 0.2  # [s] of simulated time between the frames of soccer, which plays twice as fast


def shoot_soccer() -> list[Any]:
    """Returns the pictures of the film of `examples.robocup.solo`."""
    simulator = MujocoSimulator(GazeboXMLLoader().load_world(world_sdf("paper")))
    films: list[Film] = []

    def watch(world: World) -> None:
        if not films:
            films.append(Film(world, PITCH, Path("film.webp"), fps=round(1 / EVERY)))
        films[0].shoot()

    solo.play(simulator, "paper", watch)
    return films[0].frames


def main() -> None:
    """Makes the named films."""
    for name in sys.argv[1:] or [*FILMS, "rooms", "soccer-solo", "worlds"]:
        if name == "rooms":
            rooms = ROOT / "examples/rooms"
            options = ["--seconds", "16", "--film", str(rooms / "film.webp")]
            subprocess.run([sys.executable, str(rooms), *options], check=True)
            continue
        if name == "worlds":
            command = ["deepsim", "run", "reach", "--worlds", "16", "--camera", "worlds"]
            options = ["--width", "800", "--fps", "10", "--out", "runs/worlds"]
            subprocess.run([*command, *options], check=True)
            Path("runs/worlds/film.webp").replace(ROOT / "docs/images/worlds.webp")
            continue
        if name == "soccer-solo":
            frames, path = shoot_soccer(), ROOT / "docs/images/soccer-solo.webp"
            duration = round(500 * EVERY)
        else:
            frames, path = shoot(FILMS[name]), IMAGES / f"{name}.webp"
            duration = round(1000 / FILMS[name].fps)
        first, *others = (Image.fromarray(frame) for frame in frames)
        settings: dict[str, Any] = {"quality": QUALITY, "method": 4, "loop": 0}
        first.save(path, save_all=True, append_images=others, duration=duration, **settings)
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size // 1000} kB", flush=True)


if __name__ == "__main__":
    main()
