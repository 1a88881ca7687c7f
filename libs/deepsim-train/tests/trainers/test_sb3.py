# SPDX-License-Identifier: Apache-2.0
"""Environments as Stable-Baselines3's `VecEnv`."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary

pytest.importorskip("stable_baselines3", reason="SB3 is not installed: tox -e py311-trainers")

from rollout_tasks import make_parties
from stable_baselines3 import DDPG, PPO, SAC, HerReplayBuffer
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

from deepsim_envs import (
    Agents,
    Area,
    Environment,
    GymnasiumEnv,
    JoinedEnvironment,
)
from deepsim_sync import World
from deepsim_sync.testing import TableSimulator
from deepsim_train.sb3 import AgentsVecEnv

MakeRace = Callable[..., Environment]
MakeRaces = Callable[..., Any]
AHEAD = np.array([[1.0, 0.0]] * 4, dtype=np.float32)


def still(environment: Environment, rng: np.random.Generator) -> Any:
    return lambda name, seen: np.zeros(environment.action_space[name].shape, np.float32)


def view(make_race: MakeRace, agent: str = "b", others: Any = still) -> GymnasiumEnv:
    return GymnasiumEnv(make_race(), agent=agent, others=others)


@pytest.mark.parametrize("agent", ["a", "b"])
def test_its_checker_accepts_a_single_agent(make_race: MakeRace, agent: str) -> None:
    check_env(view(make_race, agent), warn=True)


def test_attributes_are_those_of_the_one_environment(make_races: MakeRaces) -> None:
    """Each slot shows the same; SB3 is not to wrap another Monitor around it; no pictures here."""
    worlds = AgentsVecEnv(make_races(2))
    assert worlds.get_attr("agents") == [worlds.environment.agents] * 4
    assert worlds.get_attr("agents", [1, 2]) == [worlds.environment.agents] * 2
    worlds.set_attr("note", "mine", indices=[0])
    assert worlds.get_attr("note") == ["mine"] * 4
    with pytest.raises(AttributeError, match="no_such_thing"):
        worlds.get_attr("no_such_thing")
    assert worlds.env_is_wrapped(Monitor, 0) == [True]
    assert worlds.env_is_wrapped(VecNormalize) == [False] * 4
    assert worlds.get_images() == [None] * 2
    assert worlds.get_attr("render_mode") == [None] * 4


def test_every_step_is_that_of_the_environments(make_race: MakeRace, make_races: MakeRaces) -> None:
    """Through several episodes, whose agents end at different times."""
    worlds = AgentsVecEnv(make_races(2))
    assert worlds.slots == [(0, "a"), (0, "b"), (1, "a"), (1, "b")]
    worlds.seed(0)
    worlds.reset()
    alone = [make_race(), make_race()]
    rng = np.random.default_rng(1)
    last: list[Any] = [environment.reset(2 * n)[0] for n, environment in enumerate(alone)]
    ends = 0
    for _ in range(100):
        actions = rng.uniform(-0.2, 1.0, (4, 2)).astype(np.float32)
        seen, rewards, dones, infos = worlds.step(actions)
        for slot, (world, name) in enumerate(worlds.slots):
            if name == "a":  # the first agent of a world: all step now
                live = alone[world].live_agents
                result = alone[world].step({n: actions[2 * world + "ab".index(n)] for n in live})
                last[world].update(result.observation)
                over = not alone[world].live_agents
                final = dict(last[world])
                if over:
                    last[world], _ = alone[world].reset()
            ends += over
            assert seen[slot].tobytes() == last[world][name].tobytes()
            assert ("waiting" in infos[slot]) == (name not in live)
            assert rewards[slot] == np.float32(result.reward.get(name, 0.0))
            assert dones[slot] == (over or result.done.get(name, False))
            if dones[slot]:
                assert infos[slot]["terminal_observation"].tobytes() == final[name].tobytes()
                cut = result.info["deepsim"]["truncated"].get(name, False)
                assert infos[slot]["TimeLimit.truncated"] == cut
                assert infos[slot].get("x") == (result.info[name]["x"] if name in live else None)
    assert ends > 8


def test_a_slot_whose_agent_is_done_waits_for_the_others(make_races: MakeRaces) -> None:
    worlds = AgentsVecEnv(make_races(1))
    worlds.seed(0)
    worlds.reset()
    told = [worlds.step(AHEAD[:2]) for _ in range(15)]
    assert [dones.tolist() for _, _, dones, _ in told[3:6]] == [
        [False] * 2,
        [True, False],
        [False] * 2,
    ]
    end = told[4][3][0]
    assert end["episode"] == {"r": pytest.approx(0.5), "l": 5}
    assert end["TimeLimit.truncated"] is False
    waiting = told[5][3][0]
    assert waiting["waiting"]
    assert told[5][1].tolist() == [0.0, pytest.approx(0.1)]
    np.testing.assert_array_equal(told[5][0][0], end["terminal_observation"])
    # The world begins anew with its last agent's end, which no slot may take for a step.
    assert told[9][2].tolist() == [True, True]
    assert "episode" not in told[9][3][0]
    assert told[9][3][1]["episode"] == {"r": pytest.approx(1.0), "l": 10}
    assert told[9][0][:, 0].tolist() == [0.0, 0.0]
    assert told[14][3][0]["episode"] == end["episode"]


@pytest.mark.parametrize("one", [False, True])
def test_maskable_ppo_never_takes_what_a_mask_forbids(one: bool) -> None:
    """Agents climb stairs 0 .. 3 and may not go below or above; forbidden steps are counted."""
    ppo = pytest.importorskip("sb3_contrib", reason="SB3-Contrib is not installed").MaskablePPO
    wrong: list[int] = []

    class Stairs(Area):
        agents = Agents(
            ["a", "b"], Dict({"stair": Discrete(4), "action_mask": MultiBinary(2)}), Discrete(2)
        )

        def reset(self, worlds: Any) -> None:
            self.stair[worlds] = [0, 3]

        def __init__(self, world: World) -> None:
            super().__init__(world)
            self.stair = np.zeros((len(world), 2), np.int64)

        def act(self, actions: Any) -> None:
            goes = self.stair + np.where(actions == 1, 1, -1)
            wrong.append(int((((goes < 0) | (goes > 3)) & self.live).sum()))
            self.stair = np.clip(goes, 0, 3)

        def observe(self) -> Any:
            mask = np.stack([self.stair > 0, self.stair < 3], axis=-1).astype(np.int8)
            return {"stair": self.stair, "action_mask": mask}

        def reward(self) -> Any:
            return self.stair * 1.0

    environment = Environment(Stairs(World(TableSimulator(worlds=3))), max_episode_steps=7)
    worlds: Any = AgentsVecEnv(environment)
    if one:
        worlds = AgentsVecEnv(
            environment, agents=["b"],
            others=lambda env, rng: lambda name, seen: 1 - seen["stair"] // 3,
        )  # fmt: skip
    worlds.seed(0)
    seen = worlds.reset()
    assert (
        np.stack(worlds.env_method("action_masks")).tolist() == (seen["action_mask"] == 1).tolist()
    )
    state = worlds.get_state()
    model = ppo("MultiInputPolicy", worlds, n_steps=16, batch_size=16, seed=0)
    model.learn(200)
    assert sum(wrong) == 0
    assert len(wrong) > 30
    worlds.set_state(state)
    assert worlds.action_masks().tolist() == (seen["action_mask"] == 1).tolist()


def test_any_agent_can_end_the_episode_of_all(make_races: MakeRaces) -> None:
    worlds = AgentsVecEnv(make_races(1), game_over="any")
    worlds.seed(0)
    worlds.reset()
    for _ in range(5):
        seen, _, dones, infos = worlds.step(AHEAD[:2])
    assert dones.tolist() == [True, True]
    assert [info["TimeLimit.truncated"] for info in infos] == [False, True]
    assert infos[1]["terminal_observation"][0] == pytest.approx(0.5)
    assert infos[1]["episode"]["l"] == 5
    assert seen[:, 0].tolist() == [0.0, 0.0]


def test_a_world_goes_on_for_an_agent_that_has_yet_to_join() -> None:
    """Though the only other one that learns is done; a third one takes part meanwhile."""
    options: dict[str, Any] = {"agents": ["host", "late"], "others": still}
    worlds = AgentsVecEnv(make_parties(2), **options)
    worlds.seed(0)
    worlds.reset()
    dones = [worlds.step(np.zeros((4, 1), np.float32))[2].tolist() for _ in range(7)]
    assert [step for step, done in enumerate(dones) if done[0]] == [2, 6]
    assert [step for step, done in enumerate(dones) if done[1]] == [6]


def test_without_a_seed_worlds_differ(make_races: MakeRaces) -> None:
    assert len(set(AgentsVecEnv(make_races(3)).reset()[:, 1].tolist())) == 6


def test_spaces_that_differ_are_named(make_race: MakeRace, apart: Any) -> None:
    with pytest.raises(ValueError, match=r"action space of 'a' is .* 'b' is"):
        AgentsVecEnv(make_race(agents=apart))
    with pytest.raises(ValueError, match="game_over must be 'all' or 'any', got 'some'"):
        AgentsVecEnv(make_race(), game_over="some")  # type: ignore[arg-type]


def test_dicts_are_batched_by_key(make_echo: Callable[[Any], Environment]) -> None:
    space = Dict(a=Box(0.0, 1.0, (2,)), b=Discrete(3))
    seen = AgentsVecEnv(JoinedEnvironment([partial(make_echo, space)] * 2)).reset()
    assert {key: values.shape for key, values in seen.items()} == {"a": (4, 2), "b": (4,)}


def test_one_agent_of_all_worlds_is_as_in_their_own_vec_env(
    make_race: MakeRace, make_races: MakeRaces
) -> None:
    """Observations, rewards, dones, infos of last steps: as `DummyVecEnv`, bit for bit."""
    ours = AgentsVecEnv(make_races(3), agents=["b"], others=noisy)
    theirs = DummyVecEnv([partial(view, make_race, others=noisy)] * 3)
    ours.seed(3)
    theirs.seed(3)
    assert ours.reset().tobytes() == theirs.reset().tobytes()
    rng = np.random.default_rng(0)
    ends = 0
    for _ in range(60):
        actions = rng.uniform(-0.5, 1.0, (3, 2)).astype(np.float32)
        one, other = ours.step(actions), theirs.step(actions)
        # Where the other agent is depends on its policy, which is made for each episode.
        its = [np.ravel(each.environment.info()["a"]["x"])[0] for each in theirs.envs]
        assert np.ravel(ours.environment.info()["a"]["x"]).tolist() == its
        for mine, its in zip(one[:3], other[:3], strict=True):
            assert mine.dtype == its.dtype
            assert mine.tobytes() == its.tobytes()
        for mine, its in zip(one[3], other[3], strict=True):
            if "terminal_observation" not in its:
                assert mine == {"TimeLimit.truncated": False}
                continue
            assert mine.pop("episode")["l"] > 0
            assert mine.keys() == its.keys()
            assert all(np.array_equal(mine[key], its[key]) for key in its)
            ends += 1
    assert ends > 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"agents": ["c"]}, r"agents must be some of \['a', 'b'\], got \['c'\]"),
        ({"agents": ["a", "a"]}, r"got \['a', 'a'\]"),
        ({"agents": []}, r"got \[\]"),
        ({"agents": ["b"]}, r"agents \['a'\] belong to no policy"),
    ],
)
def test_agents_without_a_policy_are_named(make_race: MakeRace, options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        AgentsVecEnv(make_race(), **options)


@pytest.mark.parametrize("game_over", ["all", "any"])
def test_ppo_learns(make_race_on_arrays: MakeRaces, game_over: Any) -> None:
    """From standing about to going straight ahead, which earns 0.5 and 1."""
    worlds = VecNormalize(AgentsVecEnv(make_race_on_arrays(4, None, 12, 1), game_over=game_over))
    model = PPO("MlpPolicy", worlds, n_steps=64, batch_size=128, learning_rate=3e-3, seed=0)
    model.learn(512)
    before = np.mean([episode["r"] for episode in model.ep_info_buffer])
    model.learn(8_192)
    after = np.mean([episode["r"] for episode in model.ep_info_buffer])
    assert before < 0.3
    assert after > 0.45


def test_sac_learns_one_agent_and_plays_what_it_saved(
    make_race: MakeRace, make_race_on_arrays: MakeRaces, tmp_path: Path
) -> None:
    """Off policy: it goes straight ahead, which earns 1, in an episode that SAC never saw."""
    worlds = AgentsVecEnv(make_race_on_arrays(4, None, 12, 1), agents=["b"], others=still)
    model = SAC(
        "MlpPolicy", worlds, learning_starts=200, gamma=0.9, learning_rate=5e-3, batch_size=64,
        ent_coef=0.005, policy_kwargs={"net_arch": [16]}, seed=0, device="cpu",
    )  # fmt: skip
    earned = [_earned(model, make_race)]
    model.learn(1_200)
    model.save(tmp_path / "model")
    earned.append(_earned(SAC.load(tmp_path / "model", device="cpu"), make_race))
    assert earned[0] < 0.5
    assert earned[1] > 0.9


def _earned(model: Any, make_race: MakeRace) -> float:
    """Returns the sum of rewards of an episode of one agent by its most likely actions."""
    alone = view(make_race)
    seen, _ = alone.reset(seed=1000)
    total, over = 0.0, False
    while not over:
        action, _ = model.predict(seen, deterministic=True)
        seen, reward, terminated, truncated, _ = alone.step(action)
        total, over = total + reward, terminated or truncated
    return total


@pytest.mark.parametrize("joined", [True, False])
def test_slots_go_back_to_an_instant_amid_their_episodes(
    make_race: MakeRace, make_races: MakeRaces, joined: bool
) -> None:
    """In other worlds too: observations, sums of rewards, and what others draw are the same."""

    def made() -> Any:
        if joined:
            return AgentsVecEnv(make_races(2))
        return AgentsVecEnv(make_races(2), agents=["a"], others=noisy)

    worlds, others = made(), made()
    worlds.seed(0)
    worlds.reset()
    rng = np.random.default_rng(1)
    plan = rng.uniform(-0.2, 1.0, (60, worlds.num_envs, 2)).astype(np.float32)
    for actions in plan[:7]:
        worlds.step(actions)
    state = pickle.loads(pickle.dumps(worlds.get_state()))
    first = [worlds.step(actions) for actions in plan]
    for again in (worlds, others):
        again.set_state(state)
        for actions, (seen, rewards, dones, infos) in zip(plan, first, strict=True):
            other = again.step(actions)
            assert other[0].tobytes() == seen.tobytes()
            assert other[1].tobytes() == rewards.tobytes()
            assert other[2].tobytes() == dones.tobytes()
            assert str(other[3]) == str(infos)
    assert any(dones.any() for _, _, dones, _ in first)
    with pytest.raises(ValueError, match="expected the state of"):
        AgentsVecEnv(make_races(3)).set_state(state)


def noisy(environment: Environment, rng: np.random.Generator) -> Any:
    bias = rng.uniform(0.0, 0.5)
    return lambda name, seen: np.array([bias, rng.uniform(-0.1, 0.1)], np.float32)


@pytest.mark.parametrize("one", [False, True])
def test_her_learns_from_goals_that_were_achieved_instead(one: bool) -> None:
    """Rewards of its samples are those of goals that the samples hold."""

    class Line(Area):
        """Agents go along a line to a point that is drawn; farther away than 0.1 they earn -1."""

        part = Box(-9.0, 9.0, (1,))
        agents = Agents(
            ["a", "b"],
            Dict({"observation": part, "achieved_goal": part, "desired_goal": part}),
            Box(-1.0, 1.0, (1,)),
        )

        def __init__(self, world: World) -> None:
            super().__init__(world)
            self.x, self.goal = np.zeros((2, len(world), 2, 1))

        def reset(self, worlds: Any) -> None:
            self.x[worlds] = 0.0
            self.goal[worlds, :, 0] = self.world.uniform(-1.0, 1.0, 2, worlds)

        def act(self, actions: Any) -> None:
            self.x += 0.3 * actions

        def observe(self) -> Any:
            return {"observation": self.x, "achieved_goal": self.x, "desired_goal": self.goal}

        def compute_reward(self, achieved_goal: Any, desired_goal: Any, info: Any) -> Any:
            return -1.0 * (abs(np.asarray(achieved_goal) - desired_goal)[..., 0] > 0.1)

        def reward(self) -> Any:
            return self.compute_reward(self.x, self.goal, None)

    environment = Environment(Line(World(TableSimulator(worlds=2))), max_episode_steps=8)
    worlds: Any = AgentsVecEnv(environment)
    if one:
        worlds = AgentsVecEnv(
            environment, agents=["b"],
            others=lambda env, rng: lambda name, seen: np.zeros(1, np.float32),
        )  # fmt: skip
    model = DDPG(
        "MultiInputPolicy", worlds, replay_buffer_class=HerReplayBuffer, seed=0,
        replay_buffer_kwargs={"n_sampled_goal": 4, "goal_selection_strategy": "future"},
        learning_starts=64, batch_size=32, policy_kwargs={"net_arch": [16]},
    )  # fmt: skip
    model.learn(200)
    samples = model.replay_buffer.sample(256, env=None)
    achieved = samples.next_observations["achieved_goal"].numpy()
    desired = samples.observations["desired_goal"].numpy()
    told = environment.compute_reward(achieved, desired, None)
    assert samples.rewards.numpy()[:, 0].tolist() == told.tolist()
    assert set(told.tolist()) == {-1.0, 0.0}
