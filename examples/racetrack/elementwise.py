# SPDX-License-Identifier: Apache-2.0
"""Arithmetic on arrays that gives the bits of the same done number by number."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from deepsim_math import quaternions

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def each(function: Callable[..., float], *arrays: NDArray[np.generic]) -> Floats:
    """A function of every number: NumPy's sine may differ from that of `math` in the last bit."""
    columns = [array.ravel().tolist() for array in arrays]
    values = np.array([*map(function, *columns)], dtype=np.float64)
    return values.reshape(arrays[0].shape)


def dot(a: Floats, b: Floats) -> Floats:
    """Scalar products of vectors (..., 3)."""
    product = a * b
    total: Floats = product[..., 0] + product[..., 1] + product[..., 2]
    return total


def axes(pose: Floats) -> tuple[Floats, Floats]:
    """Where x and z of frames (..., 7) point, (..., 3) each."""
    turn = pose[..., 3:]
    forward: Floats = quaternions.rotate(turn, (1.0, 0.0, 0.0)).astype(np.float64, copy=False)
    up: Floats = quaternions.rotate(turn, (0.0, 0.0, 1.0)).astype(np.float64, copy=False)
    return forward, up


def headings(pose: Floats) -> Floats:
    """Where frames (..., 7) point as seen from above: unit vectors (..., 2)."""
    forward, _ = axes(pose)
    x, y = forward[..., 0], forward[..., 1]
    length = each(math.hypot, x, y)
    return np.stack([x / length, y / length], axis=-1)


def turned(yaw: Floats) -> Floats:
    """Quaternions (..., 4) of angles to the left [rad], as of `Euler(yaw=...)`."""
    half = 0.5 * yaw
    sin, cos = each(math.sin, half), each(math.cos, half)
    # What is zero keeps its sign.
    x, y = 0.0 * cos - 0.0 * sin, 0.0 * cos + 0.0 * sin
    return np.stack([x, y, sin - 0.0 * cos, cos + 0.0 * sin], axis=-1)
