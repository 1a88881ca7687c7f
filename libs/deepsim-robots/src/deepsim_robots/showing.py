# SPDX-License-Identifier: Apache-2.0
"""Shows a robot: its facts as plain data; on the ground, whole, and moving its joints."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Euler, Pose
from deepsim_spawn import Bounds, MjcfModel, ModelDescription, ModelSpawner
from deepsim_spawn.backends import open_simulator
from deepsim_spawn.stage import standing, studio
from deepsim_sync import CameraView, World

from .catalogue.entry import CatalogueEntry
from .catalogue.robots import find_robot
from .config import RobotConfig
from .robot import Robot

_FILES = (".yaml", ".yml", ".sdf", ".urdf", ".xacro", ".xml")
_PERIOD = 2.5  # period of a joint's motion [s]
_SWING, _SLIDE = 0.25, 0.015  # amplitude of a joint [rad, m]
_STANDING = 0.1  # amplitude of a joint of a leg [rad]
_ROLLING = 6.0  # speed of a wheel [rad/s]
_YAW, _PITCH, _FIELD = math.radians(140.0), math.radians(22.0), 0.7  # of the camera [rad]
_JOINT = ("joint", "part", "home", "lower", "upper", "effort", "velocity", "stiffness", "damping")


def entry_facts(entry: CatalogueEntry) -> dict[str, Any]:
    """Returns what the catalogue says of a robot, and whether its files are there."""
    return {
        "robot": entry.name,
        "about": entry.about,
        "kind": entry.kind,
        "licence": entry.licence,
        "engines": list(entry.engines),
        "package": entry.package or "deepsim-robots",
        "installed": entry.is_installed,
    }


def part_facts(robot: Robot) -> dict[str, str]:
    """Returns the controller and the sizes of each part, by name."""
    texts = {}
    for part, drive in robot.parts.items():
        controller = type(robot.config.parts[part].controller).__name__
        counts = ((len(drive.lower), "action"), (len(drive.joints), "joint"))
        sizes = ", ".join(f"{count} {what}{'s' * (count != 1)}" for count, what in counts)
        texts[part] = f"{controller}, {sizes}"
    return texts


def joint_facts(robot: Robot) -> list[dict[str, Any]]:
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


def is_robot_file(name: str) -> bool:
    """Returns whether a name is that of a file, and not of a robot in the catalogue."""
    return Path(name).suffix in _FILES or Path(name).is_file()


def named_config(name: str) -> RobotConfig:
    """Returns the configuration of a robot of the catalogue, or of a file, on the ground."""
    if not is_robot_file(name):
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


def move_joints(robot: Robot, time: float) -> None:
    """Sets the joint targets for one instant: joints swing about their home positions in turn.

    To keep the robot upright, legs swing only a little, or not at all if it has other parts.
    """
    traits, rows = robot.joints.traits, robot.joints.rows
    if time < 0.0 or not len(robot.joints):
        return
    legs = robot.parts["legs"].joints.names if "legs" in robot.parts else ()
    leg = 0.0 if len(robot.parts) > 1 else _STANDING
    reach = np.where([name in _slides(robot) for name in robot.joints.names], _SLIDE, _SWING)
    reach = np.where([name in legs for name in robot.joints.names], leg, reach)
    room = np.minimum(traits.upper - traits.home, traits.home - traits.lower)
    reach = np.minimum(reach, 0.9 * np.maximum(room, 0.0))
    phase = 2 * np.pi * time / _PERIOD - np.linspace(0.0, np.pi, len(reach))
    swing = np.where(phase > 0.0, np.sin(phase), 0.0)
    held = traits.stiffness > 0.0
    rows.put(
        target_position=np.where(held, traits.home + reach * swing, 0.0),
        target_velocity=np.where(held, 0.0, _ROLLING * np.sin(2 * np.pi * time / _PERIOD)),
        stiffness=traits.stiffness,
        damping=traits.damping,
    )


def _slides(robot: Robot) -> set[str]:
    """Returns the names of prismatic joints; empty for MJCF robots, which have no description."""
    source = robot.config.source
    if not isinstance(source, ModelDescription):
        return set()
    return {joint.name for joint in source.all_joints() if joint.type == "prismatic"}


def whole_view(robot: Robot, size: tuple[int, int]) -> CameraView:
    """Returns a view of the whole robot from the front, at an angle and slightly from above."""
    points = np.array(list(_corners(robot)))
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    radius = np.linalg.norm(points - middle, axis=1).max()
    away = 1.15 * radius / math.sin(_FIELD * size[1] / size[0] / 2)
    back = [math.cos(_YAW) * math.cos(_PITCH), math.sin(_YAW) * math.cos(_PITCH), -math.sin(_PITCH)]
    eye = middle - away * np.array(back)
    return CameraView(Pose(tuple(eye), Euler(0.0, _PITCH, _YAW)), _FIELD, *size)


def _corners(robot: Robot) -> Iterator[NDArray[np.float64]]:
    """Yields the corners of the bounding boxes of all links [m], in the world frame.

    Links of MJCF robots, of unknown size, get small boxes around their frames.
    """
    description = robot.config.source
    if not isinstance(description, ModelDescription):
        for name in robot.world.entities.links.within(robot.name):
            middle = robot.world.links.select([name]).pose[0, 0, :3]
            yield from (middle + 0.06 * np.array(corner) for corner in product((-1, 1), repeat=3))
        return
    for name, link, _ in description.all_links():
        alone = replace(link, pose=Pose())
        bounds = Bounds.of(ModelDescription("link", links=(alone,)))
        if bounds is not None:
            pose = Pose.from_array(robot.link(name).pose[0, 0])
            for corner in product(*zip(bounds.lower, bounds.upper, strict=True)):
                yield np.array(pose.transform_point(corner))
