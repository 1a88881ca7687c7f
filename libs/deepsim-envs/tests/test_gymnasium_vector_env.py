# SPDX-License-Identifier: Apache-2.0
"""Many worlds at once; Gymnasium's own SyncVectorEnv is the oracle."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deepsim_envs import (
    ActionError,
    ClosedEnvironmentError,
    GymnasiumEnv,
    GymnasiumVectorEnv,
    ResetNeededError,
    digest,
)
from deepsim_math import Pose
from deepsim_sync import CallbackError, World
from deepsim_sync.testing import TableModel, TableSimulator

MODES = list(AutoresetMode)


@pytest.fixture
def maker(make_env, puck):
    """Makes the view of a puck in a world of its own; its episodes end in two ways."""

    def make():
        with World(TableSimulator(timestep=0.1)) as world:
            world.spawn(TableModel(), "a", Pose())
            env = make_env(puck("a"), frame_skip=2, max_episode_steps=6)
        env.area.info = {"a": {"laps": 2}, "wind": 0.5}
        return GymnasiumEnv(env)

    return make


def same(one, other):
    """Equal in every bit, infos included."""
    for mine, theirs in zip(one[:-1], other[:-1], strict=True):
        assert digest(mine) == digest(theirs)
    assert repr(one[-1]) == repr(other[-1])


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
def test_it_gives_the_bits_of_gymnasiums_own(maker, mode):
    """Also of final observations, masks and partial resets."""
    ours = GymnasiumVectorEnv([maker] * 3, autoreset_mode=mode)
    theirs = SyncVectorEnv([maker] * 3, autoreset_mode=mode)
    same(ours.reset(seed=5), theirs.reset(seed=5))
    rng = np.random.default_rng(1)
    ends = 0
    for _ in range(60):
        actions = rng.uniform(0.2, 1.0, (3, 2)).astype(np.float32)
        one, other = ours.step(actions), theirs.step(actions)
        same(one, other)
        over = one[2] | one[3]
        ends += over.sum()
        if mode is AutoresetMode.DISABLED and over.any():
            same(
                ours.reset(seed=[7, None, 9], options={"reset_mask": over}),
                theirs.reset(seed=[7, None, 9], options={"reset_mask": over}),
            )
    assert ends > 10
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.integers(0, 1000), min_size=1, max_size=4), st.integers(0, 99))
def test_each_world_gives_the_bits_it_gives_alone(maker, seeds, actions_seed):
    worlds = GymnasiumVectorEnv([maker] * len(seeds))
    singles = [maker() for _ in seeds]
    seen, _ = worlds.reset(seed=seeds)
    alone = [single.reset(seed=seed)[0] for single, seed in zip(singles, seeds, strict=True)]
    assert digest(seen) == digest(np.stack(alone))
    rng = np.random.default_rng(actions_seed)
    over = [False] * len(seeds)
    for _ in range(15):
        actions = rng.uniform(0.0, 1.0, (len(seeds), 2)).astype(np.float32)
        seen, rewards, terminated, truncated, _ = worlds.step(actions)
        for number, single in enumerate(singles):
            if over[number]:
                expected = (single.reset()[0], 0.0, False, False)
            else:
                expected = single.step(actions[number])[:4]
            over[number] = expected[2] or expected[3]
            assert digest(seen[number]) == digest(expected[0])
            assert (rewards[number], terminated[number], truncated[number]) == expected[1:]


def test_nothing_returned_is_used_again(maker):
    worlds = GymnasiumVectorEnv([maker] * 2)
    results = [worlds.reset(seed=0)[:1]]
    results += [worlds.step(np.zeros((2, 2), np.float32))[:4] for _ in range(3)]
    arrays = [array for result in results for array in result]
    for number, one in enumerate(arrays):
        assert not any(np.shares_memory(one, other) for other in arrays[number + 1 :])


def test_the_last_observation_of_an_episode_is_not_lost(maker):
    worlds = GymnasiumVectorEnv([maker] * 2, autoreset_mode="SameStep")
    worlds.reset(seed=0)
    for _ in range(5):
        seen, _, terminated, _, infos = worlds.step(np.array([[1, 0], [0, 0]], np.float32))
    assert terminated.tolist() == [True, False]
    assert infos["_final_obs"].tolist() == [True, False]
    assert infos["final_obs"][0][0] == pytest.approx(1.0)
    assert seen[0][0] == 0.0


def test_a_mask_resets_only_its_worlds_and_leaves_the_callers_options_alone(maker):
    worlds = GymnasiumVectorEnv([maker] * 3, autoreset_mode="Disabled")
    worlds.reset(seed=0)
    before = worlds.step(np.full((3, 2), 0.5, np.float32))[0]
    options = {"reset_mask": np.array([False, True, False])}
    after, _ = worlds.reset(seed=4, options=options)
    assert list(options) == ["reset_mask"]
    assert np.array_equal(before[[0, 2]], after[[0, 2]])
    assert after[1][0] == 0.0
    assert digest(after[1]) == digest(maker().reset(seed=5)[0])


def test_the_mode_disabled_leaves_resets_to_the_user(maker):
    worlds = GymnasiumVectorEnv([maker] * 2, autoreset_mode="Disabled")
    worlds.reset(seed=0)
    ahead = np.array([[0, 0], [1, 0]], np.float32)
    for _ in range(5):
        worlds.step(ahead)
    with pytest.raises(ResetNeededError, match=r"episodes of worlds \[1\] are over"):
        worlds.step(ahead)


def test_a_bad_action_moves_no_world(maker):
    worlds = GymnasiumVectorEnv([maker] * 2)
    worlds.reset(seed=0)
    with pytest.raises(ActionError, match="action of world 1 must lie in"):
        worlds.step(np.array([[0.5, 0.5], [0.5, 9.0]], np.float32))
    assert [env.environment.steps for env in worlds.envs] == [0, 0]
    with pytest.raises(ActionError, match="2 worlds take 2 actions, got 3"):
        worlds.step(np.zeros((3, 2), np.float32))


def test_a_world_that_is_reset_ignores_its_action(maker):
    worlds = GymnasiumVectorEnv([maker])
    worlds.reset(seed=0)
    for _ in range(5):
        worlds.step(np.array([[1, 0]], np.float32))
    seen, rewards, *_ = worlds.step(np.full((1, 2), np.nan, np.float32))
    assert (seen[0][0], rewards[0]) == (0.0, 0.0)


def test_after_a_step_that_failed_halfway_all_worlds_need_a_reset(maker):
    worlds = GymnasiumVectorEnv([maker] * 2)
    still = np.zeros((2, 2), np.float32)
    with pytest.raises(ResetNeededError, match="no episode has begun"):
        worlds.step(still)
    worlds.reset(seed=0)
    broken = worlds.envs[1].environment.agents["a"]
    broken.on_update = lambda: 1 / 0
    with pytest.raises(CallbackError):
        worlds.step(still)
    del broken.on_update
    with pytest.raises(ResetNeededError, match="failed halfway"):
        worlds.step(still)
    with pytest.raises(ResetNeededError, match="failed halfway"):
        worlds.reset(options={"reset_mask": np.array([True, False])})
    worlds.reset(seed=0)
    worlds.step(still)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"seed": [1]}, ValueError, "2 worlds take 2 seeds, got 1"),
        ({"options": {"reset_mask": [True, False]}}, TypeError, "must be an array of bool"),
        ({"options": {"reset_mask": np.array([1, 0])}}, TypeError, "must be an array of bool"),
        ({"options": {"reset_mask": np.ones(3, bool)}}, ValueError, r"must have shape \(2,\)"),
        ({"options": {"reset_mask": np.zeros(2, bool)}}, ValueError, "and a True in it"),
    ],
)
def test_seeds_and_masks_that_do_not_fit_are_refused(maker, arguments, error, message):
    worlds = GymnasiumVectorEnv([maker] * 2)
    with pytest.raises(error, match=message):
        worlds.reset(**arguments)


def test_worlds_have_the_same_spaces(maker, make_env, puck):
    def other():
        view = maker()
        view.action_space = type(view.action_space)(-2.0, 2.0, (2,))
        return view

    with pytest.raises(ValueError, match="the spaces of world 1 are not those of world 0"):
        GymnasiumVectorEnv([maker, other])
    with pytest.raises(ValueError, match="needs at least one world"):
        GymnasiumVectorEnv([])


def test_worlds_that_are_of_no_use_are_closed(maker):
    made = []

    def make():
        made.append(maker())
        return made[-1]

    def other():
        view = make()
        view.action_space = type(view.action_space)(-2.0, 2.0, (2,))
        return view

    with pytest.raises(ValueError, match="are not those of world 0"):
        GymnasiumVectorEnv([make, other])
    with pytest.raises(ZeroDivisionError):
        GymnasiumVectorEnv([make, lambda: 1 / 0])
    assert len(made) == 3
    for view in made:
        with pytest.raises(ClosedEnvironmentError):
            view.reset()


def test_all_worlds_close_even_if_one_fails_to(maker):
    worlds = GymnasiumVectorEnv([maker] * 3)
    worlds.envs[1].environment.area.close = lambda: 1 / 0
    with pytest.raises(CallbackError, match="ZeroDivisionError"):
        worlds.close()
    for view in worlds.envs:
        with pytest.raises(ClosedEnvironmentError):
            view.reset()


def test_each_world_has_its_own_generator_and_closes(maker):
    worlds = GymnasiumVectorEnv([maker] * 2)
    worlds.reset(seed=3)
    assert worlds.np_random_seed == (3, 4)
    assert worlds.np_random == tuple(env.np_random for env in worlds.envs)
    worlds.close()
    worlds.close()
    with pytest.raises(ClosedEnvironmentError):
        worlds.envs[1].environment.reset()
