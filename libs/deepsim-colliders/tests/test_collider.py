# SPDX-License-Identifier: Apache-2.0
"""What all colliders share: sizes, poses, attachment, enabling, and what they refuse."""

from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pytest
import shapely

from deepsim_colliders import (
    BoxCollider,
    CapsuleCollider,
    CircleCollider,
    Collider2D,
    Collider3D,
    CompoundCollider,
    GeometryCollider,
    RectangleCollider,
    SphereCollider,
)
from deepsim_math import Euler, Point, Pose, Ray, Vector3

DOWN = Ray((0, 0, 9), (0, 0, -1))
ALONG = Ray((-9, 0, 0), (1, 0, 0))


class Body:
    """Something that moves."""

    def __init__(self, pose=Pose()):  # noqa: B008  # poses are immutable
        self.pose = pose


def test_sizes():
    box = BoxCollider(2, 1, np.float32(4))
    assert (box.length, box.width, box.height) == (2, 1, 4)
    rectangle = RectangleCollider(2, 1)
    assert (rectangle.length, rectangle.width) == (2, 1)
    assert SphereCollider(3).radius == CircleCollider(3).radius == 3
    assert repr(box) == "BoxCollider(length=2.0, width=1.0, height=4.0)"
    assert repr(rectangle) == "RectangleCollider(length=2.0, width=1.0)"
    assert repr(SphereCollider(3)) == "SphereCollider(radius=3.0)"
    capsule = CapsuleCollider(1, 3)
    assert (capsule.radius, capsule.length) == (1, 3)
    assert repr(capsule) == "CapsuleCollider(radius=1.0, length=3.0)"
    assert repr(GeometryCollider(shapely.box(0, 0, 1, 1))).startswith("GeometryCollider(<POLYGON")


@pytest.mark.parametrize("wrong", [0, -0.5, math.inf, math.nan])
@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda x: BoxCollider(x, 1, 1), "length"),
        (lambda x: BoxCollider(1, x, 1), "width"),
        (lambda x: BoxCollider(1, 1, x), "height"),
        (lambda x: RectangleCollider(x, 1), "length"),
        (lambda x: RectangleCollider(1, x), "width"),
        (CircleCollider, "radius"),
        (SphereCollider, "radius"),
        (lambda x: CapsuleCollider(x, 1), "radius"),
        (lambda x: CapsuleCollider(1, x), "length"),
    ],
)
def test_sizes_must_be_positive(make, name, wrong):
    with pytest.raises(ValueError, match=f"{name} must be > 0 m and finite, got {wrong}"):
        make(wrong)
    with pytest.raises(TypeError, match=f"{name} must be a number of metres, got '1'"):
        make("1")


@pytest.mark.parametrize(
    ("geometry", "reason"),
    [
        (shapely.Polygon([(0, 0), (1, 1), (1, 0), (0, 1)]), "Self-intersection.*make_valid"),
        (shapely.Polygon(), "needs a geometry with points, got POLYGON EMPTY"),
        (shapely.LineString([(0, 0), (0, 0)]), "invalid geometry"),
    ],
)
def test_bad_geometry_is_refused_with_the_reason(geometry, reason):
    with pytest.raises(ValueError, match=reason):
        GeometryCollider(geometry)


@pytest.mark.parametrize("wrong", [None, [(0, 0), (1, 0), (0, 1)], shapely.Point(0, 0)])
def test_what_is_no_area_or_line_is_refused(wrong):
    with pytest.raises(TypeError, match=r"GeometryCollider takes one of Polygon, .*got"):
        GeometryCollider(wrong)


def test_geometry_loses_its_z():
    collider = GeometryCollider(shapely.Polygon([(0, 0, 5), (1, 0, 5), (0, 1, 5)]))
    assert collider.geometry.equals(shapely.Polygon([(0, 0), (1, 0), (0, 1)]))
    assert not collider.geometry.has_z


def test_pose_follows_an_object(every):
    """Every query reads the pose anew."""
    for collider in every:
        body = Body()
        collider.attach(body)
        start = collider.raycast(ALONG)
        body.pose = Pose((3, 0, 0))
        assert collider.pose == body.pose
        assert collider.raycast(ALONG).distance == pytest.approx(start.distance + 3)
        assert not collider.contains((-1.0, 0, 0))
        body.pose = Pose((0, 50, 0))
        assert collider.raycast(ALONG) is None


def test_pose_follows_a_function_and_an_array():
    row = np.array([5.0, 0, 0, 0, 0, 0, 1])
    collider = SphereCollider(1)
    collider.attach(lambda: row)
    assert collider.contains((5, 0, 0))
    row[0] = 8.0
    assert not collider.contains((5, 0, 0))
    assert collider.pose == Pose((8, 0, 0))


def test_pose_offset_is_in_the_frame_of_what_it_is_attached_to():
    collider = CircleCollider(0.5, pose_offset=Pose((1, 0, 0)))
    assert collider.pose == Pose((1, 0, 0))
    collider.attach(Body(Pose((10, 0, 0), Euler(0, 0, math.pi / 2))))
    assert collider.contains((10, 1))
    collider.pose_offset = Pose((0, 3, 0))
    assert collider.pose.position.isclose((7, 0, 0))
    assert collider.contains((7, 0))
    collider.detach()
    assert collider.pose == collider.pose_offset == Pose((0, 3, 0))
    assert collider.contains((0, 3))


