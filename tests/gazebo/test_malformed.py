# SPDX-License-Identifier: Apache-2.0
"""Requests that are malformed or too large: each is answered with its reason."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from deepsim_gazebo import (
    BatchStateClient,
    CallRefusedError,
    ExchangeRequest,
    ExchangeStatus,
    GazeboSimulator,
)
from deepsim_gazebo.protocol.layout import SERVICES
from deepsim_gazebo.ros.tcpros import ServiceClient
from deepsim_sync import Cells
from gazebo.servers import GazeboServer

ROWS = np.arange(3)
REQUEST = ExchangeRequest(1, {("models", "pose"): Cells(ROWS * 0, ROWS, np.zeros((3, 7)))}).pack()
JUNK = 1000


@pytest.fixture
def exchange(server: GazeboServer) -> Iterator[ServiceClient]:
    """The service, without the checks of its client."""
    client = BatchStateClient()
    name = "/gazebo_batch_state/exchange"
    service = ServiceClient(client.master, name, SERVICES["exchange"], client.caller, 10.0)
    yield service
    service.close()
    client.close()


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "the message ends too soon"),
        (REQUEST[:-3], "the message ends too soon"),
        (REQUEST[:8] + b"\xff" * 8, "announces 4294967295 elements, which it has no room for"),
    ],
)
def test_the_reason_is_answered(exchange: ServiceClient, body: bytes, reason: str) -> None:
    """And the connection goes on."""
    for _ in range(2):
        with pytest.raises(CallRefusedError, match=reason):
            exchange.call(body, "junk")


def test_the_log_is_not_flooded(exchange: ServiceClient, server: GazeboServer) -> None:
    """A line a second at most, though a thousand requests are refused."""
    before = len(server.log.read_bytes().splitlines())
    for _ in range(JUNK):
        with pytest.raises(CallRefusedError):
            exchange.call(b"", "junk")
    assert len(server.log.read_bytes().splitlines()) - before < JUNK / 10


def test_too_many_names_are_refused(gazebo: GazeboSimulator) -> None:
    """And too long ones, and too many models at once; all this while the world goes on."""
    client = BatchStateClient()
    with pytest.raises(CallRefusedError, match="at most 20000 names a call, got 20001"):
        client.bounds(["nobody"] * 20001)
    with pytest.raises(CallRefusedError, match="at most 1000 bytes, got one of 1001"):
        client.bounds(["n" * 1001])
    body = np.array([101], "<u4").tobytes() + b"\0" * 101 * 4
    with pytest.raises(CallRefusedError, match="at most 100 models a call, got 101"):
        client.ask("delete_models", body, "to delete")
    with pytest.raises(CallRefusedError, match="at most 64000000 bytes a call, got 64000001"):
        client.ask("exchange", bytes(64_000_001), "nothing")
    client.close()


def test_more_cells_than_rows_are_refused(gazebo: GazeboSimulator) -> None:
    """Nothing is written."""
    client = BatchStateClient()
    rows = np.zeros(2000, dtype=np.intp)
    cells = {("models", "pose"): Cells(rows, rows, np.zeros((2000, 7)))}
    reply = client.exchange(ExchangeRequest(client.names().entities.generation, cells))
    assert reply.status is ExchangeStatus.INVALID
    assert "2000 cells of models pose, but there are 0 rows" in reply.message
    reply = client.exchange(ExchangeRequest(sensors=list(range(2000))))
    assert reply.status is ExchangeStatus.INVALID
    client.close()
