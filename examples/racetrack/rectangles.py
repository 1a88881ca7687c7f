# SPDX-License-Identifier: Apache-2.0
"""Whether rectangles on the ground touch, for many pairs at once: as `RectangleCollider` says."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_TOUCH = 1e-9  # a gap that counts as none, as a part of the radii of both


def meet(
    here: Floats,
    heading: Floats,
    size: tuple[float, float],
    there: Floats,
    other_heading: Floats,
    other_size: tuple[float, float],
) -> NDArray[np.bool_]:
    """Whether no side of either rectangle of a pair lies between both (separating axes).

    Args:
        here: Middles, (..., 2) [m].
        heading: Unit vectors along the lengths, (..., 2).
        size: Length and breadth of all of them [m].
        there: The same of the other of each pair.
        other_heading: Likewise.
        other_size: Likewise.

    Returns:
        (...) bool.
    """
    gap = there - here
    cos = np.abs(_dot(heading, other_heading))
    sin = np.abs(_dot(_left(heading), other_heading))
    touch = _TOUCH * (math.hypot(*_halves(size)) + math.hypot(*_halves(other_size)))
    apart = np.zeros(gap.shape[:-1], dtype=np.bool_)
    for axis, (own_half, other_half) in (
        (heading, (_halves(size), _halves(other_size))),
        (other_heading, (_halves(other_size), _halves(size))),
    ):
        reach = own_half[0] + touch + (other_half[0] * cos + other_half[1] * sin)
        apart |= np.abs(_dot(gap, axis)) > reach
        reach = own_half[1] + touch + (other_half[0] * sin + other_half[1] * cos)
        apart |= np.abs(_dot(gap, _left(axis))) > reach
    return ~apart


def _halves(size: tuple[float, float]) -> tuple[float, float]:
    return 0.5 * size[0], 0.5 * size[1]


def _left(vector: Floats) -> Floats:
    return np.stack([-vector[..., 1], vector[..., 0]], axis=-1)


def _dot(a: Floats, b: Floats) -> Floats:
    product: Floats = a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1]
    return product
