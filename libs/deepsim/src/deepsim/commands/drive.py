# SPDX-License-Identifier: Apache-2.0
"""`deepsim drive`: a robot on the ground, driven by hand in the browser."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from deepsim.episodes.playing import required
from deepsim.output import say
from deepsim_robots import RobotConfig, guess_robot
from deepsim_spawn import ModelDescription, ModelSpawner
from deepsim_spawn.backends import DEFAULT, Backend
from deepsim_spawn.stage import standing
from deepsim_sync import DeepSimError

from .options import BackendName, fail
from .robots import MISTAKES, RobotName, named_config, staged_robot
from .view import show

_GUESSED = (".urdf", ".xacro", ".sdf")


def drive(
    name: RobotName,
    port: Annotated[int, typer.Option(help="TCP port on 127.0.0.1; 0 for any free port.")] = 8080,
    save: Annotated[
        Path | None, typer.Option(help="Write what was guessed to this YAML file, to change it.")
    ] = None,
    backend: BackendName = DEFAULT,
) -> None:
    """Puts a robot on the ground and lets you drive it in the browser.

    For a model (URDF, xacro, SDF), it guesses the wheels, joints and gains, and prints what it
    guessed; --save writes that to a file, with which you call the command again. Ctrl-C ends it.
    """
    console = Console()
    try:
        required("deepsim_viewer", "view")
        config = _config(console, name, save)
        label = Path(name).stem
        with Backend(backend), staged_robot(config, label, tick=0.01) as robot:
            from deepsim_viewer import RobotViewer  # noqa: PLC0415 (of an extra)

            with RobotViewer(robot, port=port, label=robot.name) as shown:
                show(console, shown.viewer, shown.run, paused=False, opened=False)
    except MISTAKES as error:
        fail(console, error)


def _config(console: Console, name: str, save: Path | None) -> RobotConfig:
    """Returns the configuration of a robot, with guessed parts for a model, which it prints."""
    is_model = Path(name).suffix in _GUESSED
    description = ModelSpawner(name).description if is_model else None
    if not isinstance(description, ModelDescription):
        if save is not None:
            raise DeepSimError(f"--save takes a model (URDF, xacro, SDF), got {name}")
        return named_config(name)
    guess = guess_robot(name, description)
    for remark in guess.remarks:
        say(console, f"guessed {remark}")
    if save is None:
        say(console, f"to write it down: deepsim drive {name} --save {Path(name).stem}.yaml")
    else:
        source = os.path.relpath(name, save.absolute().parent)
        with save.open("x", encoding="utf-8") as file:  # never over a file that was changed
            file.write(replace(guess.config, source=source).to_yaml())
        say(console, f"wrote {save}; to drive it: deepsim drive {save}")
    return replace(guess.config, source=standing(description))
