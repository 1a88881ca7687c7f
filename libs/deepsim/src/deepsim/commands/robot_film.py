# SPDX-License-Identifier: Apache-2.0
"""Films robots from the catalogue: at home, then moving their joints."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from enum import Enum
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from deepsim.episodes.film import Film
from deepsim_math import Euler, Pose
from deepsim_robots import Robot
from deepsim_spawn import Bounds, ModelDescription
from deepsim_sync import CameraView, UnsupportedError

_AT_HOME = 1.0  # the time before anything moves [s]
_PERIOD = 2.5  # period of a joint's motion [s]
_SWING, _SLIDE = 0.25, 0.015  # amplitude of a joint [rad, m]
_STANDING = 0.1  # amplitude of a joint of a leg [rad]
_ROLLING = 6.0  # speed of a wheel [rad/s]
_YAW, _PITCH, _FIELD = math.radians(140.0), math.radians(22.0), 0.7  # of the camera [rad]


class RobotPicture(str, Enum):
    """The formats of a robot's film or picture."""

    WEBP = "webp"
    GIF = "gif"
    MP4 = "mp4"
    PNG = "png"


def film_robot(robot: Robot, path: Path, seconds: float, size: tuple[int, int]) -> None:
    """Films a robot that moves its joints in turn; for a PNG, takes one picture of it at home.

    Args:
        robot: The robot, at its home position.
        path: Output file: .webp, .gif, .mp4 or .png.
        seconds: Length of the film, in simulated time [s].
        size: Width and height [pixels].

    Raises:
        UnsupportedError: The simulator takes no pictures, or the file has a different suffix.
        DeepSimError: The extra for .mp4 is not installed.
    """
    world = robot.world
    if path.suffix not in (f".{each.value}" for each in RobotPicture):
        raise UnsupportedError(f"{path.name}: expected a file .webp, .gif, .mp4 or .png")
    world.tick()
    view = _view(robot, size)
    if path.suffix == ".png":
        Image.fromarray(world.render(view)).save(path)
        return
    film = Film(world, view, path)
    start = float(world.time[0])
    while (time := float(world.time[0]) - start) < seconds:
        _move(robot, time - _AT_HOME)
        world.tick()
        film.shoot()
    film.write()


def _move(robot: Robot, time: float) -> None:
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


def _view(robot: Robot, size: tuple[int, int]) -> CameraView:
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
