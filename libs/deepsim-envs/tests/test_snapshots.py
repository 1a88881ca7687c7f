# SPDX-License-Identifier: Apache-2.0
"""Going back to an instant of an environment."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deepsim_envs import ClosedEnvironmentError, Environment, ResetNeededError, digest
from deepsim_sync import CallbackError


def drive(env: Environment, seed: int, steps: int) -> list[str]:
    """Digests of steps by random actions, with a reset wherever all agents are done."""
    rng = np.random.default_rng(seed)
    digests = []
    for _ in range(steps):
        if env.live_agents:
            result = env.step({name: rng.uniform(0.0, 1.0, 2) for name in env.live_agents})
        else:
            result = env.reset()
        digests.append(digest(tuple(result)))
    return digests


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.integers(0, 40), st.integers(0, 99))
def test_an_environment_goes_on_from_a_snapshot_bit_for_bit(make_own_env, before, seed):
    """Wherever it is taken, also between the ends of two agents, and in another one of the task."""
    env, other = (make_own_env(frame_skip=2, max_episode_steps=12) for _ in range(2))
    env.reset(seed=seed)
    drive(env, seed, before)
    state = pickle.loads(pickle.dumps(env.get_state()))
    expected = drive(env, 1, 40)
    for each in (env, other):
        each.set_state(state)
        assert drive(each, 1, 40) == expected


def test_rewards_and_ends_under_way_come_back(make_env, push):
    env = make_env(frame_skip=5)
    env.reset()
    env.step(push)
    a = env.world.behaviours.get("a")
    a.add_reward(3.0)
    a.end_episode(truncated=True)
    state = env.get_state()
    first = env.step(push)
    env.reset()
    env.set_state(state)
    assert (a.step_reward, a.truncated) == (3.0, True)
    assert digest(tuple(env.step(push))) == digest(tuple(first))


def test_a_state_before_the_first_reset_keeps_the_seed(make_env):
    env = make_env(seed=11)
    state = env.get_state()
    first, _ = env.reset()
    env.reset()
    env.set_state(state)
    with pytest.raises(ResetNeededError, match="no episode has begun"):
        env.step({})
    assert digest(env.reset()[0]) == digest(first)


def test_the_area_remembers_too(make_env, push):
    env = make_env()
    env.reset()
    env.area.info = {"laps": 3}
    state = env.get_state()
    env.area.info["laps"] = 4
    env.set_state(state)
    assert env.step(push).info["laps"] == 3


def test_a_failed_step_is_forgotten(make_env, puck):
    class Moody(puck):
        def on_update(self) -> None:
            if self.last_action[0] > 0.5:
                raise RuntimeError("no")

    env = make_env(Moody("a"))
    env.reset()
    state = env.get_state()
    with pytest.raises(CallbackError, match="no"):
        env.step({"a": [1, 0]})
    env.set_state(state)
    env.step({"a": [0, 0]})


def test_a_closed_environment_has_no_state(make_env):
    env = make_env()
    state = env.get_state()
    env.close()
    with pytest.raises(ClosedEnvironmentError):
        env.get_state()
    with pytest.raises(ClosedEnvironmentError):
        env.set_state(state)
