# SPDX-License-Identifier: Apache-2.0
"""How much faster than real time the racetrack runs, on one core and without pictures."""

from __future__ import annotations

from pathlib import Path

from report import write

from deepsim import load_task
from deepsim.episodes.episode import run_episodes
from deepsim.episodes.slot_policy import slot_policy

EPISODES = 6


def main() -> None:
    """Drives laps by pure pursuit, policy and environment included in the time."""
    task = load_task(Path(__file__).parents[1] / "examples" / "racetrack")
    with task.environment() as environment:
        act = slot_policy(task.policy("pursuit"), environment, 0)
        episodes = [
            episode
            for number in range(1, EPISODES + 1)
            for episode in run_episodes(environment, act, number, 0)
        ]
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
