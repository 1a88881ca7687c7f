# SPDX-License-Identifier: Apache-2.0
"""Views of one agent: Gymnasium's `Env` for one world, and its `VectorEnv` for many."""

from .env import GymnasiumEnv
from .registration import register
from .vector_env import GymnasiumVectorEnv

__all__ = ["GymnasiumEnv", "GymnasiumVectorEnv", "register"]
