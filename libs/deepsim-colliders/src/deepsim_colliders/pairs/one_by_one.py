# SPDX-License-Identifier: Apache-2.0
"""Pairs with shapes of kinds that have no array form, tested one by one."""

from __future__ import annotations

from typing import Any

import numpy as np

from deepsim_colliders._frames import Frame2D, Frame3D
from deepsim_colliders._rows import Array, Flags, Rows


def placed(rows: Rows, number: int) -> Any:
    """Returns the shape of a row, fixed at the row's frame."""
    shape = rows.shapes[rows.leaf[number]]
    frame: Any = object.__new__(Frame3D if shape.dimensions == 3 else Frame2D)
    frame.origin = tuple(rows.center[:, number].tolist())
    frame.axes = tuple(map(tuple, rows.axes[:, :, number].tolist()))
    return shape._in(frame)


def meet(a: Rows, b: Rows) -> Flags:
    """Returns whether shape k of `a` and shape k of `b` share a point, for all k."""
    pairs = range(a.kind.size)
    return np.array([placed(a, k)._meets(placed(b, k)) for k in pairs], dtype=np.bool_)


def contain(a: Rows, b: Rows) -> Flags:
    """Returns whether shape k of `a` contains shape k of `b`, for all k."""
    pairs = range(a.kind.size)
    return np.array([placed(a, k)._contains(placed(b, k)) for k in pairs], dtype=np.bool_)


def hold(rows: Rows, points: list[Array]) -> Flags:
    """Returns whether points in the frames of shapes are in them or touch them."""
    answers = np.empty(rows.leaf.size, dtype=np.bool_)
    for leaf in np.unique(rows.leaf):
        which = np.flatnonzero(rows.leaf == leaf)
        answers[which] = rows.shapes[leaf]._hold([column[which] for column in points])
    return answers
