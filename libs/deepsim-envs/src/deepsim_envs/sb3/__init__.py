# SPDX-License-Identifier: Apache-2.0
"""Environments as Stable-Baselines3's `VecEnv`; needs ``deepsim-envs[sb3]``."""

from .agents_vec_env import AgentsVecEnv
from .shared_worlds import SharedWorlds
from .worlds_vec_env import WorldsVecEnv

__all__ = ["AgentsVecEnv", "SharedWorlds", "WorldsVecEnv"]
