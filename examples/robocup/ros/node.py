# SPDX-License-Identifier: Apache-2.0
"""Runs robots that controllers written for NuBot's simulations drive, over ROS 1.

python -m examples.robocup.ros.node --robots 3 --dialect gazebo_visual --backend gazebo
"""

from __future__ import annotations

import argparse
import threading
import time
from pathlib import Path
from typing import Any

from deepsim import Backend, GazeboXMLLoader, World, open_simulator
from deepsim_soccer import Perception, Pitch, find_dialect, world_sdf

from .messages import find_rospy, load_messages
from .reports import Reports
from .robot import RobotInterface, robot_names

PACKAGES = Path(__file__).parents[3] / "plugins" / "nubot-messages"
PERIOD = 0.025  # of a tick, to whole physics steps of the dialect [s]


class Node:
    """Two teams in one world, and their topics and services.

    Args:
        robots: Number of each team.
        dialect: ``paper``, ``gazebo_visual`` or ``simatch``.
        seed: Of the noise in what the robots see.

    Raises:
        BackendError: The simulator cannot be opened.
    """

    def __init__(self, robots: int, dialect: str, seed: int = 0) -> None:
        self._rospy = find_rospy()
        self._rospy.init_node("nubot_simulation")
        chosen = find_dialect(dialect)
        simulator = open_simulator(GazeboXMLLoader().load_world(world_sdf(chosen)), 1)
        steps = max(1, round(PERIOD / chosen.step))
        self.world = World(simulator, seed=seed, steps_per_tick=steps)
        self.pitch = Pitch(self.world, robots, chosen, keeps_ball_in=dialect == "gazebo_visual")
        self.pitch.dribbles[:] = False  # until a controller asks for it
        self._lock = threading.Lock()
        self._perception = Perception(self.pitch)
        version = "simatch" if dialect == "simatch" else "gazebo_visual"
        messages = load_messages(PACKAGES / version / "nubot_common")
        self._reports = Reports(self.pitch, messages)
        self._interfaces = [
            RobotInterface(self._rospy, name, robot, self.pitch, messages, self._lock)
            for robot, name in enumerate(robot_names(self.pitch))
        ]

    def tick(self) -> None:
        """Moves everything by one tick, and reports."""
        with self._lock:
            self.pitch.drive()
            self.world.tick()
            self.pitch.sense()
            seen = self._perception.look()
        stamp: Any = self._rospy.Time.from_sec(float(self.world.time[0]))
        for interface, report in zip(
            self._interfaces, self._reports.of_all(seen, stamp), strict=True
        ):
            interface.publish(report)

    def run(self, speed: float) -> None:
        """Ticks until ROS ends the node.

        Args:
            speed: Simulated seconds in one of real time; slower if the machine is.
        """
        due = time.monotonic()
        while not self._rospy.is_shutdown():
            self.tick()
            due = max(due + self.world.delta_time / speed, time.monotonic() - 1.0)
            time.sleep(max(due - time.monotonic(), 0.0))


def main() -> None:
    """Runs the node."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robots", type=int, default=3, help="of each team")
    parser.add_argument(
        "--dialect", default="gazebo_visual", choices=["paper", "gazebo_visual", "simatch"]
    )
    parser.add_argument("--backend", default="gazebo", help="or mujoco, which needs no gzserver")
    parser.add_argument("--speed", type=float, default=1.0, help="simulated time over real time")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    if not asked.speed > 0.0:
        parser.error(f"--speed must be > 0, got {asked.speed:g}")
    with Backend(asked.backend):
        Node(asked.robots, asked.dialect, asked.seed).run(asked.speed)


if __name__ == "__main__":
    main()
