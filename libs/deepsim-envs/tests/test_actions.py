# SPDX-License-Identifier: Apache-2.0
"""Actions are checked before anything happens to the world."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium import spaces

from deepsim_envs import ActionError

IDLE = np.zeros(2, dtype=np.float32)

REFUSED = {
    "missing": ({"a": IDLE}, "b", "agent 'b' has no action: every agent that is not done needs"),
    "unknown": (
        {"a": IDLE, "b": IDLE, "z": IDLE},
        "z",
        "no agent is named 'z': the agents are a, b",
    ),
    "too large": (
        {"a": IDLE, "b": [0, 2]},
        "b",
        r"action of agent 'b' must lie in Box\(-1.0, 1.0, ",
    ),
    "too large for its type": ({"a": IDLE, "b": [0, 1e300]}, "b", "must lie in Box"),
    "NaN": ({"a": IDLE, "b": [0, np.nan]}, "b", "action of agent 'b' must not hold NaN"),
    "shape": (
        {"a": [0, 0, 0], "b": IDLE},
        "a",
        r"must be a float32 array of shape \(2,\), got \[0",
    ),
    "image": ({"a": np.zeros((9, 9)), "b": IDLE}, "a", r"got a float64 array of shape \(9, 9\)"),
    "None": ({"a": None, "b": IDLE}, "a", "action of agent 'a' must be a float32 array.*got None"),
    "text": ({"a": "left", "b": IDLE}, "a", "must be a float32 array .* got 'left'"),
    "complex": ({"a": [1j, 0], "b": IDLE}, "a", "must be a float32 array"),
    "ragged": ({"a": [[1], 0], "b": IDLE}, "a", r"must be a float32 array .* got \[\[1\], 0\]"),
}


@pytest.mark.parametrize(("action_dict", "agent", "message"), REFUSED.values(), ids=REFUSED)
def test_an_unfit_action_is_refused_and_nothing_happens(
    make_env, simulator, action_dict, agent, message
):
    env = make_env()
    env.reset()
    calls = len(simulator.log)
    with pytest.raises(ActionError, match=message) as caught:
        env.step(action_dict)
    assert caught.value.agent == agent
    assert len(simulator.log) == calls
    assert env.world.behaviours.get("a").last_action is None
    env.step({"a": IDLE, "b": IDLE})  # the episode goes on


def test_actions_come_as_a_dict(make_env):
    env = make_env()
    env.reset()
    with pytest.raises(TypeError, match="action_dict must be a dict by agent name, got array"):
        env.step(IDLE)


ACCEPTED = {
    "list": (spaces.Box(-1, 1, (2,)), [1, -0.5], np.float32([1, -0.5])),
    "wider float": (spaces.Box(-1, 1, (2,)), np.array([0.1, 0.2]), np.float32([0.1, 0.2])),
    "integers": (spaces.Box(-1, 1, (2,)), np.array([1, 0]), np.float32([1, 0])),
    "number": (spaces.Box(-1, 1, ()), 0.5, np.float32(0.5)),
    "discrete": (spaces.Discrete(3), np.int64(2), np.int64(2)),
    "plain int": (spaces.Discrete(3), 2, 2),
    "bytes": (spaces.Box(0, 255, (2,), np.uint8), np.uint8([7, 8]), np.uint8([7, 8])),
}


@pytest.mark.parametrize(("space", "given", "received"), ACCEPTED.values(), ids=ACCEPTED)
def test_an_action_reaches_its_agent_in_the_type_of_the_space(make_echo, space, given, received):
    env = make_echo(space)
    env.reset()
    env.step({"a": given})
    np.testing.assert_array_equal(env.world.behaviours.get("a").last_action, received)
    assert np.asarray(env.world.behaviours.get("a").last_action).dtype == np.asarray(received).dtype


REFUSED_BY_SPACE = {
    "float as integer": (spaces.Box(0, 255, (2,), np.uint8), [0.5, 1.0], "must be a uint8 array"),
    "integer too wide": (spaces.Box(0, 255, (1,), np.uint8), [300], "must be a uint8 array"),
    "no such choice": (spaces.Discrete(3), 3, r"must lie in Discrete\(3\), got 3"),
    "key": (spaces.Dict(gas=spaces.Discrete(2)), {"brake": 1}, r"must be a dict of \['gas'\], got"),
    "no dict": (spaces.Dict(gas=spaces.Discrete(2)), 1, r"must be a dict of \['gas'\], got 1"),
    "deep": (spaces.Dict(gas=spaces.Discrete(2)), {"gas": 5}, r"'a'\['gas'\] must lie in Discrete"),
    "tuple": (spaces.Tuple([spaces.Discrete(2)]), (1, 1), r"must be a tuple of 1, got \(1, 1\)"),
    "in tuple": (spaces.Tuple([spaces.Discrete(2)]), (5,), r"agent 'a'\[0\] must lie in Discrete"),
}


@pytest.mark.parametrize(
    ("space", "given", "message"), REFUSED_BY_SPACE.values(), ids=REFUSED_BY_SPACE
)
def test_every_kind_of_space_says_what_it_refuses(make_echo, space, given, message):
    env = make_echo(space)
    env.reset()
    with pytest.raises(ActionError, match=message):
        env.step({"a": given})
