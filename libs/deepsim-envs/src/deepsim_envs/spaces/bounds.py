# SPDX-License-Identifier: Apache-2.0
"""Spaces of actions that have bounds, such as a robot's."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray


class Bounded(Protocol):
    """An object with bounds of actions, (n,) each, such as `deepsim_robots.Robot`."""

    @property
    def lower(self) -> NDArray[np.float64]:
        """The least action."""
        ...

    @property
    def upper(self) -> NDArray[np.float64]:
        """The largest action."""
        ...


def action_box(bounded: Bounded) -> Box:
    """Returns the space of the actions of one agent: a float32 `Box` of the bounds.

    Example:
        >>> class Arm:
        ...     lower, upper = np.array([-1.5, -0.5]), np.array([1.5, 0.5])
        >>> action_box(Arm())
        Box([-1.5 -0.5], [1.5 0.5], (2,), float32)
    """
    return Box(bounded.lower.astype(np.float32), bounded.upper.astype(np.float32))
