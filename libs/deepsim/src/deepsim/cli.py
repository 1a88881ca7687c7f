# SPDX-License-Identifier: Apache-2.0
"""The `deepsim` command."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from .commands.bench import bench
from .commands.command_help import example, group
from .commands.dataset import dataset, export
from .commands.doctor import doctor, own_versions
from .commands.envs import check, copy, envs, new
from .commands.models import models
from .commands.processes import master, physics, sensors, topic, world
from .commands.robots import robots
from .commands.ros2 import ros2
from .commands.run import run
from .commands.scenes import ScenesCommand, scenes
from .commands.serve import serve
from .commands.train import curves, train
from .commands.verify import verify
from .commands.view import drive, view

_INTRODUCTION = """Challenging reinforcement-learning environments for robots, in Python.

\b
Where to begin:
  deepsim envs list      the tasks that are here
  deepsim run walk       a robot that learned to walk: a film, a map and its data
  deepsim view walk      the same live in the browser
  deepsim new my_task    a task of your own, with its test
`deepsim COMMAND -h` explains a command, with an example.
"""

# Plain tracebacks: the framed ones are long and show the internals of many libraries.
app = group(
    _INTRODUCTION,
    pretty_exceptions_enable=False,
    epilog="Guides: docs/README.md of the repository, which `make docs` makes a website of.",
)

_BEGIN, _OWN, _TRAIN = "Begin", "Your own task", "Training"
_MODELS, _PROCESSES = "Models and robots", "Gazebo and processes"
_COMMANDS: tuple[tuple[str, Callable[..., None], str, str], ...] = (
    (_BEGIN, run, "run walk --episodes 3 --seed 7", "gallery.md"),
    (_BEGIN, view, "view walk", "viewer.md"),
    (_BEGIN, verify, "verify walk.mcap", "viewer.md"),
    (_BEGIN, doctor, "doctor", "platforms.md"),
    (_OWN, new, "new my_task", "your-own-task.md"),
    (_OWN, copy, "copy cartpole", "your-own-task.md"),
    (_OWN, check, "check my_task", "your-own-task.md"),
    (_OWN, bench, "bench walk --worlds 1 --worlds 64", "worlds-and-ticks.md"),
    (_TRAIN, train, "train cartpole --worlds 64", "training.md"),
    (_TRAIN, curves, "curves runs/cartpole/*", "start/compare.md"),
    (_TRAIN, export, "export runs/cartpole/2026-01-31_12-00-00_0", "training.md"),
    (_TRAIN, dataset, "dataset cartpole --episodes 20", "training.md"),
    (_TRAIN, serve, "serve cartpole", "serving-environments.md"),
    (_MODELS, drive, "drive robot.urdf", "start/drive.md"),
    (_MODELS, scenes, "scenes room.scenic models.yaml rooms --count 5", "scenes.md"),
    (_PROCESSES, master, "master", "transport.md"),
    (_PROCESSES, physics, "physics --namespace lab --speed 2", "transport.md"),
    (_PROCESSES, sensors, "sensors --namespace lab", "transport.md"),
)
"""The commands by section, each with an example and the guide that explains it."""

for section, command, line, page in _COMMANDS:
    kind = ScenesCommand if command is scenes else None
    app.command(cls=kind, rich_help_panel=section, epilog=example(line, page))(command)
app.add_typer(envs, name="envs", rich_help_panel=_BEGIN)
app.add_typer(robots, name="robots", rich_help_panel=_MODELS)
app.add_typer(models, name="models", rich_help_panel=_MODELS)
app.add_typer(ros2, name="ros2", rich_help_panel=_PROCESSES)
app.add_typer(topic, name="topic", rich_help_panel=_PROCESSES)
app.add_typer(world, name="world", rich_help_panel=_PROCESSES)


def _print_versions(asked: bool) -> None:
    if asked:
        for package, version in own_versions().items():
            print(package, version)
        raise typer.Exit


@app.callback()
def deepsim(
    _version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_print_versions,
            is_eager=True,
            help="Show the versions of deepsim and its libraries, and exit.",
        ),
    ] = False,
) -> None:
    """Challenging reinforcement-learning environments for robots, in Python."""
