# SPDX-License-Identifier: Apache-2.0
"""Trains a task by PPO of Stable-Baselines3; needs ``deepsim[train]``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path
from time import monotonic
from typing import Any

from deepsim.tasks.task import Task
from deepsim.tasks.task_code import TaskError
from deepsim_envs import GymnasiumVectorEnv
from deepsim_envs.viewing import only_group
from deepsim_sync import UnsupportedError

from .config import TrainingConfig
from .league import League
from .progress import WINDOW, EpisodeEnds, ProgressFiles
from .suitable_spaces import is_picture, kind_of, require_suitable
from .trained_policy import FILE, TrainedPolicy
from .whole_file import whole_file

try:
    import torch
    from stable_baselines3 import PPO
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.logger import KVWriter, Logger, TensorBoardOutputFormat
    from stable_baselines3.common.vec_env import VecEnv
    from torch.utils.tensorboard import SummaryWriter as _  # noqa: F401 (SB3 asks too late)

    from deepsim_envs.sb3 import AgentsVecEnv, WorldsVecEnv

    from .checkpoint import FILE as CHECKPOINT
    from .checkpoint import load_training_state, put_back, training_state
    from .evaluation import Evaluation
    from .masking import ppo_of
    from .plain_policy import plain_policy
    from .scaling import scaled_worlds
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
        interrupted: Whether Ctrl-C or another signal stopped it before its end.
        resumable: Whether the folder has a checkpoint; not where the simulator cannot go back.
    """

    steps: int
    rows: list[dict[str, Any]]
    interrupted: bool
    resumable: bool


def train(
    task: Task, config: TrainingConfig, folder: Path, on_step: OnStep, *, resume: bool = False
) -> Training:
    """Trains a task, and writes progress, TensorBoard's events, checkpoints and the policy.

    Args:
        task: The task.
        config: All settings.
        folder: Output folder.
        on_step: Callback after every step of all worlds.
        resume: Whether to go on from the checkpoint in the folder.

    Raises:
        TaskError: The task's agents or spaces do not suit, a file cannot be written, or there is no
            checkpoint of this task with these settings.
    """
    state = load_training_state(folder / CHECKPOINT) if resume else None
    # One thread is fastest for small networks, and sums do not depend on the number of cores.
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    closing = ExitStack()
    try:
        league = _league(config)
        agents, worlds = _worlds(task, config, league)
        closing.callback(worlds.close)
        require_suitable(worlds.observation_space, worlds.action_space)
        scaled = scaled_worlds(worlds, config)
        model = _model(scaled, config)
        files = _Files(folder)
        formats = [files, TensorBoardOutputFormat(str(folder))]
        if config.wandb is not None:
            formats.append(_wandb_log(folder, config))
        model.set_logger(Logger(str(folder), formats))
        closing.callback(model.logger.close)
        ends = EpisodeEnds(agents)
        if state is not None:
            try:
                ends = put_back(state, model, scaled, files, league)
            except (ValueError, KeyError, RuntimeError) as error:
                raise TaskError(f"{folder} is of another task or settings: {error}") from error
        elif league is not None:
            league.add(plain_policy(model, scaled), 0)
        watch = _Watch(ends, files, folder, config, on_step, league)
        if config.evaluate:
            apart = Evaluation(task, config, partial(_worlds, league=league))
            watch.evaluation = closing.enter_context(apart)
        left = config.steps - model.num_timesteps
        interrupted = False
        try:
            model.learn(left, callback=watch, reset_num_timesteps=state is None)
        except KeyboardInterrupt:
            interrupted = True
        watch.write()
        return Training(watch.steps, files.rows, interrupted, watch.resumable)
    except OSError as error:
        raise TaskError(f"cannot write to {folder}: {error.strerror or error}") from error
    finally:
        closing.close()
        torch.set_num_threads(threads)


def _worlds(
    task: Task, config: TrainingConfig, league: League | None
) -> tuple[Sequence[str], VecEnv]:
    """Returns the agents that learn, and all worlds, with a slot for each of them."""
    others = league if config.others is None else task.policy(config.others)
    environment = task.environments(config.envs, config.seed, **config.make)
    try:
        if config.agent is None:
            return environment.agents, AgentsVecEnv(environment, game_over=config.game_over)
        if others is None and len(environment.agents) > 1:
            raise TaskError(
                f"--agent {config.agent} needs --others, the policy of all other agents"
            )
        if league is not None:
            only_group(environment, "self-play has one policy for all agents")
            if len(environment.agents) == 1:
                raise TaskError(f"self_play needs other agents than {environment.agents[0]!r}")
        view = GymnasiumVectorEnv(
            environment, agent=config.agent, others=others, autoreset_mode="SameStep"
        )
        return [config.agent], WorldsVecEnv(view)
    except (TaskError, ValueError) as error:
        environment.close()
        if isinstance(error, TaskError):
            raise
        raise TaskError(f"{task.name} cannot be trained with these settings: {error}") from error


