# SPDX-License-Identifier: Apache-2.0
"""A client of the ROS master, which maps services and topics to addresses."""

from __future__ import annotations

import http.client
import os
import xmlrpc.client
from typing import Any, Tuple
from urllib.parse import urlsplit

from deepsim_gazebo.errors import MalformedReplyError, UnreachableError

Address = Tuple[str, int]
"""Host and port."""

DEFAULT_URI = "http://localhost:11311"
_SUCCESS = 1


class Master:
    """Client of a ROS master and of the nodes that it lists, by XML-RPC.

    Args:
        uri: URI of the master; defaults to ``ROS_MASTER_URI``, or else to port 11311 of this host.
        caller: The ROS name of this process.
        timeout: Longest wait for an answer [s].

    Attributes:
        uri: URI of the master.
    """

    def __init__(self, uri: str | None, caller: str, timeout: float) -> None:
        self.uri = uri or os.environ.get("ROS_MASTER_URI") or DEFAULT_URI
        self._caller = caller
        self._timeout = timeout

    def service(self, name: str) -> Address:
        """Returns the address of a service.

        Raises:
            UnreachableError: The master does not answer, or has no such service.
        """
        found = self._ask(self.uri, "lookupService", name)
        if found is None:
            raise UnreachableError(
                f"the ROS master at {self.uri} has no service {name}: is gzserver running, with "
                "the plugin libgazebo_batch_state.so?"
            )
        return _address(f"service {name}", found)

    def publishers(self, topic: str) -> list[Address]:
        """Returns the addresses of the publishers of a topic.

        Raises:
            UnreachableError: The master or a publisher does not answer.
        """
        state = self._ask(self.uri, "getSystemState")
        addresses = []
        for node in dict(state[0]).get(topic, ()):
            uri = self._ask(self.uri, "lookupNode", node)
            offer = self._ask(uri, "requestTopic", topic, [["TCPROS"]])
            if offer:
                addresses.append((str(offer[1]), int(offer[2])))
        return addresses

    def _ask(self, uri: str, method: str, *arguments: Any) -> Any:
        """Calls a method; returns its value, or None if the call was refused."""
        question = f"{method}({', '.join(map(repr, arguments))})" if arguments else method
        try:
            with xmlrpc.client.ServerProxy(uri, transport=_Transport(self._timeout)) as server:
                answer: Any = getattr(server, method)(self._caller, *arguments)
        except (OSError, http.client.HTTPException) as error:
            what = "the ROS master" if uri == self.uri else "the ROS node"
            raise UnreachableError(
                f"{what} at {uri} does not answer {question}: {error or type(error).__name__}; "
                "is it running, and is ROS_MASTER_URI right?"
            ) from error
        except (xmlrpc.client.Error, ValueError, TypeError) as error:
            raise UnreachableError(f"{uri} is no ROS master: {question} failed: {error}") from error
        if not (isinstance(answer, list) and len(answer) == 3):
            raise MalformedReplyError(f"{uri} answered {question} with {answer!r}: is it ROS?")
        status, _, value = answer
        return value if status == _SUCCESS else None


class _Transport(xmlrpc.client.Transport):
    """HTTP transport with a timeout."""

    def __init__(self, timeout: float) -> None:
        super().__init__()
        self._timeout = timeout

    def make_connection(self, host: Any) -> http.client.HTTPConnection:
        connection = super().make_connection(host)
        connection.timeout = self._timeout
        return connection


def _address(what: str, uri: str) -> Address:
    """Returns the host and port of ``rosrpc://host:port``."""
    try:
        parts = urlsplit(uri)
        host, port = parts.hostname, parts.port
    except (ValueError, AttributeError):
        host = port = None
    if not host or not port:
        raise MalformedReplyError(f"the ROS master has {what} at {uri!r}, which is not an address")
    return host, port
