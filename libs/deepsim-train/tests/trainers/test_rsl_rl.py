# SPDX-License-Identifier: Apache-2.0
"""Worlds of an environment as the rows of rsl-rl's `VecEnv`."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Box, Dict, Discrete

pytest.importorskip("rsl_rl", reason="rsl-rl is not installed: tox -e py311-trainers")

import torch
from rsl_rl.runners import OnPolicyRunner
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from deepsim_envs import ActionError, Agents, Area, Environment
from deepsim_sync import World
from deepsim_sync.testing import TableSimulator
from deepsim_train.rsl_rl import RslRlVecEnv

MakeRaces = Callable[..., Any]
GAUSSIAN = {"class_name": "GaussianDistribution", "init_std": 1.0}
NETWORK = {"class_name": "MLPModel", "hidden_dims": [32, 32], "activation": "elu"}
CONFIG = {
    "num_steps_per_env": 24,
    "save_interval": 1000,
    "obs_groups": {"actor": ["policy"], "critic": ["critic"]},
    "algorithm": {"class_name": "PPO", "learning_rate": 1e-3, "entropy_coef": 0.0},
    "actor": {**NETWORK, "distribution_cfg": GAUSSIAN},
    "critic": NETWORK,
}


class Guess(Area):
    """Earns for an action that is near a number; the critic sees the number of the next step."""

    agents = Agents(
        ["red", "blue"],
        Dict({"now": Box(-1.0, 1.0, (1,)), "kind": Discrete(3), "next": Box(-1.0, 1.0, (1,))}),
        Box(-1.0, 1.0, (1,)),
        privileged=["next"],
    )
    reward_terms = ("near", "alive")

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.now, self.next, self.near = np.zeros((3, len(world), 2, 1))

    def reset(self, worlds: Any) -> None:
        self.now[worlds], self.next[worlds] = (
            self.world.uniform(-1.0, 1.0, (2, 1), worlds) for _ in range(2)
        )

    def act(self, actions: Any) -> None:
        self.near = 1.0 - np.abs(actions - self.now)
        self.now = self.next.copy()
        worlds = self.stepping
        self.next[worlds] = self.world.uniform(-1.0, 1.0, (2, 1), worlds)

    def observe(self) -> Any:
        kind = (self.now[..., 0] > 0.0).astype(np.int64)
        return {"now": self.now, "kind": kind, "next": self.next}

    def reward(self) -> Any:
        return {"near": self.near[..., 0], "alive": np.full(self.near.shape[:2], 0.5)}

    def info(self) -> dict[str, Any]:
        return {
            name: {"success": self.near[:, n, 0] > 0.9} for n, name in enumerate(("red", "blue"))
        }


def guess(worlds: int, limit: int | None = 6) -> Environment:
    return Environment(Guess(World(TableSimulator(worlds=worlds))), max_episode_steps=limit)


def test_its_runner_learns(tmp_path: Path) -> None:
    """A guess at random earns 0.33 of near on average, so 5 in 6 steps with 0.5 for living."""
    worlds = RslRlVecEnv(guess(16), seed=3, cfg={"task": "guess"})
    assert worlds.cfg == {"task": "guess"}
    torch.manual_seed(0)
    runner = OnPolicyRunner(worlds, deepcopy(CONFIG), log_dir=str(tmp_path))
    runner.learn(25, init_at_random_ep_len=True)
    act = runner.get_inference_policy()
    seen, earned = worlds.get_observations(), []
    with torch.inference_mode():
        for _ in range(12):
            seen, reward, _, _ = worlds.step(act(seen))
            earned.append(reward)
    assert torch.stack(earned).mean() > 0.5 + 0.8
    events = EventAccumulator(str(tmp_path))
    events.Reload()
    curves = {
        name: [each.value for each in events.Scalars(name)] for name in events.Tags()["scalars"]
    }
    assert curves["return/alive"] == pytest.approx([3.0] * 25, abs=2.5)
    assert curves["return/near"][-1] > curves["return/near"][1] + 1.0
    assert 0.0 <= curves["end/success"][0] < curves["end/success"][-1] <= 1.0
    assert curves["Train/mean_episode_length"][-1] == 6.0


def test_only_the_value_function_reads_what_is_privileged() -> None:
    worlds = RslRlVecEnv(guess(2), seed=3)
    seen = worlds.get_observations()
    assert {name: each.shape for name, each in seen.items()} == {"policy": (4, 4), "critic": (4, 5)}
    rows = worlds.environment.area
    torch.testing.assert_close(seen["policy"][:, 3], torch.from_numpy(rows.now.ravel()).float())
    assert (seen["policy"][:, :3].sum(dim=1) == 1.0).all()
    assert torch.equal(seen["critic"][:, :4], seen["policy"])
    torch.testing.assert_close(seen["critic"][:, 4], torch.from_numpy(rows.next.ravel()).float())
    runner = OnPolicyRunner(worlds, deepcopy(CONFIG))
    runner.learn(1)
    other = seen.clone()
    other["critic"][:, 4] += 1.0
    assert torch.equal(runner.get_inference_policy()(seen), runner.get_inference_policy()(other))
    assert not torch.equal(runner.alg.critic(seen), runner.alg.critic(other))


def half(environment: Environment, rng: np.random.Generator) -> Any:
    return lambda agent, observation: np.array([0.5, 0.0], np.float32)


@pytest.mark.parametrize("settings", [{}, {"agents": ["a"], "others": half}])
def test_rows_are_the_slots_of_stable_baselines3(
    make_races: MakeRaces, settings: dict[str, Any]
) -> None:
    """Observations, rewards and ends have the same bits, and time-outs are its truncations."""
    sb3 = pytest.importorskip("deepsim_train.sb3")
    count = 3 if settings else 1  # with both agents the second world would have another seed there
    slots = sb3.AgentsVecEnv(make_races(count), **settings)
    rows = RslRlVecEnv(make_races(count), seed=5, **settings)
    slots.seed(5)
    expected = slots.reset().astype(np.float32)
    np.testing.assert_array_equal(rows.get_observations()["policy"].numpy(), expected)
    rng, time_outs = np.random.default_rng(2), 0
    for _ in range(60):
        actions = rng.uniform(-1.0, 1.0, (slots.num_envs, 2)).astype(np.float32)
        actions[:1] = 1.0
        expected, reward, dones, infos = slots.step(actions)
        seen, earned, ended, extras = rows.step(torch.from_numpy(actions))
        np.testing.assert_array_equal(seen["policy"].numpy(), expected.astype(np.float32))
        np.testing.assert_array_equal(earned.numpy(), reward)
        np.testing.assert_array_equal(ended.numpy(), dones)
        cut = [info["TimeLimit.truncated"] for info in infos]
        assert extras["time_outs"].tolist() == cut
        time_outs += sum(cut)
    assert time_outs > 3


def test_a_length_that_is_set_counts_for_the_time_limit() -> None:
    worlds = RslRlVecEnv(guess(3), seed=0)
    assert worlds.max_episode_length == 6
    worlds.episode_length_buf = torch.tensor([0, 4, 2, 1, 0, 0])
    ends = []
    for _ in range(8):
        _, _, dones, extras = worlds.step(torch.zeros(6, 1))
        assert torch.equal(extras["time_outs"], dones)
        ends.append(dones.reshape(3, 2).all(dim=1).tolist())
    lasts = np.argwhere(ends).tolist()
    assert lasts == [[1, 0], [3, 1], [5, 2], [7, 0]]
    with pytest.raises(ValueError, match="no time limit"):
        _ = RslRlVecEnv(guess(1, None)).max_episode_length


def test_actions_beyond_their_bounds_are_clipped_or_refused() -> None:
    clipped, bounded = (RslRlVecEnv(guess(2), seed=1) for _ in range(2))
    beyond = torch.tensor([[-7.0], [0.5], [2.0], [1.0]])
    first, second = clipped.step(beyond), bounded.step(beyond.clamp(-1.0, 1.0))
    assert torch.equal(first[1], second[1])
    strict = RslRlVecEnv(guess(2), clip_actions=False)
    with pytest.raises(ActionError, match="must lie in"):
        strict.step(beyond)


def test_pictures_are_groups_with_channels_first() -> None:
    space = Dict({"camera": Box(0, 255, (4, 6, 3), np.uint8), "x": Box(-1.0, 1.0, (1,))})

    class Looking(Guess):
        agents = Agents(["red", "blue"], space, Box(-1.0, 1.0, (1,)))

        def observe(self) -> Any:
            ramp = np.arange(72, dtype=np.uint8).reshape(4, 6, 3)
            return {"camera": np.tile(ramp, (len(self.world), 2, 1, 1, 1)), "x": self.now}

    seen = RslRlVecEnv(Environment(Looking(World(TableSimulator())))).get_observations()
    assert seen["camera"].shape == (2, 3, 4, 6)
    assert seen["camera"][1, 2, 3, 5] == pytest.approx(71.0 / 255.0)
    assert seen["policy"].shape == (2, 1)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"agents": ["green"]}, r"agents must be some of \['red', 'blue'\], got \['green'\]"),
        ({"agents": ["red"]}, r"agents \['blue'\] belong to no policy"),
        ({"game_over": "never"}, "game_over must be"),
    ],
)
def test_faulty_rows_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        RslRlVecEnv(guess(1), **changes)


def test_actions_that_are_choices_are_refused() -> None:
    area = type("Choosing", (Guess,), {"agents": Agents("red", Box(-1, 1, (1,)), Discrete(2))})
    with pytest.raises(ValueError, match=r"rsl-rl takes actions of a Box, got Discrete\(2\)"):
        RslRlVecEnv(Environment(area(World(TableSimulator()))))
