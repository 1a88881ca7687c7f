# SPDX-License-Identifier: Apache-2.0
"""Simulates the noisy reports of each robot's omnidirectional camera."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from deepsim_soccer.pitch import Pitch
from deepsim_soccer.skills import body_velocity, wrap_angle
from deepsim_soccer.skills.motion import Floats

from .pitch.ball import Bools, Numbers

SEEN_X, SEEN_Y = 10.0, 7.0  # largest |x| and |y| of a valid position [m]
STUCK_AFTER = 40  # ticks at less than half the commanded speed, after which a robot is stuck


class OmniVision(NamedTuple):
    """One report for each of N robots in W worlds, in the frame of the robot's team.

    Attributes:
        ball: Position of the ball, (W, N, 2) [m].
        ball_velocity: Velocity of the ball, (W, N, 2) [m/s].
        ball_radius: Distance of the ball from the robot along the ground, (W, N) [m].
        ball_angle: Direction of the ball in the robot's own frame, (W, N) [rad].
        place: Position of the robot, (W, N, 2) [m].
        yaw: Yaw of the robot, (W, N) [rad], in -pi .. pi.
        velocity: Velocity of the robot, (W, N, 2) [m/s].
        obstacles: Positions of all other robots of both teams, (W, N, N - 1, 2) [m].
        valid: Whether the robot is within |x| <= 10 m and |y| <= 7 m, (W, N).
        stuck: Whether the robot has moved at less than half its commanded speed for more than 40
            ticks, (W, N).

    Example:
        >>> seen = Perception(pitch, rate=0.0).look()
        >>> seen.ball[0, 1].tolist() == (-pitch.ball_place[0, :2]).tolist()  # magenta's frame
        True
    """

    ball: Floats
    ball_velocity: Floats
    ball_radius: Floats
    ball_angle: Floats
    place: Floats
    yaw: Floats
    velocity: Floats
    obstacles: Floats
    valid: Bools
    stuck: Bools


class Perception:
    """Reports the positions and velocities that each robot sees; call `look` once per tick.

    Magenta sees the field turned by pi about z. As in the published code, each coordinate and each
    velocity component receives noise independently of the others.

    Args:
        pitch: The robots and the ball.
        scale: Standard deviation of the noise [m, m/s], >= 0.
        rate: Probability that a number receives noise, in 0 .. 1.

    Example:
        >>> seen = Perception(pitch, rate=0.0).look()
        >>> seen.obstacles.shape  # one world, two robots
        (1, 2, 1, 2)
    """

    def __init__(self, pitch: Pitch, scale: float = 0.1, rate: float = 0.01) -> None:
        if not scale >= 0.0:
            raise ValueError(f"scale must be >= 0, got {scale}")
        if not 0.0 <= rate <= 1.0:
            raise ValueError(f"rate must lie in 0 .. 1, got {rate}")
        self.pitch, self.scale, self.rate = pitch, scale, rate
        self.slow = np.zeros((len(pitch.world), len(pitch.names)), np.int64)
        numbers = np.arange(len(pitch.names))
        self._others = np.array([numbers[numbers != each] for each in numbers], np.intp)

    def look(self, worlds: Numbers | None = None) -> OmniVision:
        """Returns the reports of all robots.

        Args:
            worlds: Numbers of the worlds that tick, (w,): only their reports draw noise and count
                ticks for `stuck`. All by default.
        """
        pitch = self.pitch
        on = np.arange(len(pitch.world)) if worlds is None else worlds
        shape = self.slow.shape
        side = pitch.side[:, None]
        moving = body_velocity(-pitch.yaw, pitch.velocity[..., :2])
        # The ball, the robot itself, then all other robots.
        seen = np.empty((*shape, 2 + self._others.shape[1], 2))
        seen[:, :, 0] = side * pitch.ball_place[:, None, :2]
        seen[:, :, 1] = side * pitch.place
        speeds = np.empty((*shape, 2, 2))
        speeds[:, :, 0] = side * pitch.ball_velocity[:, None, :2]
        speeds[:, :, 1] = side * moving
        seen[:, :, 2:] = side[:, :, None] * pitch.place.take(self._others, axis=1)
        rngs = [pitch.world.rngs[world] for world in on.tolist()]
        seen[on] = noisy(seen[on], rngs, self.scale, self.rate)
        speeds[on] = noisy(speeds[on], rngs, self.scale, self.rate)
        way = body_velocity(pitch.yaw, side * (seen[:, :, 0] - seen[:, :, 1]))
        self._count(on)
        return OmniVision(
            ball=seen[:, :, 0],
            ball_velocity=speeds[:, :, 0],
            ball_radius=np.sqrt(way[..., 0] * way[..., 0] + way[..., 1] * way[..., 1]),
            ball_angle=np.arctan2(way[..., 1], way[..., 0]),
            place=seen[:, :, 1],
            yaw=wrap_angle(pitch.yaw + np.where(pitch.team == 1, np.pi, 0.0)),
            velocity=speeds[:, :, 1],
            obstacles=seen[:, :, 2:],
            valid=np.asarray((np.abs(pitch.place) <= (SEEN_X, SEEN_Y)).all(axis=-1)),
            stuck=self.slow > STUCK_AFTER,
        )

    def forget(self, worlds: Numbers) -> None:
        """Counts anew the ticks for `stuck` in some worlds, (w,), before new matches."""
        self.slow[worlds] = 0

    def _count(self, worlds: Numbers) -> None:
        """Counts the consecutive ticks during which each robot has been too slow."""
        wanted, actual = self.pitch.command[..., :2], self.pitch.velocity[..., :2]
        squares = [
            value[..., 0] * value[..., 0] + value[..., 1] * value[..., 1]
            for value in (wanted, actual)
        ]
        slow = squares[1] < 0.25 * squares[0]
        self.slow[worlds] = np.where(slow, self.slow + 1, 0)[worlds]


def noisy(values: Floats, rngs: Sequence[np.random.Generator], scale: float, rate: float) -> Floats:
    """Returns `values`, (w, ...), with Gaussian noise on randomly chosen numbers.

    Args:
        values: Exact values of w worlds, (w, ...).
        rngs: Random generator of each world.
        scale: Standard deviation of the noise.
        rate: Probability that a number receives noise.
    """
    added = np.empty_like(values)
    for world, rng in enumerate(rngs):
        hit = rng.random(values.shape[1:]) < rate
        added[world] = np.where(hit, rng.normal(0.0, scale, values.shape[1:]), 0.0)
    return values + added
