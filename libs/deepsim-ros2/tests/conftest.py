# SPDX-License-Identifier: Apache-2.0
"""Servers in processes of their own, and a client of rclpy in this one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
DOMAIN = 1 + os.getpid() % 100
_LONG = 60.0  # until an answer must have arrived [s]


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
        self.context.init(domain_id=DOMAIN)
        self.node = rclpy.create_node("client", context=self.context, namespace=namespace)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self._clients: dict[str, Any] = {}

    def call(self, kind: Any, name: str, **fields: Any) -> Any:
        """Calls a service, and returns the response."""
        if name not in self._clients:
            self._clients[name] = self.node.create_client(kind, name)
            assert self._clients[name].wait_for_service(_LONG), name
        return self.result(self._clients[name].call_async(kind.Request(**fields)))

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
        """Publishes a message once somebody listens."""
        publisher = self.node.create_publisher(kind, topic, 10)
        self.wait(lambda: publisher.get_subscription_count())
        publisher.publish(message)

    def close(self) -> None:
        self.executor.shutdown()
        self.node.destroy_node()
        self.context.try_shutdown()


@pytest.fixture
def serve() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts servers of worlds."""
    running: list[subprocess.Popen[str]] = []

    def start(world: str, *options: str) -> subprocess.Popen[str]:
        environment = {
            **os.environ,
            "ROS_DOMAIN_ID": str(DOMAIN),
            "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
        }
        process = subprocess.Popen(
            [sys.executable, str(HERE / "serve.py"), world, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        running.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        return process

    yield start
    for process in running:
        process.kill()
        process.wait()


@pytest.fixture
def client() -> Iterator[Callable[..., Client]]:
    """Makes clients."""
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    made: list[Client] = []

    def make(namespace: str = "") -> Client:
        made.append(Client(namespace))
        return made[-1]

    yield make
    for each in made:
        each.close()
