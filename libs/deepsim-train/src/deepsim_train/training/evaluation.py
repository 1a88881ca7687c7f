# SPDX-License-Identifier: Apache-2.0
"""Evaluates policies during a training run, in separate worlds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from stable_baselines3.common.vec_env import sync_envs_normalization

from deepsim_envs.spaces import has_action_mask
from deepsim_train.tasks.task import Task

from .config import TrainingConfig
from .learner import Learner, scaled_worlds
from .learning_worlds import learning_worlds
from .progress import REWARD, EpisodeEnds
from .teams import League

_APART = 1_000_003
"""Added to the seed, so that evaluations do not replay the episodes of the training run."""


class Evaluation:
    """Evaluates the most likely actions in separate worlds, always in the same episodes.

    Args:
        task: The task.
        config: The settings of the training run; ``evaluate`` is the number of episodes.
        league: Past policies for the other agents, or None.
    """

    def __init__(self, task: Task, config: TrainingConfig, league: League | None) -> None:
        self._seed = config.seed + _APART
        own = replace(config, seed=self._seed, worlds=min(config.worlds, config.evaluate))
        self._worlds = learning_worlds(task, own, league)
        self._scaled = {
            name: scaled_worlds(view, own, learning=False)
            for name, view in self._worlds.views.items()
        }
        # Each slot plays a fixed share of the episodes, so short ones are not overrepresented.
        self._left: dict[str, Any] = {}
        self._lengths: list[int] = []
        self._shares = {
            name: (config.evaluate * len(agents) + np.arange(slots)) // slots
            for name, agents in self._worlds.agents.items()
            for slots in [self._scaled[name].num_envs]
        }

    def means(self, learners: Sequence[Learner]) -> dict[str, float]:
        """Runs the evaluation; returns means over all episodes.

        These are ``eval/reward``, ``eval/length``, and the values of `EpisodeEnds.means`.
        """
        agents = [agent for learner in learners for agent in learner.agents]
        ends = EpisodeEnds(agents, window=None)
        self._worlds.seed(self._seed)
        self._left = {name: share.copy() for name, share in self._shares.items()}
        self._lengths = []
        self._worlds.run({each.name: partial(self._play, each, ends) for each in learners})
        means = {REWARD: ends.reward(), "length": float(np.mean(self._lengths))}
        means |= {name.removeprefix("end/"): value for name, value in ends.means().items()}
        return {f"eval/{name}": value for name, value in means.items()}

    def _play(self, learner: Learner, ends: EpisodeEnds) -> None:
        worlds, left = self._scaled[learner.name], self._left[learner.name]
        sync_envs_normalization(learner.model.get_env(), worlds)
        masked = has_action_mask(worlds.observation_space, worlds.action_space)
        seen, state = worlds.reset(), None
        starts = np.ones(worlds.num_envs, np.bool_)
        while any(each.any() for each in self._left.values()):
            masks = {"action_masks": np.stack(worlds.env_method("action_masks"))} if masked else {}
            actions, state = learner.model.predict(
                seen, state=state, episode_start=starts, deterministic=True, **masks
            )
            seen, _, starts, infos = worlds.step(actions)
            counted = [info if more else {} for info, more in zip(infos, left > 0, strict=True)]
            ends.add(counted, learner.agents)
            ended = ["episode" in info for info in counted]
            self._lengths += [info["episode"]["l"] for info in counted if "episode" in info]
            left -= ended
            self._worlds.meet(learner.name, lambda: None)

    def __enter__(self) -> Evaluation:
        return self

    def __exit__(self, *error: object) -> None:
        self._worlds.close()
