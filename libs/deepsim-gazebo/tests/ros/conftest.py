# SPDX-License-Identifier: Apache-2.0
"""A ROS network in this process: real sockets and real XML-RPC, without ROS."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from typing import Any
from xmlrpc.server import SimpleXMLRPCServer

import pytest


class Peer:
    """The other end of one TCPROS connection, after the headers."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def request(self) -> bytes:
        """The body of the next request."""
        (length,) = struct.unpack("<I", self._exactly(4))
        return self._exactly(length)

    def send(self, data: bytes) -> None:
        """Bytes as they are."""
        self._connection.sendall(data)

    def reply(self, body: bytes, *, success: bool = True) -> None:
        """A reply of a service."""
        self.send(struct.pack("<BI", success, len(body)) + body)

    def header(self) -> dict[str, str]:
        """The fields that the client sent."""
        body = self.request()
        fields = {}
        while body:
            (length,) = struct.unpack_from("<I", body)
            key, _, value = body[4 : 4 + length].decode().partition("=")
            fields[key] = value
            body = body[4 + length :]
        return fields

    def answer_header(self, **fields: str) -> None:
        """The header of this side."""
        parts = [f"{key}={value}".encode() for key, value in fields.items()]
        body = b"".join(struct.pack("<I", len(part)) + part for part in parts)
        self.send(struct.pack("<I", len(body)) + body)

    def _exactly(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            part = self._connection.recv(count - len(data))
            if not part:
                raise EOFError
            data += part
        return data


class Listener:
    """Serves each connection by a function, in a thread of its own, until it is stopped."""

    def __init__(self, serve: Callable[[Peer], None]) -> None:
        self._serve = serve
        self._open: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._server = socket.create_server(("127.0.0.1", 0))
        self.address: tuple[str, int] = self._server.getsockname()
        self.errors: list[BaseException] = []
        self._run(self._accept)

    def stop(self) -> None:
        """Closes all connections, like the end of the process."""
        for end in (self._server, *self._open):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(10)
        self._server.close()
        if self.errors:
            raise self.errors[0]

    def _run(self, function: Callable[..., None], *arguments: Any) -> None:
        thread = threading.Thread(target=function, args=arguments)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._server.accept()
                self._open.append(connection)
                self._run(self._talk, connection)

    def _talk(self, connection: socket.socket) -> None:
        with connection:
            try:
                self._serve(Peer(connection))
            except (EOFError, OSError):
                return
            except BaseException as error:
                self.errors.append(error)


class Network:
    """A ROS master and the servers that are registered with it."""

    def __init__(self) -> None:
        self.services: dict[str, str] = {}
        self.topics: dict[str, tuple[str, int]] = {}
        self._listeners: list[Listener] = []
        self._master = SimpleXMLRPCServer(("127.0.0.1", 0), logRequests=False)
        self.uri = "http://{}:{}".format(*self._master.server_address)
        self._master.register_function(self._lookup_service, "lookupService")
        self._master.register_function(self._system_state, "getSystemState")
        self._master.register_function(lambda caller, node: [1, "", self.uri], "lookupNode")
        self._master.register_function(self._request_topic, "requestTopic")
        self._thread = threading.Thread(target=self._master.serve_forever, args=(0.01,))
        self._thread.start()

    def listen(self, serve: Callable[[Peer], None]) -> Listener:
        """A server of TCPROS connections."""
        self._listeners.append(Listener(serve))
        return self._listeners[-1]

    def advertise(self, name: str, listener: Listener) -> None:
        """Registers a service."""
        self.services[name] = "rosrpc://{}:{}".format(*listener.address)

    def serve(self, name: str, md5: str, handle: Callable[[Peer, bytes], None]) -> Listener:
        """A service that exchanges headers and handles requests."""

        def serve(peer: Peer) -> None:
            header = peer.header()
            assert header["service"] == name
            assert header["persistent"] == "1"
            peer.answer_header(callerid="/server", md5sum=md5, type="any/Type")
            while True:
                handle(peer, peer.request())

        listener = self.listen(serve)
        self.advertise(name, listener)
        return listener

    def stop(self) -> None:
        """Ends everything."""
        self._master.shutdown()
        self._thread.join(10)
        self._master.server_close()
        for listener in self._listeners:
            listener.stop()

    def _lookup_service(self, caller: str, name: str) -> list[Any]:
        if name in self.services:
            return [1, "found", self.services[name]]
        return [-1, "no provider", ""]

    def _system_state(self, caller: str) -> list[Any]:
        return [1, "", [[[topic, ["/node"]] for topic in self.topics], [], []]]

    def _request_topic(self, caller: str, topic: str, protocols: Any) -> list[Any]:
        host, port = self.topics[topic]
        return [1, "", ["TCPROS", host, port]]


@pytest.fixture
def network() -> Iterator[Network]:
    """A ROS network without services."""
    network = Network()
    yield network
    network.stop()


@pytest.fixture
def other_network() -> Iterator[Network]:
    """A second ROS network, with a master of its own."""
    network = Network()
    yield network
    network.stop()
