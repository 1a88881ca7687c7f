# SPDX-License-Identifier: Apache-2.0
"""Rays from one point in packets of neighbours, to find cheaply which ones come near a geom."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

_PACKET = 64  # rays; smaller ones fit tighter but are more
_MARGIN = 1e-12  # of cosines, for rounding


@lru_cache(maxsize=8)
def compact_order(width: int, height: int) -> Indices:
    """The pixels of a picture, numbered row by row, along a Z-order curve.

    Pixels that follow one another in this order lie close together (Morton, "A computer oriented
    geodetic data base", 1966): the bits of row and column take turns in the place on the curve.
    """
    row, column = np.indices((height, width)).reshape(2, -1)
    place = sum(
        (row >> bit & 1) << 2 * bit + 1 | (column >> bit & 1) << 2 * bit
        for bit in range(max(width, height).bit_length())
    )
    order = np.argsort(place)
    order.flags.writeable = False  # shared by all callers
    return order


class Bundle:
    """Rays from one point, split into packets; each packet is bounded by a cone.

    Args:
        origin: (3,) world frame [m].
        rays: (3, n) of any length, neighbours next to one another.
    """

    def __init__(self, origin: Array, rays: Array) -> None:
        self.origin = origin
        self.rays = rays
        count = rays.shape[1]
        starts = np.arange(0, count, _PACKET)
        units = rays / np.sqrt(np.einsum("ij,ij->j", rays, rays))
        axes = np.add.reduceat(units, starts, axis=1)
        axes /= np.maximum(np.linalg.norm(axes, axis=0), 1e-12)
        units -= np.repeat(axes, _PACKET, axis=1)[:, :count]
        square = np.maximum.reduceat(np.einsum("ij,ij->j", units, units), starts)
        self._axes = axes
        # Of the half angle of the cone, from the distance of unit vectors at the angle.
        self._cosine = 1.0 - square / 2
        self._sine = np.sqrt(square * (1.0 - square / 4))

    def near(self, centres: Array, radii: Array) -> NDArray[np.bool_]:
        """Which packets come near which spheres.

        Args:
            centres: (m, 3) world frame [m].
            radii: (m,) [m].

        Returns:
            (m, packets); a packet that is not marked misses the sphere with all its rays.
        """
        towards = centres - self.origin
        distances = np.linalg.norm(towards, axis=1)
        outside = distances > radii
        distances[~outside] = np.inf
        sines = (radii / distances)[:, None]
        cosines = np.sqrt(1.0 - sines * sines)
        between = (towards / distances[:, None]) @ self._axes
        # The angle between the axes is no more than the sum of the half angles.
        near: NDArray[np.bool_] = between >= cosines * self._cosine - sines * self._sine - _MARGIN
        near |= ~outside[:, None] | (self._cosine < 0.0)
        return near

    def members(self, packets: NDArray[np.bool_]) -> Indices:
        """The rays of marked packets, as indices in rising order."""
        starts = np.flatnonzero(packets) * _PACKET
        members = (starts[:, None] + np.arange(_PACKET)).ravel()
        return members[: np.searchsorted(members, self.rays.shape[1])]
