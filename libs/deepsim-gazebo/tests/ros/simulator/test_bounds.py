# SPDX-License-Identifier: Apache-2.0
"""Bounds from a server that speaks as the plugin does."""

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
    """In the order of the names, and the caller's own."""
    bounds = client.bounds(["b", "a"])
    np.testing.assert_array_equal(bounds, [[[0, 1, 2], [3, 4, 5]]] * 2)
    bounds[:] = 0
    assert client.bounds(["a"]).any()


def test_who_has_none_is_named(client: BatchStateClient) -> None:
    """Beside others that have."""
    with pytest.raises(CallRefusedError, match="no model or link 'nobody'"):
        client.bounds(["a", "nobody"])


def test_numbers_that_lack_are_told(client: BatchStateClient, server: Any) -> None:
    """They are not guessed at."""
    server.lost_numbers = 6
    with pytest.raises(MalformedReplyError, match="6 numbers for 2 names"):
        client.bounds(["a", "b"])
