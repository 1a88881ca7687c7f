# SPDX-License-Identifier: Apache-2.0
"""Lock-step over ROS 2 with the joint states of 12 joints, beside a bare service of rclpy.

Server, bare service and client are three processes on one machine, and take turns. The bare service
has the same messages and executor, and answers at once.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

from rclpy.context import Context
from rclpy.node import Node
from report import interleaved, write
from simulation_interfaces import srv
from simulation_interfaces.msg import Result

from deepsim_mujoco import MujocoSimulator
from deepsim_robots import Robot
from deepsim_ros2.client import Ros2Simulator
from deepsim_ros2.client.services import Connection, EventsExecutor
from deepsim_ros2.server import Ros2Server
from deepsim_sync import Tables, World

ROUNDS, REPEATS = 15, 200
STEP = "step, and the joint states of its instant"
ALONE = "step, without a subscriber"
ECHO = "bare service of rclpy"
HERE = "tick in this process"
OWN = "step of the server, without the request"
UNHEARD = "topics of a step, without a subscriber"
BARS = {"lock-step steps per second": 1000.0, "unheard topics / step": 0.02}


def robot_world() -> World:
    """Returns a world with a robot of 12 joints."""
    world = World(MujocoSimulator())
    Robot.load(world, "quadruped")
    return world


def serve() -> None:
    """Is the server."""
    with Ros2Server(robot_world(), rate=0.0) as server:
        print("ready", flush=True)
        server.run()


def echo() -> None:
    """Is the bare service."""

    def answer(_request: Any, response: Any) -> Any:
        response.result.result = Result.RESULT_OK
        return response
        return response

    context = Context()
    context.init()
    node = Node("echo", context=context, namespace="echo")
    node.create_service(srv.StepSimulation, "step_simulation", answer)
    executor = EventsExecutor(context=context)
    executor.add_node(node)
    print("ready", flush=True)
    while True:
        executor.spin_once(timeout_sec=1.0)


def started(function: str) -> subprocess.Popen[bytes]:
    """Starts a function of this file as a process, and waits until it is ready."""
    program = f"import ros2; ros2.{function}()"
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, cwd=os.path.dirname(__file__)
    )
    assert process.stdout is not None
    process.stdout.readline()
    return process


def calls() -> dict[str, float]:
    """Times of calls to the other processes [us]."""
    processes = [started("serve"), started("echo")]
    bare = Connection("echo", 60.0, needed=False)
    heard = Ros2Simulator(timeout=60.0, topics={"quadruped": "/joint_states"})
    unheard = Connection("", 60.0)
    tables, here = Tables(heard.entities, 1), robot_world()

    def step() -> None:
        heard.step()
        heard.read(tables, [("joints", "position")])

    def request(connection: Connection) -> None:
        connection.call("step_simulation", srv.StepSimulation, steps=1)

    try:
        times = interleaved(
            {STEP: step, ECHO: lambda: request(bare), HERE: here.tick}, ROUNDS, REPEATS
        )
        heard.close()
        alone = interleaved({ALONE: lambda: request(unheard)}, ROUNDS, REPEATS)
    finally:
        for process in processes:
            process.kill()
            process.communicate()
        for connection in (bare, unheard):
            connection.close()
    return times | alone


def unheard_topics() -> dict[str, float]:
    """Returns what a step of the server costs without a request, and all topics of it [us]."""
    with Ros2Server(robot_world(), rate=0.0) as server:
        server.run_once()
        served = server.worlds[0]
        topics = served.topics
        assert topics is not None

        def publish() -> None:
            topics.before_step()
            topics.after_step()

        return interleaved({OWN: served.step, UNHEARD: publish}, ROUNDS, REPEATS)


def main() -> None:
    """Measures, prints and writes."""
    os.environ.setdefault("ROS_DOMAIN_ID", "99")
    times = calls() | unheard_topics()
    found = {
        "us": times,
        "lock-step steps per second": 1e6 / times[STEP],
        "calls of the bare service per second": 1e6 / times[ECHO],
        "lock-step / bare service": times[STEP] / times[ECHO],
        "unheard topics / step": times[UNHEARD] / times[ALONE],
        "bars": BARS,
    }
    write("ros2", found, "numpy", "ros-kilted-rclpy", "deepsim-ros2")


if __name__ == "__main__":
    main()
