# SPDX-License-Identifier: Apache-2.0
"""One agent of an environment as Gymnasium sees it."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.utils.env_match import check_environments_match

from deepsim_envs import GymnasiumEnv, ResetNeededError, digest
from deepsim_math import Pose
from deepsim_sync import CameraView, UnsupportedError


def still(environment, rng):
    """The others stay where they are."""
    return lambda name, observation: np.zeros(2)


def at_random(environment, rng):
    return lambda name, observation: rng.uniform(-1.0, 1.0, 2)


@pytest.fixture
def view(make_env):
    """Puck "a" of two; the other one stays."""
    return GymnasiumEnv(make_env(frame_skip=5), agent="a", others=still)


@pytest.mark.parametrize("others", [still, at_random])
def test_gymnasiums_checker_is_content(make_env, others):
    check_env(GymnasiumEnv(make_env(), agent="b", others=others), skip_render_check=True)


@pytest.mark.parametrize("others", [still, at_random])
def test_two_worlds_of_one_seed_match(make_own_env, others):
    """By Gymnasium's own comparison: actions, observations, rewards, ends and infos."""
    make = partial(make_own_env, frame_skip=5)
    one, other = (GymnasiumEnv(make(), agent="a", others=others) for _ in range(2))
    check_environments_match(one, other, 60, seed=3)


def test_the_only_agent_needs_no_name_and_no_others(make_env, puck):
    view = GymnasiumEnv(make_env(puck("c")))
    assert view.agent == "c"
    check_env(view, skip_render_check=True)


def test_the_view_gives_what_the_environment_gives(make_own_env, view):
    env = make_own_env(frame_skip=5)
    expected, _ = env.reset(5)
    seen, _ = view.reset(seed=5)
    assert digest(seen) == digest(expected["a"])
    result = env.step({"a": [0.5, 0.5], "b": [0, 0]})
    seen, reward, terminated, truncated, _ = view.step(np.array([0.5, 0.5], np.float32))
    assert digest(seen) == digest(result.observation["a"])
    assert (reward, terminated, truncated) == (result.reward["a"], False, False)


def test_the_episode_ends_with_its_agent(view):
    view.reset(seed=0)
    ahead = np.array([1.0, 0.0], np.float32)
    assert view.step(ahead)[2:4] == (False, False)
    assert view.step(ahead)[2:4] == (True, False)
    assert view.environment.live_agents == ("b",)
    with pytest.raises(ResetNeededError, match="agent 'a' is done: call reset"):
        view.step(ahead)
    view.reset()
    view.step(ahead)


def test_an_agent_goes_on_when_others_are_done(make_env):
    def hurry(environment, rng):
        return lambda name, observation: np.array([1.0, 0.0])

    view = GymnasiumEnv(make_env(frame_skip=10, max_episode_steps=3), agent="a", others=hurry)
    view.reset(seed=0)
    wait = np.zeros(2, np.float32)
    ends = [view.step(wait)[2:4] for _ in range(3)]
    assert ends == [(False, False), (False, False), (False, True)]


def test_info_of_the_agent_and_of_all_but_of_no_other(make_env):
    env = make_env()
    env.area.info = {"a": {"laps": 1}, "b": {"laps": 2}, "wind": [0.5]}
    view = GymnasiumEnv(env, agent="a", others=still)
    assert view.reset(seed=0)[1] == {"wind": [0.5], "laps": 1}
    assert view.step(np.zeros(2, np.float32))[4] == {"wind": [0.5], "laps": 1}


def test_without_a_seed_views_differ(make_own_env):
    views = [GymnasiumEnv(make_own_env(), agent="a", others=still) for _ in range(3)]
    starts = [view.reset()[0][1] for view in views]
    assert len(set(map(float, starts))) == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, r"say which agent: agent= one of \['a', 'b'\]"),
        ({"agent": "x", "others": still}, r"agent must be one of \['a', 'b'\], got 'x'"),
        ({"agent": "a"}, "2 agents need a policy for all but one: others="),
        ({"agent": "a", "others": still, "render_mode": "human"}, "render_mode must be"),
        ({"agent": "a", "others": still, "render_mode": "rgb_array"}, "needs a camera, got None"),
    ],
)
def test_what_cannot_be_is_refused(make_env, options, message):
    with pytest.raises(ValueError, match=message):
        GymnasiumEnv(make_env(), **options)


def test_a_simulator_without_cameras_takes_no_pictures(make_env):
    with pytest.raises(UnsupportedError, match="TableSimulator takes no pictures"):
        GymnasiumEnv(
            make_env(), agent="a", others=still, render_mode="rgb_array", camera=CameraView(Pose())
        )


def test_it_shows_one_world(make_rink):
    with pytest.raises(UnsupportedError, match="shows one world, got 2: take GymnasiumVectorEnv"):
        GymnasiumEnv(make_rink(2), agent="a", others=still)


def test_metadata_has_the_frames_per_second(view):
    assert view.metadata == {"render_modes": [], "render_fps": 2}
    assert view.render() is None
