# SPDX-License-Identifier: Apache-2.0
"""Array form of `Shape._contains`: containment of one shape in another, pair by pair."""

from __future__ import annotations

import itertools

import numpy as np
import shapely

from deepsim_colliders._shape import BALL, BOX, GEOMETRY, KINDS, OTHER

from .meeting import brought, geometries, hold
from .rows import Array, Flags, Rows


def contain(a: Rows, b: Rows) -> Flags:
    """Returns whether shape k of `a` contains shape k of `b`, for all k."""
    codes = a.kind * KINDS + b.kind
    answers = np.empty(codes.size, dtype=np.bool_)
    for code in np.unique(codes):
        which = np.flatnonzero(codes == code)
        answers[which] = _contain(a.take(which), b.take(which))
    return answers


def _contain(a: Rows, b: Rows) -> Flags:
    """Returns what `contain` returns, for shapes of one kind on each side."""
    if OTHER in (a.kind[0], b.kind[0]):
        pairs = range(a.kind.size)
        return np.array([a.placed(k)._contains(b.placed(k)) for k in pairs], dtype=np.bool_)
    if a.kind[0] == GEOMETRY:
        return _in_geometries(a, b)
    # The other kinds are convex: the corners of b's core and its radius decide.
    answers = np.ones(a.kind.size, dtype=np.bool_)
    if b.kind[0] == GEOMETRY:
        xy, pair = shapely.get_coordinates(geometries(b), return_index=True)
        frames, some = a.take(pair), b.take(pair)
        outside = ~hold(frames, frames.to_local(some.to_world(xy.T)), some.touch)
        answers[pair[outside]] = False
        return answers
    reach = b.touch - b.radius
    if a.kind[0] == BOX:
        inside = a.half + a.touch + reach
        for corner in _corners(b):
            local = a.to_local(corner)
            answers &= np.all([np.abs(x) <= limit for x, limit in zip(local, inside)], axis=0)
        return answers
    for corner in _corners(b):
        answers &= hold(a, a.to_local(corner), reach) & (a.radius + a.touch + reach >= 0.0)
    return answers


def _corners(rows: Rows) -> list[Array]:
    """Returns the corners of the cores in the world frame: one for balls, two for capsules."""
    spans = [axis * half for axis, half in zip(rows.axes, rows.half) if half.any()]
    signs = itertools.product((-1.0, 1.0), repeat=len(spans))
    return [sum((s * span for s, span in zip(sign, spans)), rows.center) for sign in signs]


def _in_geometries(frames: Rows, others: Rows) -> Flags:
    answers = np.empty(others.kind.size, dtype=np.bool_)
    for which, shape in frames.special():
        here, some = frames.take(which), others.take(which)
        if some.kind[0] == BALL:
            centers = np.array(here.to_local(some.center)).T
            reach = some.radius - some.touch - here.touch
            answers[which] = shape._core.covers(shapely.points(centers), reach)
        else:
            answers[which] = shape._core.covers(brought(some, here))
    return answers
