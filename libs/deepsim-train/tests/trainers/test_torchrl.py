# SPDX-License-Identifier: Apache-2.0
"""Worlds of an environment as TorchRL's `EnvBase`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete, Space, Text

pytest.importorskip("torchrl", reason="TorchRL is not installed: tox -e py311-trainers")

import torch
from rollout_tasks import make_parties
from tensordict.nn import NormalParamExtractor, TensorDictModule
from torchrl.collectors import Collector
from torchrl.envs.utils import check_env_specs
from torchrl.modules import MLP, ProbabilisticActor, TanhNormal
from torchrl.objectives import ClipPPOLoss, ValueEstimators

from deepsim_envs import Agents, Area, Environment, JoinedEnvironment
from deepsim_sync import World
from deepsim_sync.testing import TableSimulator
from deepsim_train.torchrl import TorchRLEnv

MakeRace = Callable[..., Environment]
MakeRaces = Callable[..., Any]
MakeEcho = Callable[[Space[Any]], Environment]


def test_its_checker_accepts_it(make_races: MakeRaces) -> None:
    worlds = TorchRLEnv(make_races(3))
    check_env_specs(worlds, seed=0)
    check_env_specs(worlds, break_when_any_done="both")
    played = worlds.rollout(5, break_when_any_done=False)
    for spec in (worlds.action_spec, worlds.observation_spec, worlds.reward_spec, worlds.done_spec):
        for key in spec.keys(True, True):
            assert (
                spec[key].shape
                == (played if key in played.keys(True) else played["next"])[key][:, 0].shape
            )
    worlds.close(raise_if_closed=False)
    worlds.close(raise_if_closed=False)


@pytest.mark.parametrize(
    "space",
    [
        Box(-1.0, 1.0, (2, 3), np.float64),
        Box(0, 255, (4, 4, 3), np.uint8),
        Discrete(4),
        MultiDiscrete([2, 3]),
        MultiBinary(3),
        Dict(a=Box(0.0, 1.0, (2,)), b=Discrete(3)),
    ],
    ids=lambda space: type(space).__name__,
)
def test_its_checker_accepts_all_spaces_that_have_tensors(
    make_echo: MakeEcho, space: Space[Any]
) -> None:
    check_env_specs(TorchRLEnv(JoinedEnvironment([partial(make_echo, space)] * 2)), seed=0)


@pytest.mark.parametrize("space", [Text(5), Discrete(3, start=1)])
def test_a_space_without_a_tensor_is_named(make_echo: MakeEcho, space: Space[Any]) -> None:
    with pytest.raises(ValueError, match="has no tensor: TorchRLEnv takes Box"):
        TorchRLEnv(make_echo(space))


def test_agents_of_a_group_with_other_spaces_are_named(make_race: MakeRace, apart: Any) -> None:
    race = make_race(agents=apart)
    with pytest.raises(ValueError, match=r"action space of 'a' is Box.* 'b' is Discr"):
        TorchRLEnv(race, {"both": ["a", "b"]})
    for faulty in ({"one": ["a"]}, {"one": ["a", "b"], "two": ["b"]}):
        with pytest.raises(ValueError, match=r"must hold each of \['a', 'b'\] once"):
            TorchRLEnv(race, faulty)


class Tag(Area):
    """Two chasers and a runner with other spaces; each sees and earns what it did last."""

    agents = (
        Agents(["red_1", "red_2"], Box(-1.0, 1.0, (2,)), Box(-1.0, 1.0, (2,))),
        Agents("runner", Dict(last=Discrete(3)), Discrete(3)),
    )
    reward_terms = ("effort", "alive")

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.red, self.runner = np.zeros((len(world), 2, 2)), np.zeros((len(world), 1), np.int64)

    def reset(self, worlds: Any) -> None:
        self.red[worlds], self.runner[worlds] = 0.0, 0

    def act(self, actions: Any) -> None:
        self.red, self.runner = (part.copy() for part in actions)

    def observe(self) -> Any:
        return self.red, {"last": self.runner}

    def reward(self) -> Any:
        effort = np.concatenate([self.red[..., 0], self.runner], axis=1)
        return {"effort": effort, "alive": np.ones(effort.shape)}

    def info(self) -> dict[str, Any]:
        reds = {name: {"y": self.red[:, n, 1]} for n, name in enumerate(("red_1", "red_2"))}
        return {**reds, "runner": {"word": np.full(len(self.world), "run")}}


def test_agents_with_other_spaces_are_groups_of_their_own() -> None:
    """Each group has its tensors, with the numbers in the infos and the terms of the reward."""

    def make() -> Environment:
        return Environment(Tag(World(TableSimulator(worlds=3))), max_episode_steps=4)

    worlds = TorchRLEnv(make())
    check_env_specs(worlds, seed=0)
    assert worlds.group_map == {"red": ["red_1", "red_2"], "runner": ["runner"]}
    done = worlds.rollout(4)
    acted, told = done["red", "action"], done["next", "red", "info"]
    assert acted.shape == (3, 4, 2, 2)
    assert torch.equal(done["next", "red", "observation"], acted)
    assert torch.equal(done["next", "runner", "observation", "last"], done["runner", "action"])
    assert set(told.keys()) == {
        "y",
        *(f"{k}/{t}" for k in ("reward", "return") for t in Tag.reward_terms),
    }
    torch.testing.assert_close(told["y"], acted[..., 1])
    torch.testing.assert_close(told["return/effort"], acted[..., 0].cumsum(dim=1))
    sums = told["reward/effort"] + told["reward/alive"]
    torch.testing.assert_close(done["next", "red", "reward"][..., 0], sums)
    assert "word" not in done["next", "runner", "info"].keys()  # noqa: SIM118 (no dict)
    alone = TorchRLEnv(make(), {"second": ["red_2"], "rest": ["runner"], "first": ["red_1"]})
    check_env_specs(alone, seed=0)
    step = alone.rand_step(alone.reset())
    assert torch.equal(step["next", "second", "observation"], step["second", "action"])


def test_a_rollout_is_that_of_the_environments(make_race: MakeRace, make_races: MakeRaces) -> None:
    """Through several episodes, in worlds that end at different times, agents apart."""
    worlds = TorchRLEnv(make_races(3))
    worlds.set_seed(5)
    torch.manual_seed(0)
    drift = TensorDictModule(
        lambda seen: torch.rand_like(seen) * 1.2 - 0.2,
        in_keys=[("agents", "observation")],
        out_keys=[("agents", "action")],
    )
    run = worlds.rollout(80, policy=drift, break_when_any_done=False)
    ends = 0
    for world in range(3):
        alone = make_race()
        seen, _ = alone.reset(5 + world)
        for step in range(80):
            now = run[world, step]
            live = alone.live_agents
            assert now["agents", "mask"].tolist() == [name in live for name in "ab"]
            for column, name in enumerate("ab"):
                assert (
                    now["agents", "observation"][column].numpy().tobytes() == seen[name].tobytes()
                )
            acted = now["agents", "action"].numpy()
            result = alone.step({name: acted["ab".index(name)] for name in live})
            seen = {**seen, **result.observation}
            rewards = now["next", "agents", "reward"].ravel().tolist()
            assert rewards == [np.float32(result.reward.get(name, 0.0)) for name in "ab"]
            for column, name in enumerate("ab"):
                if name in live:
                    for end in ("terminated", "truncated"):
                        ended = result.info["deepsim"][end][name]
                        assert now["next", "agents", end][column].item() == ended
                last = now["next", "agents", "observation"][column].numpy()
                assert last.tobytes() == seen[name].tobytes()
            over = not alone.live_agents
            assert now["next", "done"].item() == over
            if over:
                ends += 1
                seen, _ = alone.reset()
    assert ends > 15


def test_steps_before_an_agent_joins_are_masked() -> None:
    worlds = TorchRLEnv(make_parties(2))
    check_env_specs(worlds, seed=0)
    worlds.set_seed(0)
    run = worlds.rollout(9, break_when_any_done=False)
    masks = run["agents", "mask"][1].tolist()
    assert masks[:5] == [[True, False, False]] * 2 + [
        [True, True, False], [False, True, False], [False, True, True],
    ]  # fmt: skip
    assert masks[5:] == [[False, False, True]] * 2 + [[True, False, False]] * 2
    assert not run["next", "agents", "reward"][~run["agents", "mask"]].any()
    assert run["next", "done"][1].ravel().tolist() == [step == 6 for step in range(9)]


def test_an_agent_that_never_joined_is_truncated() -> None:
    worlds = TorchRLEnv(make_parties(max_episode_steps=1))
    last = worlds.rollout(1)[0, -1]["next"]
    assert last["agents", "truncated"].ravel().tolist() == [True, True, True]
    assert (last["done"].item(), last["terminated"].item()) == (True, False)


def test_without_a_seed_worlds_differ(make_races: MakeRaces) -> None:
    worlds = TorchRLEnv(make_races(3))
    again = TorchRLEnv(make_races(3))
    again.set_seed(5)
    again.set_seed(None)
    firsts = [each.reset()["agents", "observation"][..., 1].ravel() for each in (worlds, again)]
    assert len(set(torch.cat(firsts).tolist())) == 12


def test_a_world_tells_a_time_limit_apart(make_races: MakeRaces) -> None:
    worlds = TorchRLEnv(make_races(1, 3))
    last = worlds.rollout(3)[0, -1]["next"]
    assert (last["terminated"].item(), last["truncated"].item()) == (False, True)


def test_ppo_learns(make_race_on_arrays: MakeRaces) -> None:
    """TorchRL's collector, loss and advantages, on all agents that are to act."""
    torch.manual_seed(0)
    worlds = TorchRLEnv(make_race_on_arrays(4, None, 12, 1))
    worlds.set_seed(0)
    actor = ProbabilisticActor(
        TensorDictModule(
            torch.nn.Sequential(MLP(2, 4, num_cells=[32, 32]), NormalParamExtractor()),
            in_keys=[("agents", "observation")],
            out_keys=[("agents", "loc"), ("agents", "scale")],
        ),
        in_keys=[("agents", "loc"), ("agents", "scale")],
        out_keys=[("agents", "action")],
        distribution_class=TanhNormal,
        return_log_prob=True,
        log_prob_key=("agents", "log_prob"),
    )
    critic = TensorDictModule(
        MLP(2, 1, num_cells=[32, 32]),
        in_keys=[("agents", "observation")],
        out_keys=[("agents", "state_value")],
    )
    loss = ClipPPOLoss(actor, critic, entropy_bonus=False)
    loss.set_keys(
        action=("agents", "action"),
        sample_log_prob=("agents", "log_prob"),
        value=("agents", "state_value"),
        reward=("agents", "reward"),
        done=("agents", "done"),
        terminated=("agents", "terminated"),
    )
    loss.make_value_estimator(ValueEstimators.GAE, gamma=0.9, lmbda=0.9)
    descent = torch.optim.Adam(loss.parameters(), 5e-3)
    collector = Collector(
        worlds,
        actor,
        frames_per_batch=256,
        total_frames=20 * 256,
        auto_register_policy_transforms=False,
    )
    earned = []
    for data in collector:
        with torch.no_grad():
            loss.value_estimator(data)
        steps = data[data["agents", "mask"].any(-1)]
        earned.append(_earned_per_step(data))
        for _ in range(8):
            values = loss(steps)
            descent.zero_grad()
            (values["loss_objective"] + values["loss_critic"]).backward()
            descent.step()
    collector.shutdown()
    assert earned[0] < 0.03
    assert earned[-1] > 0.07


def _earned_per_step(data: Any) -> float:
    """Metres of an agent that acts; 0.1 at full speed."""
    acts = data["agents", "mask"]
    return float(data["next", "agents", "reward"].squeeze(-1)[acts].mean())
