# SPDX-License-Identifier: Apache-2.0
"""Joints between the links of a model."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from deepsim_math import Pose, Vector3

from .checks import direction, finite, finite_pose, limit, not_negative

JointType: TypeAlias = Literal[
    "fixed", "revolute", "continuous", "prismatic", "ball", "universal", "revolute2"
]
"""What a joint allows; ``continuous`` is ``revolute`` without limits."""

AXES: dict[JointType, int] = {
    "fixed": 0,
    "ball": 0,
    "revolute": 1,
    "continuous": 1,
    "prismatic": 1,
    "universal": 2,
    "revolute2": 2,
}
"""How many axes a joint of each type has."""


@dataclass(frozen=True, slots=True)
class MimicDescription:
    """An axis follows another one: its position is ``multiplier * leader + offset``.

    >>> JointAxis(xyz=(0, 1, 0), mimic=MimicDescription("left_finger", multiplier=-1.0)).mimic.joint
    'left_finger'

    Attributes:
        joint: Name of the joint that leads, in the same model.
        multiplier: Of the leader's position.
        offset: Position where that of the leader is 0 [rad or m].
    """

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        finite("mimic multiplier", self.multiplier)
        finite("mimic offset", self.offset)


@dataclass(frozen=True, slots=True)
class JointAxis:
    """One axis of a joint; positions are rad (m for prismatic joints).

    >>> JointAxis(xyz=(0, 0, 2), lower=-1.0, upper=1.0, effort=20.0).xyz
    Vector3(0.0, 0.0, 1.0)

    Attributes:
        xyz: Along the axis, in the joint frame; made a unit vector.
        lower: Lowest position; -inf without limit.
        upper: Highest position; inf without limit.
        effort: Largest torque [N m] or force [N]; inf without limit.
        velocity: Largest speed [rad/s or m/s]; inf without limit.
        damping: Viscous [N m s/rad or N s/m].
        friction: Dry [N m or N].
        spring_stiffness: [N m/rad or N/m].
        spring_reference: Position at which the spring is at rest.
        mimic: The joint that it follows, or None.
    """

    xyz: Vector3 = field(default_factory=lambda: Vector3(0.0, 0.0, 1.0))
    lower: float = -math.inf
    upper: float = math.inf
    effort: float = math.inf
    velocity: float = math.inf
    damping: float = 0.0
    friction: float = 0.0
    spring_stiffness: float = 0.0
    spring_reference: float = 0.0
    mimic: MimicDescription | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "xyz", direction("joint axis xyz", self.xyz))
        if not self.lower <= self.upper:
            raise ValueError(
                f"joint axis lower limit must be <= upper, got {self.lower:g} and {self.upper:g}"
            )
        limit("joint axis effort", self.effort)
        limit("joint axis velocity", self.velocity)
        not_negative("joint axis damping", self.damping)
        not_negative("joint axis friction", self.friction)
        not_negative("joint axis spring_stiffness", self.spring_stiffness)
        finite("joint axis spring_reference", self.spring_reference)


@dataclass(frozen=True, slots=True)
class JointDescription:
    """A joint; at position zero the links are where their poses say.

    >>> axis = JointAxis((0, 0, 1), lower=-0.5, upper=0.5)
    >>> door = JointDescription("hinge", "revolute", parent="world", child="door", axis=axis)
    >>> door.axis.upper
    0.5

    Attributes:
        name: Unique among the joints of the model.
        type: Its axes.
        parent: A link of the model, ``nested::link``, or ``world``.
        child: A link of the model, or ``nested::link``.
        pose: Of the joint frame, in the frame of the child link.
        axis: First axis; None for fixed and ball joints.
        axis2: Second axis of universal and revolute2 joints.

    Raises:
        ValueError: The number of axes does not fit the type.
    """

    name: str
    type: JointType
    parent: str
    child: str
    pose: Pose = field(default_factory=Pose)
    axis: JointAxis | None = None
    axis2: JointAxis | None = None

    def __post_init__(self) -> None:
        finite_pose(f"joint {self.name!r}", self.pose)
        if self.type not in AXES:
            raise ValueError(f"joint type must be one of {', '.join(AXES)}, got {self.type!r}")
        given = tuple(axis is not None for axis in (self.axis, self.axis2))
        needed = AXES[self.type]
        if given != (needed >= 1, needed == 2):
            raise ValueError(f"a {self.type} joint has {needed} axes, got {sum(given)}")
        if self.parent == self.child:
            raise ValueError(f"joint {self.name!r} joins link {self.child!r} to itself")