def _wandb_log(folder: Path, config: TrainingConfig) -> KVWriter:
    """Opens the log for Weights & Biases."""
    try:
        # An extra, for this setting alone.
        from .wandb_log import WandbLog  # noqa: PLC0415 (see above)
    except ImportError as error:
        raise TaskError(str(error)) from error
    return WandbLog(folder, config)


def _league(config: TrainingConfig) -> League | None:
    """Returns the past policies that are played against, if there are to be some."""
    return League(config.self_play, config.self_play_every) if config.self_play else None


def _model(worlds: VecEnv, config: TrainingConfig) -> PPO:
    slots = worlds.num_envs
    rate = config.learning_rate
    seen = worlds.observation_space
    kind = "CnnPolicy" if is_picture(seen) else "MlpPolicy"
    algorithm, _ = ppo_of(worlds)
    spread = {"log_std_init": config.log_std} if algorithm is PPO else {}
    return algorithm(
        "MultiInputPolicy" if kind_of(seen) == "Dict" else kind,
        worlds,
        seed=config.seed,
        device="cpu",
        n_steps=config.rollout,
        batch_size=min(config.minibatch, slots * config.rollout),
        n_epochs=config.epochs,
        learning_rate=(lambda left: rate * max(left, 0.0)) if config.decay else rate,
        gamma=config.gamma,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip_range,
        ent_coef=config.entropy,
        stats_window_size=WINDOW,
        policy_kwargs={
            "net_arch": list(config.hidden),
            "activation_fn": torch.nn.Tanh,
            **spread,
        },
    )


class _Files(ProgressFiles, KVWriter):  # type: ignore[misc]  # not typed where not installed
    """The files, as the class that the logger requires."""


class _Watch(BaseCallback):  # type: ignore[misc]  # not typed where it is not installed
    """Reports progress, logs the ends of episodes, and keeps the state of the latest update.

    The state is taken after each update, and written every so often and at the end: a training
    that is stopped amid an update goes on from the beginning of that update.

    Attributes:
        evaluation: Episodes apart from the learning ones, or None.
        steps: Steps of agents up to the latest update.
        resumable: Whether the simulator can go back to an instant.
    """

    def __init__(
        self,
        ends: EpisodeEnds,
        files: ProgressFiles,
        folder: Path,
        config: TrainingConfig,
        on_step: OnStep,
        league: League | None,
    ) -> None:
        super().__init__()
        self.evaluation: Evaluation | None = None
        self.steps = 0
        self.resumable = True
        self._on_step_done = on_step
        self._ends, self._files, self._folder, self._config = ends, files, folder, config
        self._league = league
        self._kept: tuple[bytes, bytes, TrainedPolicy] | None = None
        self._written = monotonic()

    def write(self) -> None:
        """Writes the state, the model and the policy of the latest update."""
        if self._kept is None:
            return
        state, model, policy = self._kept
        for name, content in ((CHECKPOINT, state), ("model.zip", model)):
            if content:
                with whole_file(self._folder / name) as stream:
                    stream.write(content)
        policy.save(self._folder / FILE)
        self._written = monotonic()

    def _keep(self) -> None:
        scaled = self.model.get_vec_normalize_env()
        state = b""
        if self.resumable:
            try:
                state = training_state(self.model, scaled, self._ends, self._files, self._league)
            except UnsupportedError:
                self.resumable = False
        model = BytesIO()
        self.model.save(model)
        self._kept = (state, model.getvalue(), plain_policy(self.model, scaled))
        self.steps = self.num_timesteps

    def _on_rollout_start(self) -> None:
        update = self.num_timesteps // (self.model.n_steps * self.training_env.num_envs)
        if self._league is not None and self._league.wants(update):
            scaled = self.model.get_vec_normalize_env()
            self._league.add(plain_policy(self.model, scaled), update)
        self._keep()
        if monotonic() - self._written >= self._config.checkpoint:
            self.write()

    def _on_training_end(self) -> None:
        self._keep()

    def _on_step(self) -> bool:
        self._ends.add(self.locals["infos"])
        self._on_step_done(self.num_timesteps, self._ends.rewards())
        return True

    def _on_rollout_end(self) -> None:
        for name, value in self._ends.means().items():
            self.logger.record(name, value)
        every = self.model.n_steps * self.training_env.num_envs * self._config.evaluate_every
        if self.evaluation is not None and self.num_timesteps % every == 0:
            for name, value in self.evaluation.means(self.model).items():
                self.logger.record(name, value)
