# SPDX-License-Identifier: Apache-2.0
"""The `deepsim robots` commands."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from deepsim.backend import DEFAULT, Backend
from deepsim_math import Pose
from deepsim_robots import ROBOTS, CatalogueEntry, Robot, RobotConfig, find_robot
from deepsim_spawn import Bounds, ModelDescription, ModelSpawner
from deepsim_sync import DeepSimError, World

from .options import AsJson, BackendName, fail
from .robot_film import RobotPicture, film_robot, stage

robots = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Lists robots of the catalogue, shows and films any robot.",
)

RobotName = Annotated[
    str,
    typer.Argument(
        help="A robot's name in `deepsim robots list`, or your own file: a configuration in YAML, "
        "or a model (SDF, URDF, xacro, MJCF)."
    ),
]
_FILES = (".yaml", ".yml", ".sdf", ".urdf", ".xacro", ".xml")
_MISTAKES = (DeepSimError, OSError, TypeError, ValueError)
_JOINT = ("joint", "part", "home", "lower", "upper", "effort", "velocity", "stiffness", "damping")


@robots.command("list")
def list_robots(as_json: AsJson = False) -> None:
    """Lists all robots and the packages that contain them."""
    if as_json:
        print(json.dumps([_facts(entry) for entry in ROBOTS.values()], indent=2))
        return
    heads = ("robot", "about", "licence", "gazebo", "package")
    table = Table(*(Column(head, no_wrap=head != "about") for head in heads), box=None)
    for entry in ROBOTS.values():
        package = Text(entry.package or "deepsim-robots")
        if not entry.is_installed:
            package = Text(f"pip install {entry.package}", "yellow")
        gazebo = "yes" if "gazebo" in entry.engines else "no"
        table.add_row(Text(entry.name, "bold"), entry.about, entry.licence, gazebo, package)
    Console().print(table)


@robots.command()
def show(name: RobotName, as_json: AsJson = False) -> None:
    """Shows the parts and joints of a robot, with limits and gains."""
    console = Console()
    try:
        with stage() as world:
            robot = _robot(world, name)
            rows = _joints(robot)
            about = {"robot": name} if _is_file(name) else _facts(find_robot(name))
            facts = {**about, "actions": robot.action_size, "parts": _parts(robot)}
    except _MISTAKES as error:
        fail(console, error)
    if as_json:
        print(json.dumps({**facts, "joints": rows}, indent=2))
        return
    fields = Table.grid(Column(), Column(overflow="fold"), padding=(0, 2))
    for field, value in facts.items():
        if field == "parts":
            value = "\n".join(f"{part}: {text}" for part, text in facts["parts"].items())
        elif isinstance(value, list):
            value = ", ".join(value)
        if value != "":
            fields.add_row(Text(field, "bold"), Text(str(value)))
    console.print(fields)
    heads = ("home", "range", "effort", "velocity", "gains")
    columns = (Column(head, justify="right", no_wrap=True) for head in heads)
    table = Table(Column("joint", overflow="fold"), Column("part"), *columns, box=None)
    for row in rows:
        joint, part, home, lower, upper, effort, velocity, *gains = row.values()
        span = "turns" if lower is None is upper else f"{_number(lower)} .. {_number(upper)}"
        cells = (_number(home), span, _number(effort), _number(velocity))
        table.add_row(joint, part, *cells, " ".join(map(_number, gains)))
    console.print(table)
    console.print(
        "rad, N m, rad/s, or m, N, m/s of slides; gains are stiffness and damping", style="dim"
    )


@robots.command()
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
        with Backend(backend), stage() as world:
            film_robot(_robot(world, name), path, seconds, (width, width * 3 // 4))
    except _MISTAKES as error:
        fail(console, error)
    console.print(f"wrote {path}", highlight=False, soft_wrap=True)


def _is_file(name: str) -> bool:
    return Path(name).suffix in _FILES or Path(name).is_file()


def _robot(world: World, name: str) -> Robot:
    """Returns a robot of the catalogue, or of a file, which stands on the ground."""
    if not _is_file(name):
        return Robot.load(world, name)
    is_yaml = Path(name).suffix in (".yaml", ".yml")
    config = RobotConfig.from_yaml(name) if is_yaml else RobotConfig(name)
    if config.source is None:
        raise ValueError(f"{name} has no source: give the file of the model")
    description = ModelSpawner(config.source, arguments=dict(config.arguments)).description
    if isinstance(description, ModelDescription):
        bounds = Bounds.of(description, description.pose)
        if bounds is not None and -math.inf < bounds.lower.z < 0.0:
            up = Pose((0.0, 0.0, -bounds.lower.z))
            description = replace(description, pose=up @ description.pose)
    return Robot(world, replace(config, source=description), Path(name).stem)


def _facts(entry: CatalogueEntry) -> dict[str, Any]:
    return {
        "robot": entry.name,
        "about": entry.about,
        "kind": entry.kind,
        "licence": entry.licence,
        "engines": list(entry.engines),
        "package": entry.package or "deepsim-robots",
        "installed": entry.is_installed,
    }


def _parts(robot: Robot) -> dict[str, str]:
    texts = {}
    for part, drive in robot.parts.items():
        controller = type(robot.config.parts[part].controller).__name__
        counts = ((len(drive.lower), "action"), (len(drive.joints), "joint"))
        sizes = ", ".join(f"{count} {what}{'s' * (count != 1)}" for count, what in counts)
        texts[part] = f"{controller}, {sizes}"
    return texts


def _joints(robot: Robot) -> list[dict[str, Any]]:
    """Returns one row for each joint; None stands for no limit."""
    traits = robot.joints.traits
    part_of = {joint: part for part, drive in robot.parts.items() for joint in drive.joints.names}
    columns = (
        traits.home, traits.lower, traits.upper, traits.effort_limit, traits.velocity_limit,
        traits.stiffness, traits.damping,
    )  # fmt: skip
    rows = []
    for number, joint in enumerate(robot.joints.names):
        values = [float(column[number]) for column in columns]
        finite = [value if np.isfinite(value) and abs(value) < 1e9 else None for value in values]
        names = (joint, part_of.get(joint, ""))
        rows.append(dict(zip(_JOINT, (*names, *finite), strict=True)))
    return rows


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"