def test_only_what_has_a_pose_can_be_attached_to():
    with pytest.raises(TypeError, match="cannot attach to 'robot': give an object with a `pose`"):
        SphereCollider(1).attach("robot")


def test_what_gives_no_pose_is_refused_by_the_query():
    collider = SphereCollider(1)
    collider.attach(lambda: None)
    with pytest.raises(TypeError, match="Pose needs 7 numbers, got None"):
        collider.contains((0, 0, 0))


def test_disabled_colliders_meet_nothing(flat, solid):
    """Whichever side asks."""
    for family in (flat, solid):
        for collider in family:
            for other in family:
                collider.disable()
                assert not collider.enabled
                assert not collider.intersects(other)
                assert not other.intersects(collider)
                assert not other.contains(collider)
                assert not collider.contains(other)
                assert not collider.contains((0, 0, 0))
                assert not collider.contains_points(np.zeros((2, 3))).any()
                assert collider.raycast(DOWN) is None
                collider.enable()
                assert collider.enabled
                assert collider.intersects(collider)


def test_a_pose_that_is_not_finite_meets_nothing(flat, solid):
    for family in (flat, solid):
        for collider in family:
            other = type(family[1])(1)
            for wrong in (math.nan, math.inf):
                collider.attach(Body(Pose((wrong, 0, 0))))
                assert not collider.intersects(other)
                assert not other.intersects(collider)
                assert not other.contains(collider)
                assert not collider.contains(collider)
                assert not collider.contains((0, 0, 0))
                assert not collider.contains_points(np.zeros((2, 3))).any()
                assert collider.raycast(ALONG) is None


def test_points_that_are_not_finite_are_in_nothing(every):
    for collider in every:
        for wrong in (math.nan, math.inf):
            assert not collider.contains((wrong, 0, 0))
            assert collider.contains_points([(wrong, 0, 0), (0, wrong, 0)]).tolist() == [False] * 2


def test_a_zero_quaternion_is_refused(every):
    for collider in every:
        collider.attach(Body(Pose((0, 0, 0), (0, 0, 0, 0))))
        with pytest.raises(ValueError, match=r"Quaternion\(.*length is zero"):
            collider.contains((0, 0, 0))


def test_dimensions_do_not_mix(flat, solid):
    """Both are named, whichever side asks and whether or not they are enabled."""
    for a, b in [(a, b) for a in flat for b in solid] + [(b, a) for a in flat for b in solid]:
        names = rf"{type(a).__name__} \({a.dimensions}D\).*{type(b).__name__} \({b.dimensions}D\)"
        for ask in (a.intersects, a.contains):
            with pytest.raises(TypeError, match=names):
                ask(b)
    for family, dimensions, base in ((flat, 2, Collider2D), (solid, 3, Collider3D)):
        assert {collider.dimensions for collider in family} == {dimensions}
        pieces = [one for one in family if not isinstance(one, CompoundCollider)]
        assert all(isinstance(collider, base) for collider in pieces)


@pytest.mark.parametrize("wrong", [None, 5, "abc", shapely.Point(0, 0)])
def test_what_is_no_target_is_refused(every, wrong):
    for collider in every:
        for ask in (collider.intersects, collider.contains):
            with pytest.raises(TypeError, match=r"must be a number|needs 3 numbers"):
                ask(wrong)


@pytest.mark.parametrize("wrong", [(1,), (1, 2, 3, 4)])
def test_points_have_as_many_coordinates_as_the_world(every, wrong):
    for collider in every:
        with pytest.raises(ValueError, match="needs 3 numbers"):
            collider.contains(wrong)
        with pytest.raises(ValueError, match=r"points must have shape \(\.\.\., "):
            collider.contains_points([wrong])


def test_two_coordinates_will_do_in_2d(flat, solid):
    for collider in flat:
        assert collider.contains((50, 0)) == collider.contains((50, 0, 7))
    for collider in solid:
        with pytest.raises(ValueError, match="needs 3 numbers, got 2"):
            collider.contains((0, 0))
        with pytest.raises(ValueError, match=r"shape \(\.\.\., 3\), got \(1, 2\)"):
            collider.contains_points([(0, 0)])


@pytest.mark.parametrize("point", [Point(0.5, 0.2, 0), Vector3(0.5, 0.2, 0), [0.5, 0.2, 0]])
def test_forms_of_a_point(solid, point):
    """Values, sequences and arrays; `in` and intersects ask the same as contains."""
    for collider in solid:
        for form in (point, np.array(point)):
            assert collider.contains(form)
            assert collider.intersects(form)
            assert form in collider


def test_only_rays_are_cast(every):
    for collider in every:
        with pytest.raises(TypeError, match="raycast needs a Ray"):
            collider.raycast(((0, 0, 0), (1, 0, 0)))


def test_copies_are_independent(every):
    """They take along nothing that a query remembers."""
    for collider in every:
        assert collider.raycast(ALONG) is not None
        twins = copy.copy(collider), copy.deepcopy(collider), pickle.loads(pickle.dumps(collider))
        for other in twins:
            other.pose_offset = Pose((0, 20, 0))
            assert collider.pose == Pose()
            assert other.raycast(ALONG) is None
