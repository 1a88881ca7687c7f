# SPDX-License-Identifier: Apache-2.0
"""Servers in processes of their own, and a client of rclpy in this one."""

from __future__ import annotations

import importlib
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
DOMAIN = 1 + os.getpid() % 100
_LONG = 60.0  # until an answer must have arrived [s]
os.environ["ROS_DOMAIN_ID"] = str(DOMAIN)  # also of the servers, apart from other tests
os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
sys.path.insert(0, str(HERE))  # of served_worlds, which the servers import
_PATHS = [str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])]
os.environ["PYTHONPATH"] = os.pathsep.join(_PATHS)
_PROCESSES: Any = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(["served_worlds"])


def _is_required() -> bool:
    return os.environ.get("DEEPSIM_ROS2") == "required"


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leaves out the tests of ROS 2 where it is missing, unless they are required."""
    if collection_path.name.startswith("test_ros2_") and not _is_required():
        try:
            import rclpy  # noqa: F401, PLC0415
            import simulation_interfaces  # noqa: F401, PLC0415
        except ImportError:
            return True
    return None


class Client:
    """A node that calls services and hears topics.

    Args:
        namespace: The namespace of the server.
    """

    def __init__(self, namespace: str = "") -> None:
        import rclpy  # noqa: PLC0415
        from rclpy.executors import SingleThreadedExecutor  # noqa: PLC0415

        self.context = rclpy.Context()
        self.context.init()
        self.node = rclpy.create_node("client", context=self.context, namespace=namespace)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self._clients: dict[str, Any] = {}
        self._publishers: dict[str, Any] = {}

    def call(self, kind: Any, service: str, /, **fields: Any) -> Any:
        """Calls a service, and returns the response."""
        return self.result(self.send(kind, service, **fields))

    def send(self, kind: Any, service: str, /, **fields: Any) -> Any:
        """Sends a request, and returns the future of its response."""
        if service not in self._clients:
            self._clients[service] = self.node.create_client(kind, service)
            assert self._clients[service].wait_for_service(_LONG), service
        return self._clients[service].call_async(kind.Request(**fields))

    def result(self, future: Any) -> Any:
        """Returns the result of a future."""
        self.executor.spin_until_future_complete(future, _LONG)
        assert future.done()
        return future.result()

    def hear(self, kind: Any, topic: str, quality: Any = 10) -> list[Any]:
        """Returns a list that fills with the messages of a topic."""
        heard: list[Any] = []
        self.node.create_subscription(kind, topic, heard.append, quality)
        return heard

    def wait(self, condition: Callable[[], Any]) -> None:
        """Hears topics until a condition holds."""
        clock = self.node.get_clock()
        start = clock.now()
        while not condition():
            self.executor.spin_once(timeout_sec=0.1)
            assert (clock.now() - start).nanoseconds < _LONG * 1e9, "nothing was heard"

    def publish(self, kind: Any, topic: str, message: Any) -> None:
        """Publishes a message once somebody listens; it arrives before later requests."""
        from simulation_interfaces.srv import GetSimulationState  # noqa: PLC0415

        if topic not in self._publishers:
            made = self._publishers[topic] = self.node.create_publisher(kind, topic, 10)
            self.wait(made.get_subscription_count)
            self._clients.pop("get_simulation_state", None)  # a later one is known later
            self.call(GetSimulationState, "get_simulation_state")
        self._publishers[topic].publish(message)

    def close(self) -> None:
        self.executor.shutdown()
        self.node.destroy_node()
        self.context.try_shutdown()


def start_process(function: str, *arguments: Any) -> BaseProcess:
    """Starts a function of served_worlds in a process, until it sets the event that it takes."""
    ready = _PROCESSES.Event()
    target = getattr(importlib.import_module("served_worlds"), function)
    process: BaseProcess = _PROCESSES.Process(target=target, args=(*arguments, ready), daemon=True)
    process.start()
    assert ready.wait(_LONG), f"{function}{arguments} did not start"
    return process


@pytest.fixture
def mortal() -> Callable[..., BaseProcess]:
    """Starts a client that asks for steps, in a process that can be killed."""
    return lambda steps, *, by_action: start_process("die", steps, by_action)


def _serving() -> Iterator[Callable[..., BaseProcess]]:
    running: list[BaseProcess] = []

    def start(world: str, *options: str) -> BaseProcess:
        running.append(start_process("serve", world, options))
        return running[-1]

    yield start
    for process in running:
        process.kill()
        process.join()


serve = pytest.fixture(_serving, name="serve")
"""Starts servers of worlds, in processes that have imported everything already."""
module_serve = pytest.fixture(_serving, name="module_serve", scope="module")
"""The same, for all tests of a module."""


@pytest.fixture
def client() -> Iterator[Callable[..., Client]]:
    """Makes clients."""
    made: list[Client] = []

    def make(namespace: str = "") -> Client:
        made.append(Client(namespace))
        return made[-1]

    yield make
    for each in made:
        each.close()
