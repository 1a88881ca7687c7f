# SPDX-License-Identifier: Apache-2.0
"""Prepares observations for networks: scales numbers, and puts the channels of pictures first."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv, VecNormalize, VecTransposeImage

from deepsim_envs.spaces import MASK, has_action_mask

from .config import TrainingConfig
from .suitable_spaces import is_picture, kind_of


def scaled_worlds(worlds: VecEnv, config: TrainingConfig, *, learning: bool = True) -> VecNormalize:
    """Returns worlds with scaled observations and rewards, if the settings request it.

    Only the numbers of a `Box` are scaled, neither discrete values nor pictures.

    Args:
        worlds: The worlds.
        config: The settings of the training run.
        learning: Whether to update the scale with each observation, and to scale rewards too.
    """
    seen = worlds.observation_space
    keys = None
    scales = _is_numbers(seen)
    if kind_of(seen) == "Dict":
        masked = has_action_mask(seen, worlds.action_space)
        parts = {key: part for key, part in seen.spaces.items() if not (masked and key == MASK)}
        keys = [key for key, part in parts.items() if _is_numbers(part)]
        scales = bool(keys)
    if any(map(is_picture, seen.spaces.values() if kind_of(seen) == "Dict" else [seen])):
        worlds = _ChannelsFirst(worlds)
    return VecNormalize(
        worlds,
        training=learning,
        norm_obs=config.normalize and scales,
        norm_reward=config.normalize and learning,
        gamma=config.gamma,
        norm_obs_keys=keys if config.normalize and scales else None,
    )


def _is_numbers(space: Any) -> bool:
    return kind_of(space) == "Box" and not is_picture(space)


class _ChannelsFirst(VecTransposeImage):  # type: ignore[misc]  # not typed where not installed
    """Makes pictures C-contiguous as in checkpoints, because torch's rounding depends on it."""

    @staticmethod
    def transpose_image(image: NDArray[Any]) -> NDArray[Any]:
        """Returns one picture, or a batch of them, with the channels before height and width."""
        return np.ascontiguousarray(VecTransposeImage.transpose_image(image))
