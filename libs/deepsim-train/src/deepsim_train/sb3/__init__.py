# SPDX-License-Identifier: Apache-2.0
"""Views of environments as `VecEnv` of Stable-Baselines3 (SB3); needs ``deepsim-train[sb3]``.

A *slot* is one of the parallel environments of a `VecEnv`: an agent in a world.
"""

from .shared_worlds import SharedWorlds
from .vec_env import AgentsVecEnv

__all__ = ["AgentsVecEnv", "SharedWorlds"]
