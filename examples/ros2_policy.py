# SPDX-License-Identifier: Apache-2.0
"""Drives to goals on ROS 2: the simulation is one process, and the policy is a node in another.

The policy observes /scan, /odom and /tf, and commands /cmd_vel. `deepsim ros2 act navigate` does
the same for any policy. Needs rclpy and messages, see docs/ros2.md.
"""

from __future__ import annotations

import argparse
import subprocess
import sys

import numpy as np

from deepsim_ros2.acting import follow
from deepsim_tasks.navigate import SECTORS, make

SERVE = [sys.executable, "-m", "deepsim", "ros2", "serve", "navigate"]


def drive(seen: np.ndarray) -> np.ndarray:
    """Returns speed and turn rate, of the largest: to the free sector nearest to the goal.

    Args:
        seen: 0.3 m over the distance of the nearest thing in each sector, counted from behind; then
            distance [m], cosine and sine of the direction of the goal.
    """
    near, (_, cosine, sine) = seen[:SECTORS], seen[SECTORS : SECTORS + 3]
    angles = 2.0 * np.pi * ((np.arange(SECTORS) + 0.5) / SECTORS - 0.5)
    blocked = np.maximum(np.maximum(np.roll(near, 1), np.roll(near, -1)), near) > 0.25
    off = np.abs((angles - np.arctan2(sine, cosine) + np.pi) % (2.0 * np.pi) - np.pi)
    turn = angles[np.argmin(off + 10.0 * blocked)]
    ahead = 0.3 / max(near[SECTORS // 2 - 2 : SECTORS // 2 + 2].max(), 0.01)
    speed = np.clip(np.cos(turn), 0.0, 1.0) * np.clip(2.0 * (ahead - 0.3), 0.0, 1.0)
    return np.array([speed, np.clip(turn, -1.0, 1.0)], dtype=np.float32)


def play(episodes: int, *, lockstep: bool) -> int:
    """Returns how often the robot reached its goal."""
    reached = 0
    with follow(make, lockstep=lockstep, timeout=60.0) as environment:
        for number in range(1, episodes + 1):
            seen, info = environment.reset()
            while environment.live_agents:
                result = environment.step({"robot": drive(seen["robot"])})
                seen, info = result.observation, result.info
            reached += bool(info["robot"]["success"])
            print(f"episode {number}: {environment.world.time[0]:.1f} s")
    return reached


def main() -> None:
    """Serves the task, and plays."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=3)
    parser.add_argument("--lockstep", action="store_true", help="the simulation waits for actions")
    chosen = parser.parse_args()
    with subprocess.Popen(SERVE) as simulation:
        try:
            reached = play(chosen.episodes, lockstep=chosen.lockstep)
        finally:
            simulation.terminate()
    print(f"reached {reached} of {chosen.episodes} goals")


if __name__ == "__main__":
    main()
