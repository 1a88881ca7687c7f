# SPDX-License-Identifier: Apache-2.0
"""Controls joints by PID."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from deepsim_robots.joint_group import JointGroup
from deepsim_sync import WorldNumbers

from .controller import (
    Controller,
    Drive,
    Floats,
    Pair,
    PerJoint,
    ServoDrive,
    bounds,
    limits_of,
)
from .joint_position import position_limits


@dataclass(frozen=True, kw_only=True)
class JointPid(Controller):
    """Drives joints to targets with the effort p e + i integral(e) + d de/dt, for the error e.

    For position targets, the terms with p and d are evaluated in every physics step, with the
    negative velocity as de/dt; for velocity targets, only the term with p. The other terms are
    evaluated once per tick. The joint's effort limit applies to the sum.

    >>> part = Part(["joint_.*"], JointPid(p=600.0, i=50.0, d=40.0, i_clamp=10.0))
    >>> config = replace(find_robot("arm").load(), parts={"arm": part})
    >>> robot = Robot(World(MujocoSimulator()), config, "arm")
    >>> robot.parts["arm"].joints.rows.stiffness[0].tolist()  # p, in every physics step
    [600.0, 600.0, 600.0, 600.0, 600.0, 600.0]

    Attributes:
        p: Proportional gain, >= 0; by default the robot's stiffness, or for velocity targets its
            damping.
        i: Integral gain, >= 0.
        d: Derivative gain, >= 0; by default the robot's damping, or 0 for velocity targets.
        i_clamp: Largest effort of the integral term [N m or N].
        of: Kind of target: ``position`` [rad or m] or ``velocity`` [rad/s or m/s].
        lower: Lowest target; by default the joint's limit.
        upper: Highest target; by default the joint's limit.
    """

    p: PerJoint | None = None
    i: PerJoint = 0.0
    d: PerJoint | None = None
    i_clamp: PerJoint = np.inf
    of: Literal["position", "velocity"] = "position"
    lower: PerJoint | None = None
    upper: PerJoint | None = None

    def __post_init__(self) -> None:
        if self.of not in ("position", "velocity"):
            raise ValueError(f"of must be 'position' or 'velocity', got {self.of!r}")

    def drive(self, joints: JointGroup) -> Drive:
        traits = joints.traits
        of_position = self.of == "position"
        default = position_limits(joints)
        if not of_position:
            default = -traits.velocity_limit, traits.velocity_limit
        p = bounds(self.p, traits.stiffness if of_position else traits.damping, joints, "p")
        d = bounds(self.d, traits.damping if of_position else 0.0, joints, "d")
        i = bounds(self.i, self.i, joints, "i")
        clamp = bounds(self.i_clamp, self.i_clamp, joints, "i_clamp")
        for name, values in (("p", p), ("i", i), ("d", d), ("i_clamp", clamp)):
            if not (values >= 0.0).all():
                raise ValueError(f"{name} of part {joints.part!r} must be >= 0, got {values}")
        if not (p + i > 0.0).all():
            raise ValueError(f"part {joints.part!r} has a PID with p and i of 0: give it gains")
        limits = limits_of(joints, self.lower, self.upper, default)
        return _PidDrive(joints, limits, p, i, d, clamp, of_position)


class _PidDrive(ServoDrive):
    """Makes p and, for position targets, d the joints' gains; adds the other terms as efforts."""

    def __init__(
        self,
        joints: JointGroup,
        limits: Pair,
        p: Floats,
        i: Floats,
        d: Floats,
        clamp: Floats,
        of_position: bool,
    ) -> None:
        zero = np.zeros_like(p)
        super().__init__(joints, limits, (p, d) if of_position else (zero, p))
        self._i, self._clamp = i, clamp
        self._d = zero if of_position else d
        self._of_position = of_position
        self._integral = self.remember("integral", len(joints))
        self._last = self.remember("error", len(joints))

    def act(self, action: Floats, worlds: WorldNumbers) -> None:
        column = "target_position" if self._of_position else "target_velocity"
        self.joints.put(worlds, **{column: action})

    def update(self, delta_time: float, worlds: WorldNumbers) -> None:
        """Applies the effort of the integral and, for velocity targets, of the derivative."""
        rows = self.joints.rows
        if self._of_position:
            error = (rows.target_position - rows.position)[worlds]
        else:
            error = (rows.target_velocity - rows.velocity)[worlds]
        effort = np.clip(
            self._integral[worlds] + self._i * error * delta_time, -self._clamp, self._clamp
        )
        self._integral[worlds] = effort
        rate = (error - self._last[worlds]) / delta_time
        self._last[worlds] = error
        self.joints.push(worlds, effort + self._d * rate)

    def reset(self, worlds: WorldNumbers) -> None:
        """Holds the joints at home, and clears the integral."""
        super().reset(worlds)
        self._integral[worlds] = 0.0
        self._last[worlds] = 0.0
