# SPDX-License-Identifier: Apache-2.0
"""A robot on patrol: a behaviour in the style of the paper, steered by a behaviour tree.

The robot drives from post to post. When its battery is low, it drives to its dock and charges.
"""

from __future__ import annotations

import math

from deepsim import Behaviour, ModelSpawner, MujocoSimulator, Twist, Vector3, World
from deepsim_btree import ReactiveSelector, Sequence, Status, Tree, action, condition

ROBOT = """
<sdf version="1.6">
  <model name="robot">
    <link name="body">
      <gravity>false</gravity>
      <collision name="body">
        <geometry><cylinder><radius>0.2</radius><length>0.3</length></cylinder></geometry>
      </collision>
    </link>
  </model>
</sdf>
"""

DOCK = (0.0, 0.0)
POSTS = [(2.0, 0.0), (2.0, 2.0), (0.0, 2.0)]  # [m]
THERE = 0.05  # a place is reached at this distance [m]
LOW = 0.3  # of the battery: enough for the way back to the dock


class Robot(Behaviour):
    """Drives to its goal, which the tree chooses."""

    def __init__(self) -> None:
        super().__init__("robot", spawner=ModelSpawner(ROBOT))
        self.battery = 1.0  # full
        self.goal: tuple[float, float] | None = None  # None to stand still [m]
        self.visited = 0  # posts
        self.tree = Tree(
            ReactiveSelector(
                [
                    Sequence([battery_low(self), drive_to_dock(self), charge(self)], "recharge"),
                    drive_to_next_post(self),
                ],
                "robot",
            )
        )

    def on_update(self) -> None:
        """Decides."""
        self.tree.tick()

    def on_fixed_update(self, delta_time: float, sim_time: float) -> None:
        """Drives towards the goal, and uses the battery."""
        velocity = Vector3()
        if self.goal is not None:
            way = self.way_to(self.goal)
            velocity = way / max(math.hypot(*way), THERE)  # 1 m/s, slower near the goal
            self.battery -= 0.1 * delta_time
        self.transform.twist = Twist(velocity)

    def drive_to(self, place: tuple[float, float]) -> Status:
        """Sets the goal until it is reached."""
        there = math.hypot(*self.way_to(place)) < THERE
        self.goal = None if there else place
        return Status.SUCCESS if there else Status.RUNNING

    def way_to(self, place: tuple[float, float]) -> Vector3:
        """Returns the vector from the robot to a place [m]."""
        x, y, _ = self.transform.pose.position
        return Vector3(place[0] - x, place[1] - y, 0.0)


@condition
def battery_low(robot: Robot) -> bool:
    """Returns whether the battery is low."""
    return robot.battery < LOW


@action
def drive_to_dock(robot: Robot) -> Status:
    """Drives to the dock."""
    return robot.drive_to(DOCK)


@action
def charge(robot: Robot) -> Status:
    """Charges for some updates."""
    robot.battery = min(robot.battery + 0.05, 1.0)
    return Status.SUCCESS if robot.battery == 1.0 else Status.RUNNING


@action
def drive_to_next_post(robot: Robot) -> Status:
    """Drives to the next post, and reports there."""
    status = robot.drive_to(POSTS[robot.visited % len(POSTS)])
    if status is Status.SUCCESS:
        print(f"{robot.world.time[0]:4.1f} s  post {robot.visited}, battery {robot.battery:.0%}")
        robot.visited += 1
    return status


def main() -> None:
    """Patrols for 20 s; the tree decides 10 times a second."""
    with World(MujocoSimulator(), steps_per_tick=20) as world:
        robot = Robot()
        robot.spawn()
        for _ in range(200):
            world.behaviours.update()
            for _ in range(5):
                world.tick()
        print(robot.tree)


if __name__ == "__main__":
    main()
