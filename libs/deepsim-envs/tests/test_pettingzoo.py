# SPDX-License-Identifier: Apache-2.0
"""All agents of an environment as PettingZoo sees them; its own tests judge."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pettingzoo.test
import pytest

from deepsim_envs import Environment, ResetNeededError, digest
from deepsim_envs.pettingzoo import PettingZooEnv, aec_env
from deepsim_math import Pose
from deepsim_sync import World
from deepsim_sync.testing import TableModel, TableSimulator

NAMES = ["puck_0", "puck_1", "puck_2"]


@pytest.fixture
def make(rink, puck):
    """Makes the view of three pucks in a world of their own, which finish at different times."""

    def make_view(**options):
        with World(TableSimulator(timestep=0.1)) as world:
            for name in NAMES:
                world.spawn(TableModel(), name, Pose())
            options = {"frame_skip": 4, "max_episode_steps": 15, **options}
            return PettingZooEnv(Environment(rink(*map(puck, NAMES)), **options))

    return make_view


def test_parallel_api_test(make):
    pettingzoo.test.parallel_api_test(make(), 300)


def test_parallel_seed_test(make):
    pettingzoo.test.parallel_seed_test(make)


@pytest.mark.filterwarnings("ignore:We recommend agents to be named")
def test_the_agents_of_all_worlds_are_agents(make_rink):
    """With info of each one's own world."""
    view = PettingZooEnv(make_rink(2))
    assert view.possible_agents == ["a/0", "b/0", "a/1", "b/1"]
    pettingzoo.test.parallel_api_test(view, 100)
    _, infos = view.reset(seed=0)
    told = view.environment.info()
    for world in (0, 1):
        expected = {"laps": 2, "y": told["a"]["y"][world], "wind": 0.5}
        assert infos[f"a/{world}"] == expected
        assert infos[f"b/{world}"] == {"wind": 0.5}


def test_api_test_of_the_turns(make):
    pettingzoo.test.api_test(aec_env(make()), 300)


def test_seed_test_of_the_turns(make):
    pettingzoo.test.seed_test(lambda: aec_env(make()), 60)


def test_without_a_seed_views_differ(make):
    assert len({digest(make().reset()[0]) for _ in range(3)}) == 3


def test_steps_give_the_bits_of_the_environment(make):
    """PettingZoo's own seed test looks at the first step only."""
    view, environment = make(), make().environment
    rng = np.random.default_rng(4)
    seen, _ = view.reset(seed=2)
    assert digest(seen) == digest(environment.reset(2)[0])
    for _ in range(300):  # of which an episode has at most 15
        if not view.agents:
            assert digest(view.reset()[0]) == digest(environment.reset()[0])
        actions = {name: rng.uniform(-0.5, 1.0, 2) for name in view.agents}
        seen, reward, terminated, truncated, _ = view.step(actions)
        expected = environment.step(actions)
        ends = expected.info["deepsim"]
        assert digest((seen, reward)) == digest((expected.observation, expected.reward))
        assert (terminated, truncated) == (ends["terminated"], ends["truncated"])


def test_an_agent_that_is_done_leaves_and_does_not_come_back(make):
    view = make(frame_skip=10)
    view.reset(seed=0)
    ahead, still = np.array([1.0, 0.0]), np.zeros(2)
    view.step({"puck_0": still, "puck_1": ahead, "puck_2": still})
    assert view.agents == ["puck_0", "puck_2"]
    result = view.step({"puck_0": ahead, "puck_2": still})
    assert all(list(part) == ["puck_0", "puck_2"] for part in result)
    assert view.agents == ["puck_2"]


def test_infos_are_apart(make):
    view = make()
    view.environment.area.info = {"puck_1": {"laps": 2}, "wind": [1.0]}
    _, infos = view.reset(seed=0)
    assert infos == {
        "puck_0": {"wind": [1.0]},
        "puck_1": {"wind": [1.0], "laps": 2},
        "puck_2": {"wind": [1.0]},
    }


def test_metadata(make):
    assert make().metadata == {
        "name": "Rink",
        "is_parallelizable": True,
        "render_modes": [],
        "render_fps": 2,
    }
    assert make().render() is None


def test_without_the_extra_the_error_says_what_to_type():
    """In an interpreter of its own, where PettingZoo cannot be imported."""
    code = "import sys; sys.modules['pettingzoo'] = None; import deepsim_envs.pettingzoo"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "pip install --find-links dist 'deepsim-envs[pettingzoo]'" in result.stderr


def test_the_state_is_what_all_agents_see(make, make_rink):
    """Also those that are done, with what they saw last; of one world or of several."""
    view = make(frame_skip=10)
    with pytest.raises(ResetNeededError):
        view.state()
    seen, _ = view.reset(seed=0)
    assert view.state().tolist() == np.concatenate([seen[name] for name in NAMES]).tolist()
    ahead, still = np.array([1.0, 0.0]), np.zeros(2)
    last, *_ = view.step({"puck_0": still, "puck_1": ahead, "puck_2": still})
    seen, *_ = view.step({"puck_0": ahead, "puck_2": still})
    expected = [seen["puck_0"], last["puck_1"], seen["puck_2"]]
    assert view.state().tolist() == np.concatenate(expected).tolist()
    assert view.state_space.contains(view.state())
    many = PettingZooEnv(make_rink(2))
    many.reset(seed=0)
    assert many.state_space.contains(many.state())
    assert many.state().shape == (8,)
