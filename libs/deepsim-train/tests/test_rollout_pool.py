# SPDX-License-Identifier: Apache-2.0
"""Fragments of experience: what is in them, and what they follow from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from rollout_tasks import ARRIVALS, LINEAR, NAMES, RINK, make_rink

from deepsim_envs import digest, register
from deepsim_sync import CallbackError
from deepsim_train.rollout_pool import (
    ClosedPoolError,
    Fragment,
    FragmentError,
    RandomPolicy,
    RolloutPool,
    Spec,
)

GOLDEN = "52a41e012700f16fa265a9ea736594e21b796739f259b2b2a8b0416566fcbffa"


def collected(count: int = 3, **options: Any) -> list[Fragment]:
    options = {"spec": RINK, "policy": LINEAR, "length": 50, "worlds": 2, "seed": 5, **options}
    with RolloutPool(**options) as pool:
        return pool.collect(count)


def test_the_bytes_are_the_same_on_every_python() -> None:
    """Of plain sums and differences, which leave no machine a choice."""
    fragments = collected(4)
    assert digest([fragment[:-2] for fragment in fragments]) == GOLDEN
    assert [fragment.weights for fragment in fragments] == [0, 0, 0, 0]


@pytest.mark.parametrize("worlds", [1, 2, 5])
def test_a_task_on_arrays_gives_the_bytes_of_one_in_each_world(worlds: int) -> None:
    arrays = collected(2, spec="rollout_tasks:make_rinks", worlds=worlds)
    assert digest(arrays) == digest(collected(2, worlds=worlds))


def test_all_worlds_are_closed_even_if_one_fails_to(tmp_path: Path) -> None:
    spec = Spec("rollout_tasks:make_stuck", {"folder": str(tmp_path)})
    pool = RolloutPool(spec, LINEAR, length=5, worlds=3)
    pool.collect(1)
    with pytest.raises(CallbackError, match="stuck"):
        pool.close()
    assert len(list(tmp_path.iterdir())) == 3


def test_a_fragment_is_what_the_environment_does() -> None:
    """Its seeds and actions, given to an environment, bring about all the rest."""
    for fragment in collected():
        for world in (0, 1):
            with make_rink() as environment:
                for row in range(50):
                    if fragment.starts[row, world]:
                        seen, _ = environment.reset(int(fragment.seeds[row, world]))
                    live = environment.live_agents
                    assert live == tuple(n for n in "ab" if fragment.live[n][row, world])
                    result = environment.step({n: fragment.actions[n][row, world] for n in live})
                    for n in live:
                        where = (row, world)
                        assert digest(fragment.observations[n][where]) == digest(seen[n])
                        assert fragment.rewards[n][where] == result.reward[n]
                        after = fragment.next_observations[n][where]
                        assert digest(after) == digest(result.observation[n])
                        ends = result.info["deepsim"]
                        assert fragment.terminations[n][where] == ends["terminated"][n]
                        assert fragment.truncations[n][where] == ends["truncated"][n]
                    seen = result.observation


def test_agents_that_are_done_leave_zeros_until_the_next_episode() -> None:
    fragment = collected(1)[0]
    for n in "ab":
        dead = ~fragment.live[n]
        assert dead.any()
        assert not fragment.starts[dead].any()
        for part in (fragment.observations, fragment.actions, fragment.rewards):
            assert not part[n][dead].any()
            assert part[n][~dead].any()


def test_episodes_end_and_begin_within_a_fragment() -> None:
    fragment = collected(1)[0]
    assert fragment.starts[0].all()
    assert fragment.starts.sum() > 4
    assert any(fragment.terminations[n].any() for n in "ab")
    assert any(fragment.truncations[n].any() for n in "ab")
    # The seed changes with the episode, and with nothing else.
    changes = fragment.seeds[1:] != fragment.seeds[:-1]
    assert np.array_equal(changes, fragment.starts[1:])


def test_seeds_are_spawned_from_the_root() -> None:
    """Child f of the root is a fragment, its child w a world, and that one's child e an episode."""
    fragments = collected(2)
    for fragment in fragments:
        for world in (0, 1):
            seeds = fragment.seeds[fragment.starts[:, world], world].tolist()
            key = (fragment.number, world)
            spawned = np.random.SeedSequence(5, spawn_key=key).spawn(len(seeds))
            assert seeds == [int(seed.generate_state(1, np.uint64)[0]) for seed in spawned]


def test_how_many_are_collected_at_once_changes_nothing() -> None:
    with RolloutPool(RINK, LINEAR, length=50, worlds=2, seed=5) as pool:
        one_by_one = [pool.collect(1)[0] for _ in range(3)]
        assert pool.collect(0) == []
        assert pool.collected == 3
    assert digest(one_by_one) == digest(collected(3))
    assert [fragment.number for fragment in one_by_one] == [0, 1, 2]


