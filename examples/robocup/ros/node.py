# SPDX-License-Identifier: Apache-2.0
"""Runs robots that programs for NuBot's simulations command, over ROS 1.

python -m examples.robocup.ros.node --robots 3 --dialect gazebo_visual --backend gazebo
"""

from __future__ import annotations

import argparse
import threading
import time
from functools import partial
from pathlib import Path

import numpy as np

from deepsim import Backend, GazeboXMLLoader, World, open_simulator
from deepsim_soccer import (
    Call,
    CoachMessage,
    Fouls,
    Mode,
    Perception,
    Pitch,
    Referee,
    find_dialect,
    world_sdf,
)

from .messages import find_rospy, load_messages
from .reports import Reports
from .robot import PREFIXES, RobotInterface, robot_names
from .team import TeamInterface

MESSAGES = Path(__file__).parents[3] / "plugins" / "nubot-messages" / "nubot_common"
PERIOD = 0.025  # of a tick, to whole physics steps of the dialect [s]
WORLD = np.array([0])


class Node:
    """Two teams in one world, and their topics and services.

    A referee judges from the first command of a coach on; in simatch, also fouls.

    Args:
        robots: Number of each team.
        dialect: ``paper``, ``gazebo_visual`` or ``simatch``.
        seed: Of the noise in what the robots see.
        shares: Whether to publish strategies and world models.

    Raises:
        BackendError: The simulator cannot be opened.
    """

    def __init__(self, robots: int, dialect: str, seed: int = 0, *, shares: bool = True) -> None:
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
        self._referee = Referee(self.pitch)
        if dialect == "simatch":
            self._referee = Referee(self.pitch, fouls=Fouls(self.pitch), stop=2.0, set_piece=4.0)
        self._commands: list[tuple[int, Mode]] = []  # since the last tick, after the coach's team
        self._called: tuple[int, int | None] | None = None  # the latest command of any coach
        messages = load_messages(MESSAGES)
        self._reports = Reports(self.pitch, messages)
        names, team = robot_names(self.pitch), self.pitch.team
        self._interfaces = [
            RobotInterface(self._rospy, name, robot, self.pitch, messages, self._lock)
            for robot, name in enumerate(names)
        ]
        self._members = [np.flatnonzero(team == each).tolist() for each in range(len(PREFIXES))]
        self._opponents = [np.delete(team, robot) != team[robot] for robot in range(len(team))]
        self._teams = [
            TeamInterface(
                self._rospy,
                prefix,
                [names[each] for each in self._members[coach]],
                messages,
                self._lock,
                partial(self._hear, coach),
                shares=shares,
            )
            for coach, prefix in enumerate(PREFIXES)
        ]

    def tick(self) -> None:
        """Moves everything by one tick, and reports."""
        with self._lock:
            for coach, mode in self._commands:
                self._obey(coach, mode)
            self._commands = []
            self.pitch.drive()
            self.world.tick()
            self.pitch.sense()
            if self._called is not None:
                self._referee.judge(WORLD)
            seen = self._perception.look()
        now = float(self.world.time[0])
        reports = self._reports.of_all(seen, self._rospy.Time.from_sec(now))
        for interface, report in zip(self._interfaces, reports, strict=True):
            interface.publish(report)
        for team, members in zip(self._teams, self._members, strict=True):
            team.publish(
                now,
                [reports[each] for each in members],
                [self._opponents[each] for each in members],
            )

    def _hear(self, coach: int, mode: Mode) -> None:
        self._commands.append((coach, mode))

    def _obey(self, coach: int, mode: Mode) -> None:
        """Does what a team's coach commands, unless the other team's called for the same."""
        whose = None if mode.call in (Call.NONE, Call.DROP_BALL) else mode.team(coach)
        called = (int(mode.call or mode), whose)
        if called != self._called:
            CoachMessage(mode).apply(self._referee, WORLD, coach)
            self._called = called

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
    parser.add_argument(
        "--own-world-models",
        action="store_true",
        help="publish no strategies and world models: the teams run nodes of their own for these",
    )
    asked = parser.parse_args()
    if not asked.speed > 0.0:
        parser.error(f"--speed must be > 0, got {asked.speed:g}")
    with Backend(asked.backend):
        node = Node(asked.robots, asked.dialect, asked.seed, shares=not asked.own_world_models)
        node.run(asked.speed)


if __name__ == "__main__":
    main()
