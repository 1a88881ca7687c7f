# SPDX-License-Identifier: Apache-2.0
"""The `deepsim robots` commands."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer
from PIL import Image
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from deepsim.output import fields, print_json, say, table
from deepsim_robots import KINDS, MENAGERIE, ROBOTS, Robot, find_robot
from deepsim_robots.showing import (
    entry_facts,
    is_robot_file,
    joint_facts,
    move_joints,
    named_config,
    part_facts,
    staged_robot,
    whole_view,
)
from deepsim_spawn.backends import DEFAULT, Backend
from deepsim_sync import DeepSimError, UnsupportedError
from deepsim_train.film import Film

from .command_help import example, group
from .options import AsJson, BackendName, fail, without_effect

_AT_HOME = 1.0  # the time of a film before anything moves [s]


class RobotPicture(str, Enum):
    """The formats of a robot's film or picture."""

    WEBP = "webp"
    GIF = "gif"
    MP4 = "mp4"
    PNG = "png"


robots = group("Lists robots of the catalogue, shows and films any robot.")

RobotName = Annotated[
    str,
    typer.Argument(
        help="A robot's name in `deepsim robots list`, or your own file: a configuration in YAML, "
        "or a model (SDF, URDF, xacro, MJCF)."
    ),
]
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
            about = {"robot": name} if is_robot_file(name) else entry_facts(find_robot(name))
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
    context: typer.Context,
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
    if video is RobotPicture.PNG:
        without_effect(context, "on one picture", "seconds")
    label = _label(name)
    path = out if out is not None else Path(f"{label}.{video.value}")
    try:
        with Backend(backend), staged_robot(named_config(name), label) as robot:
            _film(robot, path, seconds, (width, width * 3 // 4))
    except MISTAKES as error:
        fail(console, error)
    say(console, f"wrote {path}")


def _film(robot: Robot, path: Path, seconds: float, size: tuple[int, int]) -> None:
    """Films a robot that moves its joints in turn; for a PNG, takes one picture of it at home."""
    world = robot.world
    if path.suffix not in (f".{each.value}" for each in RobotPicture):
        raise UnsupportedError(f"{path.name}: expected a file .webp, .gif, .mp4 or .png")
    world.tick()
    view = whole_view(robot, size)
    if path.suffix == ".png":
        Image.fromarray(world.render(view)).save(path)
        return
    film = Film(world, view, path)
    start = float(world.time[0])
    while (time := float(world.time[0]) - start) < seconds:
        move_joints(robot, time - _AT_HOME)
        world.tick()
        film.shoot()
    film.write()


def _label(name: str) -> str:
    return Path(name).stem if is_robot_file(name) else name.rpartition("/")[2]


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
