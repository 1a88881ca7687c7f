# SPDX-License-Identifier: Apache-2.0
"""Joints between the links of a model."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from deepsim_math import Pose, Vector3

from .checks import direction, finite, finite_pose, limit, not_negative
from .sdf_paths import sdf

JointType: TypeAlias = Literal[
    "fixed", "revolute", "continuous", "prismatic", "ball", "universal", "revolute2"
]
"""Type of a joint; ``continuous`` is ``revolute`` without limits."""

AXES: dict[JointType, int] = {
    "fixed": 0,
    "ball": 0,
    "revolute": 1,
    "continuous": 1,
    "prismatic": 1,
    "universal": 2,
    "revolute2": 2,
}
"""Number of axes of each type of joint."""


@dataclass(frozen=True, slots=True)
class MimicDescription:
    """A coupling of an axis to a leading joint: position = ``multiplier * leader + offset``.

    >>> JointAxis(xyz=(0, 1, 0), mimic=MimicDescription("left_finger", multiplier=-1.0)).mimic.joint
    'left_finger'

    Attributes:
        joint: Name of the leading joint in the same model.
        multiplier: Factor of the leader's position.
        offset: Position of the axis when the leader is at 0 [rad or m].
    """

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        finite("mimic multiplier", self.multiplier)
        finite("mimic offset", self.offset)


@dataclass(frozen=True, slots=True)
class JointAxis:
    """One axis of a joint; positions are in rad, or m for prismatic joints.

    >>> JointAxis(xyz=(0, 0, 2), lower=-1.0, upper=1.0, effort=20.0).xyz
    Vector3(0.0, 0.0, 1.0)

    Attributes:
        xyz: Direction in the joint frame; normalised.
        lower: Lowest position; -inf for no limit.
        upper: Highest position; inf for no limit.
        effort: Largest torque [N m] or force [N]; inf for no limit.
        velocity: Largest speed [rad/s or m/s]; inf for no limit.
        damping: Viscous damping [N m s/rad or N s/m].
        friction: Dry friction [N m or N].
        spring_stiffness: Stiffness of a spring [N m/rad or N/m].
        spring_reference: Rest position of the spring.
        mimic: The joint to follow, or None.
    """

    xyz: Vector3 = field(default_factory=lambda: Vector3(0.0, 0.0, 1.0))
    lower: float = -math.inf
    upper: float = math.inf
    effort: float = math.inf
    velocity: float = math.inf
    damping: float = field(default=0.0, metadata=sdf("dynamics/damping"))
    friction: float = field(default=0.0, metadata=sdf("dynamics/friction"))
    spring_stiffness: float = field(default=0.0, metadata=sdf("dynamics/spring_stiffness"))
    spring_reference: float = field(default=0.0, metadata=sdf("dynamics/spring_reference"))
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

    @property
    def is_loose(self) -> bool:
        """Whether nothing but its limits resists motion; wheels and casters have no limits.

        Such a joint falls under gravity unless gains or a controller hold it.
        """
        resists = self.damping, self.friction, self.spring_stiffness, self.mimic
        return not any(resists) and math.isfinite(self.lower) and math.isfinite(self.upper)


@dataclass(frozen=True, slots=True)
class JointDescription:
    """A joint between two links; at position zero the links are at their described poses.

    >>> axis = JointAxis((0, 0, 1), lower=-0.5, upper=0.5)
    >>> door = JointDescription("hinge", "revolute", parent="world", child="door", axis=axis)
    >>> door.axis.upper
    0.5

    Attributes:
        name: Unique among the joints of the model.
        type: Type of motion.
        parent: A link of the model, ``nested::link``, or ``world``.
        child: A link of the model, or ``nested::link``.
        pose: Pose of the joint frame in the frame of the child link.
        axis: First axis; None for fixed and ball joints.
        axis2: Second axis of universal and revolute2 joints.

    Raises:
        ValueError: The number of axes does not match the type.
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
            raise ValueError(f"a {self.type} joint needs {needed} axes, got {sum(given)}")
        if self.parent == self.child:
            raise ValueError(f"joint {self.name!r} connects link {self.child!r} to itself")
