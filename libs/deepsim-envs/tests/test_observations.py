# SPDX-License-Identifier: Apache-2.0
"""Observations are members of their spaces, or the agent is named."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import data_equivalence
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deepsim_envs import ObservationError
from deepsim_math import Pose
from deepsim_sync import World
from deepsim_sync.testing import TableModel, TableSimulator

LEAVES = st.one_of(
    st.sampled_from([np.float32, np.float64]).map(lambda kind: spaces.Box(-2, 2, (2, 3), kind)),
    st.sampled_from([np.uint8, np.int64]).map(lambda kind: spaces.Box(0, 200, (3,), kind)),
    st.integers(1, 5).map(spaces.Discrete),
    st.lists(st.integers(1, 4), min_size=1, max_size=3).map(spaces.MultiDiscrete),
    st.integers(1, 4).map(spaces.MultiBinary),
    st.just(spaces.Text(4)),
    st.just(spaces.Sequence(spaces.Discrete(3))),
    st.just(spaces.Graph(spaces.Box(-1, 1, (2,)), spaces.Discrete(2))),
)
SPACES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(spaces.Tuple),
        st.dictionaries(st.sampled_from("xyz"), inner, min_size=1).map(spaces.Dict),
    ),
    max_leaves=5,
)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(space=SPACES, seed=st.integers(0, 2**31))
def test_members_of_any_space_pass_through_unchanged(make_echo, space, seed):
    """An action reaches the agent, and its observation the caller, as what it was."""
    space.seed(seed)
    with World(TableSimulator()) as world:
        world.spawn(TableModel(), "a", Pose())
        env = make_echo(space)
        first, _ = env.reset()
        assert data_equivalence(first["a"], env.world.behaviours.get("a").said, exact=True)
        for _ in range(3):
            said = space.sample()
            result = env.step({"a": said})
            assert space.contains(result.observation["a"])
            assert data_equivalence(result.observation["a"], said, exact=True)
            assert data_equivalence(result.last_action["a"], said, exact=True)


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (None, r"observation of agent 'a' must be a float32 array of shape \(2,\), got None"),
        ([1.0], r"observation of agent 'a' must be a float32 array of shape \(2,\), got \[1.0\]"),
        ([1.0, np.nan], "observation of agent 'a' must not hold NaN"),
        (["x", "y"], "observation of agent 'a' must be a float32 array"),
    ],
)
def test_an_unfit_observation_names_the_agent(make_env, puck, push, state, message):
    class Dazed(puck):
        def get_next_state(self):
            return super().get_next_state() if self.last_action is None else state

    env = make_env(Dazed("a"), puck("b"))
    env.reset()
    with pytest.raises(ObservationError, match=message) as caught:
        env.step(push)
    assert caught.value.agent == "a"
    env.reset()
