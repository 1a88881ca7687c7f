# SPDX-License-Identifier: Apache-2.0
"""Service calls over TCPROS, to correct and to faulty servers."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator
from typing import Any, Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deepsim_gazebo.errors import (
    CallLostError,
    CallRefusedError,
    CallTimeoutError,
    UnreachableError,
)
from deepsim_gazebo.ros.tcpros import Master, RosType, ServiceClient

NAME, MD5 = "/some/service", "0123456789abcdef0123456789abcdef"
Connect = Callable[..., ServiceClient]


@pytest.fixture
def connect(network: Any) -> Iterator[Connect]:
    """Makes clients of the service."""
    made = []

    def connect(timeout: float = 10.0) -> ServiceClient:
        master = Master(network.uri, "/tests", timeout)
        client = ServiceClient(master, NAME, RosType("pkg/Type", MD5), "/tests", timeout)
        made.append(client)
        return client

    yield connect
    for client in made:
        client.close()


def echo(peer: Any, body: bytes) -> None:
    peer.reply(body)


def test_calls_share_one_connection(network: Any, connect: Connect) -> None:
    """The headers are exchanged once, for any number of calls."""
    headers = []

    def serve(peer: Any) -> None:
        headers.append(peer.header())
        peer.answer_header(callerid="/server", md5sum=MD5, type="pkg/Type")
        while True:
            peer.reply(peer.request()[::-1])

    network.advertise(NAME, network.listen(serve))
    client = connect()
    assert [client.call(body, "reverse") for body in (b"abc", b"", b"12")] == [b"cba", b"", b"21"]
    assert headers == [
        {
            "callerid": "/tests",
            "service": NAME,
            "md5sum": MD5,
            "type": "pkg/Type",
            "persistent": "1",
        }
    ]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(st.binary(max_size=200_000))
def test_any_body_comes_back(network: Any, connect: Connect, body: bytes) -> None:
    """Small and large bodies, in any number of pieces."""
    if NAME not in network.services:
        network.serve(NAME, MD5, echo)
    client = connect()
    assert client.call(body, "echo") == body
    client.close()


def test_a_reply_may_come_byte_by_byte(network: Any, connect: Connect) -> None:
    """TCP does not preserve message boundaries."""

    def trickle(peer: Any, body: bytes) -> None:
        for byte in struct.pack("<BI", 1, len(body)) + body:
            peer.send(bytes([byte]))

    network.serve(NAME, MD5, trickle)
    assert connect().call(b"slowly", "echo") == b"slowly"


def test_a_failure_says_why(network: Any, connect: Connect) -> None:
    """With the server's reason, its address and the request; the connection stays open."""
    network.serve(NAME, MD5, lambda peer, body: peer.reply(b"out of fuel", success=body == b"ok"))
    client = connect()
    with pytest.raises(CallRefusedError, match=r"/some/service at .* out of fuel; asked: fly"):
        client.call(b"up", "fly")
    assert client.call(b"ok", "fly") == b"out of fuel"


def test_a_server_of_another_type_is_refused(network: Any, connect: Connect) -> None:
    """The checksum differs; roscpp reports that itself, others may not."""
    network.serve(NAME, "f" * 32, echo)
    with pytest.raises(
        CallRefusedError, match=r"md5sum is f{32}, expected 0123.* plugin of the same"
    ):
        connect().call(b"", "anything")

    def refuse(peer: Any) -> None:
        peer.header()
        peer.answer_header(error="client wants service to have md5sum 0123")

    network.advertise(NAME, network.listen(refuse))
    with pytest.raises(CallRefusedError, match="client wants service"):
        connect().call(b"", "anything")


def test_a_service_that_comes_or_goes_is_not_there(network: Any, connect: Connect) -> None:
    """A server that ends knows its services no more before the ROS master does."""

    def refuse(peer: Any) -> None:
        peer.header()
        peer.answer_header(
            error=f"received a tcpros connection for a nonexistent service [{NAME}]."
        )

    network.advertise(NAME, network.listen(refuse))
    with pytest.raises(UnreachableError, match="is not offered now: its server starts or ends"):
        connect().call(b"", "anything")


