# SPDX-License-Identifier: Apache-2.0
"""Trains policies for a task with PPO from Stable-Baselines3; needs ``deepsim-train[ppo]``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from math import ceil
from pathlib import Path
from typing import Any

from deepsim_train.task_code import TaskError
from deepsim_train.tasks.task import Task

from .config import TrainingConfig
from .progress import ProgressFiles, write_csv
from .teams import League

try:
    import torch
    from stable_baselines3.common.logger import KVWriter, TensorBoardOutputFormat
    from torch.utils.tensorboard import SummaryWriter as _  # noqa: F401 (fails early if missing)

    from .checkpoint import FILE as CHECKPOINT
    from .checkpoint import load_training_state, put_back
    from .cloning import clone
    from .learner import make_learner
    from .learning_worlds import learning_worlds
    from .updates import Evaluation, UpdateLog, Updates
except ImportError as error:
    raise ImportError(
        "training needs an extra: pip install --find-links dist 'deepsim-train[ppo]'"
    ) from error


@dataclass(frozen=True, slots=True)
class Training:
    """The result of a training run.

    Attributes:
        steps: Total number of steps of all learning agents.
        rows: The rows of ``progress.csv``, each by column.
        interrupted: Whether Ctrl-C or another signal stopped it before its end.
        resumable: Whether the folder has a checkpoint, which needs a simulator with snapshots.
    """

    steps: int
    rows: list[dict[str, Any]]
    interrupted: bool
    resumable: bool


def train(
    task: Task,
    config: TrainingConfig,
    folder: Path,
    on_step: Callable[[int, Mapping[str, float]], object],
    *,
    resume: bool = False,
) -> Training:
    """Trains policies; writes the log, TensorBoard events, checkpoints and policies.

    With ``demonstrations``, the policy first learns these, and ``cloning.csv`` has the loss of each
    pass over them.

    Args:
        task: The task.
        config: All settings.
        folder: Output folder.
        on_step: Called after every step with the number of steps so far and, by agent, the mean
            reward of the latest episodes.
        resume: Whether to continue from the checkpoint in the folder.

    Raises:
        TaskError: The agents or spaces are not suitable, a file cannot be written, or the folder
            has no checkpoint of this task with these settings.
    """
    state = load_training_state(folder / CHECKPOINT) if resume else None
    # One thread is fastest for small networks, and sums do not depend on the number of cores.
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    closing = ExitStack()
    try:
        league = League(config.self_play, config.self_play_every) if config.self_play else None
        closing.enter_context(config.on_backend())
        worlds = learning_worlds(task, config, league)
        closing.callback(worlds.close)
        learners = [
            make_learner(name, agents, worlds.views[name], config, config.seed + number)
            for number, (name, agents) in enumerate(worlds.agents.items())
        ]
        files = _Files(folder)
        formats = [files, TensorBoardOutputFormat(str(folder))]
        if config.wandb is not None:
            formats.append(_wandb_log(folder, config))
        log = UpdateLog(learners, formats)
        closing.callback(log.close)
        updates = Updates(worlds, learners, log, files, folder, config, on_step, league)
        if state is not None:
            try:
                updates.ends = put_back(state, worlds, learners, files, league)
            except (ValueError, KeyError, RuntimeError) as error:
                raise TaskError(f"{folder} is of another task or settings: {error}") from error
        else:
            if config.demonstrations is not None:
                if len(learners) > 1:
                    raise TaskError("demonstrations train one policy, not several")
                write_csv(folder / "cloning.csv", clone(learners[0], config))
            updates.join_league(0)
        if config.evaluate:
            updates.evaluation = closing.enter_context(Evaluation(task, config, league))
        slots = sum(learner.worlds.num_envs for learner in learners)
        interrupted = False
        try:
            worlds.run(
                {
                    learner.name: partial(
                        learner.model.learn,
                        ceil(config.steps * learner.worlds.num_envs / slots)
                        - learner.model.num_timesteps,
                        callback=updates.callback(learner),
                        reset_num_timesteps=state is None,
                    )
                    for learner in learners
                }
            )
        except KeyboardInterrupt:
            interrupted = True
        updates.write()
        return Training(updates.steps, files.rows, interrupted, updates.resumable)
    except OSError as error:
        raise TaskError(f"cannot write to {folder}: {error.strerror or error}") from error
    finally:
        closing.close()
        torch.set_num_threads(threads)


def _wandb_log(folder: Path, config: TrainingConfig) -> KVWriter:
    """Opens the log for Weights & Biases."""
    try:
        # An extra, for this setting alone.
        from .wandb_log import WandbLog  # noqa: PLC0415 (see above)
    except ImportError as error:
        raise TaskError(str(error)) from error
    return WandbLog(folder, config)


class _Files(ProgressFiles, KVWriter):  # type: ignore[misc]  # not typed where not installed
    """The files of the log, as a subclass of the logger's output format."""
