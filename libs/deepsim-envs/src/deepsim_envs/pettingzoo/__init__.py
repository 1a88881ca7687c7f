# SPDX-License-Identifier: Apache-2.0
"""All agents of an environment as PettingZoo sees them; needs ``deepsim-envs[pettingzoo]``."""

from .parallel_env import PettingZooEnv, aec_env
from .registration import register

__all__ = ["PettingZooEnv", "aec_env", "register"]
