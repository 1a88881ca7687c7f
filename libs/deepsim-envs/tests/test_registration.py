# SPDX-License-Identifier: Apache-2.0
"""Tasks by name in the registries of Gymnasium and PettingZoo."""

from __future__ import annotations

import sys
from textwrap import dedent

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import deepsim_envs.pettingzoo
from deepsim_envs import GymnasiumVectorEnv, register

ID = "DeepSim/TestRink-v0"

MODULE = """
    from gymnasium.spaces import Box

    from deepsim_envs import AbstractAgent, AreaInterface, Environment, GymnasiumEnv
    from deepsim_envs.pettingzoo import PettingZooEnv
    from deepsim_sync import World
    from deepsim_sync.testing import TableSimulator


    class Counter(AbstractAgent):
        count = 0

        def get_next_state(self):
            return [self.count % 10]

        def on_action_received(self, action):
            self.count += 1

        def on_reset(self):
            self.count = int(self.world.rng.integers(10))


    class Desk(AreaInterface):
        observation_space = {"counter_0": Box(0.0, 10.0, (1,))}
        action_space = {"counter_0": Box(-1.0, 1.0, (1,))}

        def __init__(self, world):
            self.agents = [Counter("counter_0", world=world)]

        def get_agents(self):
            return self.agents

        def get_info(self):
            return {}

        def reset(self):
            pass


    def environment(limit=20):
        return Environment(Desk(World(TableSimulator())), max_episode_steps=limit)


    def single(**options):
        return GymnasiumEnv(environment(**options))


    def parallel(**options):
        return PettingZooEnv(environment(**options))


    def nothing():
        return None
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    """The name of a module that nobody has imported yet."""
    (tmp_path / "counting_desk.py").write_text(dedent(MODULE))
    monkeypatch.syspath_prepend(tmp_path)
    yield "counting_desk"
    sys.modules.pop("counting_desk", None)
    for registry in (
        gymnasium.registry,
        pettingzoo.parallel_registry,
        pettingzoo.aec_registry,
    ):
        registry.pop(ID, None)


def test_nothing_is_imported_before_it_is_made(module):
    register(ID, f"{module}:single")
    deepsim_envs.pettingzoo.register(ID, f"{module}:parallel")
    assert module not in sys.modules
    with gymnasium.make(ID) as env:
        env.reset(seed=0)
    assert module in sys.modules


def test_make_passes_arguments_on_and_the_spec_can_be_stored(module):
    register(ID, f"{module}:single", limit=3)
    env = gymnasium.make(ID)
    assert env.unwrapped.environment.max_episode_steps == 3
    assert gymnasium.make(ID, limit=4).unwrapped.environment.max_episode_steps == 4
    again = gymnasium.make(EnvSpec.from_json(env.spec.to_json()))
    assert again.unwrapped.environment.max_episode_steps == 3


def test_the_whole_checker_passes_warnings_being_errors(module):
    register(ID, f"{module}:single")
    check_env(gymnasium.make(ID).unwrapped)


def test_make_vec_gives_worlds_in_any_mode(module):
    register(ID, f"{module}:single", limit=3)
    worlds = gymnasium.make_vec(
        ID, num_envs=4, vector_kwargs=None, autoreset_mode=AutoresetMode.SAME_STEP
    )
    assert isinstance(worlds.unwrapped, GymnasiumVectorEnv)
    assert worlds.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    seen, _ = worlds.reset(seed=0)
    assert seen.shape == (4, 1)
    for _ in range(3):
        *_, infos = worlds.step(np.zeros((4, 1), np.float32))
    assert infos["_final_obs"].all()


def test_gymnasiums_wrappers_for_vectors_fit(module):
    register(ID, f"{module}:single", limit=3)
    worlds = gymnasium.wrappers.vector.RecordEpisodeStatistics(gymnasium.make_vec(ID, 2))
    worlds.reset(seed=0)
    for _ in range(3):
        *_, infos = worlds.step(np.zeros((2, 1), np.float32))
    assert infos["episode"]["l"].tolist() == [3, 3]


def test_pettingzoo_makes_both_kinds(module):
    deepsim_envs.pettingzoo.register(ID, f"{module}:parallel", limit=3)
    env = pettingzoo.make("parallel", ID)
    env.reset(seed=0)
    assert env.agents == ["counter_0"]
    turns = pettingzoo.make("aec", ID, limit=2)
    turns.reset(seed=0)
    assert turns.agent_selection == "counter_0"


def test_an_id_can_be_registered_again(module):
    for limit in (3, 5):
        register(ID, f"{module}:single", limit=limit)
        deepsim_envs.pettingzoo.register(ID, f"{module}:parallel", limit=limit)
    assert gymnasium.make(ID).unwrapped.environment.max_episode_steps == 5
    assert pettingzoo.make("parallel", ID).environment.max_episode_steps == 5


@pytest.mark.parametrize("make", ["counting_desk", ":single", "counting_desk:"])
@pytest.mark.parametrize("where", [deepsim_envs, deepsim_envs.pettingzoo])
def test_a_name_without_module_and_function_is_refused(where, make):
    with pytest.raises(ValueError, match=r"of the form 'package\.module:function'"):
        where.register(ID, make)


def test_a_function_that_makes_something_else_is_named(module):
    register(ID, f"{module}:nothing")
    with pytest.raises(TypeError, match="counting_desk:nothing must return a GymnasiumEnv"):
        gymnasium.make(ID)
    deepsim_envs.pettingzoo.register(ID, f"{module}:nothing")
    with pytest.raises(TypeError, match="counting_desk:nothing must return a PettingZooEnv"):
        pettingzoo.make("parallel", ID)
