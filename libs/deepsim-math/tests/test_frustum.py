# SPDX-License-Identifier: Apache-2.0
"""Frustum, against its corners and convex optimisation as oracles."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.spatial.transform import Rotation

from deepsim_math import (
    Euler,
    Frustum,
    Plane,
    Point,
    Pose,
    Quaternion,
    Ray,
    Vector3,
    quaternions,
)

NUMBERS = st.floats(-8, 8).map(lambda x: round(x, 3))
PLACES = st.tuples(NUMBERS, NUMBERS, NUMBERS)
TURNS = st.integers(-4, 4).map(lambda n: n * math.pi / 4) | st.floats(-3, 3)
ROTATIONS = st.builds(Quaternion.from_euler, TURNS, TURNS, TURNS)
POSES = st.builds(Pose, PLACES, ROTATIONS)
FRUSTUMS = st.builds(
    Frustum,
    near=st.floats(0.1, 2),
    far=st.floats(3, 8),
    horizontal_fov=st.floats(0.2, 2.8),
    view_ratio=st.floats(0.3, 2.0),
    pose=POSES,
)
SIZES = st.tuples(*[st.floats(0.01, 5)] * 3)
MARGIN = 1e-5  # nearer than this to a boundary, the oracles cannot tell

AHEAD = Frustum(1, 10, math.pi / 2, 0.5)  # |y| <= x, |z| <= x / 2


def world(pose, points):
    """Points of the frame of `pose` in the world, by scipy."""
    return Rotation.from_quat(np.asarray(pose)[3:]).apply(points) + np.asarray(pose)[:3]


def corners(view):
    side = math.tan(view.horizontal_fov / 2)
    signs = itertools.product((view.near, view.far), (-1, 1), (-1, 1))
    return world(
        view.pose, [(d, s * d * side, r * d * side * view.view_ratio) for d, s, r in signs]
    )


def box_corners(pose, size):
    return world(pose, np.array(list(itertools.product((-0.5, 0.5), repeat=3))) * size)


FACES = [(0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5)]


def half_spaces(c):
    """Outward unit normals n and offsets d of a solid of eight corners: n . x <= d inside."""
    normals = np.array([np.cross(c[j] - c[i], c[k] - c[i]) for i, j, k, _ in FACES])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    offsets = np.array([n @ c[face[0]] for n, face in zip(normals, FACES)])
    signs = np.sign(offsets - normals @ c.mean(axis=0))
    return signs[:, np.newaxis] * normals, signs * offsets


def depth_inside(view, point):
    """Distance to the nearest plane of the view, negative outside."""
    normals, offsets = half_spaces(corners(view))
    return np.min(offsets - normals @ point)


def distance_outside(view, point):
    """Distance from a point outside to the nearest face, edge or corner."""
    c = corners(view)
    distances = []
    for normal, offset, face in zip(*half_spaces(c), FACES):
        height = normal @ point - offset
        foot = point - height * normal
        edges = [(c[a], c[b]) for a, b in zip(face, (*face[1:], face[0]))]
        turns = [np.cross(b - a, foot - a) @ normal for a, b in edges]
        if min(turns) >= 0 or max(turns) <= 0:
            distances.append(abs(height))
        for a, b in edges:
            share = np.clip((point - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
            distances.append(np.linalg.norm(a + share * (b - a) - point))
    return min(distances)


def common_room(view, box):
    """Radius of the largest ball in both, by linear programming; negative when they are apart."""
    pairs = [half_spaces(corners(view)), half_spaces(box)]
    normals, offsets = (np.concatenate(parts) for parts in zip(*pairs))
    rows = np.column_stack([normals, np.ones(12)])
    return -linprog([0, 0, 0, -1], rows, offsets, bounds=(None, None)).fun


@given(FRUSTUMS, PLACES)
def test_contains_what_all_six_planes_have_before_them(view, point):
    depth = depth_inside(view, np.array(point))
    assume(abs(depth) > MARGIN)
    assert view.contains(point) == (depth > 0) == (point in view)
    assert all(plane.distance_to(point) >= 0 for plane in view.planes) == (depth > 0)


@given(FRUSTUMS)
def test_planes_go_through_their_corners_and_face_inwards(view):
    near, far = corners(view).reshape(2, 4, 3)  # right bottom, right top, left bottom, left top
    of_plane = {
        "near_plane": near,
        "far_plane": far,
        "left_plane": [*near[2:], *far[2:]],
        "right_plane": [*near[:2], *far[:2]],
        "top_plane": [*near[1::2], *far[1::2]],
        "bottom_plane": [*near[::2], *far[::2]],
    }
    center = np.concatenate([near, far]).mean(axis=0)
    for (name, points), plane in zip(of_plane.items(), view.planes):
        assert plane == getattr(view, name)
        assert plane.distance_to(center) > 0
        for point in points:
            assert plane.distance_to(point) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(
    ("point", "inside"),
    [
        ((5, 0, 0), True),
        ((1, 0, 0), True),  # on the near plane
        ((10, 0, 0), True),
        ((4, 4, 2), True),  # on an edge
        ((10, -10, -5), True),  # a corner
        ((0.999, 0, 0), False),
        ((10.001, 0, 0), False),
        ((4, 4.001, 0), False),
        ((4, 0, -2.001), False),
        ((-5, 0, 0), False),
        ((math.nan, 0, 0), False),
        ((math.inf, 0, 0), False),
        ((1e300, 1e300, 0), False),
    ],
)
def test_contains_by_hand(point, inside):
    assert AHEAD.contains(Point(*point)) is inside
    assert AHEAD.contains_sphere(point, 0) is inside
    assert AHEAD.contains_box(Pose(point), (0, 0, 0)) is inside
    assert AHEAD.intersects_sphere(point, 0) is inside
    assert AHEAD.intersects_box(Pose(point), (0, 0, 0)) is inside


@given(FRUSTUMS, PLACES, st.floats(0, 5))
def test_spheres(view, center, radius):
    depth = depth_inside(view, np.array(center))
    assume(abs(depth - radius) > MARGIN)
    assert view.contains_sphere(center, radius) == (depth > radius)
    distance = 0 if depth > 0 else distance_outside(view, np.array(center))
    assume(abs(distance - radius) > MARGIN)
    assert view.intersects_sphere(center, radius) == (distance < radius)


@given(FRUSTUMS, POSES, SIZES)
def test_boxes(view, pose, size):
    box = box_corners(pose, size)
    depths = [depth_inside(view, corner) for corner in box]
    assume(abs(min(depths)) > MARGIN)
    assert view.contains_box(pose, size) == (min(depths) > 0)
    room = common_room(view, box)
    assume(abs(room) > MARGIN)
    assert view.intersects_box(pose, size) == (room > 0)


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ((5, 0, 0), (True, True)),
        ((1, 0, 0), (False, True)),
        ((0.5, 0, 0), (False, True)),  # touches the near plane
        ((0.499, 0, 0), (False, False)),
        ((10.5, 0, 0), (False, True)),
        ((-5, 0, 0), (False, False)),
        ((5, 4, 0), (True, True)),  # its corner touches the left plane from inside
        ((5, 6, 0), (False, True)),  # and from outside
        ((5, 6.1, 0), (False, False)),
    ],
)
def test_unit_box_by_hand(place, expected):
    box = Pose(place), (1, 1, 1)
    assert (AHEAD.contains_box(*box), AHEAD.intersects_box(*box)) == expected


@pytest.mark.parametrize(
    ("edge", "outwards"),
    [
        ((4, 4, 2), [(-1, 1, 0), (-0.5, 0, 1)]),  # left and top
        ((4, -4, -2), [(-1, -1, 0), (-0.5, 0, -1)]),  # right and bottom
        ((10, 10, 1), [(1, 0, 0), (-1, 1, 0)]),  # far and left
        ((1, 0.5, 0.5), [(-1, 0, 0), (-0.5, 0, 1)]),  # near and top
        ((10, 10, 5), [(1, 0, 0), (-1, 1, 0), (-0.5, 0, 1)]),  # a far corner
    ],
)
def test_a_sphere_beside_an_edge(edge, outwards):
    """Its distance is that to the edge, more than that to either plane."""
    way = sum((Vector3(*normal).normalized() for normal in outwards), Vector3()).normalized()
    center = Point(*edge) + way
    assert AHEAD.intersects_sphere(center, 1.001)
    assert not AHEAD.intersects_sphere(center, 0.999)


def test_boxes_with_edges_along_those_of_the_view():
    """The cross products of parallel edges are rounding noise, and separate nothing."""
    rng = np.random.default_rng(0)
    turns = quaternions.normalize(rng.normal(size=(500, 4)))
    for place in ((0.501, 0, 0), (1, 1.8, 0), (10.499, 3, 3), (5, 0, 2.9)):
        for turn, center in zip(turns, quaternions.rotate(turns, place)):
            view = AHEAD.replace(pose=Pose((0, 0, 0), turn))
            assert view.intersects_box(Pose(center, turn), (1, 1.5, 1))


def test_a_large_box_beside_a_corner_is_not_mistaken_for_visible():
    """Tests of the six planes alone, the usual ones, would keep it."""
    view = Frustum(1, 2, math.pi / 2, 1.0)
    box = Pose((5, 5, 0)), (8, 5, 1)
    for plane in view.planes:
        assert max(plane.distance_to(corner) for corner in box_corners(*box)) > 0
    assert not view.intersects_box(*box)


@given(FRUSTUMS, POSES, SIZES, st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_a_box_that_is_hit_by_a_ray_of_the_picture_is_never_culled(view, pose, size, u, v, way):
    ray = view.viewport_point_to_ray(u, v)
    depth = view.near + way * (view.far - view.near)
    seen = view.viewport_to_world_point((u, v, 0.999 * depth + 0.0005 * (view.near + view.far)))
    pose = pose.replace(position=seen)
    assert view.intersects_box(pose, np.add(size, 1e-6))
    assert view.intersects_sphere(seen, 1e-6)
    assert (seen - ray.origin).cross(ray.direction).length < 1e-9


@given(FRUSTUMS, PLACES)
def test_viewport_and_back(view, point):
    u, v, depth = view.world_to_viewport_point(point)
    assume(abs(depth) > 1e-3)
    if depth < 0:
        assert math.isnan(u)
        assert math.isnan(v)
        return
    assert view.viewport_to_world_point((u, v, depth)).isclose(point, abs_tol=1e-6)
    inside = 0 <= u <= 1 and 0 <= v <= 1 and view.near <= depth <= view.far
    assume(abs(depth_inside(view, np.array(point))) > MARGIN)
    assert view.contains(point) == inside
    if inside:
        ray = view.viewport_point_to_ray(u, v)
        assert ray.get_point(ray.origin.distance(point)).isclose(point, abs_tol=1e-6)


@pytest.mark.parametrize(
    ("point", "viewport"),
    [
        ((4, 0, 0), (0.5, 0.5, 4)),
        ((4, 4, 0), (0, 0.5, 4)),  # left
        ((4, -4, 0), (1, 0.5, 4)),  # right
        ((4, 0, 2), (0.5, 1, 4)),  # top
        ((4, 0, -2), (0.5, 0, 4)),  # bottom
        ((4, 8, 4), (-0.5, 1.5, 4)),  # out of view
        ((0.5, 0, 0), (0.5, 0.5, 0.5)),  # before the near plane
    ],
)
def test_viewport_by_hand(point, viewport):
    assert AHEAD.world_to_viewport_point(point).isclose(viewport)
    assert AHEAD.viewport_to_world_point(viewport).isclose(point)


def test_points_behind_the_camera_have_no_place_in_the_picture():
    u, v, depth = AHEAD.world_to_viewport_point((-4, 1, 1))
    assert math.isnan(u)
    assert math.isnan(v)
    assert depth == -4


def test_ray_through_the_picture():
    ray = AHEAD.replace(pose=Pose((1, 2, 3))).viewport_point_to_ray(0, 1)
    assert ray.origin == Point(1, 2, 3)
    assert ray.direction.isclose(Vector3(1, 1, 0.5).normalized())


@pytest.mark.parametrize(("u", "v", "name"), [(5, 0, "u"), (0, -0.1, "v"), (0, 1.01, "v")])
def test_places_outside_the_picture_have_no_ray(u, v, name):
    with pytest.raises(ValueError, match=rf"viewport point {name} must be in \[0, 1\], got"):
        AHEAD.viewport_point_to_ray(u, v)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"near": 0}, "near and far must satisfy 0 < near < far, got 0.0 and 10.0"),
        ({"near": 10}, "near and far must satisfy"),
        ({"far": math.nan}, "near and far must satisfy"),
        ({"horizontal_fov": 0}, r"horizontal_fov must be in \(0, pi\) rad, got 0.0"),
        ({"horizontal_fov": math.pi}, "horizontal_fov must be in"),
        ({"view_ratio": 0}, r"view_ratio \(height / width\) must be positive, got 0.0"),
        ({"view_ratio": math.inf}, "view_ratio"),
    ],
)
def test_impossible_views_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        AHEAD.replace(**change)


@pytest.mark.parametrize("name", ["contains", "intersects"])
def test_negative_extents_are_refused(name):
    with pytest.raises(ValueError, match=r"radius must not be negative, got -1\.0"):
        getattr(AHEAD, f"{name}_sphere")((0, 0, 0), -1)
    with pytest.raises(ValueError, match=r"size must not be negative, got -2"):
        getattr(AHEAD, f"{name}_box")(Pose(), (1, -2, 1))


def test_a_view_without_end():
    """`far` may be infinite."""
    view = Frustum(1, math.inf, math.pi / 2, 0.5)
    assert view.contains((1e12, 0, 0))
    assert view.contains_box(Pose((1e12, 0, 0)), (1, 1, 1))
    assert view.intersects_box(Pose((1e6, 1e6, 0)), (1, 1, 1))
    assert not view.intersects_box(Pose((1e6, 1e6 + 2, 0)), (1, 1, 1))
    assert view.intersects_sphere((1e6, 1e6, 0), 1)
    assert not view.intersects_sphere((1e6, 1e6 + 2, 0), 1)
    assert view.planes[1].distance_to((1e12, 0, 0)) == math.inf


def test_vertical_angle():
    assert Frustum(1, 2, 1.2, 1.0).vertical_fov == pytest.approx(1.2)
    assert math.tan(AHEAD.vertical_fov / 2) == pytest.approx(0.5)


def test_what_is_not_a_number_is_nowhere():
    for box in ((Pose((math.nan, 0, 0)), (1, 1, 1)), (Pose((5, 0, 0)), (1, math.nan, 1))):
        assert not AHEAD.contains_box(*box)
        assert not AHEAD.intersects_box(*box)
    assert not AHEAD.contains_sphere((5, 0, 0), math.nan)
    assert not AHEAD.intersects_sphere((5, math.nan, 0), 1)


def test_results_are_plain_values():
    assert isinstance(AHEAD.near_plane, Plane)
    assert isinstance(AHEAD.viewport_point_to_ray(0.5, 0.5), Ray)
    assert type(AHEAD.intersects_box(Pose(), (1, 1, 1))) is bool


def test_a_plane_keeps_out_what_lies_on_its_own_side_alone():
    """Also where the camera looks elsewhere."""
    pose = Pose((1, 2, 3), Euler(0.3, -0.4, 0.5))
    view = AHEAD.replace(pose=pose)
    beyond = {
        "near": (0.5, 0, 0), "far": (11, 0, 0), "left": (5, 6, 0), "right": (5, -6, 0),
        "top": (5, 0, 3), "bottom": (5, 0, -3),
    }  # fmt: skip
    planes = {
        "near": view.near_plane, "far": view.far_plane, "left": view.left_plane,
        "right": view.right_plane, "top": view.top_plane, "bottom": view.bottom_plane,
    }  # fmt: skip
    assert list(planes.values()) == list(view.planes)
    for side, point in beyond.items():
        (place,) = world(pose, [point])
        assert [name for name, plane in planes.items() if plane.distance_to(place) < 0] == [side]
