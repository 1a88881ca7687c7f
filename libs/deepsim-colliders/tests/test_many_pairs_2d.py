# SPDX-License-Identifier: Apache-2.0
"""A hundred thousand random pairs of each two 2D shapes: shapely on world geometry judges."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from deepsim_colliders import CircleCollider, GeometryCollider, RectangleCollider

COUNT = 100  # of each side: ten thousand pairs an example
EXAMPLES = 10
MARGIN = 1e-6  # [m] nearer than this to touching, rounding may decide
SHAPES = {
    "ring": shapely.Polygon(
        [(-1.5, -1), (1.5, -1), (1.5, 1), (-1.5, 1)], [[(-1, -0.5), (1, -0.5), (1, 0.5), (-1, 0.5)]]
    ),
    "wall": shapely.LineString([(-1, 0), (0, 0.5), (1, 0)]),
}
KINDS = ["circle", "rectangle", *SHAPES]
SEEDS = st.integers(0, 2**32 - 1)
many = settings(max_examples=EXAMPLES, deadline=None)


def moved(shapes, places):
    """Shapes at x, y, yaw, by a rotation matrix."""
    result = []
    for shape, (x, y, yaw) in zip(shapes, places):
        cos, sin = np.cos(yaw), np.sin(yaw)
        matrix = np.array([[cos, sin], [-sin, cos]])
        result.append(shapely.transform(shape, lambda xy, m=matrix, p=(x, y): xy @ m + p))
    return np.array(result)


class Side:
    """Colliders of one kind, and what they are to shapely: geometries, each with a radius."""

    def __init__(self, kind, case, placed, low=0.25, high=2.5, spread=4):
        poses, places = case.flat_poses(COUNT, spread)
        sizes = case.sizes(COUNT, 2, low, high)
        self.radius = sizes[:, 0] if kind == "circle" else np.zeros(COUNT)
        if kind == "circle":
            colliders = [CircleCollider(radius) for radius in self.radius]
            self.shape = shapely.points(places[:, :2])
        elif kind == "rectangle":
            colliders = [RectangleCollider(*size) for size in sizes]
            half_x, half_y = sizes.T / 2
            self.shape = moved(shapely.box(-half_x, -half_y, half_x, half_y), places)
        else:
            scaled = [shapely.transform(SHAPES[kind], lambda xy, s=s: xy * s) for s in sizes[:, 0]]
            colliders = [GeometryCollider(shape) for shape in scaled]
            self.shape = moved(scaled, places)
        self.set = placed(colliders, poses)
        self.areal = kind != "wall"
        shapely.prepare(self.shape)

    def nearer(self, by):
        """The same, larger by `by` or smaller when negative."""
        if self.radius.any():
            return self.shape, self.radius + by
        grown = shapely.buffer(self.shape, by, join_style="mitre") if self.areal else self.shape
        return grown, self.radius + (0 if self.areal else by)


def gaps(side, other, by=0.0):
    """Distances (n, m) between two sides, the first grown by `by`."""
    shape, radius = side.nearer(by)
    between = shapely.distance(shape[:, np.newaxis], other.shape)
    return between - radius[:, np.newaxis] - other.radius


def ends_apart(side, other):
    """Whether no corner of one line is on another."""
    corners = shapely.points(shapely.get_coordinates(side.shape)).reshape(COUNT, -1, 1)
    return (shapely.distance(corners, other.shape) > MARGIN).all(axis=1)


@pytest.mark.parametrize(
    ("first", "second"), list(itertools.combinations_with_replacement(KINDS, 2))
)
@many
@given(seed=SEEDS)
def test_intersects(cases, placed, first, second, seed):
    case = cases(seed)
    a, b = Side(first, case, placed), Side(second, case, placed)
    if a.areal or b.areal:
        if not a.areal:
            a, b = b, a
        meet = gaps(a, b, -MARGIN) <= 0
        decided = meet == (gaps(a, b, MARGIN) <= 0)
    else:
        meet = gaps(a, b) <= 0
        decided = ends_apart(a, b) & ends_apart(b, a).T
    assert decided.mean() > 0.9
    assert np.array_equal(a.set.intersects(b.set)[decided], meet[decided])
    assert np.array_equal(b.set.intersects(a.set).T[decided], meet[decided])


@pytest.mark.parametrize("second", ["circle", "rectangle", "ring"])
@pytest.mark.parametrize("first", ["circle", "rectangle", "ring"])
@many
@given(seed=SEEDS)
def test_contains(cases, placed, first, second, seed):
    """Covered by the grown and by the shrunk shape alike; circles by the distance to the edge."""
    case = cases(seed)
    a, b = Side(first, case, placed, 1, 3, 1), Side(second, case, placed, 0.1, 0.5, 1)
    inside = []
    for by in (-MARGIN, MARGIN):
        shape, radius = a.nearer(by)
        if first == "circle":
            corners = shapely.get_coordinates(b.shape).reshape(COUNT, -1, 2)
            centers = shapely.get_coordinates(shape)[:, np.newaxis, np.newaxis]
            reach = np.linalg.norm(corners - centers, axis=-1).max(-1) + b.radius
            inside.append(reach <= radius[:, np.newaxis])
        else:
            shapely.prepare(shape)
            deep = shapely.distance(shapely.boundary(shape)[:, np.newaxis], b.shape) >= b.radius
            inside.append(shapely.covers(shape[:, np.newaxis], b.shape) & deep)
    decided = inside[0] == inside[1]
    assert decided.mean() > 0.9
    answers = a.set.contains(b.set)
    assert np.array_equal(answers[decided], inside[0][decided])
    assert not (answers & ~a.set.intersects(b.set)).any()
