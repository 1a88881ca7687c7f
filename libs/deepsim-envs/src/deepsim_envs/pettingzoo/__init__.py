# SPDX-License-Identifier: Apache-2.0
"""Views of all agents for PettingZoo; needs ``deepsim-envs[pettingzoo]``."""

from .parallel_env import PettingZooEnv, aec_env
from .registration import register

__all__ = ["PettingZooEnv", "aec_env", "register"]
