# SPDX-License-Identifier: Apache-2.0
"""Trains a task by PPO of Stable-Baselines3; needs ``deepsim[train]``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from deepsim.tasks.task import Task
from deepsim.tasks.task_code import TaskError
from deepsim_envs import GymnasiumVectorEnv

from .config import TrainingConfig
from .progress import WINDOW, EpisodeEnds, ProgressFiles
from .trained_policy import FILE, TrainedPolicy

try:
    import torch
    from stable_baselines3 import PPO
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.logger import KVWriter, Logger, TensorBoardOutputFormat
    from stable_baselines3.common.vec_env import VecEnv, VecNormalize
    from torch.utils.tensorboard import SummaryWriter as _  # noqa: F401 (SB3 asks too late)

    from deepsim_envs.sb3 import AgentsVecEnv, WorldsVecEnv
except ImportError as error:
    raise ImportError("training needs an extra: pip install 'deepsim[train]'") from error

OnStep = Callable[[int, Mapping[str, float]], object]
"""Takes the number of steps so far, and the mean reward of each agent's latest episodes."""


@dataclass(frozen=True, slots=True)
class Training:
    """The result of a training.

    Attributes:
        steps: Steps of agents.
        rows: The log by column, as in ``progress.csv``.
        interrupted: Whether Ctrl-C stopped it before its end.
    """

    steps: int
    rows: list[dict[str, Any]]
    interrupted: bool


def train(task: Task, config: TrainingConfig, folder: Path, on_step: OnStep) -> Training:
    """Trains a task, and writes progress, TensorBoard's events and the policy.

    Args:
        task: The task.
        config: All settings.
        folder: Output folder.
        on_step: Callback after every step of all worlds.

    Raises:
        TaskError: The task's agents or spaces do not suit.
    """
    # One thread is fastest for small networks, and sums do not depend on the number of cores.
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    agents, worlds = _worlds(task, config)
    try:
        _require_suitable(worlds)
        scaled = VecNormalize(
            worlds,
            norm_obs=config.normalize,
            norm_reward=config.normalize,
            gamma=config.gamma,
        )
        model = _model(scaled, config)
        files = _Files(folder)
        model.set_logger(Logger(str(folder), [files, TensorBoardOutputFormat(str(folder))]))
        interrupted = False
        try:
            model.learn(config.steps, callback=_Watch(agents, on_step))
        except KeyboardInterrupt:
            interrupted = True
        model.logger.close()
        model.save(folder / "model.zip")
        _policy(model, scaled).save(folder / FILE)
        return Training(model.num_timesteps, files.rows, interrupted)
    finally:
        worlds.close()
        torch.set_num_threads(threads)


def _worlds(task: Task, config: TrainingConfig) -> tuple[Sequence[str], VecEnv]:
    """Returns the agents that learn, and all worlds, with a slot for each of them."""
    others = None if config.others is None else task.policy(config.others)
    environment = task.environments(config.envs, config.seed, **config.make)
    try:
        if config.agent is None:
            return environment.agents, AgentsVecEnv(environment, game_over=config.game_over)
        if others is None and len(environment.agents) > 1:
            raise TaskError(
                f"--agent {config.agent} needs --others, the policy of all other agents"
            )
        view = GymnasiumVectorEnv(
            environment, agent=config.agent, others=others, autoreset_mode="SameStep"
        )
        return [config.agent], WorldsVecEnv(view)
    except (TaskError, ValueError) as error:
        environment.close()
        if isinstance(error, TaskError):
            raise
        raise TaskError(f"{task.name} cannot be trained with these settings: {error}") from error


def _require_suitable(worlds: VecEnv) -> None:
    """Refuses spaces that a perceptron on plain arrays cannot use."""
    seen, acted = worlds.observation_space, worlds.action_space
    if type(seen).__name__ != "Box":
        raise TaskError(f"deepsim train takes observations of a Box, got {seen}")
    if type(acted).__name__ not in ("Box", "Discrete") or getattr(acted, "start", 0) != 0:
        raise TaskError(f"deepsim train takes actions of a Box, or 0 .. n of Discrete, got {acted}")


def _model(worlds: VecEnv, config: TrainingConfig) -> PPO:
    slots = worlds.num_envs
    rate = config.learning_rate
    return PPO(
        "MlpPolicy",
        worlds,
        seed=config.seed,
        device="cpu",
        n_steps=config.rollout,
        batch_size=min(config.minibatch, slots * config.rollout),
        n_epochs=config.epochs,
        learning_rate=(lambda left: rate * left) if config.decay else rate,
        gamma=config.gamma,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip_range,
        ent_coef=config.entropy,
        stats_window_size=WINDOW,
        policy_kwargs={
            "net_arch": list(config.hidden),
            "log_std_init": config.log_std,
            "activation_fn": torch.nn.Tanh,
        },
    )


def _policy(model: PPO, scaled: VecNormalize) -> TrainedPolicy:
    """Returns the network that acts, with the scale of its observations, as plain arrays."""
    network = [*model.policy.mlp_extractor.policy_net, model.policy.action_net]
    layers = tuple(
        (layer.weight.detach().numpy().copy(), layer.bias.detach().numpy().copy())
        for layer in network
        if isinstance(layer, torch.nn.Linear)
    )
    space = model.action_space
    continuous = type(space).__name__ == "Box"
    size = int(np.prod(scaled.observation_space.shape))
    mean, scale, limit = np.zeros(size), np.ones(size), np.inf
    if scaled.norm_obs:
        mean, limit = scaled.obs_rms.mean.ravel(), scaled.clip_obs
        scale = np.sqrt(scaled.obs_rms.var.ravel() + scaled.epsilon)
    return TrainedPolicy(
        mean.astype(np.float32),
        scale.astype(np.float32),
        float(limit),
        layers,
        space.low.ravel() if continuous else None,
        space.high.ravel() if continuous else None,
        space.shape,
    )


class _Files(ProgressFiles, KVWriter):  # type: ignore[misc]  # not typed where not installed
    """The files, as the class that the logger requires."""


class _Watch(BaseCallback):  # type: ignore[misc]  # not typed where it is not installed
    """Reports progress, and logs rewards and the area's info at the ends of episodes."""

    def __init__(self, agents: Sequence[str], on_step: OnStep) -> None:
        super().__init__()
        self._on_step_done = on_step
        self._ends = EpisodeEnds(agents)

    def _on_step(self) -> bool:
        self._ends.add(self.locals["infos"])
        self._on_step_done(self.num_timesteps, self._ends.rewards())
        return True

    def _on_rollout_end(self) -> None:
        for name, value in self._ends.means().items():
            self.logger.record(name, value)
