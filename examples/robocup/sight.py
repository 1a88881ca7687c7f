# SPDX-License-Identifier: Apache-2.0
"""What a robot observes, in its own frame."""

from __future__ import annotations

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from deepsim_soccer import Pitch
from deepsim_soccer.skills import body_velocity

Floats = NDArray[np.float64]

FAR = 30.0  # no observed number is larger
_OWN = 20  # numbers about the robot, the ball and the goals; then x and y of each other robot


def space(others: int) -> Box:
    """Returns the space of a robot that sees so many others."""
    return Box(-FAR, FAR, (_OWN + 2 * others,))


def observe(pitch: Pitch, robots: NDArray[np.intp]) -> Floats:
    """Returns the observations of some robots, (W, len(robots), 20 + 2 (N - 1)).

    The ball's place (2) and velocity (2) and the middles of the opponents' and the own goal (4)
    are in the robot's frame; then its height above the ground, the robot's velocity (3), its place
    (2) and heading (2) in its team's frame, whether it may hold the ball, and whether it, a mate or
    an opponent does (3). Then come the places of all mates, and those of all opponents.
    """
    side, yaw = pitch.side.take(robots), pitch.yaw.take(robots, axis=1)
    place = pitch.place.take(robots, axis=1)
    goal = np.stack([side * pitch.field.length / 2.0, np.zeros_like(side)], axis=-1)

    def seen(points: Floats) -> Floats:
        return body_velocity(yaw, points - place)

    ball = seen(pitch.ball_place[:, None, :2])
    moving = body_velocity(yaw, np.broadcast_to(pitch.ball_velocity[:, None, :2], place.shape))
    holder = pitch.holder[:, None]
    held, ours = holder >= 0, pitch.team[holder] == pitch.team.take(robots)
    own = held & (holder == robots)
    height = np.broadcast_to(pitch.ball_place[:, None, 2], yaw.shape)
    flags = [pitch.pause.take(robots, axis=1) <= 0.0, own, held & ours & ~own, held & ~ours]
    columns = [
        *(ball, moving, seen(goal), seen(-goal)),
        height[..., None],
        pitch.velocity.take(robots, axis=1),
        side[:, None] * place,
        np.stack([side * np.cos(yaw), side * np.sin(yaw)], axis=-1),
        np.stack(flags, axis=-1),
    ]
    others = np.array([_others(pitch, int(robot)) for robot in robots])
    columns += [seen(pitch.place.take(other, axis=1)) for other in others.transpose()]
    return np.clip(np.concatenate(columns, axis=-1), -FAR, FAR)


def _others(pitch: Pitch, robot: int) -> list[int]:
    """Returns the other robots: mates, then opponents."""
    numbers = [each for each in range(len(pitch.names)) if each != robot]
    return sorted(numbers, key=lambda each: bool(pitch.team[each] != pitch.team[robot]))
