# SPDX-License-Identifier: Apache-2.0
"""What the embedded simulator remembers of an instant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deepsim_sync import CameraMount, PhysicsProperty


class MujocoState(NamedTuple):
    """An instant of a `MujocoSimulator`; it can be pickled."""

    steps: int
    """Physics steps since the last reset."""
    integration: NDArray[np.float64]
    """(n,) MuJoCo's own integration state, warm start included."""
    factors: Mapping[PhysicsProperty, NDArray[np.float64]] | None = None
    """(links,) of the properties that are scaled; None if it says nothing of them."""
    mounts: Mapping[str, CameraMount] | None = None
    """Of the cameras that are mounted anew, by name; None if it says nothing of them."""
