# SPDX-License-Identifier: Apache-2.0
"""Distances between line segments and boxes, for capsules."""

from __future__ import annotations

import math
from typing import Any, Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def segment_to_box(start: Sequence[float], step: Sequence[float], half: Sequence[float]) -> float:
    """Returns the distance between a segment and the box [-half, half].

    The segment consists of the points start + t * step, 0 <= t <= 1.

    The squared distance is convex in t, and its slope is a chain of straight pieces that bends
    where the line crosses a slab of the box; so the zero of the slope is found exactly.
    """

    def gap(t: float) -> list[float]:
        places = [s + t * d for s, d in zip(start, step)]
        return [p - max(-h, min(p, h)) for p, h in zip(places, half)]

    def slope(t: float) -> float:
        return sum(g * d for g, d in zip(gap(t), step))

    bends = [(side * h - s) / d for s, d, h in zip(start, step, half) if d for side in (-1.0, 1.0)]
    stops = [0.0, *sorted(t for t in bends if 0.0 < t < 1.0), 1.0]
    best = low = 0.0
    for t in stops:
        high = slope(t)
        if high >= 0.0:
            best += (t - best) * -low / (high - low) if low else 0.0
            break
        best, low = t, high
    return math.hypot(*gap(best))


def segments_to_boxes(start: Array, step: Array, half: Array) -> Array:
    """Returns the distances of `segment_to_box`, (n,), for arguments (dimensions, n)."""
    with np.errstate(all="ignore"):
        bends = np.concatenate([(-half - start) / step, (half - start) / step])
        bends = np.nan_to_num(np.clip(bends, 0.0, 1.0), copy=False)
    ends = np.zeros((1, start.shape[1]))
    stops = np.sort(np.concatenate([ends, bends, ends + 1.0]), axis=0)
    places = start + stops[:, np.newaxis] * step
    slopes = np.einsum("sdn,dn->sn", places - np.clip(places, -half, half), step)

    # The last stop at which the distance still falls, and the one after it.
    last = np.maximum((slopes < 0.0).sum(axis=0) - 1, 0)
    pick: Any = np.arange(start.shape[1])
    after = np.minimum(last + 1, len(stops) - 1)
    low, high = slopes[last, pick], slopes[after, pick]
    with np.errstate(all="ignore"):
        part = np.clip(np.nan_to_num(-low / (high - low), nan=0.0), 0.0, 1.0)
    best = stops[last, pick] + part * (stops[after, pick] - stops[last, pick])
    places = start + best * step
    gap = places - np.clip(places, -half, half)
    distance: Array = np.sqrt(np.einsum("dn,dn->n", gap, gap))
    return distance
