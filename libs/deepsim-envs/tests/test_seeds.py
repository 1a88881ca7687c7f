# SPDX-License-Identifier: Apache-2.0
"""The same seed gives the same bytes."""

from __future__ import annotations

import numpy as np

from deepsim_envs import Environment


def _run(env, seed, steps=50) -> bytes:
    """All bytes of an episode of random actions."""
    actions = np.random.default_rng(1)
    observation, _ = env.reset(seed)
    record = [observation[name].tobytes() for name in observation]
    for _ in range(steps):
        result = env.step({name: actions.uniform(-0.1, 0.1, 2) for name in "ab"})
        record += [result.observation[name].tobytes() for name in "ab"]
        record.append(np.array(list(result.reward.values())).tobytes())
    return b"".join(record)


def test_without_a_seed_random_numbers_go_on(make_env):
    env = make_env(frame_skip=2)
    first, second = _run(env, 3), _run(env, None)
    assert first != second
    assert [_run(env, 3), _run(env, None)] == [first, second]


def test_the_seed_of_the_constructor_is_that_of_the_first_reset(make_env):
    env = make_env(frame_skip=2, seed=3)
    first, second = _run(env, None), _run(env, None)
    assert first != second
    assert _run(env, 3) == first


def test_a_first_reset_with_a_seed_has_that_one(make_env):
    env = make_env(frame_skip=2, seed=3)
    first, second = _run(env, 4), _run(env, None)
    assert [_run(env, 4), _run(env, None)] == [first, second]


def test_spaces_that_agents_and_worlds_share_draw_on_their_own(make_env, rink, puck):
    """An area may declare one space as an attribute of its class."""
    area = rink()
    area.observation_space = area.action_space = dict.fromkeys("ab", area.action_space["a"])
    one, other = Environment(area), Environment(area)
    for env in (one, other):
        env.action_space["a"].seed(1)
    first = one.action_space["a"].sample()
    one.observation_space["a"].sample()
    one.action_space["b"].sample()
    assert other.action_space["a"].sample().tolist() == first.tolist()
    assert one.action_space["a"].sample().tolist() == other.action_space["a"].sample().tolist()
