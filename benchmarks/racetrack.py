# SPDX-License-Identifier: Apache-2.0
"""How much faster than real time the racetrack runs, on one core and without pictures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from report import write

from deepsim import load_task
from deepsim.rollout import run_episode

EPISODES = 6


def main() -> None:
    """Drives laps by pure pursuit, policy and environment included in the time."""
    task = load_task(Path(__file__).parents[1] / "examples" / "racetrack")
    with task.make(0) as environment:
        act = task.policy("pursuit")(environment, np.random.default_rng(0))
        episodes = [run_episode(environment, act, number, 0) for number in range(1, EPISODES + 1)]
    speeds = sorted(episode.duration / episode.wall_time for episode in episodes)
    steps = sum(episode.steps for episode in episodes)
    figures = {
        "x real time, median of episodes": speeds[len(speeds) // 2],
        "x real time, slowest": speeds[0],
        "environment steps per second": steps / sum(episode.wall_time for episode in episodes),
    }
    write("racetrack", figures, "mujoco", "numpy")


if __name__ == "__main__":
    main()