def test_what_fragments_follow_from() -> None:
    """The seed, the number, the specs and the weights each make a difference."""
    fragments = collected(2)
    noiseless = Spec(LINEAR, {"noise": 0.25})
    short = Spec(RINK, {"max_episode_steps": 7})
    all_of_them = [*fragments, *collected(1, seed=6)]
    all_of_them += [*collected(1, policy=noiseless), *collected(1, spec=short)]
    with RolloutPool(RINK, LINEAR, length=50, worlds=2, seed=5) as pool:
        pool.set_weights({"gain": np.array([0.25, 1.0], np.float32)})
        all_of_them += pool.collect(1)
    assert len({digest(fragment[1:]) for fragment in all_of_them}) == len(all_of_them)


def test_weights_are_copied_and_take_effect_with_the_next_fragment() -> None:
    gain = np.array([2.0, -2.0], np.float32)
    with RolloutPool(RINK, Spec(LINEAR, {"noise": 0.0}), length=1) as pool:
        pool.collect(1)
        pool.set_weights({"gain": gain})
        gain[:] = 0.0
        fragment = pool.collect(1)[0]
    acted = np.clip(np.float32(0.5) - [2.0, -2.0] * fragment.observations["a"], -1.0, 1.0)
    assert np.array_equal(fragment.actions["a"], acted.astype(np.float32))


def test_an_id_of_gymnasium_is_a_task_too() -> None:
    """Its one agent has a name of its own, or none."""
    random = "deepsim_train.rollout_pool:RandomPolicy"
    fragment = collected(1, spec="CartPole-v1", policy=random, length=60)[0]
    assert list(fragment.rewards) == ["agent"]
    assert fragment.actions["agent"].dtype == np.int64
    env = gymnasium.make("CartPole-v1")
    for row in range(60):
        if fragment.starts[row, 1]:
            seen, _ = env.reset(seed=int(fragment.seeds[row, 1]))
        assert digest(seen) == digest(fragment.observations["agent"][row, 1])
        seen, *_ = env.step(fragment.actions["agent"][row, 1])


def test_what_is_registered_here_is_known_to_workers() -> None:
    """Though their processes registered nothing."""
    id = "DeepSim/RolloutNested-v0"
    gymnasium.register(id, entry_point="rollout_tasks:Nested")
    try:
        random = "deepsim_train.rollout_pool:RandomPolicy"
        here = collected(spec=id, policy=random)
        there = collected(spec=id, policy=random, backend="process")
    finally:
        gymnasium.registry.pop(id)
    assert digest(here) == digest(there)


def test_nested_spaces_become_nested_arrays() -> None:
    random = "deepsim_train.rollout_pool:RandomPolicy"
    fragment = collected(1, spec="rollout_tasks:Nested", policy=random, length=7)[0]
    actions = fragment.actions["agent"]
    assert actions["gear"].shape == (7, 2)
    assert set(actions["gear"].ravel()) == {1, 2, 3}
    assert actions["both"][0].shape == (7, 2, 2)
    assert actions["both"][1].dtype == np.uint8
    assert digest(actions) == digest(fragment.next_observations["agent"])
    assert fragment.starts[:, 0].tolist() == [True, False, False, True, False, False, True]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"backend": "cloud"}, ValueError, "backend must be one of local, process, ray"),
        ({"workers": 0}, ValueError, "workers must be >= 1, got 0"),
        ({"length": 0}, ValueError, "length must be >= 1, got 0"),
        ({"worlds": -1}, ValueError, "worlds must be >= 1, got -1"),
        ({"timeout": 0.0}, ValueError, "timeout must be > 0 s, got 0"),
        ({"resources": {"GPU": 1}}, ValueError, "resources are those of a Ray cluster"),
        ({"seed": -1}, ValueError, "seed must be >= 0, got -1"),
        ({"spec": lambda: 3}, TypeError, "spec must be a Spec or a str, .*; got <function"),
        ({"policy": 3}, TypeError, "policy must be a Spec or a str, .*; got 3"),
        ({"policy": "Random-v0"}, ValueError, "of the form 'package.module:function'"),
        ({"spec": "DeepSim/Nowhere-v0"}, gymnasium.error.UnregisteredEnv, "DeepSim"),
    ],
)
def test_wrong_arguments_are_refused(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        collected(**options)


def test_a_spec_is_plain_data() -> None:
    with pytest.raises(TypeError, match="arguments of a:b must be plain data"):
        Spec("a:b", {"world": object()})


def test_what_is_registered_as_a_function_cannot_travel() -> None:
    id = "DeepSim/RolloutLambda-v0"
    gymnasium.register(id, entry_point=lambda: None)
    try:
        with pytest.raises(ValueError, match=r"register it as 'package\.module:name'"):
            collected(spec=id)
    finally:
        gymnasium.registry.pop(id)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"spec": "rollout_tasks:nothing"}, "fragment 0 raised ImportError: .*'nothing'"),
        ({"spec": "rollout_tasks:make_nothing"}, "must make an Environment or a gymnasium.Env"),
        ({"spec": "rollout_tasks:Words"}, "fragment 0 raised TypeError: observation of agent"),
        ({"policy": "rollout_tasks:Rows"}, "a row for each of 2 observations and the shape"),
        ({"policy": "rollout_tasks:Lost"}, "action of agent 'a' in world 0 must not hold NaN"),
        (
            {"policy": "rollout_tasks:Lost", "spec": "rollout_tasks:Smooth"},
            "action of agent 'agent' must not hold NaN",
        ),
        ({"policy": "rollout_tasks:Eager"}, "action of agent 'a' in world 0 must lie in"),
        ({"policy": Spec(LINEAR, {"nois": 1})}, "fragment 0 raised TypeError: .*'nois'"),
    ],
)
def test_errors_name_the_fragment(options: dict[str, Any], message: str) -> None:
    with pytest.raises(FragmentError, match=message):
        collected(**options)


