# SPDX-License-Identifier: Apache-2.0
"""Views of environments as `VecEnv` of Stable-Baselines3 (SB3); needs ``deepsim-train[sb3]``.

A *slot* is one of the parallel environments of a `VecEnv`: a world, or an agent in a world.
"""

from .agents_vec_env import AgentsVecEnv
from .shared_worlds import SharedWorlds
from .worlds_vec_env import WorldsVecEnv

__all__ = ["AgentsVecEnv", "SharedWorlds", "WorldsVecEnv"]
