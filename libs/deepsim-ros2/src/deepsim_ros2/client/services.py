# SPDX-License-Identifier: Apache-2.0
"""Calls of the services of one simulator, with a time limit."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from typing import Any

from rclpy.context import Context
from rclpy.executors import Executor, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile
from simulation_interfaces import srv
from simulation_interfaces.msg import Result

from deepsim_ros2.errors import Ros2Error

try:  # ten times as fast; in rclpy since Kilted
    from rclpy.experimental import EventsExecutor
except ImportError:
    EventsExecutor = SingleThreadedExecutor


_ANSWERED = "get_simulator_features"
"""The service that every server has."""


class UnreachableError(Ros2Error, ConnectionError):
    """No server of simulation_interfaces is there, or it does not answer."""


class CallRefusedError(Ros2Error):
    """A server refused a request.

    Attributes:
        code: The result code: of ``simulation_interfaces/msg/Result`` up to 100, above that one of
            the service.
    """

    def __init__(self, service: str, code: int, text: str) -> None:
        super().__init__(f"{service} was refused with code {code}: {text or 'without a reason'}")
        self.code = code
        self.text = text


class Connection:
    """A node that calls the services of a simulator and hears its topics, in one thread.

    Args:
        namespace: Namespace of the services.
        timeout: Longest wait for a server, and for the answer to a call [s].
        needed: Whether a server must be there; otherwise only topics are heard.
        arguments: ROS arguments, such as ``["--ros-args", "-r", "scan:=laser"]``.

    Attributes:
        timeout: The longest wait [s].
        root: The namespace with slashes, such as ``/gzserver/``.
        features: The features that the server offers.
        spawn_formats: The formats of models that it takes, such as ``sdf``.

    Raises:
        UnreachableError: No server is there.
    """

    def __init__(
        self,
        namespace: str,
        timeout: float,
        *,
        needed: bool = True,
        arguments: Sequence[str] = (),
    ) -> None:
        os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
        self.timeout = timeout
        self.root = f"/{namespace.strip('/')}/" if namespace.strip("/") else "/"
        self._context = Context()
        self._context.init(args=[*arguments])
        self._node = Node("deepsim_client", context=self._context, namespace=namespace)
        self._executor: Executor = EventsExecutor(context=self._context)
        self._executor.add_node(self._node)
        # Kilted's EventsExecutor fails with callbacks that take information about a message.
        self._listener = Node(
            "deepsim_listener",
            context=self._context,
            namespace=namespace,
            start_parameter_services=False,
            enable_rosout=False,
        )
        self._hearing = SingleThreadedExecutor(context=self._context)
        self._hearing.add_node(self._listener)
        self._clients: dict[str, Any] = {}
        self.features: frozenset[int] = frozenset()
        self.spawn_formats: tuple[str, ...] = ()
        if not needed:
            return
        try:
            offered = self.call(_ANSWERED, srv.GetSimulatorFeatures).features
        except BaseException:
            self.close()
            raise
        self.features = frozenset(offered.features)
        self.spawn_formats = tuple(offered.spawn_formats)

    def call(self, name: str, service: Any, /, **fields: Any) -> Any:
        """Returns the response to a request with the given fields.

        Raises:
            UnreachableError: The service is not there, or does not answer in time.
            CallRefusedError: The result is not OK.
        """
        client = self._clients.get(name)
        if client is None:
            client = self._clients[name] = self._node.create_client(service, name)
        if not client.wait_for_service(timeout_sec=self.timeout):
            raise UnreachableError(
                f"no simulator offers the service {client.service_name!r}: start one, such as "
                "deepsim ros2 serve, with the same ROS_DOMAIN_ID"
            )
        future = client.call_async(service.Request(**fields))
        self._executor.spin_until_future_complete(future, timeout_sec=self.timeout)
        if not future.done():
            client.remove_pending_request(future)
            raise UnreachableError(f"{client.service_name!r} gave no answer in {self.timeout} s")
        response = future.result()
        result = getattr(response, "result", None)
        if isinstance(result, Result) and result.result != Result.RESULT_OK:
            raise CallRefusedError(name, result.result, result.error_message)
        return response

    def offers(self, service: str) -> bool:
        """Returns whether a service is there."""
        path = self.root + service
        return any(name == path for name, _ in self._node.get_service_names_and_types())

    def resolved(self, topic: str) -> str:
        """Returns the full name of a topic, after all remappings."""
        return str(self._listener.resolve_topic_name(topic))

    def listen(
        self,
        kind: Any,
        topic: str,
        function: Callable[[Any, Any], None],
        quality: QoSProfile | int,
    ) -> Callable[[], None]:
        """Calls a function with every message on a topic, and the information about it.

        Returns a function that ends that.
        """
        made = self._listener.create_subscription(kind, topic, function, quality)

        def stop() -> None:
            self._listener.destroy_subscription(made)

        return stop

    def publisher(self, kind: Any, topic: str) -> Any:
        """Returns a publisher of a topic, whose messages arrive before later requests.

        A service client that is made after it is answered only once the server knows both, because
        endpoints are announced in order. To wait for acknowledgements takes 3 s with Fast DDS.

        Raises:
            UnreachableError: Nobody subscribes.
        """
        made = self._node.create_publisher(kind, topic, 10)
        what = f"nobody subscribes to {made.topic_name!r}"
        self.wait(lambda: made.get_subscription_count() > 0, what)
        if _ANSWERED in self._clients:
            self._clients.pop(_ANSWERED).destroy()
            self.call(_ANSWERED, srv.GetSimulatorFeatures)
        return made

    def kinds(self, topic: str) -> list[str]:
        """Returns the types that others publish on a topic or subscribe to, as ``pkg/msg/Type``."""
        name = self._node.resolve_topic_name(topic)
        known: dict[str, list[str]] = dict(self._node.get_topic_names_and_types())
        return known.get(name, [])

    def topics(self) -> dict[str, str]:
        """Returns the types of the published topics in this namespace, by name."""
        return {
            name: kinds[0]
            for name, kinds in self._node.get_topic_names_and_types()
            if name.startswith(self.root) and self._node.count_publishers(name)
        }

    def wait(self, until: Callable[[], bool], what: str, longest: float | None = None) -> None:
        """Hears topics until a condition holds.

        Raises:
            UnreachableError: It does not hold within the longest wait, or else the time limit.
        """
        limit = self.timeout if longest is None else longest
        end = time.monotonic() + limit
        while not until():
            left = end - time.monotonic()
            if left <= 0.0:
                raise UnreachableError(f"{what} in {limit} s")
            self._hearing.spin_once(timeout_sec=min(left, 0.1))

    def close(self) -> None:
        """Ends the node; a second call has no effect."""
        if self._context.ok():
            for executor, node in (
                (self._executor, self._node),
                (self._hearing, self._listener),
            ):
                executor.remove_node(node)
                node.destroy_node()
                executor.shutdown()
            self._context.try_shutdown()
