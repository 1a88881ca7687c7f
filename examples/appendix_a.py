# SPDX-License-Identifier: Apache-2.0
"""Appendix A of the DeepSim paper: many states set and read by one request each.

The lines below the paper's comments are the paper's own. It leaves open what `get_model_states`
returns: a dict by name, in the order of the names asked for.

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
    Pose,
    Position,
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
    """Sets the states of two agents, and prints where they are after a tick."""
    world = World(open_simulator())
    world.make_current()
    spawner = ModelSpawner(AGENT)
    for name in ("agent0", "agent1"):
        spawner.spawn(world, name)

    # set multiple model states through single service request
    model_states = [
        ModelState("agent0", Pose(Position(1, 2, 3), Quaternion()), Twist()),
        ModelState("agent1", Pose(Position(4, 5, 6), Quaternion()), Twist()),
    ]
    SetModelStateTracker.get_instance().set_model_states(model_states)

    world.tick()  # sends them, in one batch

    # get multiple model states through single service request
    model_names = ["agent0", "agent1"]
    model_states = GetModelStateTracker.get_instance().get_model_states(model_names)

    for name, state in model_states.items():
        print(f"{name} is at {state.pose.position}")


if __name__ == "__main__":
    with Backend(*sys.argv[1:] or ["mujoco"]):
        main()
