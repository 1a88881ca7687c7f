# SPDX-License-Identifier: Apache-2.0
"""The `deepsim` command."""

from __future__ import annotations

from typing import Annotated

import typer

from .commands.bench import bench
from .commands.curves import curves
from .commands.dataset import dataset
from .commands.doctor import doctor, own_versions
from .commands.drive import drive
from .commands.envs import check, envs
from .commands.export import export
from .commands.models import models
from .commands.new import copy, new
from .commands.processes import master, physics, sensors, topic
from .commands.robots import robots
from .commands.run import run
from .commands.scenes import ScenesCommand, scenes
from .commands.serve import serve
from .commands.train import train
from .commands.view import view

# Plain tracebacks: the framed ones are long and show the internals of many libraries.
app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.add_typer(models, name="models")
app.add_typer(envs, name="envs")
app.add_typer(robots, name="robots")
app.add_typer(topic, name="topic")
app.command(cls=ScenesCommand)(scenes)
for command in (
    run, view, drive, train, curves, new, copy, export, dataset, check, bench,
    serve, master, physics, sensors, doctor,
):  # fmt: skip
    app.command()(command)


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
