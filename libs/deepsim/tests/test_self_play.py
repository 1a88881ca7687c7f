# SPDX-License-Identifier: Apache-2.0
"""Trainings of one agent against its own past policies."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from command_line import call, completed, require_same_files, said

from deepsim import load_task
from deepsim_envs import GymnasiumVectorEnv, digest
from deepsim_train import TrainedPolicy
from deepsim_train.training.teams import League

SMALL = ["--steps", 192, "--worlds", 3, "--set", "rollout=16", "--set", "minibatch=16"]
SMALL += ["--agent", "disc", "--set", "self_play=2", "--set", "self_play_every=1"]


def always(action: float) -> TrainedPolicy:
    """A policy that takes the same action always."""
    ones = np.ones(1, np.float32)
    layers = ((0 * ones[:, None], action * ones),)
    return TrainedPolicy(0 * ones, ones, 9.0, layers, -ones, ones, (1,))


def make_worlds(array_task: Path, league: League, worlds: int) -> GymnasiumVectorEnv:
    environment = load_task(array_task).environment(0, worlds)
    return GymnasiumVectorEnv(environment, agent="disc", others=league, autoreset_mode="SameStep")


def test_each_episode_draws_one_of_the_latest(array_task: Path) -> None:
    """The other agent earns what its action says, as the learner loses it."""
    league = League(3, 1)
    for update, action in enumerate((0.9, -0.5, 0.25, 0.5)):
        assert league.wants(update)
        league.add(always(action), update)
        assert not league.wants(update)
    worlds = make_worlds(array_task, league, 40)
    worlds.reset(seed=3)
    seen = []
    for _ in range(12):
        _, rewards, terminated, _, _ = worlds.step(np.zeros((40, 1), np.float32))
        seen.append((rewards.round(3), terminated))
    found = {float(reward) for rewards, _ in seen for reward in rewards}
    assert found == {0.5, -0.25, -0.5}
    for world in range(40):
        drawn = [rewards[world] for rewards, _ in seen]
        ends = [terminated[world] for _, terminated in seen]
        changes = [a != b for a, b in itertools.pairwise(drawn)]
        assert not any(change and not end for change, end in zip(changes, ends, strict=False))


def test_a_restored_league_takes_policies_at_the_same_updates() -> None:
    """In the middle between two, too."""
    league, restored = League(3, 5), League(3, 5)
    league.add(always(0.5), 2)
    restored.set_state(league.get_state())
    assert [restored.wants(update) for update in (3, 6, 7, 8)] == [False, False, True, True]


def test_worlds_together_draw_and_do_what_each_does_alone(array_task: Path) -> None:
    league = League(3, 1)
    for update, action in enumerate((-0.5, 0.25, 0.5)):
        league.add(always(action), update)
    many, alone = make_worlds(array_task, league, 5), make_worlds(array_task, league, 1)
    many.reset(seed=3)
    alone.reset(seed=7)
    for step in range(20):
        if step == 8:
            state = pickle.loads(pickle.dumps(many.get_state()))
            pages: list[str] = []
        rewards = many.step(np.zeros((5, 1), np.float32))[1]
        assert rewards[4] == alone.step(np.zeros((1, 1), np.float32))[1][0]
        if step >= 8:
            pages.append(digest(rewards))
    league.add(always(0.75), 3)  # episodes under way keep the policy that they drew
    many.set_state(state)
    assert digest(many.step(np.zeros((5, 1), np.float32))[1]) == pages[0]


@pytest.mark.parametrize("more", [[], ["--set", "evaluate=2", "--set", "evaluate_every=2"]])
def test_it_goes_on_to_the_same_bytes(array_task: Path, tmp_path: Path, more: list[str]) -> None:
    pytest.importorskip("stable_baselines3", reason="training is not tested: tox -e py311-train")
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    completed("train", array_task, *SMALL, *more, "--out", whole)
    completed("train", array_task, *SMALL, *more, "--steps", 96, "--out", parts)
    completed("train", "--resume", parts, "--steps", 192)
    require_same_files(whole, parts, "policy.npz", "progress.csv")
    league = pickle.loads((whole / "checkpoint.pkl").read_bytes())["league"]
    assert len(league["policies"]) == 2
    latest = league["policies"][-1].layers[0][0]
    assert not np.array_equal(latest, league["policies"][0].layers[0][0])


def test_it_learns_to_win(array_task: Path, tmp_path: Path) -> None:
    """Who acts more wins what the other loses, so that both learn to act as much as they may."""
    pytest.importorskip("stable_baselines3", reason="training is not tested: tox -e py311-train")
    options = ["--agent", "disc", "--set", "self_play=4", "--set", "self_play_every=2", "--steps",
               4096, "--set", "rollout=64", "--set", "learning_rate=0.01"]  # fmt: skip
    completed("train", array_task, *options, "--out", tmp_path / "out")
    policy = TrainedPolicy.load(tmp_path / "out" / "policy.npz")
    assert policy.act("disc", np.linspace(-1.0, 1.0, 9)[:, None]).min() > 0.8
    completed("run", array_task, "--policy", tmp_path / "out", "--out", tmp_path / "played")


def test_what_it_needs_is_said(
    array_task: Path, write_task: Callable[..., Path], tmp_path: Path
) -> None:
    pytest.importorskip("stable_baselines3", reason="training is not tested: tox -e py311-train")
    out = ["--out", tmp_path / "out"]
    told = "error: self_play needs agent, the one that learns, or policies by name, and no others"
    assert told in said(call("train", array_task, "--set", "self_play=2", *out))
    assert told in said(call("train", array_task, *SMALL, "--others", "chase", *out))
    alone = call("train", write_task(), *SMALL, "--agent", "puck", *out)
    assert "self_play needs other agents than 'puck'" in said(alone)
    source = (array_task / "__init__.py").read_text()
    groups = 'agents = [Agents(["puck"], BOX, BOX), Agents(["disc"], BOX, Box(-2.0, 2.0, (1,)))]'
    source = source.replace('agents = Agents(["puck", "disc"], BOX, BOX)', groups)
    (array_task / "__init__.py").write_text(source)
    refused = call("train", array_task, *SMALL, "--out", tmp_path / "other")
    assert "self-play has one policy for all agents, so their spaces must be equal" in said(refused)
