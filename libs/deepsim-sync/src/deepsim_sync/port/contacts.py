# SPDX-License-Identifier: Apache-2.0
"""The capability to say where links touch, and how hard."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray


class ContactPoints(NamedTuple):
    """The contact points of one world at one instant, in no particular order."""

    links: NDArray[np.intp]
    """(k, 2) rows of the two links that touch; -1 for what belongs to no link."""
    position: NDArray[np.float64]
    """(k, 3) where they touch, in the world frame [m]."""
    normal: NDArray[np.float64]
    """(k, 3) unit vector from the first link to the second, in the world frame."""
    depth: NDArray[np.float64]
    """(k,) how deep the two overlap [m]; negative for a gap within the contact margin."""
    force: NDArray[np.float64]
    """(k, 3) that of the first link on the second, in the world frame [N].

    It is the force that would act in the next physics step: without those that are applied to
    links for a tick.
    """


class Contacts(Protocol):
    """The points where links touch."""

    def read(self, world: int = 0) -> ContactPoints:
        """Returns the contact points of one world at the present instant, as new arrays."""
        ...
