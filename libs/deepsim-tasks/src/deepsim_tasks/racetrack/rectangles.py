# SPDX-License-Identifier: Apache-2.0
"""Contact of rectangles on the ground, for all pairs in all worlds at once."""

from __future__ import annotations

import numpy as np

from .course import Bools, Floats, Numbers


def headings(pose: Floats) -> Floats:
    """Returns the directions (..., 2) in which frames (..., 7) point, as seen from above."""
    x, y, z, w = (pose[..., column] for column in (3, 4, 5, 6))
    ahead = np.stack([1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w)], axis=-1)
    ahead /= np.sqrt((ahead * ahead).sum(axis=-1))[..., None]
    return ahead


def touching(middle: Floats, heading: Floats, size: Floats, pairs: Numbers) -> Bools:
    """Returns whether the rectangles of each pair touch (separating axis theorem).

    Args:
        middle: (W, n, 2) centres [m].
        heading: (W, n, 2) unit vectors along their lengths.
        size: (n, 2) length and breadth [m].
        pairs: (2, p) numbers of the rectangles of each pair; the result is (W, p).
    """
    one, other = pairs
    length, breadth = 0.5 * size[:, 0], 0.5 * size[:, 1]
    gap = middle.take(other, axis=1) - middle.take(one, axis=1)
    gap_x, gap_y, x, y = gap[..., 0], gap[..., 1], heading[..., 0], heading[..., 1]
    ax, ay, a_length, a_breadth = x.take(one, 1), y.take(one, 1), length[one], breadth[one]
    bx, by, b_length, b_breadth = x.take(other, 1), y.take(other, 1), length[other], breadth[other]
    cos, sin = np.abs(ax * bx + ay * by), np.abs(ax * by - ay * bx)
    # Along each side of each rectangle, the gap is at most as large as both half extents.
    together: Bools = np.abs(gap_x * ax + gap_y * ay) <= a_length + b_length * cos + b_breadth * sin
    together &= np.abs(gap_y * ax - gap_x * ay) <= a_breadth + b_length * sin + b_breadth * cos
    together &= np.abs(gap_x * bx + gap_y * by) <= b_length + a_length * cos + a_breadth * sin
    together &= np.abs(gap_y * bx - gap_x * by) <= b_breadth + a_length * sin + a_breadth * cos
    return together
