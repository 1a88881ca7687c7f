# SPDX-License-Identifier: Apache-2.0
"""Chooses the variant of PPO that suits a task, from Stable-Baselines3 or SB3-Contrib."""

from __future__ import annotations

from typing import Any

from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecEnv

from deepsim_envs.spaces import has_action_mask
from deepsim_train.task_code import TaskError

from .config import TrainingConfig
from .suitable_spaces import is_picture, kind_of


def algorithm_of(worlds: VecEnv, config: TrainingConfig) -> tuple[Any, str, dict[str, Any]]:
    """Returns the algorithm's class, the name of its policy class, and the policy's arguments.

    Raises:
        TaskError: The task masks actions and the settings request a memory, which no algorithm
            combines; or SB3-Contrib is needed but not installed.
    """
    seen = worlds.observation_space
    kind = "MultiInput" if kind_of(seen) == "Dict" else "Cnn" if is_picture(seen) else "Mlp"
    masked = has_action_mask(seen, worlds.action_space)
    if masked and config.lstm:
        raise TaskError("the task masks actions, which PPO with a memory does not obey: set lstm=0")
    if not masked and not config.lstm:
        return PPO, f"{kind}Policy", {"log_std_init": config.log_std}
    try:
        from sb3_contrib import MaskablePPO, RecurrentPPO  # noqa: PLC0415 (only where needed)
    except ImportError as error:
        why = "the task has masks of actions" if masked else "lstm makes policies with a memory"
        raise TaskError(
            f"{why}, which need the PPO of SB3-Contrib: pip install 'deepsim-train[ppo]'"
        ) from error
    if masked:
        return MaskablePPO, f"{kind}Policy", {}
    memory = {"lstm_hidden_size": config.lstm, "log_std_init": config.log_std}
    return RecurrentPPO, f"{kind}LstmPolicy", memory
