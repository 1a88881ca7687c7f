# SPDX-License-Identifier: Apache-2.0
"""Moves joints along trajectories through timed points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from deepsim_robots.joint_group import JointGroup
from deepsim_sync import WorldNumbers, checked_worlds

from .controller import Controller, Floats, Pair, PerJoint, ServoDrive, gains_of, limits_of
from .joint_position import position_limits


@dataclass(frozen=True, kw_only=True)
class JointTrajectory(Controller):
    """Moves joints to positions [rad or m] smoothly, within a fixed duration.

    The target positions move along a cubic polynomial, and arrive at rest. For trajectories
    through several points, see `TrajectoryDrive.follow`. Interpolation is as in ros_control's
    JointTrajectoryController for points with velocities.

    >>> part = Part(["joint_.*"], JointTrajectory(duration=0.2, normalized=False))
    >>> config = replace(find_robot("arm").load(), parts={"arm": part})
    >>> robot = Robot(World(MujocoSimulator(), steps_per_tick=10), config, "arm")
    >>> goal = robot.joints.rows.position[:, :6] + 0.2
    >>> robot.set_action(goal)
    >>> for _ in range(30):
    ...     robot.world.tick()
    >>> bool(np.allclose(robot.joints.rows.target_position[:, :6], goal))
    True

    Attributes:
        duration: Time from an action until its position is reached [s], > 0.
        lower: Lowest position; by default as for `JointPosition`.
        upper: Highest position; by default as for `JointPosition`.
        stiffness, damping: Gains of the joints; by default the robot's.
    """

    duration: float = 1.0
    lower: PerJoint | None = None
    upper: PerJoint | None = None
    stiffness: PerJoint | None = None
    damping: PerJoint | None = None

    def __post_init__(self) -> None:
        if not 0.0 < self.duration < np.inf:
            raise ValueError(f"duration must be > 0 s, got {self.duration!r}")

    def drive(self, joints: JointGroup) -> TrajectoryDrive:
        limits = limits_of(joints, self.lower, self.upper, position_limits(joints))
        gains = gains_of(joints, self.stiffness, self.damping, held=True)
        return TrajectoryDrive(joints, limits, gains, self.duration)


class TrajectoryDrive(ServoDrive):
    """Follows trajectories; see `JointTrajectory`.

    >>> part = Part(["joint_.*"], JointTrajectory(duration=0.5))
    >>> config = replace(find_robot("arm").load(), parts={"arm": part})
    >>> robot = Robot(World(MujocoSimulator(), steps_per_tick=10), config, "arm")
    >>> here = robot.joints.rows.position[0, :6].copy()
    >>> robot.parts["arm"].follow([0.1, 0.2], [here + 0.1, here + 0.3])
    >>> for _ in range(30):
    ...     robot.world.tick()
    >>> bool(np.allclose(robot.joints.rows.target_position[0, :6], here + 0.3))
    True
    """

    def __init__(self, joints: JointGroup, limits: Pair, gains: Pair, duration: float) -> None:
        super().__init__(joints, limits, gains)
        self._duration = duration
        self._memorise(2)

    def _memorise(self, points: int) -> None:
        """Allocates the memory for a number of points."""
        n = len(self.joints)
        self._elapsed = self.remember("elapsed")
        self._times = self.remember("times", points)
        self._positions = self.remember("positions", points, n)
        self._velocities = self.remember("velocities", points, n)

    def _reserve(self, points: int) -> None:
        """Makes room for a number of points; pads existing trajectories with their last point."""
        old = self._elapsed, self._times, self._positions, self._velocities
        count = old[1].shape[1]
        if points > count:
            self._memorise(points)
            self._elapsed[:] = old[0]
            new = (self._times, self._positions, self._velocities)
            for array, kept in zip(new, old[1:], strict=True):
                array[:, :count] = kept
                array[:, count:] = kept[:, -1:]

    def act(self, action: Floats, worlds: WorldNumbers) -> None:
        """Starts trajectories to positions (w, n) [rad or m], which end after the duration."""
        self.follow([self._duration], action[:, None], worlds=worlds)

    def follow(
        self,
        times: ArrayLike,
        positions: ArrayLike,
        velocities: ArrayLike | None = None,
        worlds: WorldNumbers | None = None,
    ) -> None:
        """Follows a trajectory that starts at the current targets; holds its last point afterwards.

        Args:
            times: Time of each of k points from now, ascending and > 0, (k,) [s].
            positions: Joint positions at the points, (k, n), or (w, k, n) for a different
                trajectory in each world [rad or m].
            velocities: Velocities at the points, in the same shape; by default the mean slope
                before and after a point, and 0 at the last point.
            worlds: Numbers of the w worlds; all by default.

        Raises:
            ValueError: A shape or time is invalid; nothing was changed.
        """
        chosen = np.arange(len(self._elapsed))
        if worlds is not None:
            chosen = checked_worlds(worlds, len(chosen))
        n = len(self.joints)
        at = np.asarray(times, dtype=np.float64)
        if at.ndim != 1 or not len(at) or not (np.diff(at, prepend=0.0) > 0.0).all():
            raise ValueError(f"times must be ascending and > 0 s, got {at.tolist()}")
        if not np.isfinite(at).all():
            raise ValueError(f"times must be finite, got {at.tolist()}")
        shape = (len(chosen), len(at), n)
        points = _fitting("positions", positions, shape)
        slopes = None if velocities is None else _fitting("velocities", velocities, shape)
        position, velocity = self._sample(chosen)
        self._reserve(1 + len(at))
        all_points = np.concatenate([position[:, None], points], axis=1)
        if slopes is None:
            rates = np.diff(all_points, axis=1) / np.diff(at, prepend=0.0)[:, None]
            slopes = np.zeros(shape)
            slopes[:, :-1] = (rates[:, :-1] + rates[:, 1:]) / 2.0
        self._elapsed[chosen] = 0.0
        for kept, values in (
            (self._times, np.concatenate([[0.0], at])[None]),
            (self._positions, all_points),
            (self._velocities, np.concatenate([velocity[:, None], slopes], axis=1)),
        ):
            kept[chosen, : 1 + len(at)] = values
            kept[chosen, 1 + len(at) :] = values[:, -1:]

    def set_state(self, state: Mapping[str, Floats]) -> None:
        """Restores the result of `get_state`; its trajectories may have any number of points."""
        self._memorise(state["times"].shape[1])
        super().set_state(state)

    def update(self, delta_time: float, worlds: WorldNumbers) -> None:
        """Advances the targets by a tick."""
        self._elapsed[worlds] += delta_time
        position, velocity = self._sample(worlds)
        self.joints.put(
            worlds,
            target_position=np.clip(position, self.lower, self.upper),
            target_velocity=velocity,
        )

    def reset(self, worlds: WorldNumbers) -> None:
        """Holds the joints at home."""
        super().reset(worlds)
        self._elapsed[worlds] = 0.0
        self._times[worlds] = 0.0
        self._positions[worlds] = self.joints.traits.home
        self._velocities[worlds] = 0.0

    def _sample(self, worlds: WorldNumbers) -> tuple[Floats, Floats]:
        """Returns the current positions and velocities on the trajectories, (w, n) each."""
        times, now = self._times[worlds], self._elapsed[worlds]
        over = now >= times[:, -1]
        after = np.clip((times <= now[:, None]).sum(axis=1), 1, times.shape[1] - 1)
        each = np.arange(len(now))
        positions, velocities = self._positions[worlds], self._velocities[worlds]
        start, end = positions[each, after - 1], positions[each, after]
        begin = times[each, after - 1]
        span = times[each, after] - begin
        span = np.where(over | (span <= 0.0), 1.0, span)[:, None]
        s = np.where(over, 1.0, (now - begin) / span[:, 0])[:, None]
        # cubic Hermite polynomial between two points
        a, b = velocities[each, after - 1] * span, velocities[each, after] * span
        way = end - start
        c2, c3 = 3.0 * way - 2.0 * a - b, a + b - 2.0 * way
        position = start + s * (a + s * (c2 + s * c3))
        velocity = (a + s * (2.0 * c2 + s * 3.0 * c3)) / span
        last = over[:, None]
        return np.where(last, positions[:, -1], position), np.where(last, 0.0, velocity)


def _fitting(name: str, values: ArrayLike, shape: tuple[int, int, int]) -> Floats:
    given = np.asarray(values, dtype=np.float64)
    if given.shape not in (shape, shape[1:]) or not np.isfinite(given).all():
        raise ValueError(f"{name} must be finite and {shape[1:]} or {shape}, got {given.shape}")
    return np.broadcast_to(given, shape)
