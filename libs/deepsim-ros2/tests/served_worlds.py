# SPDX-License-Identifier: Apache-2.0
"""The worlds of the tests, and their servers, which run in processes of their own."""

from __future__ import annotations

import importlib
import tempfile
from multiprocessing.synchronize import Event
from pathlib import Path

import rclpy
from rclpy.action import ActionClient
from rclpy.executors import SingleThreadedExecutor
from simulation_interfaces.action import SimulateSteps
from simulation_interfaces.srv import StepSimulation

from deepsim_envs import Environment
from deepsim_math import Euler, Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_robots import Robot
from deepsim_ros2.server import Ros2Server
from deepsim_spawn import GazeboXMLLoader, WorldDescription, open_simulator
from deepsim_spawn.stage import studio
from deepsim_sync import Behaviour, World

SEED = 3  # of the tasks
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


WALL = """<sdf version="1.9"><model name="wall"><static>true</static><link name="link">
<collision name="c"><geometry><box><size>.2 9 9</size></box></geometry></collision>
<visual name="v"><geometry><box><size>.2 9 9</size></box></geometry></visual></link>
</model></sdf>"""
RAYS = """<ray><scan><horizontal><samples>5</samples><min_angle>-.4</min_angle>
<max_angle>.4</max_angle></horizontal>{}</scan><range><min>.1</min><max>9</max></range></ray>"""
ROWS = """<vertical><samples>3</samples><min_angle>-.5</min_angle><max_angle>.5</max_angle>
</vertical>"""
MASS = "<inertial><mass>2</mass></inertial>"
RIG = f"""<sdf version="1.9"><model name="rig"><link name="base">{MASS}
<sensor name="scan" type="ray">{RAYS.format("")}</sensor>
<sensor name="cloud" type="ray"><pose>0 0 .3 0 0 0</pose>{RAYS.format(ROWS)}</sensor>
<sensor name="eye" type="depth"><pose>.1 0 0 0 0 0</pose><camera><horizontal_fov>1</horizontal_fov>
<image><width>32</width><height>24</height></image></camera></sensor></link>
<link name="arm"><inertial><pose>.3 0 0 0 0 0</pose><mass>2</mass></inertial></link>
<joint name="foot" type="fixed"><parent>world</parent><child>base</child></joint>
<joint name="wrist" type="fixed"><parent>base</parent><child>arm</child>
<sensor name="felt" type="force_torque"/></joint></model></sdf>"""


class Push(Behaviour):
    """Pushes a ball with 6 N along x."""

    def on_fixed_update(self, delta_time: float, sim_time: float) -> None:
        """Sets the force of the next tick."""
        self.world.links.select(["ball::link"]).force = (6.0, 0.0, 0.0)


def opened(description: WorldDescription, worlds: int) -> World:
    return World(open_simulator(description, worlds))


def made(name: str) -> World | Environment:
    """Returns one of the worlds or tasks of the tests."""
    if name in ("navigate", "reach", "cartpole", "racetrack"):
        task = importlib.import_module(f"deepsim_tasks.{name}")
        environment: Environment = task.make(seed=SEED)
        return environment
    if name == "empty":
        return World(MujocoSimulator())
    load = GazeboXMLLoader().load_model
    if name == "lying":
        world = World(open_simulator(studio()))
        world.spawn(load(BALL), "ball", Pose((1, 0, 0.1), Euler(0, 0, 1)))
        return world
    if name in ("arm", "diffbot"):
        world = World(open_simulator(studio()))
        Robot.load(world, name)
        return world
    world = World(MujocoSimulator(worlds=2 if name == "two" else 1))
    if name == "rig":
        world.spawn(load(RIG), "rig", Pose((0, 0, 2)))
        world.spawn(load(WALL), "wall", Pose((3.1, 0, 2)))
    if name in ("ball", "two", "pushed"):
        world.spawn(load(BALL), "ball", Pose((0, 0, 5)))
    if name == "pushed":
        Push("push", world=world)
    return world


def die(steps: int, by_action: bool, sent: Event) -> None:
    """Asks for steps, and then waits to be killed."""
    context = rclpy.Context()
    context.init()
    node = rclpy.create_node("mortal", context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    if by_action:
        action = ActionClient(node, SimulateSteps, "simulate_steps")
        action.wait_for_server()
        goal = action.send_goal_async(SimulateSteps.Goal(steps=steps))
        executor.spin_until_future_complete(goal)
    else:
        client = node.create_client(StepSimulation, "step_simulation")
        client.wait_for_service()
        # The first answer shows that the server knows the client, so that the next request arrives.
        first = client.call_async(StepSimulation.Request(steps=0))
        executor.spin_until_future_complete(first)
        client.call_async(StepSimulation.Request(steps=steps))
    sent.set()
    executor.spin()


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
