# SPDX-License-Identifier: Apache-2.0
"""Joint positions with velocities, either commanded or from a trapezoidal profile."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deepsim_robots.joint_group import JointGroup
from deepsim_sync import WorldNumbers

from .controller import Controller, Drive, Floats, Pair, PerJoint, bounds, limits_of
from .joint_position import position_limits
from .servo import ServoDrive, gains_of

_ROUNDING = 1e-12  # tolerance, so that rounding does not cost a tick [rad or m]


@dataclass(frozen=True, kw_only=True)
class JointPositionVelocity(Controller):
    """Drives joints to target positions [rad or m], followed in an action by target velocities.

    >>> part = Part(["joint_.*"], JointPositionVelocity())
    >>> config = replace(find_robot("arm").load(), parts={"arm": part})
    >>> robot = Robot(World(MujocoSimulator()), config, "arm")
    >>> robot.action_size
    12

    Attributes:
        lower: Lowest position; by default as for `JointPosition`.
        upper: Highest position; by default as for `JointPosition`.
        velocity: Largest speed; by default the joint's limit.
        stiffness, damping: Gains of the joints, instead of the robot's.
    """

    lower: PerJoint | None = None
    upper: PerJoint | None = None
    velocity: PerJoint | None = None
    stiffness: PerJoint | None = None
    damping: PerJoint | None = None

    def drive(self, joints: JointGroup) -> Drive:
        """Returns the drive of some joints."""
        lower, upper = limits_of(joints, self.lower, self.upper, position_limits(joints))
        speed = bounds(self.velocity, joints.traits.velocity_limit, joints, "velocity")
        limits = np.concatenate([lower, -speed]), np.concatenate([upper, speed])
        gains = gains_of(joints, self.stiffness, self.damping, held=True)
        return _BothDrive(joints, limits, gains)


@dataclass(frozen=True, kw_only=True)
class JointTrapezoid(Controller):
    """Moves the targets of joints to positions [rad or m] by a trapezoidal profile.

    A target accelerates by `acceleration` up to at most `velocity`, and decelerates so as to reach
    the position without overshoot.

    >>> part = Part(["joint_.*"], JointTrapezoid(velocity=1.0, acceleration=2.0, normalized=False))
    >>> config = replace(find_robot("arm").load(), parts={"arm": part})
    >>> robot = Robot(World(MujocoSimulator(), steps_per_tick=10), config, "arm")
    >>> start = robot.joints.rows.target_position[:, :6].copy()
    >>> robot.set_action(start + 0.5)
    >>> robot.world.tick()
    >>> way = (robot.joints.rows.target_position[:, :6] - start).max()
    >>> bool(0.0 < way < 0.01)  # it speeds up
    True

    Attributes:
        velocity: Largest speed, > 0; by default the joint's limit.
        acceleration: Acceleration and deceleration [rad/s^2 or m/s^2], > 0.
        lower: Lowest position; by default as for `JointPosition`.
        upper: Highest position; by default as for `JointPosition`.
        stiffness, damping: Gains of the joints, instead of the robot's.
    """

    velocity: PerJoint | None = None
    acceleration: PerJoint = 10.0
    lower: PerJoint | None = None
    upper: PerJoint | None = None
    stiffness: PerJoint | None = None
    damping: PerJoint | None = None

    def drive(self, joints: JointGroup) -> Drive:
        """Returns the drive of some joints."""
        limits = limits_of(joints, self.lower, self.upper, position_limits(joints))
        speed = bounds(self.velocity, joints.traits.velocity_limit, joints, "velocity")
        acceleration = bounds(self.acceleration, self.acceleration, joints, "acceleration")
        for name, values in (("velocity", speed), ("acceleration", acceleration)):
            if not (values > 0.0).all() or not np.isfinite(acceleration).all():
                raise ValueError(f"{name} of part {joints.part!r} must be > 0, got {values}")
        gains = gains_of(joints, self.stiffness, self.damping, held=True)
        return _TrapezoidDrive(joints, limits, gains, speed, acceleration)


class _BothDrive(ServoDrive):
    def act(self, action: Floats, worlds: WorldNumbers) -> None:
        """Sets the targets."""
        n = len(self.joints)
        self.joints.put(worlds, target_position=action[:, :n], target_velocity=action[:, n:])


class _TrapezoidDrive(ServoDrive):
    def __init__(
        self,
        joints: JointGroup,
        limits: Pair,
        gains: Pair,
        speed: Floats,
        acceleration: Floats,
    ) -> None:
        super().__init__(joints, limits, gains)
        self._speed = speed
        self._acceleration = acceleration
        self._goal = self.remember("goal", len(joints))
        self._position = self.remember("position", len(joints))
        self._velocity = self.remember("velocity", len(joints))

    def act(self, action: Floats, worlds: WorldNumbers) -> None:
        """Sets the goals."""
        self._goal[worlds] = action

    def update(self, delta_time: float, worlds: WorldNumbers) -> None:
        """Moves the targets on by a tick."""
        position, velocity = profile_step(
            self._goal[worlds],
            self._position[worlds],
            self._velocity[worlds],
            self._speed,
            self._acceleration,
            delta_time,
        )
        self._position[worlds] = position
        self._velocity[worlds] = velocity
        self.joints.put(worlds, target_position=position, target_velocity=velocity)

    def reset(self, worlds: WorldNumbers) -> None:
        """Holds the joints at home."""
        super().reset(worlds)
        home = self.joints.traits.home
        self._goal[worlds] = np.clip(home, self.lower, self.upper)
        self._position[worlds] = home
        self._velocity[worlds] = 0.0


def profile_step(
    goal: Floats,
    position: Floats,
    velocity: Floats,
    speed: Floats,
    acceleration: Floats,
    delta_time: float,
) -> tuple[Floats, Floats]:
    """Returns the position and velocity of a trapezoidal profile after a tick, (w, n) each.

    The speed v is the largest from which steps that shrink by a dt each still end at the goal:
    v (v / a + dt) / 2 <= distance.

    Args:
        goal: End of the profile, (w, n).
        position: Present position, (w, n).
        velocity: Present velocity, (w, n).
        speed: Largest speed, (n,).
        acceleration: Largest acceleration, (n,).
        delta_time: Duration of a tick [s].
    """
    gap = goal - position
    distance = np.abs(gap)
    change = acceleration * delta_time
    fastest = np.sqrt(change * change / 4.0 + 2.0 * acceleration * distance) - change / 2.0
    wanted = np.sign(gap) * np.minimum(np.minimum(fastest, speed), distance / delta_time)
    new = velocity + np.clip(wanted - velocity, -change, change)
    arrives = distance <= np.abs(new) * delta_time + _ROUNDING
    ends = arrives & (np.abs(new) <= change) & (new * gap >= 0.0)
    return np.where(ends, goal, position + new * delta_time), new
