# SPDX-License-Identifier: Apache-2.0
"""Rotations as MuJoCo computes them, bit for bit, for many bodies at once.

Arrays have the components along the first axis and the bodies along the second. Sums are written
out one by one: the last bit of a matrix product may depend on how many rows it has.
"""

from __future__ import annotations

import numpy as np

from .layout import Floats

_MINIMUM = 1e-15  # mjMINVAL: MuJoCo leaves a quaternion this close to unit length as it is
_X, _Y, _Z, _W = range(4)

# The elements of a rotation matrix, row by row, are sums of two products, and on the diagonal of
# four. Doubling and changing signs are exact, so they are done on the first factors.
_TERMS = [
    *[(_W, _W, 1), (_X, _Y, 2), (_X, _Z, 2)],
    *[(_X, _Y, 2), (_W, _W, 1), (_Y, _Z, 2)],
    *[(_X, _Z, 2), (_Y, _Z, 2), (_W, _W, 1)],
    *[(_X, _X, 1), (_W, _Z, -2), (_W, _Y, 2)],
    *[(_W, _Z, 2), (_X, _X, -1), (_W, _X, -2)],
    *[(_W, _Y, -2), (_W, _X, 2), (_X, _X, -1)],
    *[(_Y, _Y, -1), (_Y, _Y, 1), (_Y, _Y, -1)],
    *[(_Z, _Z, -1), (_Z, _Z, -1), (_Z, _Z, 1)],
]
_LEFT = np.array([left for left, _, _ in _TERMS])
_RIGHT = np.array([right for _, right, _ in _TERMS])
_FACTOR = np.array([[factor] for _, _, factor in _TERMS], dtype=np.float64)
_IN_ROW = np.tile(np.arange(3), 3)
_IN_COLUMN = np.repeat(np.arange(3), 3)
_NEXT, _LAST = np.array([1, 2, 0]), np.array([2, 0, 1])


def normalize(quaternions: Floats) -> None:
    """Makes quaternions (4, k), x y z w, unit in place, as ``mju_normalize4`` does."""
    square = quaternions * quaternions
    norm = square[_W] + square[_X]
    norm += square[_Y]
    norm += square[_Z]
    np.sqrt(norm, out=norm)
    off = np.abs(norm - 1.0) > _MINIMUM
    if np.count_nonzero(off):
        quaternions *= np.where(off, 1.0 / norm, 1.0)


def matrices(quaternions: Floats) -> Floats:
    """Returns rotation matrices (9, k), row by row, of unit quaternions, as ``mju_quat2Mat``."""
    products = quaternions.take(_LEFT, axis=0)
    products *= _FACTOR
    products *= quaternions.take(_RIGHT, axis=0)
    result = products[:9]
    result += products[9:18]
    diagonal = result[::4]
    diagonal += products[18:21]
    diagonal += products[21:]
    return result


def rotate(matrix: Floats, vectors: Floats) -> Floats:
    """Returns R v of vectors (3, k)."""
    products = matrix * vectors.take(_IN_ROW, axis=0)
    total: Floats = products[0::3] + products[1::3]
    total += products[2::3]
    return total


def rotate_back(matrix: Floats, vectors: Floats) -> Floats:
    """Returns R^T v of vectors (3, k)."""
    products = matrix * vectors.take(_IN_COLUMN, axis=0)
    total: Floats = products[:3] + products[3:6]
    total += products[6:]
    return total


def cross(a: Floats, b: Floats) -> Floats:
    """Returns a x b of vectors (3, k)."""
    total: Floats = a.take(_NEXT, axis=0) * b.take(_LAST, axis=0)
    total -= a.take(_LAST, axis=0) * b.take(_NEXT, axis=0)
    return total
