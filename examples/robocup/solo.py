# SPDX-License-Identifier: Apache-2.0
"""Plays the scenario of the paper: one robot fetches the ball and lobs it into the goal.

python -m examples.robocup.solo --dialect paper
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim import Backend, GazeboXMLLoader, World, open_simulator
from deepsim_btree import Tree
from deepsim_soccer import Pitch, world_sdf
from deepsim_soccer.mind import SoloMind

ROBOT, BALL = (-8.42, 3.0), (-8.0, 5.0)  # where they begin [m]
SECONDS = 20.0


@dataclass
class Solo:
    """What happened.

    Attributes:
        states: Those of Fig. 5, in the order of their first times.
        shot: Where the robot kicked the ball, (2,) [m]; NaN if it did not.
        bar_gap: The least distance of the ball's surface from the bar [m].
        scored: Whether the whole ball crossed the goal line between the posts.
        end: Where the robot is at the end, (2,) [m].
    """

    states: list[str] = field(default_factory=list)
    shot: NDArray[np.float64] = field(default_factory=lambda: np.full(2, np.nan))
    bar_gap: float = np.inf
    scored: bool = False
    end: NDArray[np.float64] = field(default_factory=lambda: np.full(2, np.nan))


def play(
    simulator: Any, dialect: str = "legal", watch: Callable[[World], object] = lambda _: None
) -> Solo:
    """Plays the scenario on a simulator of the dialect's `world_sdf`.

    Args:
        simulator: The simulator.
        dialect: Name of the dialect.
        watch: Called with the world after each tick.
    """
    pitch = Pitch(World(simulator, steps_per_tick=1), (1, 0), dialect)
    pitch.put_robots([0], [[ROBOT]], [[0.0]])
    pitch.put_ball([0], [BALL])
    mind, solo = SoloMind(pitch), Solo()
    tree = Tree(mind.root(0))
    for _ in range(round(SECONDS / pitch.world.delta_time)):
        pitch.sense()
        tree.tick()
        if mind.state[0] not in solo.states:
            solo.states.append(str(mind.state[0]))
        pitch.drive()
        if pitch.kicked[0] == 0:
            solo.shot = pitch.place[0, 0].copy()
        pitch.world.tick()
        watch(pitch.world)
        pitch.sense()
        ball = pitch.ball_place[0]
        solo.bar_gap = min(solo.bar_gap, gap(pitch, ball))
        line = pitch.field.length / 2.0 + pitch.dialect.ball_radius
        solo.scored |= bool(ball[0] > line and abs(ball[1]) < pitch.field.goal_width / 2.0)
    solo.end = pitch.place[0, 0].copy()
    return solo


def gap(pitch: Pitch, ball: NDArray[np.float64]) -> float:
    """Returns the distance of the ball's surface from the bar, a square above the goal line [m]."""
    field, post = pitch.field, pitch.field.post
    middle = np.array([field.length / 2.0 - post / 2.0, field.goal_height + post / 2.0])
    beside = np.maximum(np.abs(ball[[0, 2]] - middle) - post / 2.0, 0.0)
    return float(np.linalg.norm(beside)) - pitch.dialect.ball_radius


def main() -> None:
    """Plays, and prints what happened."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dialect", default="paper")
    parser.add_argument("--backend", default="mujoco", help="or gazebo, a running gzserver")
    asked = parser.parse_args()
    with Backend(asked.backend):
        world = GazeboXMLLoader().load_world(world_sdf(asked.dialect))
        solo = play(open_simulator(world, 1), asked.dialect)
    print(" -> ".join(solo.states))
    print(f"kicks at {solo.shot.round(2)} m, passes the bar at {solo.bar_gap:.3f} m")
    print(f"{'a goal' if solo.scored else 'no goal'}; ends at {solo.end.round(2)} m")


if __name__ == "__main__":
    main()
