# SPDX-License-Identifier: Apache-2.0
"""The worlds of the tests, and their servers, which run in processes of their own."""

from __future__ import annotations

import tempfile
from multiprocessing.synchronize import Event
from pathlib import Path

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_robots import Robot
from deepsim_ros2.server import Ros2Server
from deepsim_spawn import GazeboXMLLoader, WorldDescription, open_simulator
from deepsim_spawn.stage import studio
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

    def on_fixed_update(self, delta_time: float, sim_time: float) -> None:
        """Sets the force of the next tick."""
        self.world.links.select(["ball::link"]).force = (6.0, 0.0, 0.0)


def opened(description: WorldDescription, worlds: int) -> World:
    return World(open_simulator(description, worlds))


def made(name: str) -> World:
    """Returns one of the worlds of the tests."""
    if name == "empty":
        return World(MujocoSimulator())
    if name in ("arm", "diffbot"):
        world = World(open_simulator(studio()))
        Robot.load(world, name)
        return world
    world = World(MujocoSimulator(worlds=2 if name == "two" else 1))
    if name in ("ball", "two", "pushed"):
        world.spawn(GazeboXMLLoader().load_model(BALL), "ball", Pose((0, 0, 5)))
    if name == "pushed":
        Push("push", world=world)
    return world


def serve(world: str, options: tuple[str, ...], ready: Event) -> None:
    """Serves a world until a client sets its state to quitting."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "crate").mkdir()
        (Path(folder) / "crate" / "model.config").write_text(CONFIG)
        (Path(folder) / "crate" / "model.sdf").write_text(CRATE)
        (Path(folder) / "yard.world").write_text(YARD)
        with Ros2Server(
            made(world),
            speed=None if "fast" in options else 1.0,
            rate=0.0,
            search_path=folder,
            opener=None if world == "two" else opened,
        ) as server:
            ready.set()
            server.run()
