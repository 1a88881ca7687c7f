# SPDX-License-Identifier: Apache-2.0
"""Rotations of many bodies at once, with the same bits as MuJoCo's.

Arrays have components along the first axis and bodies along the second. Sums are written out,
because the last bits of a matrix product may depend on the number of its rows.
"""

from __future__ import annotations

import numpy as np

from .layout import Floats

_X, _Y, _Z, _W = range(4)

# The elements of a rotation matrix are sums of two products, and those on the diagonal of four.
# Doubling and changing signs are exact, so they are done on the first factors.
_TERMS = [
    *[(_W, _W, 1), (_W, _W, 1), (_W, _W, 1)],
    *[(_X, _Y, 2), (_X, _Z, 2), (_X, _Y, 2), (_Y, _Z, 2), (_X, _Z, 2), (_Y, _Z, 2)],
    *[(_X, _X, 1), (_X, _X, -1), (_X, _X, -1)],
    *[(_W, _Z, -2), (_W, _Y, 2), (_W, _Z, 2), (_W, _X, -2), (_W, _Y, -2), (_W, _X, 2)],
    *[(_Y, _Y, -1), (_Y, _Y, 1), (_Y, _Y, -1)],
    *[(_Z, _Z, -1), (_Z, _Z, -1), (_Z, _Z, 1)],
]
_LEFT = np.array([left for left, _, _ in _TERMS])
_RIGHT = np.array([right for _, right, _ in _TERMS])
_FACTOR = np.array([[factor] for _, _, factor in _TERMS], dtype=np.float64)
_BY_ROW = np.array([0, 3, 4, 5, 1, 6, 7, 8, 2])
_BY_COLUMN = _BY_ROW.reshape(3, 3).T.reshape(-1)
_EACH_THRICE = np.repeat(np.arange(3), 3)
_NEXT, _LAST = np.array([1, 2, 0]), np.array([2, 0, 1])


def matrices(quaternions: Floats) -> Floats:
    """Returns rotation matrices (9, k), like ``mju_quat2Mat``: the diagonal, then the rest by rows.

    Args:
        quaternions: Unit quaternions x y z w, (4, k).
    """
    products = quaternions.take(_LEFT, axis=0)
    products *= _FACTOR
    products *= quaternions.take(_RIGHT, axis=0)
    result = products[:9]
    result += products[9:18]
    diagonal = result[:3]
    diagonal += products[18:21]
    diagonal += products[21:]
    return result


def rotate(matrix: Floats, vectors: Floats) -> Floats:
    """Returns the products R v of rotation matrices R (9, k) and vectors v (3, k).

    The matrices are as `matrices` returns them.
    """
    return _sums(matrix.take(_BY_COLUMN, axis=0), vectors)


def rotate_back(matrix: Floats, vectors: Floats) -> Floats:
    """Returns the products R^T v of rotation matrices R (9, k) and vectors v (3, k).

    The matrices are as `matrices` returns them.
    """
    return _sums(matrix.take(_BY_ROW, axis=0), vectors)


def _sums(elements: Floats, vectors: Floats) -> Floats:
    elements *= vectors.take(_EACH_THRICE, axis=0)
    total = elements[:3]
    total += elements[3:6]
    total += elements[6:]
    return total


def cross(a: Floats, b: Floats) -> Floats:
    """Returns the cross products a x b of vectors (3, k)."""
    total: Floats = a.take(_NEXT, axis=0) * b.take(_LAST, axis=0)
    total -= a.take(_LAST, axis=0) * b.take(_NEXT, axis=0)
    return total
