# SPDX-License-Identifier: Apache-2.0
"""Worlds that several policies share, each with a trainer of its own."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

pytest.importorskip("stable_baselines3", reason="SB3 is not installed: tox -e py311-trainers")

from stable_baselines3 import A2C, PPO
from stable_baselines3.common.vec_env import VecNormalize

from deepsim_envs import Environment
from deepsim_train.sb3 import AgentsVecEnv, SharedWorlds

MakeRaces = Callable[..., Any]
EACH = {"first": ["a"], "second": ["b"]}


def acting(worlds: SharedWorlds, name: str, column: int, actions: Any, seen: list[Any]) -> None:
    view = worlds.views[name]
    seen.append((view.reset(), None, None, None))
    for own in actions[:, :, column]:
        seen.append(view.step(own))


@pytest.mark.parametrize("game_over", ["all", "any"])
def test_every_step_is_that_of_one_view_of_all_agents(
    make_races: MakeRaces, game_over: Any
) -> None:
    """Observations, rewards, dones and infos, through several episodes."""
    actions = np.random.default_rng(1).uniform(-0.2, 1.0, (100, 2, 2, 2)).astype(np.float32)
    together = AgentsVecEnv(make_races(2), game_over=game_over)
    together.seed(0)
    together._seeds = [0, None, 1, None]  # of worlds 0 and 1
    expected: list[Any] = [(together.reset(), None, None, None)]
    expected += [together.step(own.reshape(4, 2)) for own in actions]
    shared = SharedWorlds(make_races(2), EACH, game_over=game_over)
    found: dict[str, list[Any]] = {"first": [], "second": []}
    shared.run(
        {
            name: partial(acting, shared, name, column, actions, found[name])
            for column, name in enumerate(EACH)
        }
    )
    ends = 0
    for column, name in enumerate(EACH):
        for one, other in zip(found[name], expected, strict=True):
            np.testing.assert_array_equal(one[0], other[0][column::2])
            if one[1] is None:
                continue
            assert one[1].tolist() == other[1][column::2].tolist()
            assert one[2].tolist() == other[2][column::2].tolist()
            assert repr(one[3]) == repr(other[3][column::2])
            ends += int(one[2].sum())
    assert ends > 8


def train(make_races: MakeRaces, seed: int) -> list[bytes]:
    shared = SharedWorlds(make_races(2), EACH, seed=seed)
    models = {
        "first": PPO("MlpPolicy", VecNormalize(shared.views["first"]), n_steps=32, seed=1),
        "second": A2C("MlpPolicy", shared.views["second"], n_steps=16, seed=2),
    }
    shared.run({name: partial(model.learn, 256) for name, model in models.items()})
    return [
        tensor.numpy().tobytes()
        for m in models.values()
        for tensor in m.policy.state_dict().values()
    ]


def test_any_algorithms_learn_side_by_side_and_seeds_give_the_same_bits(
    make_race_on_arrays: MakeRaces,
) -> None:
    once, again, other = (train(make_race_on_arrays, seed) for seed in (3, 3, 4))
    assert once == again
    assert once != other


def test_an_error_of_one_trainer_ends_all(make_races: MakeRaces) -> None:
    shared = SharedWorlds(make_races(1), EACH)
    before = threading.active_count()
    ended = []

    def patient() -> None:
        try:
            acting(shared, "first", 0, np.zeros((9, 1, 2, 2), np.float32), [])
        finally:
            ended.append("first")

    def failing() -> None:
        shared.views["second"].reset()
        raise LookupError("no such thing")

    with pytest.raises(LookupError, match="no such thing"):
        shared.run({"first": patient, "second": failing})
    assert ended == ["first"]
    assert threading.active_count() == before


def test_ctrl_c_ends_all(make_races: MakeRaces) -> None:
    """The signal comes while a trainer computes, in its thread."""
    shared = SharedWorlds(make_races(1), EACH)
    before = threading.active_count()
    steps = []

    def first() -> None:
        shared.views["first"].reset()
        for step in range(100):
            steps.append(step)
            if step == 7:
                os.kill(os.getpid(), signal.SIGINT)
            shared.views["first"].step(np.zeros((1, 2), np.float32))

    second = partial(acting, shared, "second", 1, np.zeros((100, 1, 2, 2), np.float32), [])
    with pytest.raises(KeyboardInterrupt):
        shared.run({"first": first, "second": second})
    assert len(steps) < 100
    assert threading.active_count() == before


@pytest.mark.parametrize("steps", [2, 4])
def test_trainers_must_do_as_many_steps(make_races: MakeRaces, steps: int) -> None:
    shared = SharedWorlds(make_races(1), EACH)
    numbers = {"first": 3, "second": steps}
    early = "first returned, second wants to step"
    if steps == 2:
        early = "first wants to step, second returned"
    with pytest.raises(RuntimeError, match=early):
        shared.run(
            {
                name: partial(
                    acting, shared, name, column, np.zeros((numbers[name], 1, 2, 2), np.float32), []
                )
                for column, name in enumerate(EACH)
            }
        )


def test_a_view_is_stepped_by_a_trainer_only(make_races: MakeRaces) -> None:
    shared = SharedWorlds(make_races(1), EACH)
    with pytest.raises(RuntimeError, match=r"by trainers that SharedWorlds\.run runs"):
        shared.views["first"].reset()
    with pytest.raises(ValueError, match=r"expected trainers of \['first', 'second'\], got"):
        shared.run({"first": lambda: None})


def drift(environment: Environment, rng: np.random.Generator) -> Any:
    speed = rng.uniform(0.0, 1.0)
    return lambda name, observation: np.array([speed, 0.0], np.float32)


def test_the_state_goes_on_to_the_same_steps(make_races: MakeRaces) -> None:
    """With a policy for the rest, which is drawn for each episode."""
    actions = np.full((60, 2, 1, 2), 0.7, np.float32)

    def run(shared: SharedWorlds, state: Any) -> tuple[list[Any], Any]:
        seen: list[Any] = []
        view = shared.views["first"]

        def keep() -> None:
            nonlocal state
            state = pickle.dumps((shared.get_state(), view.get_state()))

        def go_on() -> None:
            if state is None:
                view.reset()
                for own in actions[:30, :, 0]:
                    view.step(own)
                view.meet(keep)
            for own in actions[30:, :, 0]:
                *step, infos = view.step(own)
                seen.append((*(each.tolist() for each in step), repr(infos)))

        shared.run({"first": go_on})
        return seen, state

    def make() -> SharedWorlds:
        return SharedWorlds(make_races(2), {"first": ["a"]}, others=drift, seed=5)

    expected, state = run(make(), None)
    restored = make()
    worlds, slots = pickle.loads(state)
    restored.set_state(worlds)
    restored.views["first"].set_state(slots)
    assert run(restored, state)[0] == expected


@pytest.mark.parametrize(
    ("policies", "message"),
    [
        ({}, "expected at least one policy"),
        ({"one": ["a"]}, r"agents \['b'\] belong to no policy"),
        ({"one": ["a"], "two": ["a", "b"]}, "agent 'a' belongs to the policies 'one' and 'two'"),
        ({"one": ["c"]}, r"policy 'one' names 'c': agents are \['a', 'b'\]"),
    ],
)
def test_policies_share_out_the_agents(
    make_races: MakeRaces, policies: dict[str, list[str]], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        SharedWorlds(make_races(1), policies)
