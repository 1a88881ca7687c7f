# SPDX-License-Identifier: Apache-2.0
"""Guesses the parts and gains of a robot whose file has neither, such as URDF."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from deepsim_math import Point, Pose
from deepsim_spawn import Bounds, JointAxis, JointDescription, ModelDescription

from .config import RobotConfig
from .controllers.joint_position import JointPosition
from .controllers.wheeled_bases import Ackermann, DiffDrive
from .parts import Gains, Part
from .position_control import ANGLE, DECAY, SLIDE

_GRAVITY = 9.8  # [m/s²]
_ALONG = 0.9  # least cosine of the angle between an axis and a direction that it counts as
_SPEED = 1.0  # of a base, unless its wheels are slower [m/s]
_TURN = 2.0  # of a base with a differential drive, unless its wheels are slower [rad/s]
_BASE_DECAY = 0.02  # time constant of the speed of a base on its wheels [s]
_STEERED = 0.8  # share of the range of the steering joints, since the inner one turns further


@dataclass(frozen=True)
class Guess:
    """A guessed configuration of a robot.

    >>> Guess(RobotConfig("rover.urdf"), ("wheels left and right drive it",)).config.source
    'rover.urdf'

    Attributes:
        config: The configuration; `RobotConfig.to_yaml` writes it down.
        remarks: A sentence for each guess, and for what was not understood.
    """

    config: RobotConfig
    remarks: tuple[str, ...]


class _Wheel(NamedTuple):
    joint: JointDescription
    centre: Point
    radius: float
    forward: bool  # whether positive rates drive along +x

    @property
    def rate(self) -> float:
        """The largest rate [rad/s]."""
        return _axis(self.joint).velocity


def guess_robot(source: str | Path, description: ModelDescription) -> Guess:
    """Guesses parts, gains and the kind of base from joints and collisions.

    A wheel is a joint without limits, with an axis along y, on a link that touches the ground.
    Wheels that do not steer are a differential drive; with two joints along z that hold wheels in
    front of them, they are an Ackermann steering. Swivels of casters, which have no limits, stay
    free. All other joints are driven to positions. A robot that stands on its base alone, without
    wheels, is fixed to the world. The front is +x, as in REP 103.

    >>> entry = find_robot("car")
    >>> car = ModelSpawner(entry.load().source).description
    >>> guess = guess_robot("car.xacro", car)
    >>> guess.config.parts["base"].controller.wheelbase
    0.32
    >>> print(guess.remarks[0])
    base: Ackermann steering, wheelbase 0.32 m, track 0.24 m, wheels of radius 0.05 m

    Args:
        source: The file of the model, for the configuration.
        description: The model in this file.
    """
    guesser = _Guesser(description)
    guesser.add_base()
    guesser.add_joints()
    fixed = guesser.fixed_base()
    config = RobotConfig(source, guesser.parts, gains=guesser.gains, fixed_base=fixed)
    return Guess(config, tuple(guesser.remarks))


class _Guesser:
    """Collects parts, gains and remarks."""

    def __init__(self, description: ModelDescription) -> None:
        self.parts: dict[str, Part] = {}
        self.gains: dict[str, Gains] = {}
        self.remarks: list[str] = []
        self._description = description
        self._links = {name: (link, pose) for name, link, pose in description.all_links()}
        masses = [link.inertial.mass for link, _ in self._links.values() if link.inertial]
        self._mass = sum(masses) or 1.0
        bounds = Bounds.of(description)
        self._ground = bounds.lower.z if bounds is not None else 0.0
        self._size = max(*bounds.size) if bounds is not None else 1.0
        self._joints = [joint for joint in description.all_joints() if joint.axis is not None]
        self._free: set[str] = set()  # joints that nothing drives

    def add_base(self) -> None:
        """Adds a part for the wheels, if they are a base that can be driven."""
        turned = {joint.child: joint for joint in self._joints if self._is_upright(joint)}
        wheels = [wheel for joint in self._joints for wheel in self._wheel(joint)]
        casters = [wheel for wheel in wheels if not _has_limits(turned.get(wheel.joint.parent))]
        casters = [wheel for wheel in casters if wheel.joint.parent in turned]
        for wheel in casters:
            self._free |= {wheel.joint.name, turned[wheel.joint.parent].name}
        wheels = [wheel for wheel in wheels if wheel not in casters]
        front = [wheel for wheel in wheels if wheel.joint.parent in turned]
        rear = [wheel for wheel in wheels if wheel not in front]
        if front and self._add_car(front, rear, [turned[each.joint.parent] for each in front]):
            self._free |= {wheel.joint.name for wheel in front}
        elif rear:
            self._add_differential(rear)
        else:
            self._explain_missing_wheels()

    def _explain_missing_wheels(self) -> None:
        """Adds a remark for each joint on the base that may be meant as that of a wheel."""
        moved = {joint.child for joint in self._joints}
        for joint in self._joints:
            if joint.type == "prismatic" or _has_limits(joint) or joint.axis2 is not None:
                continue
            if joint.parent in moved or self._is_upright(joint):
                continue
            direction = self._place(joint).orientation.rotate(_axis(joint).xyz)
            if abs(direction.y) < _ALONG:
                x, y, z = (round(value, 2) + 0.0 for value in direction)
                reason = f"its axis is ({x:g}, {y:g}, {z:g}) in the robot's frame, not along y"
            elif math.isinf(self._lowest(joint.child)):
                reason = f"link {joint.child} has no collision"
            else:
                reason = f"link {joint.child} does not touch the ground"
            self.remarks.append(f"{joint.name} is no wheel: {reason}")

    def _add_car(
        self, front: list[_Wheel], rear: list[_Wheel], steering: list[JointDescription]
    ) -> bool:
        """Adds Ackermann steering; returns False for wheels that it does not fit."""
        pairs = [sorted(pair, key=lambda wheel: -wheel.centre.y) for pair in (front, rear)]
        if any(len(pair) != 2 for pair in pairs) or not all(each.forward for each in front + rear):
            self.remarks.append(
                "the base is not driven: its wheels steer, but it has not two of them in front "
                "and two behind with axes along +y"
            )
            return False
        steering.sort(key=lambda joint: -self._place(joint).position.y)
        (front_left, _), (left, right) = pairs
        lowest = min(min(-_axis(joint).lower, _axis(joint).upper) for joint in steering)
        radius = round((left.radius + right.radius) / 2.0, 4)
        speed = round(min(_SPEED, radius * min(left.rate, right.rate)), 3)
        car = Ackermann(
            steering=[joint.name for joint in steering],
            rear=[left.joint.name, right.joint.name],
            wheelbase=round(front_left.centre.x - left.centre.x, 4),
            track=round(left.centre.y - right.centre.y, 4),
            radius=radius,
            speed=(-speed, speed),
            angle=round(_STEERED * lowest, 3),
            normalized=False,
        )
        names = [*car.steering, *car.rear]
        self.parts["base"] = Part(names, car)
        self._add_servos(steering)
        self._add_wheel_gains([left, right])
        self.remarks.append(
            f"base: Ackermann steering, wheelbase {car.wheelbase:g} m, track {car.track:g} m, "
            f"wheels of radius {car.radius:g} m"
        )
        return True

    def _add_differential(self, wheels: list[_Wheel]) -> None:
        left = [wheel for wheel in wheels if wheel.centre.y > 0.0]
        right = [wheel for wheel in wheels if wheel.centre.y < 0.0]
        if not (left and right):
            names = ", ".join(wheel.joint.name for wheel in wheels)
            self.remarks.append(f"the base is not driven: wheels on one side only, {names}")
            return
        apart = [np.mean([wheel.centre.y for wheel in side]) for side in (left, right)]
        separation = round(float(apart[0] - apart[1]), 4)
        radius = round(float(np.mean([wheel.radius for wheel in wheels])), 4)
        speed = round(min(_SPEED, radius * min(wheel.rate for wheel in wheels)), 3)
        turn = round(min(_TURN, 2.0 * speed / separation), 3)
        self.parts["base"] = Part(
            [wheel.joint.name for wheel in wheels],
            DiffDrive(
                left=[wheel.joint.name for wheel in left],
                right=[wheel.joint.name for wheel in right],
                reversed=[wheel.joint.name for wheel in wheels if not wheel.forward],
                separation=separation,
                radius=radius,
                lower=(-speed, -turn),
                upper=(speed, turn),
                normalized=False,
            ),
        )
        self._add_wheel_gains(wheels)
        self.remarks.append(
            f"base: differential drive, {len(left)} + {len(right)} wheels of radius {radius:g} m, "
            f"{separation:g} m apart"
        )

    def add_joints(self) -> None:
        """Adds a part with the positions of all other joints that can be driven."""
        used = {name for part in self.parts.values() for name in part.joints} | self._free
        driven = [
            joint
            for joint in self._joints
            if joint.name not in used and joint.axis2 is None and _axis(joint).mimic is None
        ]
        if self._free:
            self.remarks.append(f"free, not driven: {', '.join(sorted(self._free))}")
        if driven:
            self.parts["joints"] = Part(
                [joint.name for joint in driven], JointPosition(normalized=False)
            )
            self._add_servos(driven)
            self.remarks.append(f"joints: positions of {', '.join(each.name for each in driven)}")

    def fixed_base(self) -> bool | None:
        """Returns True for a robot without wheels of which only the base touches the ground."""
        bound = any(joint.parent == "world" for joint in self._description.all_joints())
        if bound or "base" in self.parts or not self.parts:
            return None
        children = {joint.child for joint in self._description.all_joints()}
        standing = {
            name for name in self._links if self._lowest(name) < self._ground + 0.02 * self._size
        }
        if standing & children:
            return None
        self.remarks.append("the base is fixed to the world: nothing else touches the ground")
        return True

    def _add_servos(self, joints: Sequence[JointDescription]) -> None:
        """Adds gains by the rule of `RobotConfig.controllers`, and efforts that are missing."""
        for joint in joints:
            axis = _axis(joint)
            slides = joint.type == "prismatic"
            effort = axis.effort
            if math.isinf(effort):
                effort = round(self._mass * _GRAVITY * (2.0 if slides else self._size), 1)
                unit = "N" if slides else "N m"
                self.remarks.append(
                    f"{joint.name}: no effort limit in the file, {effort:g} {unit} from the weight"
                )
            stiffness = effort / (SLIDE if slides else ANGLE)
            self.gains[joint.name] = Gains(
                round(stiffness, 3), round(stiffness * DECAY, 4), round(effort, 3)
            )

    def _add_wheel_gains(self, wheels: Sequence[_Wheel]) -> None:
        """Adds the damping with which the mass of the robot follows the wheels in time."""
        for wheel in wheels:
            damping = self._mass * wheel.radius**2 / (len(wheels) * _BASE_DECAY)
            self.gains[wheel.joint.name] = Gains(damping=round(damping, 4))

    def _wheel(self, joint: JointDescription) -> list[_Wheel]:
        """Returns the wheel on a joint, or nothing."""
        if joint.type == "prismatic" or _has_limits(joint) or joint.axis2 is not None:
            return []
        place = self._place(joint)
        direction = place.orientation.rotate(_axis(joint).xyz)
        radius = place.position.z - self._lowest(joint.child)
        on_ground = place.position.z - radius < self._ground + 0.2 * radius
        if abs(direction.y) < _ALONG or not on_ground or not 0.0 < radius < math.inf:
            return []
        return [_Wheel(joint, place.position, radius, direction.y > 0.0)]

    def _is_upright(self, joint: JointDescription) -> bool:
        direction = self._place(joint).orientation.rotate(_axis(joint).xyz)
        return joint.type != "prismatic" and direction.z > _ALONG

    def _place(self, joint: JointDescription) -> Pose:
        return self._links[joint.child][1] @ joint.pose

    def _lowest(self, name: str) -> float:
        """Returns the lowest z of a link's collisions in the model's frame; inf without any."""
        link, pose = self._links[name]
        alone = ModelDescription("alone", links=(replace(link, pose=pose),))
        bounds = Bounds.of(alone)
        return bounds.lower.z if bounds is not None else math.inf


def _axis(joint: JointDescription) -> JointAxis:
    assert joint.axis is not None  # joints without axes are left out
    return joint.axis


def _has_limits(joint: JointDescription | None) -> bool:
    if joint is None:
        return False
    axis = _axis(joint)
    return math.isfinite(axis.lower) and math.isfinite(axis.upper)
