# SPDX-License-Identifier: Apache-2.0
"""Controls joint positions with velocities, either commanded or from a trapezoidal profile."""

from __future__ import annotations

from dataclasses import dataclass

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
    gains_of,
    limits_of,
)
from .joint_position import position_limits

_ROUNDING = 1e-12  # tolerance that keeps rounding errors from adding a tick [rad or m]


@dataclass(frozen=True, kw_only=True)
class JointPositionVelocity(Controller):
    """Drives joints to target positions at target velocities.

    An action has the positions of all joints [rad or m], then their velocities [rad/s or m/s].

    >>> part = Part(["joint_.*"], JointPositionVelocity())
    >>> config = replace(find_robot("arm").load(), parts={"arm": part})
    >>> robot = Robot(World(MujocoSimulator()), config, "arm")
    >>> robot.action_size
    12

    Attributes:
        lower: Lowest position; by default as for `JointPosition`.
        upper: Highest position; by default as for `JointPosition`.
        velocity: Largest speed [rad/s or m/s]; by default the velocity limit of the joint.
        one_speed: Whether an action ends with one number instead of a velocity for each joint: the
            share, 0 to 1, of the largest speed at which all joints move to their positions.
        stiffness, damping: Gains of the joints; by default the robot's.
    """

    lower: PerJoint | None = None
    upper: PerJoint | None = None
    velocity: PerJoint | None = None
    one_speed: bool = False
    stiffness: PerJoint | None = None
    damping: PerJoint | None = None

    def drive(self, joints: JointGroup) -> Drive:
        lower, upper = limits_of(joints, self.lower, self.upper, position_limits(joints))
        speed = bounds(self.velocity, joints.traits.velocity_limit, joints, "velocity")
        gains = gains_of(joints, self.stiffness, self.damping, held=True)
        if self.one_speed:
            if not np.isfinite(speed).all():
                raise ValueError(
                    f"one_speed needs the velocity of each joint of part {joints.part!r}"
                )
            return _RampDrive(joints, (np.append(lower, 0.0), np.append(upper, 1.0)), gains, speed)
        limits = np.concatenate([lower, -speed]), np.concatenate([upper, speed])
        return _BothDrive(joints, limits, gains)


@dataclass(frozen=True, kw_only=True)
class JointTrapezoid(Controller):
    """Moves joints to positions [rad or m] with a trapezoidal speed profile.

    The target position accelerates by `acceleration` up to at most `velocity`, then decelerates to
    arrive without overshoot.

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
        velocity: Largest speed, > 0 [rad/s or m/s]; by default the velocity limit of the joint.
        acceleration: Acceleration and deceleration, > 0 [rad/s² or m/s²].
        lower: Lowest position; by default as for `JointPosition`.
        upper: Highest position; by default as for `JointPosition`.
        stiffness, damping: Gains of the joints; by default the robot's.
    """

    velocity: PerJoint | None = None
    acceleration: PerJoint = 10.0
    lower: PerJoint | None = None
    upper: PerJoint | None = None
    stiffness: PerJoint | None = None
    damping: PerJoint | None = None

    def drive(self, joints: JointGroup) -> Drive:
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
        n = len(self.joints)
        self.joints.put(worlds, target_position=action[:, :n], target_velocity=action[:, n:])


class _RampDrive(ServoDrive):
    """Moves the target positions at a constant speed."""

    def __init__(self, joints: JointGroup, limits: Pair, gains: Pair, speed: Floats) -> None:
        super().__init__(joints, limits, gains)
        self._speed = speed
        self._goal = self.remember("goal", len(joints))
        self._share = self.remember("share", 1)
        self._target = self.remember("target", len(joints))

    def act(self, action: Floats, worlds: WorldNumbers) -> None:
        """Sets the ends of the ramps, and the share of the largest speed."""
        self._goal[worlds], self._share[worlds] = action[:, :-1], action[:, -1:]

    def update(self, delta_time: float, worlds: WorldNumbers) -> None:
        most = self._share[worlds] * self._speed * delta_time
        self._target[worlds] += np.clip(self._goal[worlds] - self._target[worlds], -most, most)
        self.joints.put(worlds, target_position=self._target[worlds])

    def reset(self, worlds: WorldNumbers) -> None:
        super().reset(worlds)
        self._goal[worlds] = self._target[worlds] = self.joints.traits.home
        self._share[worlds] = 0.0


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
        """Sets the ends of the profiles."""
        self._goal[worlds] = action

    def update(self, delta_time: float, worlds: WorldNumbers) -> None:
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

    The speed v is the largest one from which the profile can stop at the goal if v shrinks by a dt
    in each tick: v (v / a + dt) / 2 <= distance.

    Args:
        goal: End of the profile, (w, n) [rad or m].
        position: Current position, (w, n) [rad or m].
        velocity: Current velocity, (w, n) [rad/s or m/s].
        speed: Largest speed, (n,) [rad/s or m/s].
        acceleration: Largest acceleration, (n,) [rad/s² or m/s²].
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
