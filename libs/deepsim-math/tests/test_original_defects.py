# SPDX-License-Identifier: Apache-2.0
"""Defects of the first DeepSim that must not come back, one test each."""

from __future__ import annotations

import math

import numpy as np
import pytest

from deepsim_math import (
    Color,
    Euler,
    Frustum,
    Plane,
    Point,
    Pose,
    Quaternion,
    Vector3,
    lerp,
    slerp,
)


def test_a_fresh_frustum_has_its_planes():
    """Before the first change it contained every point, and had no planes."""
    view = Frustum(0.1, 100, 1.0, 0.75)
    assert not view.contains((-50, 0, 0))
    assert view.contains((50, 0, 0))
    assert view.near_plane.distance_to((1.1, 0, 0)) == pytest.approx(1.0)
    assert len(set(view.planes)) == 6


def test_a_frustum_projects_to_the_viewport():
    """It raised AttributeError, and would have mirrored what is behind the camera."""
    view = Frustum(0.1, 100, 1.0, 0.75, Pose((1, 2, 3), Euler(0, 0, 1)))
    ahead = view.pose.transform_point((5, 0, 0))
    assert view.world_to_viewport_point(ahead).isclose((0.5, 0.5, 5))
    behind = view.world_to_viewport_point(view.pose.transform_point((-5, 1, 0)))
    assert math.isnan(behind.x)


def test_a_place_outside_the_viewport_has_no_ray():
    """The check was `0 > u > 1`, which is never true."""
    with pytest.raises(ValueError, match=r"viewport point u must be in \[0, 1\], got 5"):
        Frustum(0.1, 100, 1.0, 0.75).viewport_point_to_ray(5, 5)


@pytest.mark.parametrize("pitch", [math.pi / 2, -math.pi / 2])
@pytest.mark.parametrize("roll", [-3.0, -1.0, 0.0, 0.5, 2.0])
@pytest.mark.parametrize("yaw", [-2.5, 0.0, 1.0, 3.0])
def test_euler_angles_at_gimbal_lock(roll, pitch, yaw):
    """They were up to 179 degrees off."""
    q = Quaternion.from_euler(roll, pitch, yaw)
    assert q.to_euler().to_quaternion().isclose(q, abs_tol=1e-12)


@pytest.mark.parametrize("angle", [1e-6, 0.1, 0.6, 0.62, 0.64, 1.0, 3.0])
def test_slerp_has_constant_speed_at_small_angles(angle):
    """Below 36 degrees it was a normalized lerp."""
    part = Quaternion().slerp(Quaternion.from_euler(0, 0, angle), 0.25)
    assert part.isclose(Quaternion.from_euler(0, 0, angle / 4), abs_tol=1e-14)


def test_slerp_between_opposite_signs_stays_unit():
    """The middle had a length of 3.73."""
    a, b = Quaternion(), -Quaternion.from_euler(0, 0, 1)
    assert a.slerp(b, 0.5).isclose(Quaternion.from_euler(0, 0, 0.5))


def test_a_pose_minus_a_pose_was_not_the_way_back():
    """`relative` and `inverse` are; poses have no + and -."""
    a, b = Pose((1, 2, 3), Euler(0.1, 0.2, 0.3)), Pose((4, 5, 6), Euler(0.4, 0.5, 0.6))
    assert ((a @ b) @ b.inverse()).isclose(a)
    assert a.relative(a @ b).isclose(b)
    with pytest.raises(TypeError, match="unsupported operand"):
        a + b


@pytest.mark.parametrize("forward", [Vector3.up(), Vector3.down()])
def test_look_rotation_straight_up_and_down(forward):
    """Up gave the identity, down a quaternion of length 0.7."""
    q = Quaternion.look_rotation(forward)
    assert q.length == pytest.approx(1.0, abs=1e-15)
    assert q.rotate(Vector3.forward()).isclose(forward)


def test_a_quaternion_and_its_negative_are_the_same_rotation():
    q = Quaternion.from_euler(0.1, 0.2, 0.3)
    assert q.isclose(-q)


def test_slerp_of_vectors_keeps_lengths_and_turns_between_opposites():
    """It dropped the length of the second, and answered zero between opposite vectors."""
    assert slerp(Vector3(1, 0, 0), Vector3(0, 3, 0), 1.0).isclose((0, 3, 0))
    assert slerp(Vector3(1, 0, 0), Vector3(-1, 0, 0), 0.5).isclose((0, 1, 0))


def test_points_on_a_line_make_no_plane():
    """They made a plane without a normal."""
    with pytest.raises(ValueError, match="three points on one line define no plane"):
        Plane.from_points((0, 0, 0), (1, 1, 1), (2, 2, 2))


def test_plane_scales_its_distance_with_its_normal():
    """The point at z = 4 was on the plane 2 z = 4."""
    assert Plane((0, 0, 2), 4).distance_to((0, 0, 4)) == 2.0


@pytest.mark.parametrize("length", [0.5, 2.0, 100.0])
def test_a_quaternion_of_any_length_only_rotates(length):
    """Vectors were scaled by the square of the length, angles were 111 degrees off."""
    q = Quaternion(*(length * c for c in Euler(0.1, 0.2, 0.3).to_quaternion()))
    assert q.rotate(Vector3(3, 4, 0)).length == pytest.approx(5.0)
    assert list(q.to_euler()) == pytest.approx([0.1, 0.2, 0.3])


def test_division_in_place():
    """`/=` was not defined; with immutable values it makes a new one."""
    before = v = Vector3(2, 4, 6)
    v /= 2
    assert v == Vector3(1, 2, 3)
    assert before == Vector3(2, 4, 6)


def test_a_colour_outside_its_range_is_refused():
    with pytest.raises(ValueError, match="got 300"):
        Color(300, -1, 0)


def test_lerp_ends_exactly_at_b():
    """It missed b in 99 of 100 random pairs."""
    rng = np.random.default_rng(0)
    for a, b in rng.normal(size=(100, 2)).tolist():
        assert lerp(a, b, 1.0) == b
        assert lerp(a, b, 0.0) == a


def test_setting_a_coordinate_of_a_pose_is_not_lost_in_silence():
    """The getter gave a copy, and the assignment did nothing."""
    pose = Pose((1, 2, 3))
    with pytest.raises(AttributeError, match="immutable"):
        pose.position.x = 99
    assert pose.replace(position=pose.position.replace(x=99)).position == Point(99, 2, 3)


def test_comparison_with_none_is_false_and_values_are_hashable():
    assert (Pose() == None) is False  # noqa: E711  # the comparison itself is the subject
    assert len({Pose(), Pose()}) == 1


def test_equality_is_exact():
    """Vector3(1e6, 0, 0) was equal to Vector3(1e6 + 5, 0, 0)."""
    assert Vector3(1e6, 0, 0) != Vector3(1e6 + 5, 0, 0)
