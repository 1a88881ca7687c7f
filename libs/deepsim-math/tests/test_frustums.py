# SPDX-License-Identifier: Apache-2.0
"""Frustums in batch: equal to Frustum row by row; shapes, ``out=`` and refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest

from deepsim_math import Frustum, Pose, Quaternion, frustums, quaternions

VIEW = Frustum(1, 10, 1.2, 0.6, Pose((1, -2, 0.5), Quaternion.from_euler(0.3, -0.4, 2)))


def views(count):
    """Different frustums, one per row."""
    rng = np.random.default_rng(1)
    return np.column_stack(
        [
            rng.uniform(0.1, 1, count),
            rng.uniform(5, 20, count),
            rng.uniform(0.3, 2.5, count),
            rng.uniform(0.4, 2, count),
            rng.normal(size=(count, 3)),
            quaternions.normalize(rng.normal(size=(count, 4))),
        ]
    )


def bodies(count):
    """Places about the views, poses and sizes."""
    rng = np.random.default_rng(2)
    points = rng.normal(size=(count, 3)) * 5
    poses = np.hstack([points, rng.normal(size=(count, 4))])
    return points, poses, rng.uniform(0, 3, (count, 3))


def calls(count):
    """Name: batch function, its arguments after the frustum, and the method of Frustum."""
    points, poses, sizes = bodies(count)
    uv = np.random.default_rng(3).random((count, 2))
    return {
        "contains_points": ((points,), Frustum.contains),
        "contains_spheres": ((points, sizes[:, 0]), Frustum.contains_sphere),
        "contains_boxes": ((poses, sizes), Frustum.contains_box),
        "intersects_spheres": ((points, sizes[:, 0]), Frustum.intersects_sphere),
        "intersects_boxes": ((poses, sizes), Frustum.intersects_box),
        "world_to_viewport_points": ((points,), Frustum.world_to_viewport_point),
        "viewport_to_world_points": (
            (np.column_stack([uv, sizes[:, :1]]),),
            Frustum.viewport_to_world_point,
        ),
        "viewport_points_to_rays": (
            (uv,),
            lambda view, point: [
                *view.viewport_point_to_ray(*point).origin,
                *view.viewport_point_to_ray(*point).direction,
            ],
        ),
    }


NAMES = list(calls(1))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("count", [1, 10, 500])
@pytest.mark.parametrize("many", [False, True], ids=["one view", "a view per row"])
def test_each_row_equals_the_value(name, count, many):
    arguments, method = calls(count)[name]
    view = views(count) if many else VIEW
    batch = getattr(frustums, name)(view, *arguments)
    for i in range(count):
        one = Frustum.from_array(view[i]) if many else VIEW
        expected = method(one, *(a[i].tolist() for a in arguments))
        if batch.dtype == bool:
            assert batch[i] == expected
        else:
            np.testing.assert_allclose(batch[i], expected, rtol=1e-12, atol=1e-12)
    if count == 500 and batch.dtype == bool:
        assert 0 < batch.sum() < 500


@pytest.mark.parametrize("name", NAMES)
def test_leading_axes_broadcast(name):
    arguments, _ = calls(30)[name]
    rows = views(4)[:, np.newaxis]
    batch = getattr(frustums, name)(rows, *arguments)
    assert batch.shape[:2] == (4, 30)
    np.testing.assert_allclose(batch[2], getattr(frustums, name)(rows[2, 0], *arguments))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("count", [3, 9000])
def test_out(name, count):
    arguments, _ = calls(count)[name]
    function = getattr(frustums, name)
    expected = function(VIEW, *arguments)
    out = np.empty_like(expected)
    assert function(VIEW, *arguments, out=out) is out
    np.testing.assert_array_equal(out, expected)
    with pytest.raises(TypeError, match=r"out must be an array of (bools|floats), got int64"):
        function(VIEW, *arguments, out=np.zeros(expected.shape, np.int64))


@pytest.mark.parametrize("name", ["contains_boxes", "intersects_boxes"])
def test_what_is_not_a_number_is_nowhere(name):
    _, poses, sizes = bodies(40)
    poses[3, 1] = sizes[4, 2] = math.nan
    poses[5, 6] = math.nan
    assert not getattr(frustums, name)(VIEW, poses, sizes)[3:6].any()


def test_culling_keeps_what_is_seen():
    """The indices of the boxes in view."""
    poses = [Pose((5, 0, 0)), Pose((-5, 0, 0)), Pose((5, 50, 0))]
    seen = frustums.intersects_boxes(Frustum(1, 10, 1.5, 1), poses, (1, 1, 1))
    assert np.flatnonzero(seen).tolist() == [0]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (np.ones((3, 10)), r"expected a Frustum or shape \(\.\.\., 11\), got \(3, 10\)"),
        ([0, 1, 1, 1, *[0] * 6, 1], r"a frustum needs 0 < near < far.* got \[0, 1, 1, 1\]"),
        ([1, 2, 4, 1, *[0] * 6, 1], "horizontal_fov < pi"),
        ([1, 2, math.nan, 1, *[0] * 6, 1], "a frustum needs 0 < near"),
    ],
)
def test_rows_that_are_no_frustums_are_refused(rows, message):
    with pytest.raises(ValueError, match=message):
        frustums.contains_points(rows, [0, 0, 0])
