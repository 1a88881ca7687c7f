# SPDX-License-Identifier: Apache-2.0
"""Motion, dribbling, passes, wheels and profiles, against hand-worked numbers and oracles."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepsim_soccer import DIALECTS
from deepsim_soccer.skills import (
    body_from_wheels,
    body_velocity,
    can_dribble,
    goal_crossing,
    ground_pass,
    held_position,
    held_velocity,
    kick_direction,
    limit_wheels,
    rolled,
    rolling_spin,
    trapezoid,
    wheel_speeds,
    world_velocity,
    wrap_angle,
)

ANGLES = st.floats(-10.0, 10.0)
SPEEDS = st.floats(-6.0, 6.0)


@given(ANGLES, SPEEDS, SPEEDS)
def test_velocities_turn_with_the_robot(yaw, x, y):
    """The product of complex numbers is an oracle, and the inverse leads back."""
    turned = complex(x, y) * complex(math.cos(yaw), math.sin(yaw))
    moved = world_velocity(yaw, [x, y])
    np.testing.assert_allclose(moved, [turned.real, turned.imag], atol=1e-12)
    np.testing.assert_allclose(body_velocity(yaw, moved), [x, y], atol=1e-12)


@given(st.floats(-100.0, 100.0))
def test_wrapped_angles_point_the_same_way(angle):
    """They are within half a turn."""
    wrapped = float(wrap_angle(angle))
    assert abs(wrapped) <= math.pi + 1e-12
    assert math.cos(wrapped) == pytest.approx(math.cos(angle), abs=1e-9)
    assert math.sin(wrapped) == pytest.approx(math.sin(angle), abs=1e-9)


@pytest.mark.parametrize("name", DIALECTS)
def test_the_hold_thresholds_of_each_dialect(name):
    """A ball is held up to the distance, and up to half the angle to either side."""
    dialect = DIALECTS[name]
    limits = dialect.hold_distance, dialect.hold_angle
    assert limits[0] == pytest.approx(0.4 if name == "simatch" else 0.5)
    near, far = limits[0] - 1e-9, limits[0] + 1e-6
    balls = [[near, 0.0], [far, 0.0], [-near, 0.0]]
    np.testing.assert_array_equal(can_dribble([0, 0], 0.0, balls, *limits), [True, False, False])
    half = 10.0 if name == "simatch" else 15.0
    inside, outside = math.radians(half - 0.01), math.radians(half + 0.01)
    for side in (-1, 1):
        ball = 0.35 * kick_direction(np.array([side * inside, side * outside]))
        np.testing.assert_array_equal(can_dribble([0, 0], 0.0, ball, *limits), [True, False])
    held = held_position([1.0, 2.0], 0.7, dialect.hold_gap)
    assert can_dribble([1.0, 2.0], 0.7, held, *limits)


@given(ANGLES, ANGLES, SPEEDS, SPEEDS, st.floats(1e-3, 0.05))
def test_the_secant_takes_a_held_ball_to_its_next_place(yaw, rate, x, y, period):
    """The tangent is the limit of the secant."""
    start = held_position([0.0, 0.0], yaw, 0.43)
    end = held_position(period * np.array([x, y]), yaw + rate * period, 0.43)
    secant = held_velocity([x, y], rate, yaw, 0.43, period)
    np.testing.assert_allclose(start + period * secant, end, atol=1e-12)
    tangent = held_velocity([x, y], rate, yaw, 0.43)
    assert np.linalg.norm(secant - tangent) <= 0.43 * rate * rate * period / 2 + 1e-9


@given(ANGLES, st.floats(0.0, 15.0))
def test_a_pass_leaves_along_the_kicker_and_rolls(yaw, speed):
    """Equation (3); the point that touches the ground is at rest."""
    velocity = ground_pass(yaw, speed)
    np.testing.assert_allclose(velocity[:2], speed * kick_direction(yaw), atol=1e-12)
    assert velocity[2] == 0.0
    foot = velocity + np.cross(rolling_spin(velocity, 0.11), [0.0, 0.0, -0.11])
    np.testing.assert_allclose(foot, 0.0, atol=1e-12)


def test_the_way_to_the_goal_line():
    """D and y of the crossing, along the kick and not along x."""
    distance, y = goal_crossing([4.0, -2.0], math.atan2(2.0, 5.0), 9.0)
    assert distance == pytest.approx(math.hypot(5.0, 2.0))
    assert y == pytest.approx(0.0, abs=1e-12)
    distance, y = goal_crossing([[0.0, 0.0]] * 2, [math.pi, 0.0], [9.0, -9.0])
    assert np.isinf(distance).all()
    assert np.isinf(y).all()


@given(st.lists(SPEEDS, min_size=2, max_size=2), st.floats(0.0, 5.0))
def test_a_rolling_ball_slows_down_and_stops(velocity, time):
    """The way v²/2a and the time v/a of uniform deceleration; it never turns back."""
    speed = math.hypot(*velocity)
    after = rolled(velocity, 2.94, time)
    assert np.linalg.norm(after) == pytest.approx(max(speed - 2.94 * time, 0.0), abs=1e-9)
    assert np.dot(after, velocity) >= 0.0


@given(SPEEDS, SPEEDS, ANGLES)
def test_wheels_and_body_agree(x, y, w):
    """The inverse leads back; each wheel has the speed of its place along its own direction."""
    wheels = wheel_speeds([x, y, w])
    np.testing.assert_allclose(body_from_wheels(wheels), [x, y, w], atol=1e-9)
    for wheel, angle in zip(wheels, np.radians([45, 135, 225, 315]), strict=True):
        place = 0.203 * np.array([math.cos(angle), math.sin(angle)])
        speed = np.array([x - w * place[1], y + w * place[0]])
        clockwise = np.array([math.sin(angle), -math.cos(angle)])
        assert wheel == pytest.approx(speed @ clockwise, abs=1e-9)


VELOCITIES = st.tuples(SPEEDS, SPEEDS, ANGLES)


@given(VELOCITIES, VELOCITIES, st.floats(1.0, 9.0), st.floats(1.0, 9.0))
def test_limits_of_the_wheels_hold(desired, actual, gain, loss):
    """No wheel speeds up or slows down faster than it can, and one of them uses that up."""
    reached = limit_wheels(desired, actual, 0.025, acceleration=gain, braking=loss)
    before, after = wheel_speeds(actual), wheel_speeds(reached)
    change = np.abs(after - before)
    allowed = 0.025 * np.where((after - before) * before >= 0.0, gain, loss)
    assert (change <= allowed + 1e-9).all()
    arrived = limit_wheels(desired, actual, 1e9, acceleration=gain, braking=loss)
    # A wheel that turns the other way, however slowly, counts as one that slows down.
    assert (
        np.allclose(reached, arrived, atol=1e-6) or change.max() >= 0.025 * min(gain, loss) - 1e-6
    )


def test_a_robot_reaches_the_speed_that_its_wheels_allow():
    """Straight ahead 0.707 V = 5 m/s is the limit."""
    velocity = np.zeros(3)
    for _ in range(400):
        velocity = limit_wheels([20.0, 0.0, 0.0], velocity, 0.025)
    np.testing.assert_allclose(velocity, [5.0 * math.sqrt(2.0), 0.0, 0.0], atol=1e-9)


def test_the_profiles_of_the_published_code():
    """A = 2 m/s², v = 3 m/s: a trapezoid for 10 m, a triangle for 2 m, both at the limit 4.5 m."""
    profile = trapezoid([10.0, 2.0, 4.5], 3.0, 2.0)
    np.testing.assert_allclose(profile.blend, [1.5, 1.0, 1.5])
    np.testing.assert_allclose(profile.duration, [29.0 / 6.0, 2.0, 3.0])
    turn = trapezoid(math.radians(240.0), math.radians(120.0), math.radians(120.0))
    assert turn.duration == pytest.approx(3.0)


@given(st.floats(0.0, 20.0), st.floats(0.1, 5.0), st.floats(0.1, 5.0))
def test_a_profile_ends_at_its_distance(distance, speed, acceleration):
    """The integral of the speed is the way, and no speed exceeds the limit."""
    profile = trapezoid(distance, speed, acceleration)
    time = np.linspace(0.0, float(profile.duration), 4001)
    speeds = profile.speed(time)
    assert speeds.max() <= speed + 1e-9
    way = ((speeds[1:] + speeds[:-1]) / 2.0 * np.diff(time)).sum()
    assert way == pytest.approx(distance, rel=1e-3, abs=1e-6)
    assert profile.position(profile.duration) == pytest.approx(distance, abs=1e-9)
    middle = float(profile.duration) / 2.0
    assert profile.position(middle) == pytest.approx(distance / 2.0, abs=1e-9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-1.0, 3.0, 2.0), "distance must be >= 0, got -1.0"),
        ((1.0, 0.0, 2.0), "max_speed must be > 0, got 0.0"),
        ((1.0, 3.0, -2.0), "acceleration must be > 0, got -2.0"),
    ],
)
def test_impossible_profiles_are_refused(arguments, message):
    """The message names the argument."""
    with pytest.raises(ValueError, match=message):
        trapezoid(*arguments)


def test_any_leading_axes():
    """Worlds and robots stay in front."""
    yaw = np.zeros((3, 5))
    place = np.zeros((3, 5, 2))
    assert ground_pass(yaw, 2.0).shape == (3, 5, 3)
    assert can_dribble(place, yaw, place[:, :1], 0.5, 0.5).shape == (3, 5)
    assert wheel_speeds(np.zeros((3, 5, 3))).shape == (3, 5, 4)
    assert limit_wheels(np.zeros((3, 5, 3)), np.zeros((3, 5, 3)), 0.1).shape == (3, 5, 3)
