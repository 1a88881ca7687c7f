# SPDX-License-Identifier: Apache-2.0
"""Serves a world in a process of its own: python serve.py WORLD; ends when its input closes."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from pathlib import Path

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_robots import Robot
from deepsim_ros2 import Ros2Server
from deepsim_spawn import GazeboXMLLoader, WorldDescription, open_simulator
from deepsim_sync import Behaviour, World

BALL = """<sdf version="1.9"><model name="ball"><link name="link">
<inertial><mass>2</mass></inertial>
<collision name="c"><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>
<sensor name="imu" type="imu"/><sensor name="touch" type="contact"/>
</link></model></sdf>"""
CRATE = """<sdf version="1.9"><model name="crate"><pose>0 0 0 0 0 0</pose><static>true</static>
<link name="link"><collision name="c"><geometry><box><size>1 2 3</size></box></geometry></collision>
</link></model></sdf>"""
YARD = """<sdf version="1.9"><world name="yard"><gravity>0 0 -1.62</gravity>
<model name="stone"><link name="link"><inertial><mass>1</mass></inertial>
<collision name="c"><geometry><sphere><radius>0.2</radius></sphere></geometry></collision></link>
</model></world></sdf>"""
CONFIG = """<model><name>Crate</name><sdf version="1.9">model.sdf</sdf>
<description>A wooden crate.</description></model>"""


class Push(Behaviour):
    """Pushes a ball with 6 N along x."""

    def on_fixed_update(self, delta_time: float) -> None:
        """Sets the force of the next tick."""
        self.world.links.select(["ball::link"]).force = (6.0, 0.0, 0.0)


def opened(description: WorldDescription, worlds: int) -> World:
    return World(open_simulator(description, worlds))


def made(name: str) -> World:
    """Returns one of the worlds of the tests."""
    if name == "empty":
        return World(MujocoSimulator())
    world = World(MujocoSimulator(worlds=2 if name == "two" else 1))
    if name in ("ball", "two", "pushed"):
        world.spawn(GazeboXMLLoader().load_model(BALL), "ball", Pose((0, 0, 5)))
    if name == "pushed":
        world.behaviours.add(Push("push"))
    if name in ("arm", "diffbot"):
        Robot.load(world, name)
    return world


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "crate").mkdir()
        (Path(folder) / "crate" / "model.config").write_text(CONFIG)
        (Path(folder) / "crate" / "model.sdf").write_text(CRATE)
        (Path(folder) / "yard.world").write_text(YARD)
        keeps = sys.argv[1] == "two"
        with Ros2Server(
            made(sys.argv[1]),
            speed=None if "fast" in sys.argv else 1.0,
            rate=0.0,
            search_path=folder,
            opener=None if keeps else opened,
        ) as server:
            threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
            print("ready", flush=True)
            server.run()


if __name__ == "__main__":
    main()
