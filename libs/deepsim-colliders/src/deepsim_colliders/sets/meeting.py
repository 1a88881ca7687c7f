# SPDX-License-Identifier: Apache-2.0
"""Array form of `Shape._meets`: intersection of two shapes, pair by pair."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from deepsim_colliders._shape import BALL, BOX, CAPSULE, GEOMETRY, KINDS, OTHER, within

from .rows import Array, Flags, Rows

# The axes after each axis, in the order x, y, z, x, y.
_NEXT, _LAST = np.array([1, 2, 0]), np.array([2, 0, 1])


def meet(a: Rows, b: Rows) -> Flags:
    """Returns whether shape k of `a` and shape k of `b` share a point, for all k."""
    codes = a.kind * KINDS + b.kind
    if (codes == codes[:1]).all():
        return _meet(a, b)
    answers = np.empty(codes.size, dtype=np.bool_)
    for code in np.unique(codes):
        which = np.flatnonzero(codes == code)
        answers[which] = _meet(a.take(which), b.take(which))
    return answers


def _meet(a: Rows, b: Rows) -> Flags:
    """Returns what `meet` returns, for shapes of one kind on each side."""
    if not a.kind.size:
        return np.empty(0, dtype=np.bool_)
    if a.kind[0] > b.kind[0]:
        a, b = b, a
    if b.kind[0] == OTHER:
        pairs = range(a.kind.size)
        return np.array([a.placed(k)._meets(b.placed(k)) for k in pairs], dtype=np.bool_)
    if b.kind[0] == GEOMETRY:
        return _geometries(a, b)
    if a.kind[0] == BALL:
        return hold(b, b.to_local(a.center), a.radius + a.touch)
    return _capsules(a, b) if a.kind[0] == CAPSULE else _boxes(a, b)


def hold_points(rows: Rows, points: list[Array]) -> Flags:
    """Returns whether points in the frames of shapes of any kind are in them or touch them."""
    answers = hold(rows, points)
    for which, shape in rows.special():
        answers[which] = shape._hold([column[which] for column in points])
    return answers


def hold(rows: Rows, points: list[Array], reach: Any = 0.0) -> Flags:
    """Returns whether points in the frames of shapes are within `reach` of them."""
    return within(points, rows.half, rows.radius + rows.touch + reach)


def _capsules(capsules: Rows, others: Rows) -> Flags:
    """Returns whether capsules meet capsules or boxes."""
    along = capsules.axes[2] * capsules.half[2]
    start = np.array(others.to_local(capsules.center - along))
    step = np.array(others.turn_to_local(2.0 * along))
    reach = capsules.radius + others.radius + capsules.touch + others.touch
    near: Flags = segments_to_boxes(start, step, others.half) <= reach
    return near


def _boxes(a: Rows, b: Rows) -> Flags:
    """Returns whether boxes meet, by separating axes (Gottschalk, Lin and Manocha 1996).

    The axes are the face normals of both and, in 3D, the cross products of an edge of each. Sums
    run over the first axes of arrays, and the last axis is that of the pairs, so that the bits of a
    pair do not depend on other pairs.
    """
    slack = a.touch + b.touch
    apart = b.center - a.center
    gap = (a.axes * apart).sum(axis=1)
    across = (b.axes * apart).sum(axis=1)
    # turn[i, j] is axis j of b along axis i of a.
    turn = (a.axes[:, np.newaxis] * b.axes).sum(axis=2)
    size = np.abs(turn)
    theirs = (size * b.half).sum(axis=1)
    ours = (size * a.half[:, np.newaxis]).sum(axis=0)
    near = np.abs(gap) <= a.half + theirs + slack
    near &= np.abs(across) <= b.half + ours + slack
    answers: Flags = near.all(axis=0)
    if len(gap) == 2:
        return answers
    rest = np.flatnonzero(answers)
    columns = (gap, turn, size, a.half, b.half, slack)
    answers[rest] = _edges(*(column[..., rest] for column in columns))
    return answers


def _edges(gap: Array, turn: Array, size: Array, half: Array, others: Array, slack: Array) -> Flags:
    """Returns whether no plane parallel to an edge of each box separates the boxes.

    The plane's normal is the cross product of the two edges, so the extent of a box along the
    normal comes from its other two axes.
    """
    length = np.sqrt(np.maximum(1.0 - turn * turn, 0.0))
    gap, half = gap[:, np.newaxis], half[:, np.newaxis]
    reach = half.take(_NEXT, 0) * size.take(_LAST, 0) + half.take(_LAST, 0) * size.take(_NEXT, 0)
    reach += others.take(_NEXT, 0) * size.take(_LAST, 1)
    reach += others.take(_LAST, 0) * size.take(_NEXT, 1)
    apart = gap.take(_LAST, 0) * turn.take(_NEXT, 0) - gap.take(_NEXT, 0) * turn.take(_LAST, 0)
    # Parallel edges are decided by the faces.
    near = (np.abs(apart) <= reach + slack * length) | (length < 1e-6)
    answers: Flags = np.logical_and.reduce(near, axis=(0, 1))
    return answers


def _geometries(others: Rows, frames: Rows) -> Flags:
    """Returns whether flat shapes of one kind meet shapely geometries, pair by pair."""
    answers = np.empty(others.kind.size, dtype=np.bool_)
    for which, shape in frames.special():
        here, met = frames.take(which), others.take(which)
        if met.kind[0] == BALL:
            centers = np.array(here.to_local(met.center)).T
            answers[which] = shapely.dwithin(
                shape._core.geometry, shapely.points(centers), met.radius + met.touch + here.touch
            )
        else:
            answers[which] = shapely.intersects(shape._core.closed, brought(met, here))
    return answers


def brought(shapes: Rows, frames: Rows) -> NDArray[Any]:
    """Returns rectangles or geometries as shapely geometries in the frames of their partners."""
    if shapes.kind[0] == BOX:
        (x, y), (half_x, half_y) = shapes.axes, shapes.half
        corners = [
            frames.to_local(shapes.center + s * half_x * x + t * half_y * y)
            for s, t in ((1, 1), (-1, 1), (-1, -1), (1, -1))
        ]
        polygons: NDArray[Any] = shapely.polygons(np.array(corners).transpose(2, 0, 1))
        return polygons
    own = geometries(shapes)
    xy, pair = shapely.get_coordinates(own, return_index=True)
    world = shapes.take(pair).to_world(xy.T)
    local = np.array(frames.take(pair).to_local(world)).T
    moved: NDArray[Any] = shapely.set_coordinates(own, local)
    return moved


def geometries(rows: Rows) -> NDArray[Any]:
    """Returns the geometry of each row in its own frame."""
    objects = np.empty(rows.leaf.size, dtype=object)
    objects[:] = [rows.shapes[leaf]._core.geometry for leaf in rows.leaf]
    return objects


def segments_to_boxes(start: Array, step: Array, half: Array) -> Array:
    """Returns the distances (n,) between segments and boxes [-half, half].

    The segments consist of the points start + t * step, 0 <= t <= 1; arguments have shape
    (dimensions, n). The squared distance is convex in t, and its slope is a chain of straight
    pieces that bends where the line crosses a slab of the box; so the zero of the slope is found
    exactly.
    """
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
