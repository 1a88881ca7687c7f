# SPDX-License-Identifier: Apache-2.0
"""How much faster than real time does the racetrack run, on one core and without pictures?

    python benchmarks/racetrack.py
    python tools/gazebo run -- python benchmarks/racetrack.py --gazebo

The second drives on a gzserver too, one episode here and one there, over shared memory.
"""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from pathlib import Path

from report import write

from deepsim import Backend, load_task
from deepsim_train.episodes import Episode, run_episodes
from deepsim_train.policies.slot_policy import slot_policy

EPISODES = 6


def drive(backends: list[str]) -> dict[str, list[Episode]]:
    """Drives laps by pure pursuit; the backends take turns."""
    task = load_task(Path(__file__).parents[1] / "examples" / "racetrack")
    laps: dict[str, list[Episode]] = {name: [] for name in backends}
    with ExitStack() as stack:
        cars = {}
        for name in backends:
            with Backend(name):
                environment = stack.enter_context(task.environment())
            cars[name] = environment, slot_policy(task.policy("pursuit"), environment, 0)
        for number in range(1, EPISODES + 1):
            for name, (environment, act) in cars.items():
                laps[name] += run_episodes(environment, act, number, 0)
    return laps


def rate(episodes: list[Episode]) -> float:
    """Environment steps per second of wall time, policy included."""
    return sum(each.steps for each in episodes) / sum(each.wall_time for each in episodes)


def main() -> None:
    """Drives and writes how fast that was."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--gazebo", action="store_true", help="drive on a running gzserver too")
    gazebo = parser.parse_args().gazebo
    laps = drive(["mujoco", "gazebo"] if gazebo else ["mujoco"])
    speeds = sorted(episode.duration / episode.wall_time for episode in laps["mujoco"])
    figures = {
        "x real time, median of episodes": speeds[len(speeds) // 2],
        "x real time, slowest": speeds[0],
        "environment steps per second": rate(laps["mujoco"]),
    }
    if gazebo:
        figures["environment steps per second on Gazebo"] = rate(laps["gazebo"])
        figures["on Gazebo over embedded"] = rate(laps["gazebo"]) / rate(laps["mujoco"])
    write("racetrack_gazebo" if gazebo else "racetrack", figures, "mujoco", "numpy")


if __name__ == "__main__":
    main()
