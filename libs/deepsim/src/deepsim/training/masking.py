# SPDX-License-Identifier: Apache-2.0
"""PPO for tasks that forbid actions: that of SB3-Contrib, which obeys masks."""

from __future__ import annotations

from typing import Any

from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecEnv

from deepsim.tasks.task_code import TaskError
from deepsim_envs.spaces import has_action_mask


def ppo_of(worlds: VecEnv) -> Any:
    """Returns the PPO that suits the worlds.

    Raises:
        TaskError: Observations hold masks of actions, and SB3-Contrib is not installed.
    """
    if not has_action_mask(worlds.observation_space, worlds.action_space):
        return PPO
    try:
        from sb3_contrib import MaskablePPO  # noqa: PLC0415 (only where it is needed)
    except ImportError as error:
        raise TaskError(
            "the task masks actions, which PPO of Stable-Baselines3 does not obey, but that of "
            "SB3-Contrib: pip install 'deepsim[train]'"
        ) from error
    return MaskablePPO