def test_no_answer_is_an_error_in_time(network: Any, connect: Connect) -> None:
    """The message has the request, and the next call does not read the late answer."""
    asked = threading.Event()
    gave_up = threading.Event()

    def late(peer: Any, body: bytes) -> None:
        if not asked.is_set():
            asked.set()
            gave_up.wait(10)
        peer.reply(body)

    network.serve(NAME, MD5, late)
    client = connect(timeout=2.0)
    with pytest.raises(CallTimeoutError, match=r"did not answer within 2 s; asked: 10 steps"):
        client.call(b"first", "10 steps")
    gave_up.set()
    assert client.call(b"second", "5 steps") == b"second"


def test_a_lost_connection_is_reported_and_opened_again(network: Any, connect: Connect) -> None:
    """The current call fails; the next one finds the new server through the master."""
    first = network.serve(NAME, MD5, lambda peer, body: peer.reply(b"one"))
    client = connect()
    assert client.call(b"", "who") == b"one"
    first.stop()
    network.serve(NAME, MD5, lambda peer, body: peer.reply(b"two"))
    with pytest.raises(CallLostError, match=r"connection to .* broke .*; asked: who"):
        client.call(b"", "who")
    assert client.call(b"", "who") == b"two"


def test_a_server_that_dies_during_a_reply_is_reported(network: Any, connect: Connect) -> None:
    """A part of a reply is not returned."""

    def half(peer: Any) -> None:
        peer.header()
        peer.answer_header(md5sum=MD5)
        peer.request()
        peer.send(struct.pack("<BI", 1, 100) + b"only this")

    network.advertise(NAME, network.listen(half))
    with pytest.raises(CallLostError, match="closed by the server"):
        connect().call(b"", "much")


@pytest.mark.parametrize("junk", [struct.pack("<BI", 1, 2**32 - 1), struct.pack("<BI", 1, 0) * 2])
def test_a_reply_out_of_bounds_is_refused(network: Any, connect: Connect, junk: bytes) -> None:
    """Neither 4 GiB nor two replies at once are waited for or kept."""
    network.serve(NAME, MD5, lambda peer, body: peer.send(junk))
    with pytest.raises(CallLostError, match=r"bytes (was|came)"):
        connect().call(b"", "anything")


def test_a_missing_server_is_reported(network: Any, connect: Connect) -> None:
    """No master, no such service, and a service whose server was killed."""
    with pytest.raises(UnreachableError, match=r"has no service /some/service: is gzserver"):
        connect().call(b"", "anything")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    network.services[NAME] = f"rosrpc://127.0.0.1:{port}"
    with pytest.raises(UnreachableError, match=f"nobody listens there .*{port}|{port}.*nobody"):
        connect().call(b"", "anything")
    nowhere = Master(f"http://127.0.0.1:{port}", "/tests", 1.0)
    unanswered = rf":{port} does not answer lookupService\('/some/service'\): "
    with pytest.raises(UnreachableError, match=unanswered):
        ServiceClient(nowhere, NAME, RosType("pkg/Type", MD5), "/tests", 1.0).call(b"", "x")


@pytest.mark.parametrize(
    "junk", [b"HTTP/1.1 400 Bad Request\r\n", struct.pack("<I", 6) + b"\xff" * 6, b""]
)
def test_a_server_without_ros_is_reported(network: Any, connect: Connect, junk: bytes) -> None:
    """For example a web server at the address of a service."""

    def serve(peer: Any) -> None:
        peer.header()
        peer.send(junk)

    network.advertise(NAME, network.listen(serve))
    with pytest.raises(UnreachableError, match="does not speak TCPROS"):
        connect().call(b"", "anything")


@pytest.mark.parametrize("uri", ["", "nonsense", "rosrpc://host", "rosrpc://:1", 7])
def test_a_bad_address_is_reported(network: Any, connect: Connect, uri: Any) -> None:
    """The address is quoted."""
    network.services[NAME] = uri
    with pytest.raises(Exception, match="is not an address"):
        connect().call(b"", "anything")


def test_the_master_is_found_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """As everywhere in ROS."""
    monkeypatch.setenv("ROS_MASTER_URI", "http://elsewhere:1234")
    assert Master(None, "/tests", 1.0).uri == "http://elsewhere:1234"
    assert Master("http://here:1", "/tests", 1.0).uri == "http://here:1"
    monkeypatch.delenv("ROS_MASTER_URI")
    assert Master(None, "/tests", 1.0).uri == "http://localhost:11311"
