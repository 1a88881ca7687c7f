# SPDX-License-Identifier: Apache-2.0
"""The types of policies that act in one world."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from .environment import Environment

Policy: TypeAlias = Callable[[str, Any], Any]
"""Takes an agent's name and its observation, gives its action."""
PolicyMaker: TypeAlias = Callable[[Environment, np.random.Generator], Policy]
"""Makes a policy of an environment's agents, which draws from the generator."""