def test_a_random_policy_has_no_weights() -> None:
    with pytest.raises(ValueError, match=r"has no weights, got \['gain'\]"):
        RandomPolicy({}, {}).set_weights({"gain": np.zeros(1)})


def test_weights_are_numbers() -> None:
    with RolloutPool(RINK, LINEAR) as pool, pytest.raises(TypeError, match="arrays of numbers"):
        pool.set_weights({"gain": np.array(["much"])})


def test_a_closed_pool_collects_nothing() -> None:
    pool = RolloutPool(RINK, LINEAR)
    pool.close()
    pool.close()
    with pytest.raises(ClosedPoolError, match="make a new one"):
        pool.collect(1)


def test_one_collection_at_a_time() -> None:
    with RolloutPool(RINK, LINEAR, length=2) as pool:
        coming = pool.as_completed()
        assert next(coming).number == 0
        with pytest.raises(RuntimeError, match="still collecting: exhaust or close the iterator"):
            pool.collect(1)
        coming.close()
        assert pool.collect(1)[0].number == 1


def test_a_task_of_deepsim_by_its_id() -> None:
    """The view's agent keeps its name."""
    id = "DeepSim/RolloutRink-v0"
    register(id, RINK, agent="b", others="rollout_tasks:straight_on")
    try:
        fragment = collected(1, spec=id)[0]
    finally:
        gymnasium.registry.pop(id)
    assert list(fragment.observations) == ["b"]


@pytest.mark.parametrize("make", ["make_parties", "make_party"])
def test_fragments_say_who_had_yet_to_join(make: str) -> None:
    """Rows before an agent joins are void, and its first observation is the one at its arrival."""
    with RolloutPool(
        f"rollout_tasks:{make}",
        "deepsim_train.rollout_pool:RandomPolicy",
        length=16,
        worlds=2,
        seed=0,
    ) as pool:
        (fragment,) = pool.collect(1)
    assert np.flatnonzero(fragment.starts[:, 1]).tolist() == [0, 7, 14]
    for name, arrival in zip(NAMES, ARRIVALS, strict=True):
        live = fragment.live[name][:7, 0]
        assert np.flatnonzero(live).tolist() == [arrival, arrival + 1, arrival + 2]
        assert np.array_equal(fragment.live[name][7:14], fragment.live[name][:7])
        seen = fragment.observations[name][:7, 0]
        assert seen[arrival].tolist() == [arrival, 0.0]
        assert not seen[~live].any()
        assert not fragment.actions[name][:7, 0][~live].any()
        assert fragment.terminations[name][:7, 0].tolist() == [
            step == arrival + 2 for step in range(7)
        ]


def test_the_random_policy_of_rollouts_obeys_masks():
    policy = RandomPolicy({}, {"a": gymnasium.spaces.MultiDiscrete([2, 3])})
    mask = np.array([[0, 1, 1, 0, 1]] * 60 + [[1, 0, 0, 1, 0]] * 40, np.int8)
    drawn = policy.act("a", {"action_mask": mask}, np.random.default_rng(0))
    assert (drawn[:60, 0] == 1).all()
    assert set(drawn[:60, 1].tolist()) == {0, 2}
    assert drawn[60:].tolist() == [[0, 1]] * 40
    again = policy.act("a", {"action_mask": mask}, np.random.default_rng(0))
    assert again.tolist() == drawn.tolist()
