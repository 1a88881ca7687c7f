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
from gymnasium.vector import AutoresetMode

import deepsim_envs.pettingzoo
from deepsim_envs import (
    Environment,
    GymnasiumVectorEnv,
    JoinedEnvironment,
    digest,
    make_worlds,
    register,
)
from deepsim_sync import UnsupportedError

ID = "DeepSim/TestRink-v0"

MODULE = """
    import numpy as np
    from gymnasium.spaces import Box

    from deepsim_envs import Agents, Area, Environment
    from deepsim_sync import World
    from deepsim_sync.testing import TableSimulator


    class Desks(Area):
        def __init__(self, world, names):
            super().__init__(world)
            self.agents = Agents(names, Box(0.0, 10.0, (1,)), Box(-1.0, 1.0, (1,)))
            self.count = np.zeros((len(world), len(names), 1), np.int64)

        def reset(self, worlds):
            for world in worlds.tolist():
                self.count[world] = self.world.rngs[world].integers(10)

        def act(self, actions):
            self.count += 1

        def observe(self):
            return (self.count % 10).astype(np.float32)

        def reward(self):
            return np.zeros(self.live.shape)


    def many(worlds=1, limit=20, seed=0, names=("counter_0", "counter_1")):
        area = Desks(World(TableSimulator(worlds=worlds)), names)
        return Environment(area, max_episode_steps=limit, seed=seed)


    def alone(limit=20, seed=0):
        return many(1, limit, seed, ["counter_0"])


    def still(environment, rng):
        return lambda agent, observation: np.zeros(1)


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
    register(ID, f"{module}:alone")
    deepsim_envs.pettingzoo.register(ID, f"{module}:alone")
    assert module not in sys.modules
    with gymnasium.make(ID) as env:
        env.reset(seed=0)
    assert module in sys.modules


def test_make_passes_arguments_on_and_the_spec_can_be_stored(module):
    register(ID, f"{module}:alone", limit=3)
    env = gymnasium.make(ID)
    assert env.unwrapped.environment.max_episode_steps == 3
    assert gymnasium.make(ID, limit=4).unwrapped.environment.max_episode_steps == 4
    again = gymnasium.make(EnvSpec.from_json(env.spec.to_json()))
    assert again.unwrapped.environment.max_episode_steps == 3


@pytest.mark.parametrize("make", ["alone", "many"])
def test_make_vec_gives_worlds_in_any_mode(module, make):
    """Of one environment, if its maker takes ``worlds``, and else of as many environments."""
    both = {"agent": "counter_0", "others": f"{module}:still", "limit": 3}
    register(ID, f"{module}:{make}", **(both if make == "many" else {"limit": 3}))
    worlds = gymnasium.make_vec(
        ID, num_envs=4, vector_kwargs=None, autoreset_mode=AutoresetMode.SAME_STEP
    )
    assert isinstance(worlds.unwrapped, GymnasiumVectorEnv)
    kind = Environment if make == "many" else JoinedEnvironment
    assert isinstance(worlds.unwrapped.environment, kind)
    assert worlds.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    seen, _ = worlds.reset(seed=0)
    assert seen.shape == (4, 1)
    singles = gymnasium.vector.SyncVectorEnv([lambda: gymnasium.make(ID)] * 4)
    assert digest(singles.reset(seed=0)[0]) == digest(seen)
    for _ in range(3):
        *_, infos = worlds.step(np.zeros((4, 1), np.float32))
    assert infos["_final_obs"].all()


def test_gymnasiums_wrappers_for_vectors_fit(module):
    register(ID, f"{module}:alone", limit=3)
    worlds = gymnasium.wrappers.vector.RecordEpisodeStatistics(gymnasium.make_vec(ID, 2))
    worlds.reset(seed=0)
    for _ in range(3):
        *_, infos = worlds.step(np.zeros((2, 1), np.float32))
    assert infos["episode"]["l"].tolist() == [3, 3]


def test_pettingzoo_makes_both_kinds(module):
    deepsim_envs.pettingzoo.register(ID, f"{module}:alone", limit=3)
    env = pettingzoo.make("parallel", ID)
    env.reset(seed=0)
    assert env.agents == ["counter_0"]
    turns = pettingzoo.make("aec", ID, limit=2)
    turns.reset(seed=0)
    assert turns.agent_selection == "counter_0"


def test_an_id_can_be_registered_again(module):
    for limit in (3, 5):
        register(ID, f"{module}:alone", limit=limit)
        deepsim_envs.pettingzoo.register(ID, f"{module}:alone", limit=limit)
    assert gymnasium.make(ID).unwrapped.environment.max_episode_steps == 5
    assert pettingzoo.make("parallel", ID).environment.max_episode_steps == 5


@pytest.mark.parametrize("make", ["counting_desk", ":alone", "counting_desk:"])
@pytest.mark.parametrize("where", [deepsim_envs, deepsim_envs.pettingzoo])
def test_a_name_without_module_and_function_is_refused(where, make):
    with pytest.raises(ValueError, match=r"of the form 'package\.module:function'"):
        where.register(ID, make)


def test_a_function_that_makes_something_else_is_named(module):
    register(ID, f"{module}:nothing")
    with pytest.raises(TypeError, match="nothing must return an Environment"):
        gymnasium.make(ID)
    deepsim_envs.pettingzoo.register(ID, f"{module}:nothing")
    with pytest.raises(TypeError, match="nothing must return an Environment"):
        pettingzoo.make("parallel", ID)


def test_worlds_are_made_with_seeds_of_their_own(make_rink, make_env, puck):
    """The seed is that of world 0."""
    made = make_worlds(make_rink, 3, seed=5)
    assert isinstance(made, Environment)
    expected = digest(made.reset_worlds())
    joined = make_worlds(lambda seed: make_rink(1, seed), 3, seed=5)
    assert isinstance(joined, JoinedEnvironment)
    assert digest(joined.reset_worlds()) == expected
    assert len(make_worlds(lambda: make_rink(), 1)) == 1

    def alone(worlds=1):
        if worlds > 1:
            raise UnsupportedError("one world only")
        return make_rink()

    assert isinstance(make_worlds(alone, 3), JoinedEnvironment)
    with pytest.raises(ValueError, match="make was asked for 3 worlds, but made 2"):
        make_worlds(wrong(make_rink), 3)
    with pytest.raises(TypeError, match="must return an Environment, got None"):
        make_worlds(lambda worlds: None, 3)


def wrong(make_rink):
    def make(worlds):
        return make_rink(worlds - 1)

    return make
