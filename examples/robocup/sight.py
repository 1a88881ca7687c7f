# SPDX-License-Identifier: Apache-2.0
"""What a robot observes, in its own frame."""

from __future__ import annotations

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from deepsim_soccer import Pitch
from deepsim_soccer.skills import body_velocity, kick_direction

Floats = NDArray[np.float64]

FAR = 30.0  # no observed number is larger
_OWN = 20  # numbers about the robot, the ball and the goals; then x and y of each other robot


def space(others: int) -> Box:
    """Returns the space of a robot that sees so many others."""
    return Box(-FAR, FAR, (_OWN + 2 * others,))


def others(pitch: Pitch, robots: NDArray[np.intp]) -> NDArray[np.intp]:
    """Returns the other robots of some robots, (len(robots), N - 1): mates, then opponents."""
    every = range(len(pitch.names))
    return np.array(
        [
            sorted(
                set(every) - {robot}, key=lambda each: (pitch.team[each] != pitch.team[robot], each)
            )
            for robot in robots.tolist()
        ],
        np.intp,
    )


def observe(pitch: Pitch, robots: NDArray[np.intp], order: NDArray[np.intp]) -> Floats:
    """Returns the observations of some robots, (W, len(robots), 20 + 2 (N - 1)).

    The ball's place (2) and velocity (2) and the middles of the opponents' and the own goal (4)
    are in the robot's frame; then its height above the ground, the robot's velocity (3), its place
    (2) and heading (2) in its team's frame, whether it may hold the ball, and whether it, a mate or
    an opponent does (3). Then come the places of the robots of `order`, see `others`.
    """
    side, yaw = pitch.side.take(robots), pitch.yaw.take(robots, axis=1)
    place = pitch.place.take(robots, axis=1)
    points = np.empty((*yaw.shape, 3 + order.shape[1], 2))
    points[:, :, 0] = pitch.ball_place[:, None, :2]
    points[:, :, 1:3, 0] = (side * pitch.field.length / 2.0)[:, None] * (1.0, -1.0)
    points[:, :, 1:3, 1] = 0.0
    points[:, :, 3:] = pitch.place.take(order, axis=1)
    points -= place[:, :, None]
    points = body_velocity(yaw[..., None], points)
    holder = pitch.holder[:, None]
    held, ours = holder >= 0, pitch.team[holder] == pitch.team.take(robots)
    own = held & (holder == robots)
    seen = np.empty((*yaw.shape, _OWN + 2 * order.shape[1]))
    seen[..., :2] = points[:, :, 0]
    seen[..., 2:4] = body_velocity(yaw, pitch.ball_velocity[:, None, :2])
    seen[..., 4:8] = points[:, :, 1:3].reshape(*yaw.shape, 4)
    seen[..., 8] = pitch.ball_place[:, None, 2]
    seen[..., 9:12] = pitch.velocity.take(robots, axis=1)
    seen[..., 12:14] = side[:, None] * place
    seen[..., 14:16] = side[:, None] * kick_direction(yaw)
    seen[..., 16] = pitch.pause.take(robots, axis=1) <= 0.0
    seen[..., 17] = own
    seen[..., 18] = held & ours & ~own
    seen[..., 19] = held & ~ours
    seen[..., _OWN:] = points[:, :, 3:].reshape(*yaw.shape, -1)
    return np.clip(seen, -FAR, FAR)
