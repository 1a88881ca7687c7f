# SPDX-License-Identifier: Apache-2.0
"""Plugins for physics, sensors and rendering run in the simulator's process, without topics."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys

sys.modules["zenoh"] = sys.modules["google.protobuf"] = None  # an import of them fails

import numpy as np

from deepsim import Behaviour, CameraView, GazeboXMLLoader, MujocoSimulator, Pose, World
from deepsim_math import Color, Euler

BALL = '''<sdf version="1.7"><world name="w"><model name="ball"><pose>0 0 1 0 0 0</pose>
  <link name="link"><inertial><mass>2</mass></inertial>
    <sensor name="imu" type="imu"><update_rate>50</update_rate></sensor>
    <collision name="c"><geometry><sphere><radius>.2</radius></sphere></geometry></collision>
    <visual name="v"><geometry><sphere><radius>.2</radius></sphere></geometry>
      <material><ambient>0 0 1 1</ambient><diffuse>0 0 1 1</diffuse></material></visual>
  </link></model></world></sdf>'''


class Wind(Behaviour):
    # A plugin for physics: a force that holds the ball against gravity and blows it along x.
    def on_fixed_update(self, delta_time, sim_time):
        self.world.links.select(["ball::link"]).put(force=[4.0, 0.0, 2.0 * 9.8])


class Logger(Behaviour):
    # A plugin for sensors: it reads an inertial unit.
    def __init__(self, name):
        super().__init__(name)
        self.imu, self.felt = self.world.sensors["ball::link::imu"], []

    def on_fixed_update(self, delta_time, sim_time):
        self.felt.append(self.imu.linear_acceleration[0].copy())


class Paint(Behaviour):
    # A plugin for rendering: it takes a picture, and paints the ball as it flies.
    view = CameraView(Pose((0.3, -3.0, 1.0), Euler(0, 0, 1.5708)), 0.6, 64, 64)

    def shoot(self):
        return self.world.simulator.cameras.render(self.view).reshape(-1, 3).max(axis=0)

    def on_fixed_update(self, delta_time, sim_time):
        if sim_time > 0.2:
            self.world.visuals.select(["ball::link::v"]).put(diffuse=Color(1.0, 0.0, 0.0, 1.0))


with World(MujocoSimulator(GazeboXMLLoader().load_world(BALL)), steps_per_tick=10) as world:
    plugins = [Wind("wind"), Logger("logger"), Paint("paint")]
    before = plugins[2].shoot()
    for _ in range(40):
        world.tick()
    after = plugins[2].shoot()
    x, y, z = world.models.pose[0, 0, :3]
    assert abs(x - 0.5 * 2.0 * world.time[0] ** 2) < 0.02 and abs(z - 1.0) < 0.01, (x, z)
    assert np.allclose(plugins[1].felt[-1], [2.0, 0.0, 9.8], atol=0.05), plugins[1].felt[-1]
    assert before[2] > before[0] + 30 and after[0] > after[2] + 30, (before, after)
assert not [name for name in sys.modules if name.startswith("deepsim_transport")]
print("all three ran")
"""


def test_plugins_need_no_transport():
    """A force, a reader of a sensor and a painter, where no library of topics can be imported."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], check=False, capture_output=True, text=True
    )
    assert done.stdout == "all three ran\n", done.stderr
