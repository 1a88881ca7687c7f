# SPDX-License-Identifier: Apache-2.0
"""One agent of an environment as Gymnasium's `Env`, or as its `VectorEnv` over all worlds."""

from .env import GymnasiumEnv
from .registration import register
from .vector_env import GymnasiumVectorEnv

__all__ = ["GymnasiumEnv", "GymnasiumVectorEnv", "register"]
