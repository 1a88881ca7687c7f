# SPDX-License-Identifier: Apache-2.0
"""Any space, in any number of worlds, for one group of agents or several."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import data_equivalence
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deepsim_envs import ActionError, ObservationError
from deepsim_envs.spaces import batch_of
from deepsim_math import Pose
from deepsim_sync import World
from deepsim_sync.testing import TableModel, TableSimulator

LEAVES = st.one_of(
    st.sampled_from([np.float16, np.float32, np.float64]).map(
        lambda kind: spaces.Box(-2, 2, (2, 3), kind)
    ),
    st.sampled_from([np.uint8, np.int64]).map(lambda kind: spaces.Box(0, 200, (3,), kind)),
    st.just(spaces.Box(-np.inf, np.inf, ())),
    st.integers(1, 5).map(lambda n: spaces.Discrete(n, start=-2)),
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
    max_leaves=4,
)


@settings(max_examples=60, deadline=None)
@given(one=SPACES, other=SPACES, worlds=st.sampled_from([1, 3]), seed=st.integers(0, 2**31))
def test_members_pass_through_unchanged(make_echoes, one, other, worlds, seed):
    """By name and on arrays, an action comes back as the observation that it is."""
    one.seed(seed)
    other.seed(seed)
    env = make_echoes(worlds, ("ab", one), ("c", other))
    first, _ = env.reset()
    assert all(env.observation_space[name].contains(value) for name, value in first.items())
    for _ in range(2):
        said = {slot: (other if slot[0] == "c" else one).sample() for slot in env.slots}
        result = env.step(said)
        for slot in env.slots:
            assert data_equivalence(result.observation[slot], said[slot], exact=True)
            assert data_equivalence(result.last_action[slot], said[slot], exact=True)
        # What the area got are batches: give them back, now on arrays.
        env.step_worlds(env.area.said)
        again = env.step(said).observation
        assert all(data_equivalence(again[slot], said[slot], exact=True) for slot in env.slots)


@settings(max_examples=30, deadline=None)
@given(space=SPACES, seed=st.integers(0, 2**31))
def test_only_some_worlds_count(make_echoes, space, seed):
    """Actions of worlds that do not step are not looked at, and do not arrive."""
    space.seed(seed)
    env = make_echoes(3, ("a", space))
    env.reset()
    said = [[space.sample()] for _ in range(3)]
    said[0] = said[2] = [None]
    seen = env.step_worlds((said,), [1]).observation[0]
    assert data_equivalence(batch_of(space, 3, 1).get(seen, 1, 0), said[1][0], exact=True)


DEEP = spaces.Dict(
    gas=spaces.Discrete(2), wheel=spaces.Tuple([spaces.Box(-1, 1, (2,)), spaces.MultiBinary(2)])
)


def deep(worlds: int) -> dict[str, Any]:
    return {
        "gas": np.zeros((worlds, 1), int),
        "wheel": (np.zeros((worlds, 1, 2)), np.zeros((worlds, 1, 2), int)),
    }


@pytest.mark.parametrize("worlds", [1, 3])
def test_parts_are_arrays_leaf_by_leaf(make_echoes, worlds):
    env = make_echoes(worlds, ("a", DEEP))
    env.reset()
    given_ = deep(worlds)
    given_["gas"][-1] = 1
    seen = env.step_worlds((given_,)).observation[0]
    assert seen["gas"].tolist() == given_["gas"].tolist()
    assert seen["wheel"][0].shape == (worlds, 1, 2)
    assert (seen["wheel"][0].dtype, seen["wheel"][1].dtype) == (np.float32, np.int8)


def _gas(batch, value):
    batch["gas"][1] = value


def _wheel(batch, value):
    batch["wheel"][0][2] = value


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda batch: _gas(batch, 5), r"agent 'a' in world 1\['gas'\] must lie in Discrete\(2\)"),
        (lambda batch: _wheel(batch, 2), r"agent 'a' in world 2 must lie in Dict"),
        (lambda batch: _wheel(batch, np.nan), r"2\['wheel'\]\[0\] must not hold NaN"),
        (lambda batch: batch.pop("gas"), r"action of agent a must be a dict of \['gas', 'wheel'\]"),
        (lambda batch: batch.update(wheel=3), "action of agent a must be a tuple of 2, got 3"),
        (lambda batch: batch.update(gas=np.zeros((3, 1))), "must be a int64 array of shape"),
        (lambda batch: batch.update(gas=np.zeros((2, 1), int)), r"of shape \(3, 1\)"),
    ],
)
def test_a_batch_that_does_not_fit_is_refused(make_echoes, spoil, message):
    env = make_echoes(3, ("a", DEEP))
    env.reset()
    batch = deep(3)
    spoil(batch)
    with pytest.raises(ActionError, match=message):
        env.step_worlds((batch,))


@pytest.mark.parametrize(
    ("space", "given_"),
    [
        (spaces.MultiBinary(2), np.array([[[0, 1]]], np.float32)),
        (spaces.MultiBinary(2), np.array([[[False, True]]])),
        (spaces.Discrete(3), np.array([[2]], np.uint8)),
        (spaces.Box(-1, 1, (2,)), np.array([[[0, 1]]])),
        (spaces.Box(0, 255, (1,), np.uint8), [[[7]]] and np.array([[[7]]], np.uint8)),
    ],
)
def test_numbers_of_other_types_become_those_of_the_space(make_echoes, space, given_):
    env = make_echoes(1, ("a", space))
    env.reset()
    seen = env.step_worlds((given_,)).observation[0]
    assert seen.dtype == space.dtype
    assert (seen == given_).all()


@pytest.mark.parametrize(
    ("space", "given_"),
    [
        (spaces.MultiBinary(2), np.array([[[0, 0.5]]])),
        (spaces.MultiBinary(2), np.array([[[0, 257]]])),
        (spaces.Discrete(3), np.array([[2.0]])),
        (spaces.Discrete(3), np.array([[2**63 + 1]], np.uint64)),
        (spaces.Discrete(3), np.array([[3]])),
        (spaces.MultiDiscrete([2, 3], start=[1, 1]), np.array([[[0, 1]]])),
        (spaces.Box(0, 255, (1,), np.uint8), np.array([[[7]]], np.int16)),
        (spaces.Box(-1, 1, (1,)), np.array([[[1e300]]])),
        (spaces.Box(-1, 1, (1,)), np.array([[["x"]]])),
        (spaces.Text(3), [["four"]]),
        (spaces.Text(3), "abc"),
        (spaces.Text(3), [["a", "b"]]),
    ],
)
def test_other_numbers_are_refused(make_echoes, space, given_):
    env = make_echoes(1, ("a", space))
    env.reset()
    with pytest.raises(ActionError):
        env.step_worlds((given_,))


def test_groups_have_their_own_arrays(make_echoes, echo_area):
    """In the order of the groups, whatever their spaces; columns of (W, A) follow."""

    class Paying(echo_area):
        def reward(self) -> Any:
            return np.arange(9.0).reshape(3, 3)

    box, choice = spaces.Box(-1, 1, (2,)), spaces.Discrete(4)
    env = make_echoes(3, ("ab", box), ("c", choice), area=Paying)
    assert env.agents == ("a", "b", "c")
    env.reset()
    step = env.step_worlds((np.full((3, 2, 2), 0.5), np.full((3, 1), 3)))
    assert [each.shape for each in step.observation] == [(3, 2, 2), (3, 1)]
    assert step.reward.tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0]]
    rewards = env.step({slot: 3 if slot[0] == "c" else [0.5, 0.5] for slot in env.slots}).reward
    assert rewards == {slot: float(place) for place, slot in enumerate(env.slots)}
    with pytest.raises(ActionError, match="actions must be a tuple with a batch for each of 2 gr"):
        env.step_worlds((np.zeros((3, 2, 2)),))


def test_choices_are_checked_in_every_step(make_echoes, echo_area):
    """Unlike the bounds of boxes, which rounding may miss."""

    class Odd(echo_area):
        def act(self, actions: Any) -> None:
            self.said = (actions[0] * 2, actions[1] + 2)

    groups = ("ab", spaces.Box(-1, 1, (2,))), ("c", spaces.Discrete(4))
    env = make_echoes(3, *groups, area=Odd)
    env.reset()
    env.step_worlds((np.ones((3, 2, 2)), np.ones((3, 1), int)))
    choice = np.array([[1], [2], [1]])
    with pytest.raises(ObservationError, match="observation of agent 'c' in world 1 must lie in"):
        env.step_worlds((np.ones((3, 2, 2)), choice))


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
