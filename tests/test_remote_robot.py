# SPDX-License-Identifier: Apache-2.0
"""A robot of MJCF in the world of another process is the robot that it is here."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from deepsim_mujoco import MujocoSimulator
from deepsim_robots import ModelControls, Part, Robot, RobotConfig
from deepsim_spawn import MjcfModel
from deepsim_sync import World
from deepsim_transport import FollowedSimulator, Master, RemoteSimulator, Transport

WORLDS = 2
SERVER = f"""
import sys
from deepsim_mujoco import MujocoSimulator
from deepsim_transport import PhysicsServer, Transport
with Transport("127.0.0.1", int(sys.argv[1])) as transport:
    with PhysicsServer(MujocoSimulator(worlds={WORLDS}), transport, paused=True) as server:
        print("ready", flush=True)
        server.run()
"""
GRIPPER = MjcfModel(
    """<mujoco model="gripper"><worldbody><body name="arm">
<joint name="lift" type="slide" axis="0 0 1" range="0 .5"/><geom size=".05" mass="1"/>
<body name="left" pos="0 .05 0"><joint name="left" type="slide" axis="0 1 0" range="0 .04"/>
  <geom size=".01" mass=".1"/></body>
<body name="right" pos="0 -.05 0"><joint name="right" type="slide" axis="0 -1 0" range="0 .04"/>
  <geom size=".01" mass=".1"/></body></body></worldbody>
<tendon><fixed name="grip"><joint joint="left" coef=".5"/><joint joint="right" coef=".5"/></fixed>
</tendon><equality><joint joint1="left" joint2="right"/></equality>
<actuator><general name="close" tendon="grip" gainprm=".0157" biasprm="0 -100 -10" biastype="affine"
  ctrlrange="0 255"/><position name="up" joint="lift" kp="900" kv="60" ctrlrange="0 .5"/></actuator>
</mujoco>"""
)
CONFIG = RobotConfig(GRIPPER, parts={"controls": Part([".*"], ModelControls())})


@pytest.fixture
def transport() -> Iterator[Transport]:
    """A session with the master, in whose world another process runs the physics."""
    with Master("127.0.0.1", 0) as master, Transport(master.host, master.port) as made:
        server = subprocess.Popen(
            [sys.executable, "-c", SERVER, str(master.port)], stdout=subprocess.PIPE, text=True
        )
        assert server.stdout is not None
        assert server.stdout.readline() == "ready\n"
        yield made
        server.kill()
        server.communicate()


def test_a_robot_has_the_same_actions_and_motion_in_another_process(transport: Transport) -> None:
    """The one that spawns it, and those that find it there, also by following."""
    here = Robot(World(MujocoSimulator(worlds=WORLDS), steps_per_tick=10), CONFIG, "gripper")
    there = Robot(World(RemoteSimulator(transport), steps_per_tick=10), CONFIG, "gripper")
    found = replace(CONFIG, source=None)
    others = [
        Robot(World(simulator), found, "gripper")
        for simulator in (RemoteSimulator(transport), FollowedSimulator(transport))
    ]
    for robot in (there, *others):
        assert robot.slices == here.slices
        assert robot.lower.tolist() == here.lower.tolist() == [0.0, 0.0]
        assert robot.upper.tolist() == here.upper.tolist() == [255.0, 0.5]
    for robot in (here, there):
        robot.set_action(np.array([[200.0, 0.3], [20.0, 0.1]]))
        for _ in range(100):
            robot.world.tick()
    assert here.joints.rows.position.tobytes() == there.joints.rows.position.tobytes()
    widths = there.world.actuators.select(["gripper::close"]).length[:, 0]
    np.testing.assert_allclose(widths, [200 * 0.0157 / 100, 20 * 0.0157 / 100], rtol=1e-3)
