# SPDX-License-Identifier: Apache-2.0
"""Cones."""

from __future__ import annotations

import math

from deepsim_colliders._frames import Triple

from ._round import RoundCollider


class ConeCollider(RoundCollider):
    """Solid cone along z with its tip up, centred at half its length.

    >>> cone = ConeCollider(radius=1.0, length=2.0)
    >>> cone.contains((0.4, 0, 0)), cone.contains((0.6, 0, 0))
    (True, False)

    Args:
        radius: radius of the base [m], > 0.
        length: length from base to tip [m], > 0.
    """

    def support_point(self, direction: Triple) -> Triple:
        """Returns the tip, or the farthest point of the rim along a direction of the frame."""
        x, y, z = direction
        aside = math.hypot(x, y)
        if z * self.length > aside * self._radius:
            return 0.0, 0.0, self._half
        part = self._radius / aside if aside > 0.0 else 0.0
        return part * x, part * y, -self._half

    def _gap_to(self, point: Triple) -> tuple[float, Triple]:
        """Returns the distance and direction of a point, computed in a plane through the axis."""
        x, y, z = point
        aside, up = math.hypot(x, y), z + self._half
        slant = math.hypot(self._radius, self.length)
        outside = ((aside - self._radius) * self.length + up * self._radius) / slant
        if outside <= 0.0 and up >= 0.0:
            return 0.0, (0.0, 0.0, 0.0)
        if up < 0.0 and aside <= self._radius:
            return -up, (0.0, 0.0, -1.0)
        climbed = ((self._radius - aside) * self._radius + up * self.length) / slant
        if climbed <= 0.0:  # the rim
            away = aside - self._radius, up
        elif climbed >= slant:  # the tip
            away = aside, up - self.length
        else:
            away = outside * self.length / slant, outside * self._radius / slant
        distance = math.hypot(*away)
        part = away[0] / (distance * aside) if aside > 0.0 else 0.0
        return distance, (part * x, part * y, away[1] / distance)
