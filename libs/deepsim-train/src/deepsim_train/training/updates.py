# SPDX-License-Identifier: Apache-2.0
"""Saves checkpoints, evaluates the policies and logs progress, update by update."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter, Logger
from stable_baselines3.common.vec_env import sync_envs_normalization

from deepsim_envs.spaces import has_action_mask
from deepsim_sync import UnsupportedError
from deepsim_train.policies.slot_policy import team_of
from deepsim_train.policies.trained_policy import (
    RecurrentPolicy,
    TrainedPolicy,
    policy_file,
    whole_file,
)
from deepsim_train.tasks.task import Task

from .checkpoint import FILE as CHECKPOINT
from .checkpoint import training_state
from .config import TrainingConfig
from .learner import Learner, scaled_worlds
from .learning_worlds import LearningWorlds, learning_worlds
from .progress import REWARD, EpisodeEnds, ProgressFiles
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


OnStep = Callable[[int, Mapping[str, float]], object]
"""Takes the number of steps so far and, by agent, the mean reward of the latest episodes."""


class Updates:
    """Keeps the latest state, logs the ends of episodes, evaluates, and reports progress.

    The state is taken after each update, and written at intervals and at the end. A training run
    that stops during an update therefore resumes from the start of that update.

    Attributes:
        evaluation: The evaluation, or None.
        ends: The ends of the latest episodes.
        steps: Total steps of all learning agents up to the latest update.
        resumable: Whether a checkpoint can be written, which needs a simulator with snapshots.
    """

    def __init__(
        self,
        worlds: LearningWorlds,
        learners: Sequence[Learner],
        log: UpdateLog,
        files: ProgressFiles,
        folder: Path,
        config: TrainingConfig,
        on_step: OnStep,
        league: League | None,
    ) -> None:
        self.evaluation: Evaluation | None = None
        self.ends = EpisodeEnds([agent for each in learners for agent in each.agents])
        self.steps = 0
        self.resumable = True
        self._worlds, self._learners, self._log, self._files = worlds, learners, log, files
        self._folder, self._config = folder, config
        self._on_step_done, self._league = on_step, league
        self._kept: list[tuple[Path, bytes]] = []
        self._policies: dict[str, TrainedPolicy | RecurrentPolicy] = {}
        self._written = monotonic()

    def callback(self, learner: Learner) -> BaseCallback:
        """Returns the callback for a learner's model."""
        return _Callback(self, learner, self._worlds)

    def join_league(self, update: int) -> None:
        """Adds the current policies to the league, if one is due at this update."""
        if self._league is None or not self._league.wants(update):
            return
        policies = {each.name: each.plain() for each in self._learners}
        past = self._worlds.past
        self._league.add(team_of(policies, past) if past else policies[""], update)

    def write(self) -> None:
        """Writes the kept state, models and policies."""
        for file, content in self._kept:
            with whole_file(file) as stream:
                stream.write(content)
        for name, policy in self._policies.items():
            policy.save(self._folder / policy_file(name))
        self._written = monotonic()

    def begin(self) -> None:
        """Keeps the state at the start of an update, and writes it if a checkpoint is due."""
        model, worlds = self._learners[0].model, self._learners[0].worlds
        self.join_league(model.num_timesteps // (model.n_steps * worlds.num_envs))
        self.keep()
        if monotonic() - self._written >= self._config.checkpoint:
            self.write()
        for learner in self._learners:  # after `keep`, since a resumed run adapts it here again
            learner.adapt_rate()

    def keep(self) -> None:
        """Keeps the current state, models and policies in memory."""
        kept = []
        if self.resumable:
            try:
                state = training_state(
                    self._worlds, self._learners, self.ends, self._files, self._league
                )
                kept.append((self._folder / CHECKPOINT, state))
            except UnsupportedError:
                self.resumable = False
        for learner in self._learners:
            file = policy_file(learner.name).replace("policy", "model", 1)
            kept.append((self._folder / Path(file).with_suffix(".zip"), learner.saved()))
        self._kept = kept
        self._policies = {learner.name: learner.plain() for learner in self._learners}
        self.steps = sum(learner.model.num_timesteps for learner in self._learners)

    def add(self, learner: Learner, infos: Sequence[Mapping[str, Any]]) -> None:
        """Adds the episodes that ended in a learner's step, and reports progress."""
        self.ends.add(infos, learner.agents)
        steps = sum(each.model.num_timesteps for each in self._learners)
        self._on_step_done(steps, self.ends.rewards())

    def end(self) -> None:
        """Logs the ends of episodes after the rollout of an update; evaluates if it is due."""
        self._log.record(self.ends.means())
        model, worlds = self._learners[0].model, self._learners[0].worlds
        every = model.n_steps * worlds.num_envs * self._config.evaluate_every
        if self.evaluation is not None and model.num_timesteps % every == 0:
            self._log.record(self.evaluation.means(self._learners))


class _Callback(BaseCallback):  # type: ignore[misc]  # not typed where it is not installed
    """Calls the methods of `Updates` once all learners of shared worlds have reached the event."""

    def __init__(self, updates: Updates, learner: Learner, worlds: LearningWorlds) -> None:
        super().__init__()
        self._updates, self._learner, self._worlds = updates, learner, worlds

    def _on_rollout_start(self) -> None:
        self._worlds.meet(self._learner.name, self._updates.begin)

    def _on_training_end(self) -> None:
        self._worlds.meet(self._learner.name, self._updates.keep)

    def _on_step(self) -> bool:
        self._updates.add(self._learner, self.locals["infos"])
        return True

    def _on_rollout_end(self) -> None:
        self._worlds.meet(self._learner.name, self._updates.end)


_ROLLOUT = "rollout/"
_SUMS = ("time/total_timesteps", "time/fps")


class UpdateLog:
    """Collects the values that the learners log, and writes one row for each update.

    Means over episodes are weighted by each learner's number of agents. With several learners, each
    one has a value ``reward/NAME``, and the names of its other values, such as losses, end with its
    name.

    Args:
        learners: The learners; their loggers are replaced.
        formats: The output formats.
    """

    def __init__(self, learners: Sequence[Learner], formats: Sequence[KVWriter]) -> None:
        self._learners, self._formats = learners, formats
        self._shared: dict[str, float] = {}
        self._logged: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}
        for learner in learners:
            learner.model.set_logger(Logger(None, [_Collector(self, learner.name)]))

    def record(self, values: Mapping[str, float]) -> None:
        """Adds values that concern all learners to the next row."""
        self._shared.update(values)

    def collect(self, name: str, values: Mapping[str, Any], excluded: Mapping[str, Any]) -> None:
        """Takes the values of one learner; writes a row when all learners have logged theirs."""
        self._logged[name] = dict(values), dict(excluded)
        if len(self._logged) < len(self._learners):
            return
        row, left_out = self._joined()
        row |= self._shared
        self._logged, self._shared = {}, {}
        for key in row:
            left_out.setdefault(key, ())
        steps = sum(learner.model.num_timesteps for learner in self._learners)
        for each in self._formats:
            each.write(row, left_out, steps)

    def close(self) -> None:
        """Closes all output formats."""
        for each in self._formats:
            each.close()

    def _joined(self) -> tuple[dict[str, Any], dict[str, Any]]:
        if len(self._learners) == 1:
            return self._logged[self._learners[0].name]
        row: dict[str, Any] = {}
        excluded: dict[str, Any] = {}
        weights: dict[str, int] = {}
        for learner in self._learners:
            agents = len(learner.agents)
            values, own_excluded = self._logged[learner.name]
            for key, value in values.items():
                name = key
                if key.startswith(_ROLLOUT):
                    weights[key] = weights.get(key, 0) + agents
                    row[key] = row.get(key, 0.0) + value * agents
                elif key in _SUMS:
                    row[key] = row.get(key, 0) + value
                elif key.startswith("time/"):
                    row[key] = value
                else:
                    name = f"{key}/{learner.name}"
                    row[name] = value
                excluded[name] = own_excluded.get(key, ())
            if f"{_ROLLOUT}ep_rew_mean" in values:
                row[f"{REWARD}/{learner.name}"] = values[f"{_ROLLOUT}ep_rew_mean"]
        return row | {key: row[key] / weight for key, weight in weights.items()}, excluded


class _Collector(KVWriter):  # type: ignore[misc]  # not typed where it is not installed
    """Passes the logged values of one learner to `UpdateLog`."""

    def __init__(self, log: UpdateLog, name: str) -> None:
        self._log, self._name = log, name

    def write(
        self,
        key_values: Mapping[str, Any],
        key_excluded: Mapping[str, tuple[str, ...]],
        step: int = 0,
    ) -> None:
        """Passes on the values of an update."""
        self._log.collect(self._name, key_values, key_excluded)

    def close(self) -> None:
        """Does nothing, because `UpdateLog` closes the output formats."""
