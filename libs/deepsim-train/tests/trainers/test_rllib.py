# SPDX-License-Identifier: Apache-2.0
"""All agents of an environment as RLlib's `MultiAgentEnv`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ray", reason="Ray is not installed: tox -e py311-trainers")
pytest.importorskip("torch", reason="PyTorch is not installed: tox -e py311-trainers")

import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.rllib.env.multi_agent_episode import MultiAgentEpisode
from ray.rllib.utils.pre_checks.env import check_multiagent_environments
from ray.tune.registry import register_env

from deepsim_envs import Environment
from deepsim_train.rllib import RLlibEnv

MakeRace = Callable[..., Environment]
Ends = dict[str, tuple[bool, bool]]


def actions(view: RLlibEnv, **speeds: float) -> dict[str, Any]:
    return {name: np.array([speeds.get(name, 0.0), 0.0], np.float32) for name in speeds}


def test_its_checker_accepts_it(make_race: MakeRace) -> None:
    check_multiagent_environments(RLlibEnv(make_race()))


def test_its_checker_accepts_agents_that_end_at_once(make_race: MakeRace) -> None:
    check_multiagent_environments(RLlibEnv(make_race(1)))


def test_its_checker_accepts_several_worlds(make_races: Callable[..., Any]) -> None:
    environment = make_races(2)
    if isinstance(environment, Environment):  # and not joined
        view = RLlibEnv(environment)
        assert view.possible_agents == ["a/0", "b/0", "a/1", "b/1"]
        check_multiagent_environments(view)


def test_agents_and_spaces_are_in_the_order_of_the_area(make_race: MakeRace) -> None:
    view = RLlibEnv(make_race())
    assert view.possible_agents == ["a", "b"]
    assert list(view.observation_spaces) == list(view.action_spaces) == ["a", "b"]
    assert view.get_observation_space("a") == view.environment.observation_space["a"]


def test_who_is_done_gets_a_last_observation_and_reward_and_then_nothing(
    make_race: MakeRace,
) -> None:
    view = RLlibEnv(make_race())
    view.reset(seed=0)
    for _ in range(5):
        seen, rewards, terminateds, truncateds, infos = view.step(actions(view, a=1.0, b=1.0))
    assert list(seen) == list(rewards) == list(infos) == ["a", "b"]
    assert rewards["a"] == pytest.approx(0.1)
    assert terminateds == {"a": True, "b": False, "__all__": False}
    assert truncateds == {"a": False, "b": False, "__all__": False}
    seen, rewards, terminateds, _, _ = view.step(actions(view, b=1.0))
    assert list(seen) == list(rewards) == ["b"]
    assert terminateds == {"b": False, "__all__": False}


@pytest.mark.parametrize(
    ("limit", "speeds", "ends"),
    [
        # a arrives after 5 steps at full speed, b after 10: by who is terminated or truncated.
        (12, {"a": 1.0, "b": 1.0}, {"a": (True, False), "b": (True, False)}),
        (7, {"a": 1.0, "b": 1.0}, {"a": (True, False), "b": (False, True)}),
        (7, {"a": 0.0, "b": 0.0}, {"a": (False, True), "b": (False, True)}),
        (5, {"a": 0.0, "b": 0.0}, {"a": (False, True), "b": (False, True)}),
        (5, {"a": 1.0, "b": 1.0}, {"a": (True, True), "b": (False, True)}),
    ],
)
def test_rllib_bootstraps_exactly_who_was_truncated(
    make_race: MakeRace, limit: int, speeds: dict[str, float], ends: Ends
) -> None:
    """Its own episode says who was terminated; it never looks further for these."""
    view = RLlibEnv(make_race(limit))
    episode = MultiAgentEpisode()
    seen, infos = view.reset(seed=0)
    episode.add_env_reset(observations=seen, infos=infos)
    while not episode.is_done:
        acted = actions(view, **{name: speeds[name] for name in view.environment.live_agents})
        seen, rewards, terminateds, truncateds, infos = view.step(acted)
        episode.add_env_step(
            seen, acted, rewards, infos, terminateds=terminateds, truncateds=truncateds
        )
        assert episode.is_done == (terminateds["__all__"] or truncateds["__all__"])
    assert not view.environment.live_agents
    told = {
        name: (it.is_terminated, it.is_truncated) for name, it in episode.agent_episodes.items()
    }
    assert told == ends
    for name, it in episode.agent_episodes.items():
        assert it.get_return() == pytest.approx(speeds[name] * len(it) * 0.1)


def test_a_seed_repeats_an_episode_and_none_draws_one(make_race: MakeRace) -> None:
    one, other = RLlibEnv(make_race()), RLlibEnv(make_race())
    assert one.reset(seed=4)[0]["a"].tobytes() == other.reset(seed=4)[0]["a"].tobytes()
    fresh = [RLlibEnv(make_race()).reset()[0]["a"][1] for _ in range(3)]
    assert len(set(fresh)) == 3


@pytest.fixture
def cluster() -> Iterator[None]:
    quiet = {"include_dashboard": False, "log_to_driver": False, "configure_logging": False}
    ray.init("local", num_cpus=1, **quiet)
    yield
    ray.shutdown()


@pytest.mark.filterwarnings("default")  # of what RLlib itself deprecates
@pytest.mark.usefixtures("cluster")
def test_ppo_learns(make_race: MakeRace) -> None:
    register_env("race", lambda config: RLlibEnv(make_race()))
    config = (
        PPOConfig()
        .environment("race")
        .env_runners(num_env_runners=0, num_envs_per_env_runner=4)
        .learners(num_learners=0)
        .multi_agent(policies={"all"}, policy_mapping_fn=lambda agent, episode: "all")
        .rl_module(model_config=DefaultModelConfig(fcnet_hiddens=[32, 32]))
        .training(train_batch_size_per_learner=512, minibatch_size=128, num_epochs=8, lr=3e-3)
        .debugging(seed=0)
    )
    algorithm = config.build_algo()
    try:
        returns = [
            algorithm.train()["env_runners"]["agent_episode_returns_mean"] for _ in range(12)
        ]
    finally:
        algorithm.stop()
    first, last = ({name: means[name] for name in "ab"} for means in (returns[0], returns[-1]))
    assert sum(first.values()) < 0.6
    assert sum(last.values()) > 0.9
