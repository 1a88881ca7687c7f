# SPDX-License-Identifier: Apache-2.0
"""The `deepsim robots` commands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from deepsim.output import fields, print_json, say, table
from deepsim_robots import (
    KINDS,
    MENAGERIE,
    ROBOTS,
    Robot,
    RobotConfig,
    find_robot,
)
from deepsim_robots.facts import entry_facts, joint_facts, part_facts
from deepsim_spawn import MjcfModel, ModelDescription, ModelSpawner
from deepsim_spawn.backends import DEFAULT, Backend, open_simulator
from deepsim_spawn.extent import standing, studio
from deepsim_sync import DeepSimError, World

from .command_help import example, group
from .options import AsJson, BackendName, fail
from .robot_film import RobotPicture, film_robot

robots = group("Lists robots of the catalogue, shows and films any robot.")

RobotName = Annotated[
    str,
    typer.Argument(
        help="A robot's name in `deepsim robots list`, or your own file: a configuration in YAML, "
        "or a model (SDF, URDF, xacro, MJCF)."
    ),
]
_FILES = (".yaml", ".yml", ".sdf", ".urdf", ".xacro", ".xml")
_COLOUR = {True: "", False: "yellow"}
"""Colour of robots whose files are here, and of others."""
MISTAKES = (DeepSimError, OSError, TypeError, ValueError)


@robots.command("list", epilog=example("robots list", "robot-catalogue.md"))
def list_robots(as_json: AsJson = False) -> None:
    """Lists all robots by kind.

    Those whose files are missing have the command that installs them.
    """
    if as_json:
        print_json([entry_facts(entry) for entry in ROBOTS.values()])
        return
    console = Console()
    here = {entry.name: entry.is_installed for entry in ROBOTS.values()}
    missing: dict[str, list[str]] = {}
    for kind in KINDS:
        entries = [entry for entry in ROBOTS.values() if entry.kind == kind]
        shown = [entry for entry in entries if here[entry.name] or entry.package != MENAGERIE]
        rows = [(entry.name, Text(entry.about, _COLOUR[here[entry.name]])) for entry in shown]
        for entry in entries:
            missing.setdefault(entry.package, []).extend([entry.name] * (not here[entry.name]))
        if rows:
            say(console, kind)
            console.print(Padding(fields(rows), (0, 0, 1, 2)))
    for package, names in missing.items():
        if package == MENAGERIE and names:
            say(console, f"{len(names)} more robots are in MuJoCo Menagerie: set MENAGERIE_ROOT to")
            say(console, f"a folder that contains them, or pip install {MENAGERIE}")
        elif names:
            console.print(Text(f"pip install {package}: {', '.join(names)}", _COLOUR[False]))


@robots.command(epilog=example("robots show arm", "robots.md"))
def show(name: RobotName, as_json: AsJson = False) -> None:
    """Shows the parts and joints of a robot, with limits and gains."""
    console = Console()
    try:
        with staged_robot(named_config(name), _label(name)) as robot:
            rows = joint_facts(robot)
            about = {"robot": name} if _is_file(name) else entry_facts(find_robot(name))
            facts = {**about, "actions": robot.action_size, "parts": part_facts(robot)}
    except MISTAKES as error:
        fail(console, error)
    if as_json:
        print_json({**facts, "joints": rows})
        return
    parts = "\n".join(f"{part}: {text}" for part, text in facts["parts"].items())
    console.print(fields([(key, value) for key, value in {**facts, "parts": parts}.items()]))
    say(console, "")
    cells = list(map(_cells, rows))
    right = ("home", "range", "effort", "velocity", "gains")
    console.print(table(cells, right=right, whole=right))
    say(console, "rad, N m, rad/s, or m, N, m/s of slides; gains are stiffness and damping")


@robots.command(epilog=example("robots run arm --seconds 3", "robots.md"))
def run(
    name: RobotName,
    out: Annotated[
        Path | None, typer.Option(help="Output file; by default ROBOT with the format's suffix.")
    ] = None,
    video: Annotated[RobotPicture, typer.Option(help="A film, or one picture.")] = RobotPicture.GIF,
    seconds: Annotated[float, typer.Option(min=0.1, help="Length of the film, s.")] = 6.0,
    width: Annotated[int, typer.Option(min=16, help="Width of the 4:3 picture, pixels.")] = 480,
    backend: BackendName = DEFAULT,
) -> None:
    """Films a robot at home, then moving its joints."""
    console = Console()
    stem = Path(name).stem if _is_file(name) else name
    path = out if out is not None else Path(f"{stem}.{video.value}")
    try:
        with Backend(backend), staged_robot(named_config(name), _label(name)) as robot:
            film_robot(robot, path, seconds, (width, width * 3 // 4))
    except MISTAKES as error:
        fail(console, error)
    say(console, f"wrote {path}")


@contextmanager
def staged_robot(
    config: RobotConfig, name: str, tick: float = 0.002, worlds: int = 1, seed: int = 0
) -> Iterator[Robot]:
    """Yields a robot alone on a ground in the sun; closes its world afterwards.

    Args:
        config: Its configuration, with the description as source.
        name: Name of the model.
        tick: The time between two ticks of the world, rounded to whole steps [s].
        worlds: The number of worlds.
        seed: Of the worlds.
    """
    simulator = open_simulator(studio(source=config.source), worlds)
    steps = max(1, round(tick / simulator.timestep))
    with closing(World(simulator, seed=seed, steps_per_tick=steps)) as world:
        yield Robot(world, config, name)


def _is_file(name: str) -> bool:
    return Path(name).suffix in _FILES or Path(name).is_file()


def _label(name: str) -> str:
    return Path(name).stem if _is_file(name) else name.rpartition("/")[2]


def named_config(name: str) -> RobotConfig:
    """Returns the configuration of a robot of the catalogue, or of a file, on the ground."""
    if not _is_file(name):
        return find_robot(name).load()
    is_yaml = Path(name).suffix in (".yaml", ".yml")
    config = RobotConfig.from_yaml(name) if is_yaml else RobotConfig(name)
    if config.source is None:
        raise ValueError(f"{name} has no source: give the file of the model")
    description = ModelSpawner(config.source, arguments=dict(config.arguments)).description
    if isinstance(description, ModelDescription):
        description = standing(description)
    else:
        description = MjcfModel(str(config.source), on_ground=True)
    return replace(config, source=description)


def _cells(row: dict[str, Any]) -> dict[str, str]:
    """Returns the cells of a joint's row."""
    lower, upper = row["lower"], row["upper"]
    turns = lower is None and upper is None
    return {
        "joint": row["joint"],
        "part": row["part"],
        "home": _number(row["home"]),
        "range": "turns" if turns else f"{_number(lower)} .. {_number(upper)}",
        "effort": _number(row["effort"]),
        "velocity": _number(row["velocity"]),
        "gains": f"{_number(row['stiffness'])} {_number(row['damping'])}",
    }


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"
