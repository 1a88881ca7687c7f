# SPDX-License-Identifier: Apache-2.0
"""TCPROS, the transport protocol of ROS 1, and a client of its master, without rospy.

All messages are length-prefixed, little endian. Both sides first send a header of ``key=value``
fields. A request is then a u32 length and a body; its reply is a u8 (1 for success), a u32 length
and a body, which holds the reason if the u8 is 0. See https://wiki.ros.org/ROS/TCPROS.
"""

from __future__ import annotations

import http.client
import os
import socket
import struct
import time
import xmlrpc.client
from collections.abc import Mapping
from typing import Any, NamedTuple, Tuple
from urllib.parse import urlsplit

from deepsim_gazebo.errors import (
    CallLostError,
    CallRefusedError,
    CallTimeoutError,
    MalformedReplyError,
    UnreachableError,
)

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


_LENGTH = struct.Struct("<I")
_REPLY = struct.Struct("<BI")
_NO_SERVICE = "nonexistent service"  # in roscpp's answer before a service exists, or after it ended
_LARGEST = 1 << 30  # bytes: more than any world needs; a longer message is corrupt


class RosType(NamedTuple):
    """The type of a service, or of a topic's messages."""

    type: str
    """Package and name."""
    md5: str
    """Checksum that both sides compare."""


