# SPDX-License-Identifier: Apache-2.0
"""Bounds from a simulated server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from deepsim_gazebo import BatchStateClient, CallRefusedError, MalformedReplyError
from deepsim_gazebo.protocol.client import NewEntity
from deepsim_math import Pose


@pytest.fixture
def client(network: Any, server: Any) -> Iterator[BatchStateClient]:
    """Connected to a server with two models."""
    client = BatchStateClient(network.uri)
    client.spawn([NewEntity(name, "free", Pose()) for name in ("a", "b")])
    yield client
    client.close()


def test_bounds_are_lowest_and_highest_of_each(client: BatchStateClient) -> None:
    """In the order of the names, as a new array."""
    bounds = client.bounds(["b", "a"])
    np.testing.assert_array_equal(bounds, [[[0, 1, 2], [3, 4, 5]]] * 2)
    bounds[:] = 0
    assert client.bounds(["a"]).any()


def test_entities_without_bounds_are_named(client: BatchStateClient) -> None:
    """Even if others have bounds."""
    with pytest.raises(CallRefusedError, match="no model or link 'nobody'"):
        client.bounds(["a", "nobody"])


def test_missing_numbers_are_reported(client: BatchStateClient, server: Any) -> None:
    """The message has both counts."""
    server.lost_numbers = 6
    with pytest.raises(MalformedReplyError, match="6 numbers for 2 names"):
        client.bounds(["a", "b"])
