# SPDX-License-Identifier: Apache-2.0
"""Four robots that drive through the house, and an arm that moves a cup."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from house import TABLE, cup

from deepsim import Behaviour, EndEffectorPose, Part, Pose, Robot, World, find_robot
from deepsim_math import Euler
from deepsim_spawn import ModelSpawner

# East on the right, west on the left, as cars in the street [m].
ROUND = np.array([
    (-5.2, -1.2), (-2.8, -0.28), (-1.2, -0.28), (1.2, -0.28), (2.8, -0.28), (5.2, -1.2),
    (5.2, 1.2), (2.8, 0.28), (1.2, 0.28), (-1.2, 0.28), (-2.8, 0.28), (-5.2, 1.2),
])  # fmt: skip
CLEAR = 0.35  # ahead of the lidar: closer, a robot waits [m]

DOWN = (0.0, math.pi, 0.0)  # of the tool's z axis, as a rotation vector
PLACES = ((0.42, -0.22), (0.42, 0.22))  # of the cup, from the arm's base [m]
HOME = {"joint_2": 0.5116, "joint_3": 2.3413, "joint_5": 0.2887, ".*_finger_joint": 0.04}


class Courier(Behaviour):
    """Drives from corner to corner of its round, and waits while its lidar sees something ahead."""

    def __init__(self, name: str, start: int, world: World) -> None:
        x, y = ROUND[start]
        self.next = (start + 1) % len(ROUND)
        heading = math.atan2(*(ROUND[self.next] - ROUND[start])[::-1])
        self.robot = Robot.load(world, "diffbot", name, Pose((x, y, 0.0), Euler(0, 0, heading)))
        super().__init__(name)
        self.scan = world.sensors[f"{name}::lidar::scan"]
        self.corners = 0  # passed

    def on_fixed_update(self, delta_time: float, sim_time: float) -> None:
        """Steers to the next corner."""
        pose = self.transform.pose
        way = ROUND[self.next] - pose.position[:2]
        if math.hypot(*way) < 0.2:
            self.next = (self.next + 1) % len(ROUND)
            self.corners += 1
        off = math.remainder(math.atan2(way[1], way[0]) - pose.orientation.yaw, math.tau)
        ahead = self.scan.ranges[0].reshape(-1)[155:205].min()  # 25 degrees to each side
        speed = 0.0 if ahead < CLEAR else max(math.cos(off), 0.0) ** 4  # of the largest
        self.robot.set_action((speed, min(max(off, -1.0), 1.0)))


class Picker(Behaviour):
    """Takes the cup from one place of the table to the other, and back."""

    def __init__(self, name: str, world: World) -> None:
        config = find_robot("arm").load()
        reach = EndEffectorPose(link="tool", normalized=False)
        parts = {**config.parts, "arm": Part(["joint_.*"], reach)}
        config = replace(config, parts=parts, home=HOME, balance="gravity")
        base = Pose((0.0, 1.65, TABLE), Euler(0, 0, -0.5 * math.pi))
        self.robot = Robot(world, config, name, base)
        super().__init__(name)
        x, y = PLACES[0]
        ModelSpawner(cup()).spawn(world, "cup", base @ Pose((x, y, 0.0)))
        self.cup = world.models.select(["cup"])
        self.tries = 0
        self.moved = 0  # times that the cup stood at its new place
        self.begun = 0.0  # when the present move began [s]
        self.robot.set_action((0.3, 0.0, 0.2, *DOWN, 1.0))

    def on_fixed_update(self, delta_time: float, sim_time: float) -> None:
        """Follows the plan of a move: over the cup, down, close, up, over, down, open, up."""
        start, end = PLACES[self.tries % 2], PLACES[(self.tries + 1) % 2]
        plan = (
            (1.5, start, 0.20, 1.0),
            (1.0, start, 0.05, 1.0),
            (0.5, start, 0.05, -1.0),
            (1.0, start, 0.20, -1.0),
            (2.0, end, 0.20, -1.0),
            (1.0, end, 0.052, -1.0),
            (0.5, end, 0.052, 1.0),
            (1.0, end, 0.20, 1.0),
        )
        past = sim_time - self.begun
        for duration, place, height, grip in plan:
            if past < duration:
                self.robot.set_action((*place, height, *DOWN, grip))
                return
            past -= duration
        goal = self.transform.pose.transform_point((*end, 0.0))
        self.moved += bool(np.linalg.norm(self.cup.pose[0, 0, :3] - goal) < 0.02)
        self.tries += 1
        self.begun = sim_time