class ServiceClient:
    """Client of one service over one connection, opened by the first call and kept open.

    After a failed call the next one looks the service up again and reconnects. Not thread-safe.

    Args:
        master: The ROS master that the service is registered with.
        name: The service, such as ``/gazebo_batch_state/exchange``.
        service: Type of the service.
        caller: The ROS name of this process.
        timeout: Longest wait for the answer to a call, and for the connection [s].
    """

    def __init__(
        self, master: Master, name: str, service: RosType, caller: str, timeout: float
    ) -> None:
        self._master = master
        self._name = name
        self._header = {
            "callerid": caller,
            "service": name,
            "md5sum": service.md5,
            "type": service.type,
            "persistent": "1",
        }
        self._timeout = timeout
        self._socket: socket.socket | None = None
        self._address: Address | None = None
        self._buffer = bytearray(1 << 16)

    def call(self, body: bytes, asked: object) -> bytes:
        """Sends one request and returns its reply.

        Args:
            body: The serialised request.
            asked: Description of the request for error messages; formatted only if one is raised.

        Raises:
            UnreachableError: The service is not available.
            CallLostError: The connection broke.
            CallTimeoutError: No answer in time.
            CallRefusedError: The server reports a failure, or its service has another type.
        """
        deadline = time.monotonic() + self._timeout
        connection = self._socket or self._connect()
        try:
            connection.settimeout(self._timeout)
            connection.sendall(framed(body))
            succeeded, reply = self._receive(connection, deadline)
        except socket.timeout as error:
            self.close()
            raise CallTimeoutError(
                f"{self._place()} did not answer within {self._timeout:g} s; asked: {asked}"
            ) from error
        except OSError as error:
            self.close()
            raise CallLostError(
                f"the connection to {self._place()} broke ({error}); asked: {asked}; it may have "
                "been done or not; the next call reconnects"
            ) from error
        except BaseException:  # such as KeyboardInterrupt: the next call would read this reply
            self.close()
            raise
        if not succeeded:
            reason = reply.decode("utf-8", "replace") or "without a reason"
            raise CallRefusedError(f"{self._place()} failed: {reason}; asked: {asked}")
        return reply

    def close(self) -> None:
        """Closes the connection; the next call opens a new one."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _connect(self) -> socket.socket:
        self._address = self._master.service(self._name)
        self._socket = opened(self._place(), self._address, self._header, self._timeout)
        return self._socket

    def _place(self) -> str:
        if self._address is None:
            return f"service {self._name}"
        host, port = self._address
        return f"service {self._name} at {host}:{port}"

    def _receive(self, connection: socket.socket, deadline: float) -> tuple[bool, bytes]:
        view = memoryview(self._buffer)
        got, total, succeeded = 0, _REPLY.size, 0
        known = False
        while got < total:
            connection.settimeout(max(deadline - time.monotonic(), 1e-3))
            count = connection.recv_into(view[got:])
            if count == 0:
                raise ConnectionResetError("closed by the server")
            got += count
            if not known and got >= _REPLY.size:
                known = True
                succeeded, length = _REPLY.unpack_from(view)
                total += length
                if length > _LARGEST:
                    raise ConnectionAbortedError(f"a reply of {length} bytes was announced")
                if total > len(view):
                    larger = bytearray(total)
                    larger[:got] = view[:got]
                    self._buffer, view = larger, memoryview(larger)
        if got > total:
            raise ConnectionAbortedError(f"{got - total} bytes came after the reply")
        return bool(succeeded), bytes(view[_REPLY.size : total])


def opened(
    place: str, address: Address, header: Mapping[str, str], timeout: float
) -> socket.socket:
    """Opens a connection and exchanges headers.

    Args:
        place: Description of the other side, for error messages.
        address: Host and port.
        header: The header to send.
        timeout: Longest wait [s].

    Raises:
        UnreachableError: Nothing listens at the address, it does not speak TCPROS, or the server
            does not offer this service.
        CallTimeoutError: No answer in time.
        CallRefusedError: The other side refuses, for example because the types differ.
    """
    try:
        connection = socket.create_connection(address, timeout)
    except socket.timeout as error:
        raise CallTimeoutError(f"{place} accepts no connection within {timeout:g} s") from error
    except OSError as error:
        raise UnreachableError(
            f"{place} is known to the ROS master, but nobody listens there ({error}): "
            "was it killed, or is it starting?"
        ) from error
    try:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.sendall(framed(pack_header(header)))
        answer = unpack_header(exactly(connection, _LENGTH.unpack(exactly(connection, 4))[0]))
        error_text = answer.get("error")
        if error_text is None and answer.get("md5sum") != header["md5sum"]:
            error_text = f"its md5sum is {answer.get('md5sum')}, expected {header['md5sum']}"
        if error_text is not None and _NO_SERVICE in error_text:
            raise UnreachableError(f"{place} is not offered now: its server starts or ends")
        if error_text is not None:
            raise CallRefusedError(
                f"{place} is not the {header['type']} of this deepsim-gazebo: {error_text}; "
                "use the plugin of the same release"
            )
    except socket.timeout as error:
        connection.close()
        raise CallTimeoutError(f"{place} sent no header within {timeout:g} s") from error
    except (OSError, ValueError) as error:
        connection.close()
        raise UnreachableError(f"{place} does not speak TCPROS: {error}") from error
    except BaseException:
        connection.close()
        raise
    return connection


def framed(body: bytes) -> bytes:
    """Returns a body prefixed with its length."""
    return _LENGTH.pack(len(body)) + body


def pack_header(fields: Mapping[str, str]) -> bytes:
    """Packs the fields of a header, each prefixed with its length."""
    return b"".join(framed(f"{key}={value}".encode()) for key, value in fields.items())


def unpack_header(body: bytes) -> dict[str, str]:
    """Returns the fields of a header.

    Raises:
        ValueError: The header is malformed.
    """
    fields, at = {}, 0
    while at < len(body):
        if at + 4 > len(body):
            raise ValueError("a header field is cut off")
        (length,) = _LENGTH.unpack_from(body, at)
        field = body[at + 4 : at + 4 + length]
        key, equals, value = field.decode("utf-8").partition("=")
        if len(field) < length or not equals:
            raise ValueError(f"{field[:40]!r} is not a header field")
        fields[key] = value
        at += 4 + length
    return fields


def exactly(connection: socket.socket, count: int) -> bytes:
    """Reads the next `count` bytes of a stream.

    Raises:
        OSError: The stream ends early, or `count` is too large to be valid.
    """
    if count > _LARGEST:
        raise ConnectionAbortedError(f"{count} bytes were announced")
    parts = bytearray()
    while len(parts) < count:
        part = connection.recv(count - len(parts))
        if not part:
            raise ConnectionResetError("closed by the other side")
        parts += part
    return bytes(parts)
