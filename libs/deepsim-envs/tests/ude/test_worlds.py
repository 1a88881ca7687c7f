# SPDX-License-Identifier: Apache-2.0
"""The world of an environment that is served, and environments of several worlds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from deepsim_envs import Environment, digest
from deepsim_envs.ude import RemoteEnvironment, serve
from deepsim_sync import WrongThreadError


def test_agents_of_several_worlds_are_told_apart_by_name(
    make_rink: Callable[..., Environment],
) -> None:
    alone = make_rink(2)
    slots = ["a/0", "b/0", "a/1", "b/1"]
    with serve(make_rink(2), port=0) as server, RemoteEnvironment(port=server.port) as remote:
        assert list(remote.action_space) == slots
        assert digest(remote.reset(seed=3)[0]) == digest(alone.reset(3)[0])
        for number in range(3):
            actions = {slot: np.full(2, 0.1 * number) for slot in slots}
            result, expected = remote.step(actions), alone.step(actions)
            assert digest(tuple(result[:4])) == digest(tuple(expected[:4]))


def test_the_world_belongs_to_the_server_until_it_stops(
    make_rink: Callable[..., Environment],
) -> None:
    environment = make_rink()
    environment.reset(0)
    with serve(environment, port=0) as server, RemoteEnvironment(port=server.port) as remote:
        remote.reset(seed=3)
        with pytest.raises(WrongThreadError, match="belongs to thread 'ude-call_"):
            environment.reset(0)
    environment.reset(0)
