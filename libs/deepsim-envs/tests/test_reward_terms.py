# SPDX-License-Identifier: Apache-2.0
"""Rewards that consist of terms with names."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Box

from deepsim_envs import Agents, Environment, GymnasiumVectorEnv, JoinedEnvironment, digest
from deepsim_sync import World


@pytest.fixture
def termed(rink_area: type) -> type:
    """The rink on arrays, whose agents earn their way less a toll that differs by agent."""

    class Termed(rink_area):
        reward_terms = ("way", "toll")

        def reward(self) -> dict[str, Any]:
            toll = np.tile([-0.01, -0.1], (len(self.world), 1))
            return {"toll": toll, "way": self.earned}

    return Termed


def test_terms_add_up_to_rewards_of_steps_and_episodes(make_worlds_env, termed):
    env = make_worlds_env(termed, max_episode_steps=9)
    env.reset_worlds(0)
    assert list(env.info()["a"]) == ["reward/way", "reward/toll", "return/way", "return/toll"]
    rng, earned = np.random.default_rng(0), np.zeros((3, 2))
    for _ in range(4):
        step, info = env.step_worlds((rng.uniform(-0.5, 0.5, (3, 2, 2)),)), env.info()
        earned += step.reward
        for column, agent in enumerate("ab"):
            own = info[agent]
            assert (own["reward/way"] + own["reward/toll"]).tolist() == step.reward[
                :, column
            ].tolist()
            assert own["return/way"] + own["return/toll"] == pytest.approx(earned[:, column])
    assert info["b"]["return/toll"] == pytest.approx([-0.4] * 3)
    env.reset_worlds(worlds=[1])
    assert env.info()["b"]["return/toll"] == pytest.approx([-0.4, 0.0, -0.4])
    assert env.info()["b"]["reward/toll"].tolist() == [-0.1, 0.0, -0.1]


@pytest.mark.parametrize("worlds", [3, 33])
def test_each_world_is_told_what_it_is_told_alone(make_worlds_env, termed, drive, worlds):
    options = {"frame_skip": 2, "max_episode_steps": 7}
    together = drive(make_worlds_env(termed, worlds, **options), list(range(worlds)))
    for number in (0, worlds - 1):
        alone = drive(make_worlds_env(termed, 1, **options), [number])
        assert alone == {number: together[number]}
    joined = JoinedEnvironment([lambda: make_worlds_env(termed, 1, **options)] * 3)
    assert drive(joined, [0, 1, 2]) == {number: together[number] for number in range(3)}


def test_an_agent_that_is_done_earns_nothing_more(make_worlds_env, termed):
    env = make_worlds_env(termed, worlds=1, frame_skip=2)
    env.reset()
    only_a = np.array([[[1.0, 0.0], [0.0, 0.0]]])
    for _ in range(5):
        env.step_worlds((only_a,))
    before = env.info()["a"]
    env.step_worlds((only_a,))
    after = env.info()["a"]
    assert before["reward/toll"] == [-0.01]
    assert after["reward/toll"] == [0.0]
    assert after["return/toll"] == before["return/toll"] == pytest.approx([-0.05])


def test_worlds_that_do_not_step_stay_as_they_are(make_worlds_env, termed):
    env = make_worlds_env(termed)
    env.reset_worlds(0)
    env.step_worlds((np.zeros((3, 2, 2)),))
    env.step_worlds((np.zeros((3, 2, 2)),), [0, 2])
    info = env.info()["a"]
    assert info["reward/toll"].tolist() == [-0.01] * 3
    assert info["return/toll"] == pytest.approx([-0.02, -0.01, -0.02])


def test_a_snapshot_holds_them(make_worlds_env, termed):
    env, other = make_worlds_env(termed), make_worlds_env(termed)
    env.reset_worlds(0)
    for _ in range(3):
        env.step_worlds((np.full((3, 2, 2), 0.1),))
    state, told = pickle.loads(pickle.dumps(env.get_state())), env.info()
    env.step_worlds((np.full((3, 2, 2), 0.1),))
    for each in (env, other):
        each.set_state(state)
        assert digest(each.info()) == digest(told)
        assert each.info()["a"]["return/toll"][0] != 0.0


def test_the_info_of_views_has_those_of_the_agent(make_worlds_env, termed):
    def stay(environment: Environment, rng: np.random.Generator) -> Any:
        return lambda agent, seen: np.zeros(2, np.float32)

    env = make_worlds_env(termed, max_episode_steps=2)
    view = GymnasiumVectorEnv(env, agent="b", others=stay, autoreset_mode="SameStep")
    view.reset(seed=0)
    view.step(np.zeros((3, 2), np.float32))
    *_, infos = view.step(np.zeros((3, 2), np.float32))
    assert infos["final_info"]["return/toll"] == pytest.approx([-0.2] * 3)
    assert infos["return/toll"].tolist() == [0.0] * 3


def test_agents_as_objects_name_terms_as_they_earn(puck, rink, world: World):
    class Taxed(puck):
        def on_update(self) -> None:
            super().on_update()
            self.add_reward(-0.25, "tax")
            self.add_reward(-0.25, "tax")

    area = rink(Taxed("a"), puck("b"))
    area.reward_terms = ["tax", "bonus"]
    env = Environment(area)
    env.reset(0)
    for _ in range(2):
        result = env.step({"a": [1.0, 0.0], "b": [1.0, 0.0]})
    assert result.reward == {"a": pytest.approx(0.1 - 0.5), "b": pytest.approx(0.1)}
    assert result.info["a"] == {
        "reward/tax": -0.5, "reward/bonus": 0.0, "return/tax": -1.0, "return/bonus": 0.0,
    }  # fmt: skip
    assert result.info["b"]["return/tax"] == 0.0
    area.reward_terms = ()
    env = Environment(area)
    env.reset(0)
    with pytest.raises(ValueError, match=r"agent 'a' earned 'tax', which reward_terms of Rink"):
        env.step({"a": [1.0, 0.0], "b": [1.0, 0.0]})


@pytest.mark.parametrize(
    ("returned", "told"),
    [
        (lambda area: {"way": area.earned}, r"dict of its reward_terms \['way', 'toll'\]"),
        (lambda area: area.earned, r"dict of its reward_terms \['way', 'toll'\]"),
        (lambda area: {"way": area.earned, "toll": 0.0}, "reward 'toll' of .* shape"),
        (
            lambda area: {"way": area.earned, "toll": area.earned * np.nan},
            r"agent 'a/0' must be finite, got nan from \{'way': .*, 'toll': nan\}",
        ),
    ],
)
def test_rewards_that_are_not_of_these_terms_are_refused(make_worlds_env, termed, returned, told):
    env = make_worlds_env(type("Wrong", (termed,), {"reward": returned}))
    env.reset()
    with pytest.raises(ValueError, match=told):
        env.step_worlds((np.zeros((3, 2, 2)),))


def test_names_are_declared_and_left_to_the_environment(make_worlds_env, termed, rink_area):
    for names, error in (("way", TypeError), ([1], TypeError), (["way", "way"], ValueError)):
        with pytest.raises(error, match=r"reward_terms must be"):
            make_worlds_env(type("Wrong", (termed,), {"reward_terms": names}))
    undeclared = type("Undeclared", (rink_area,), {"reward": lambda self: {"way": self.earned}})
    env = make_worlds_env(undeclared)
    env.reset()
    with pytest.raises(ValueError, match="list them as the attribute reward_terms"):
        env.step_worlds((np.zeros((3, 2, 2)),))
    taken = {"info": lambda self: {"a": {"return/way": np.zeros(3)}}}
    env = make_worlds_env(type("Taken", (termed,), taken))
    env.reset_worlds()
    with pytest.raises(ValueError, match="info 'a' of Taken must be a dict and leave"):
        env.info()


def test_a_world_that_diverges_earns_nothing_in_that_step(make_worlds_env, termed):
    groups = Agents(["a", "b"], Box(-1e9, 1e9, (2,)), Box(-np.inf, np.inf, (2,), np.float64))
    env = make_worlds_env(type("Unlimited", (termed,), {"agents": groups}), worlds=2)
    env.reset_worlds(0)
    for speed in (0.0, 1e300):
        env.step_worlds((np.array([[[0.0, 0.0]] * 2, [[speed, 0.0]] * 2]),))
    assert env.diverged.tolist() == [False, True]
    assert env.info()["a"]["reward/toll"].tolist() == [-0.01, 0.0]
    assert env.info()["a"]["return/toll"] == pytest.approx([-0.02, -0.01])
