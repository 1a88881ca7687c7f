# SPDX-License-Identifier: Apache-2.0
"""Appendix A of the DeepSim paper: many states set and read by one request each.

The paper prints a class ``Position``; as in geometry_msgs, a position is a `Point`. It leaves open
what ``get_model_states`` returns; it is a dict by name, in the order of the names asked for.

Runs on the embedded engine, and on Gazebo 11 by
``python tools/gazebo run -- .venv/bin/python examples/appendix_a.py gazebo``.
"""

from __future__ import annotations

import sys

from deepsim import (
    Backend,
    GetModelStateTracker,
    ModelSpawner,
    ModelState,
    Point,
    Pose,
    Quaternion,
    SetModelStateTracker,
    Twist,
    World,
    open_simulator,
)

AGENT = """
<sdf version="1.6">
  <model name="agent">
    <link name="body">
      <gravity>false</gravity>
      <collision name="collision">
        <geometry><sphere><radius>0.2</radius></sphere></geometry>
      </collision>
    </link>
  </model>
</sdf>
"""


def main() -> None:
    """Places two agents, lets a second pass, and prints where they are."""
    world = World(open_simulator())
    world.make_current()
    spawner = ModelSpawner(AGENT)
    for name in ("agent0", "agent1"):
        spawner.spawn(world, name)

    # set multiple model states through a single request
    model_states = [
        ModelState("agent0", Pose(Point(1, 2, 3), Quaternion()), Twist()),
        ModelState("agent1", Pose(Point(4, 5, 6), Quaternion()), Twist((0.5, 0, 0))),
    ]
    SetModelStateTracker.get_instance().set_model_states(model_states)

    for _ in range(1000):
        world.tick()

    # get multiple model states through a single request
    model_names = ["agent0", "agent1"]
    states = GetModelStateTracker.get_instance().get_model_states(model_names)
    for name, state in states.items():
        x, y, z = state.pose.position
        print(f"{name} is at {x:.2f} {y:.2f} {z:.2f} after {world.time[0]:.1f} s")


if __name__ == "__main__":
    with Backend(*sys.argv[1:] or ["mujoco"]):
        main()
