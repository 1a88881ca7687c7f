# SPDX-License-Identifier: Apache-2.0
"""Evaluations during a training, in worlds of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any

from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecEnv, sync_envs_normalization

from deepsim.tasks.task import Task

from .config import TrainingConfig
from .masking import ppo_of
from .progress import REWARD, EpisodeEnds
from .scaling import scaled_worlds

_APART = 1_000_003
"""Added to the seed: the worlds of evaluations are others than those of the training."""


class Evaluation:
    """Plays a model's most likely actions in worlds of its own; always the same episodes.

    Args:
        task: The task.
        config: Its settings; ``evaluate`` is the number of episodes.
        worlds: Makes the agents that learn and the worlds.
    """

    def __init__(
        self,
        task: Task,
        config: TrainingConfig,
        worlds: Callable[[Task, TrainingConfig], tuple[Sequence[str], VecEnv]],
    ) -> None:
        seed = config.seed + _APART
        own = replace(config, seed=seed, envs=min(config.envs, config.evaluate))
        self._agents, made = worlds(task, own)
        self._worlds = scaled_worlds(made, own, learning=False)
        self._episodes = config.evaluate * len(self._agents)
        self._seed = seed

    def means(self, model: PPO) -> dict[str, float]:
        """Returns the means of all episodes: ``eval/reward``, of each agent, and of infos."""
        ends = EpisodeEnds(self._agents)
        sync_envs_normalization(model.get_env(), self._worlds)
        self._worlds.seed(self._seed)
        slots = self._worlds.num_envs

        def on_step(known: dict[str, Any], _globals: dict[str, Any]) -> None:
            infos: list[Any] = [{}] * slots
            infos[known["i"]] = known["info"]
            ends.add(infos)

        _, evaluate_policy = ppo_of(self._worlds)
        rewards, lengths = evaluate_policy(
            model, self._worlds, self._episodes, callback=on_step, return_episode_rewards=True
        )
        means = {REWARD: sum(rewards) / len(rewards), "length": sum(lengths) / len(lengths)}
        means |= {name.removeprefix("end/"): value for name, value in ends.means().items()}
        return {f"eval/{name}": float(value) for name, value in means.items()}

    def __enter__(self) -> Evaluation:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._worlds.close()
