# SPDX-License-Identifier: Apache-2.0
"""The view from above: one patch per collider, where it is."""

from __future__ import annotations

import doctest
import math

import numpy as np
import pytest
import shapely

from deepsim_colliders import (
    BoxCollider,
    CapsuleCollider,
    CircleCollider,
    CompoundCollider,
    GeometryCollider,
    RectangleCollider,
    SphereCollider,
)
from deepsim_math import Euler, Pose

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402  # the backend comes first

from deepsim_colliders import plot  # noqa: E402  # needs matplotlib

SIDEWAYS = Pose((3, 1, 7), Euler(0, math.pi / 2, 0.3))


@pytest.fixture
def ax():
    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)


@pytest.mark.parametrize(
    ("collider", "area"),
    [
        (BoxCollider(4, 2, 1), 8),
        (BoxCollider(4, 2, 1, pose_offset=SIDEWAYS), 2),
        (SphereCollider(2), 4 * math.pi),
        (CapsuleCollider(0.5, 3), math.pi / 4),
        (CapsuleCollider(0.5, 3, pose_offset=SIDEWAYS), 3 + math.pi / 4),
        (RectangleCollider(4, 2, pose_offset=Pose((1, 1, 0), Euler(0, 0, 1))), 8),
        (CircleCollider(2), 4 * math.pi),
        (GeometryCollider(shapely.Point(0, 0).buffer(2).difference(shapely.box(0, 0, 1, 1))), 11.5),
        (CompoundCollider([BoxCollider(2, 2, 2), BoxCollider(2, 2, 1)]), 4),
    ],
)
def test_outlines_have_the_area_of_the_shadow(ax, collider, area):
    """Holes are holes, turned boxes show what is seen of them, and the place is right."""
    assert plot.top_view([collider], ax) is ax
    (patch,) = ax.patches
    rings = patch.get_path().to_polygons()
    assert abs(sum(_signed_area(ring) for ring in rings)) == pytest.approx(area, rel=2e-2)
    assert ax.get_aspect() in ("equal", 1.0)
    box = patch.get_path().get_extents()
    center = [(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2]
    assert center == pytest.approx([collider.pose.position.x, collider.pose.position.y], abs=1e-6)


@pytest.mark.parametrize(
    "make",
    [
        lambda pose: BoxCollider(4, 2, 1, pose_offset=pose),
        lambda pose: RectangleCollider(4, 2, pose_offset=pose),
        lambda pose: GeometryCollider(shapely.box(-2, -1, 2, 1), pose_offset=pose),
    ],
)
def test_outlines_turn_with_the_pose(ax, make):
    plot.top_view([make(Pose((5, 1, 0), Euler(0, 0, math.pi / 2)))], ax)
    extents = ax.patches[0].get_path().get_extents()
    assert [*extents.min, *extents.max] == pytest.approx([4, -1, 6, 3])


def _signed_area(ring):
    x, y = ring.T
    return 0.5 * float(np.dot(x[:-1], y[1:]) - np.dot(x[1:], y[:-1]))


def test_lines_disabled_and_lost_ones(ax):
    wall = GeometryCollider(shapely.LineString([(0, 0), (1, 1), (2, 0)]))
    off, lost = CircleCollider(1), CircleCollider(1, pose_offset=Pose((math.nan, 0, 0)))
    off.disable()
    plot.top_view([wall, off, lost], ax, facecolor="red")
    line, circle = ax.patches
    assert not line.get_fill()
    assert circle.get_linestyle() in ("--", "dashed")
    assert circle.get_facecolor()[:3] == (1, 0, 0)


def test_axes_of_its_own():
    axes = plot.top_view([])
    assert len(axes.patches) == 0
    plt.close(axes.figure)


def test_documentation():
    assert doctest.testmod(plot).failed == 0
    plt.close("all")
