# SPDX-License-Identifier: Apache-2.0
"""What a robot observes, in its own frame, and a striker that sees nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from deepsim_envs import ArrayPolicy
from deepsim_soccer import Pitch

Floats = NDArray[np.float64]

FAR = 30.0  # no observed number is larger
_OWN = 20  # numbers about the robot, the ball and the goals; then x and y of each other robot
_BALL, _VELOCITY, _GOALS, _OTHERS = 0, 1, slice(2, 4), slice(4, None)  # places in `Sight.observe`
_HOLDS = 17  # number of the observation that says whether the robot holds the ball
_CORNER = 0.7  # where it aims, to the side of the goal's middle [m]


class Sight:
    """Observes for some robots.

    Args:
        pitch: All robots.
        robots: The numbers of those that observe, (n,).

    Attributes:
        space: Of the numbers that one robot observes.
    """

    def __init__(self, pitch: Pitch, robots: NDArray[np.intp]) -> None:
        self.pitch, self.robots = pitch, robots
        every, team = np.arange(len(pitch.names)), pitch.team
        mates = team == team[robots, None]
        # The other robots of each, (n, N - 1): mates, then opponents.
        order = [sorted(set(every) - {r}, key=lambda i: (team[i] != team[r], i)) for r in robots]
        self.order = np.array(order, np.intp).reshape(len(robots), -1)
        self.space = Box(-FAR, FAR, (_OWN + 2 * self.order.shape[1],))
        self.side = pitch.side[robots]
        half = self.side * pitch.field.length / 2.0
        self._goals = np.zeros((2, 1, len(robots), 2))  # x and y of the opponents' and the own one
        self._goals[0] = np.stack([half, -half], axis=1)
        # Whether the robot, a mate or an opponent holds the ball, by holder; the last is nobody.
        own = robots[:, None] == every
        flags = np.stack([own, mates & ~own, ~mates], axis=2).swapaxes(0, 1)
        self._holders = np.concatenate([flags, np.zeros_like(flags[:1])])

    def observe(self) -> Floats:
        """Returns the observations, (W, n, 20 + 2 (N - 1)).

        The ball's place (2) and velocity (2) and the middles of the opponents' and the own goal (4)
        are in the robot's frame; then its height above the ground, the robot's velocity (3), its
        place (2) and heading (2) in its team's frame, whether it may hold the ball, and whether it,
        a mate or an opponent does (3). Then come the places of the other robots, mates first.
        """
        pitch, robots, side = self.pitch, self.robots, self.side[:, None]
        place, heading = pitch.place.take(robots, axis=1), pitch.heading.take(robots, axis=1)
        ball, velocity = pitch.ball_place, pitch.ball_velocity
        # x and y apart, (2, W, n, 4 + N - 1): operations on few numbers are quicker so.
        ways = np.empty((2, *place.shape[:2], 4 + self.order.shape[1]))
        ways[..., :2] = ball.T[:2, :, None, None]
        ways[..., _GOALS] = self._goals
        ways[..., _OTHERS] = pitch.place.transpose(2, 0, 1).take(self.order, axis=2)
        ways -= place.transpose(2, 0, 1)[..., None]
        ways[..., _VELOCITY] = velocity.T[:2, :, None]
        x, y = ways
        c, s = heading[..., :1], heading[..., 1:]
        seen = np.empty((*place.shape[:2], _OWN + 2 * self.order.shape[1]))
        for first, turned in ((0, c * x + s * y), (1, c * y - s * x)):
            seen[..., first:8:2] = turned[..., :4]
            seen[..., _OWN + first :: 2] = turned[..., _OTHERS]
        seen[..., 8] = ball[:, 2:]
        seen[..., 9:12] = pitch.velocity.take(robots, axis=1)
        np.multiply(side, place, out=seen[..., 12:14])
        np.multiply(side, heading, out=seen[..., 14:16])
        seen[..., 16] = pitch.pause.take(robots, axis=1) <= 0.0
        seen[..., 17:_OWN] = self._holders.take(pitch.holder, axis=0, mode="wrap")
        np.maximum(seen, -FAR, out=seen)
        return np.minimum(seen, FAR, out=seen)


class ChaseAndShoot(ArrayPolicy):
    """Drives to the ball; with it, turns to the far corner of the goal and shoots."""

    def act(
        self, agent: str, observations: Any, action_space: Any, rngs: Sequence[np.random.Generator]
    ) -> NDArray[np.float32]:
        """Returns velocities and kicks for each observation."""
        seen = np.asarray(observations, np.float64)
        ball, goal, holds = seen[:, :2], seen[:, 4:6], seen[:, _HOLDS] > 0.5
        place, heading = seen[:, 12:14], seen[:, 14:16]
        corner = np.where(place[:, 1] > 0.0, -_CORNER, _CORNER)
        # The corner is to the side of the goal, along y of the team's frame.
        aim = goal + corner[:, None] * np.stack([heading[:, 1], heading[:, 0]], axis=1)
        target = np.where(holds[:, None], aim, ball)
        angle = np.arctan2(target[:, 1], target[:, 0])
        distance = np.sqrt((target * target).sum(axis=1))
        faces = np.abs(angle) < 0.25
        short = np.where(holds, 4.0, np.where(faces, 0.2, 0.6))
        speed = np.clip(0.8 * (distance - short), -1.0, 1.0) / np.maximum(distance, 1e-6)
        shoots = holds & (np.abs(angle) < 0.05) & (distance < 5.0)
        turn = np.clip(1.2 * angle, -1.0, 1.0)
        none = np.full_like(turn, -1.0)
        move = speed[:, None] * target
        action = [move[:, 0], move[:, 1], turn, np.where(shoots, 1.0, -1.0), none]
        return np.stack(action, axis=1).astype(np.float32)
