# SPDX-License-Identifier: Apache-2.0
"""Defects of the colliders of the first DeepSim that must not come back, one test each.

The numbers are those of the project's list of sixteen; the others concern deepsim-math.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
import shapely

from deepsim_colliders import (
    BoxCollider,
    CircleCollider,
    ColliderSet,
    GeometryCollider,
    RectangleCollider,
    SphereCollider,
)
from deepsim_math import Euler, Frustum, Pose, Ray


def test_defect_1_box_raycast_divides_the_whole_sum():
    """A ray at 45 degrees was off by a third, and every oblique ray was wrong."""
    hit = BoxCollider(2, 2, 2).raycast(Ray((-5, -5, 0), (1, 1, 0)))
    assert hit.distance == pytest.approx(4 * math.sqrt(2))
    assert hit.exit_distance == pytest.approx(6 * math.sqrt(2))
    assert BoxCollider(2, 2, 2).raycast(Ray((5, 0, 0), (-1, 0, 0))).distance == 4


def test_defect_1_box_raycast_from_inside_enters_before_it_leaves():
    hit = BoxCollider(2, 2, 2).raycast(Ray((0, 0, 0), (1, 0, 0)))
    assert (hit.distance, hit.exit_distance, hit.inside) == (0, 1, True)


def test_defect_2_sphere_raycast_is_forward_only():
    """Hits behind the ray came with negative distances."""
    assert SphereCollider(1).raycast(Ray((5, 0, 0), (1, 0, 0))) is None
    hit = SphereCollider(1).raycast(Ray((0, 0, 0), (1, 0, 0)))
    assert (hit.distance, hit.exit_distance, hit.inside) == (0, 1, True)


def test_defect_3_every_pixel_is_right():
    """With the raycast of that time, 63 of 100 pixels were wrong."""
    random = np.random.default_rng(3)
    boxes = [
        BoxCollider(
            *random.uniform(0.5, 3, 3),
            pose_offset=Pose(
                random.uniform((3, -5, -4), (15, 5, 4)), Euler(*random.uniform(-3, 3, 3))
            ),
        )
        for _ in range(20)
    ]
    view = Frustum(0.1, 50, 1.2, 0.75)
    ids, depth = ColliderSet(boxes).segmentation(view, 32, 24)
    assert 0.1 < (ids >= 0).mean() < 0.9
    for row in range(24):
        for column in range(32):
            ray = view.viewport_point_to_ray((column + 0.5) / 32, 1 - (row + 0.5) / 24)
            steps = np.linspace(0, 20, 2000)[:, np.newaxis] * np.asarray(ray.direction)
            inside = np.stack([box.contains_points(steps) for box in boxes])
            number = ids[row, column]
            assert not inside[:, steps[:, 0] < depth[row, column] - 1e-9].any()
            assert number >= 0 or not inside.any()
            if number >= 0:
                at = depth[row, column] / ray.direction.x
                assert boxes[number].contains(ray.get_point(at))


def test_defect_4_a_fresh_frustum_culls():
    """It contained everything until a setter was called."""
    ahead, behind = (SphereCollider(1, pose_offset=Pose((x, 0, 0))) for x in (50, -50))
    assert ColliderSet([behind, ahead]).cull(Frustum(0.1, 100, 1, 1)).tolist() == [1]


def test_defect_5_what_is_behind_the_camera_is_not_in_the_picture():
    """Points behind it projected to the mirrored pixel."""
    behind = BoxCollider(1, 1, 1, pose_offset=Pose((-5, 1, 1)))
    ids, depth = ColliderSet([behind]).segmentation(Frustum(0.1, 100, 1, 1), 16, 16)
    assert (ids == -1).all()
    assert np.isinf(depth).all()


def test_defect_11_geometry_turns_about_the_origin_of_its_frame():
    """It turned about the middle of its bounding box; a rectangle of the same shape did not."""
    collider = GeometryCollider(
        shapely.box(0, 0, 4, 1), pose_offset=Pose((0, 0, 0), Euler(0, 0, math.pi / 2))
    )
    assert collider.contains((-0.5, 3.5))
    assert not collider.contains((2, 0))
    twin = RectangleCollider(4, 1)
    twin.pose_offset = collider.pose @ Pose((2, 0.5, 0))
    points = np.random.default_rng(0).uniform(-5, 5, (500, 2))
    assert np.array_equal(collider.contains_points(points), twin.contains_points(points))


def test_defect_10_a_circle_is_round():
    """It was a polygon of 64 corners for everything but rays."""
    angles = np.linspace(0, 2 * math.pi, 1000)
    rim = 0.9999 * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    assert CircleCollider(1).contains_points(rim).all()
    for angle in angles[::50]:
        step = 1.9999 * np.array([math.cos(angle), math.sin(angle), 0])
        assert CircleCollider(1).intersects(CircleCollider(1, pose_offset=Pose(step)))


@pytest.mark.parametrize("target", [None, "robot", object(), shapely.Point(0, 0)])
def test_an_unknown_target_is_an_error(target):
    """`NotImplemented` came back, which is true."""
    for collider in (BoxCollider(1, 1, 1), SphereCollider(1), CircleCollider(1)):
        for ask in (collider.intersects, collider.contains):
            with pytest.raises(TypeError):
                ask(target)


@pytest.mark.parametrize("tilt", [0.0, 0.5, 1.0, 1.5])
def test_defect_12_tilt_means_the_same_to_every_flat_collider(tilt):
    """One was squeezed, one ignored it, one kept the yaw; rays did something else again."""
    pose = Pose((1, 0, 0), Euler(tilt, 0.5 * tilt, 0.3))
    level = Pose((1, 0, 0), Euler(0, 0, 0.3))
    points = np.random.default_rng(0).uniform(-3, 3, (500, 2))
    rectangle, square = RectangleCollider(2, 1), GeometryCollider(shapely.box(-1, -0.5, 1, 0.5))
    for collider in (rectangle, square, CircleCollider(1)):
        collider.pose_offset = level
        expected = collider.contains_points(points)
        hit = collider.raycast(Ray((-9, 0, 0), (1, 0, 0)))
        collider.pose_offset = pose
        assert np.array_equal(collider.contains_points(points), expected)
        assert collider.raycast(Ray((-9, 0, 0), (1, 0, 0))).distance == pytest.approx(hit.distance)
    assert np.array_equal(rectangle.contains_points(points), square.contains_points(points))


def test_defect_13_containment_is_that_of_closed_sets_in_2d_and_3d():
    """Points of the surface were outside, and only the 2D colliders contained themselves."""
    for collider, surface in (
        (BoxCollider(2, 2, 2), (1, 1, 1)),
        (SphereCollider(1), (0, 0, 1)),
        (RectangleCollider(2, 2), (1, 1, 0)),
        (CircleCollider(1), (0, 1, 0)),
        (GeometryCollider(shapely.box(-1, -1, 1, 1)), (1, 1, 0)),
    ):
        assert collider.contains(collider)
        assert collider.contains(surface)
        assert collider.intersects(surface)
