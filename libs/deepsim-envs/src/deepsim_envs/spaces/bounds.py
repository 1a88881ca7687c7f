# SPDX-License-Identifier: Apache-2.0
"""Action spaces from lower and upper bounds, for example those of a robot."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray


class Bounded(Protocol):
    """An object with bounds for an action of n numbers, such as `deepsim_robots.Robot`."""

    @property
    def lower(self) -> NDArray[np.float64]:
        """The lower bounds, (n,)."""
        ...

    @property
    def upper(self) -> NDArray[np.float64]:
        """The upper bounds, (n,)."""
        ...


def action_box(bounded: Bounded) -> Box:
    """Returns the action space of one agent: a float32 `Box` with these bounds.

    Example:
        >>> class Arm:
        ...     lower, upper = np.array([-1.5, -0.5]), np.array([1.5, 0.5])
        >>> action_box(Arm())
        Box([-1.5 -0.5], [1.5 0.5], (2,), float32)
    """
    return Box(bounded.lower.astype(np.float32), bounded.upper.astype(np.float32))
