# SPDX-License-Identifier: Apache-2.0
"""Joint positions with velocities: both commanded, or the velocity from a trapezoidal profile."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deepsim_robots.joint_group import JointGroup
from deepsim_sync import WorldNumbers

from .controller import Controller, Drive, Floats, PerJoint, bounds
from .joint_position import position_limits
from .servo import ServoDrive, gains_of

_ROUNDING = 1e-12  # [rad or m]: it must not cost a tick


@dataclass(frozen=True, kw_only=True)
class JointPositionVelocity(Controller):
    """Actions are target positions of all joints [rad or m], then target velocities of all.

    >>> part = Part(["joint_.*"], JointPositionVelocity())
    >>> config = replace(find_robot("arm").load(), parts={"arm": part})
    >>> robot = Robot(World(MujocoSimulator()), config, "arm")
    >>> robot.action_size
    12

    Attributes:
        lower: Least position, or one for each joint; by default as for `JointPosition`.
        upper: Largest position.
        velocity: Largest speed, or one for each joint; by default the joint's limit.
        stiffness, damping: In place of the robot's gains.
    """

    lower: PerJoint | None = None
    upper: PerJoint | None = None
    velocity: PerJoint | None = None
    stiffness: PerJoint | None = None
    damping: PerJoint | None = None

    def drive(self, joints: JointGroup) -> Drive:
        """Returns the drive of some joints."""
        least, most = position_limits(joints)
        lower = bounds(self.lower, least, joints, "lower")
        upper = bounds(self.upper, most, joints, "upper")
        speed = bounds(self.velocity, joints.traits.velocity_limit, joints, "velocity")
        gains = gains_of(joints, self.stiffness, self.damping, held=True)
        return _BothDrive(
            joints, np.concatenate([lower, -speed]), np.concatenate([upper, speed]), *gains
        )


@dataclass(frozen=True, kw_only=True)
class JointTrapezoid(Controller):
    """Actions are positions [rad or m] that the targets move to by a trapezoidal profile.

    The target speeds up by `acceleration`, keeps at most `velocity`, and slows down by
    `acceleration` so as to end at the position without overshoot.

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
        velocity: Largest speed, or one for each joint, > 0; by default the joint's limit.
        acceleration: Of the profile [rad/s^2 or m/s^2], > 0.
        lower: Least position, or one for each joint; by default as for `JointPosition`.
        upper: Largest position.
        stiffness, damping: In place of the robot's gains.
    """

    velocity: PerJoint | None = None
    acceleration: PerJoint = 10.0
    lower: PerJoint | None = None
    upper: PerJoint | None = None
    stiffness: PerJoint | None = None
    damping: PerJoint | None = None

    def drive(self, joints: JointGroup) -> Drive:
        """Returns the drive of some joints."""
        least, most = position_limits(joints)
        lower = bounds(self.lower, least, joints, "lower")
        upper = bounds(self.upper, most, joints, "upper")
        speed = bounds(self.velocity, joints.traits.velocity_limit, joints, "velocity")
        acceleration = bounds(self.acceleration, self.acceleration, joints, "acceleration")
        for name, values in (("velocity", speed), ("acceleration", acceleration)):
            if not (values > 0.0).all() or not np.isfinite(acceleration).all():
                raise ValueError(f"{name} of part {joints.part!r} must be > 0, got {values}")
        gains = gains_of(joints, self.stiffness, self.damping, held=True)
        return _TrapezoidDrive(joints, lower, upper, *gains, speed, acceleration)


class _BothDrive(ServoDrive):
    """Sets targets of positions and velocities."""

    def act(self, action: Floats, worlds: WorldNumbers) -> None:
        """Sets the targets."""
        n = len(self.joints)
        self.joints.put(worlds, target_position=action[:, :n], target_velocity=action[:, n:])


class _TrapezoidDrive(ServoDrive):
    """Moves targets by a profile."""

    def __init__(
        self,
        joints: JointGroup,
        lower: Floats,
        upper: Floats,
        stiffness: Floats,
        damping: Floats,
        speed: Floats,
        acceleration: Floats,
    ) -> None:
        super().__init__(joints, lower, upper, stiffness, damping)
        self._speed = speed
        self._acceleration = acceleration
        self._goal = self.remember("goal", len(joints))
        self._position = self.remember("position", len(joints))
        self._velocity = self.remember("velocity", len(joints))

    def act(self, action: Floats, worlds: WorldNumbers) -> None:
        """Takes positions to move to."""
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
    """Returns position and velocity of a trapezoidal profile one tick on.

    The speed v is the largest from which steps of `delta_time` that shrink by a dt each still end
    at the goal: v (v / a + dt) / 2 <= distance.

    Args:
        goal: Where the profile ends, (w, n).
        position: Now, (w, n).
        velocity: Now, (w, n).
        speed: Largest, (n,).
        acceleration: Largest, (n,).
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
