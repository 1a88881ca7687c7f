# SPDX-License-Identifier: Apache-2.0
"""Spaces of actions that have bounds, such as a robot's."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray


class Bounded(Protocol):
    """Anything with bounds of actions, such as `deepsim_robots.Robot`."""

    @property
    def lower(self) -> NDArray[np.float64]:
        """(n,) the least action."""
        ...

    @property
    def upper(self) -> NDArray[np.float64]:
        """(n,) the largest action."""
        ...


def action_box(bounded: Bounded) -> Box:
    """Returns the space of the actions of one agent: a float32 `Box` of the bounds.

    Args:
        bounded: A robot, or whatever has `lower` and `upper`.
    """
    return Box(bounded.lower.astype(np.float32), bounded.upper.astype(np.float32))
