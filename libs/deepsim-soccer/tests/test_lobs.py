# SPDX-License-Identifier: Apache-2.0
"""Lobs: the paper's equations, and those that clear the bar."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepsim_soccer.skills import Bar, lob, lob_clear, lob_parabola, lob_speed_limit

DISTANCES = st.floats(0.8, 12.0)


def test_the_numbers_of_the_paper():
    """D = 4.57 m, h = 0.78 m."""
    limit = float(lob_speed_limit(4.57, 0.78))
    assert limit == pytest.approx(4.57 * math.sqrt(9.8 / 1.56), abs=1e-6)
    assert limit == pytest.approx(11.454, abs=5e-4)
    x, y, z = lob(0.0, 4.57, 0.78)
    assert (x, z) == pytest.approx((5.7271, 4.8875), abs=5e-5)
    assert y == 0.0
    flight = lob_parabola(limit / 2.0, 4.57, 0.78)
    assert float(flight.height(4.57)) == pytest.approx(0.78, abs=1e-12)
    assert float(flight.apex) / 4.57 == pytest.approx(0.625, abs=1e-6)
    assert float(flight.height(flight.apex)) == pytest.approx(1.21875, abs=1e-6)


@pytest.mark.parametrize("share", [0.999, 1.001])
def test_the_upper_limit_puts_the_highest_point_on_the_goal_line(share):
    """Equation (11) holds just below v_thres, and not just above it."""
    speed = share * lob_speed_limit(4.57, 0.78)
    apex = float(lob_parabola(speed, 4.57, 0.78).apex) / 4.57
    assert apex == pytest.approx((1.0 + share**2) / 2.0, abs=1e-12)
    assert (apex < 1.0) == (share < 1.0)


@given(DISTANCES, st.floats(0.1, 1.0), st.floats(0.05, 0.99), st.floats(-3.0, 3.0))
def test_a_lob_flies_through_its_point(distance, height, share, yaw):
    """The equations of motion of a point mass bring it to (d, h)."""
    x, y, z = lob(yaw, distance, height, share=share)
    time = distance / math.hypot(x, y)
    assert z * time - 9.8 * time**2 / 2.0 == pytest.approx(height, abs=1e-9)
    assert math.atan2(y, x) == pytest.approx(yaw, abs=1e-9)


@given(DISTANCES)
def test_at_half_the_limit_the_upward_speed_is_that_of_any_distance(distance):
    """v_z = 1.25 sqrt(2 g h)."""
    assert lob(0.0, distance, 0.78)[2] == pytest.approx(1.25 * math.sqrt(2 * 9.8 * 0.78))


def test_the_speed_limit_of_a_lob():
    """A smaller horizontal speed needs a larger upward speed."""
    assert lob(0.0, 9.0, 0.78, limit=4.0)[0] == 4.0
    assert lob(0.0, 9.0, 0.78, limit=4.0)[2] > lob(0.0, 9.0, 0.78)[2]


def gap_to_bar(ahead, up, distance, bar, gravity):
    """Least distance of the ball's centre from the section of the bar, by sampling the flight."""
    x = np.linspace(1e-3, distance + 2.0, 20001)
    y = 0.11 + up * x / ahead - gravity * x**2 / (2.0 * ahead**2)
    dx = np.maximum(np.maximum(distance - bar.depth - x, x - distance), 0.0)
    dy = np.maximum(np.maximum(bar.height - y, y - bar.height - bar.thickness), 0.0)
    at_goal = y[np.searchsorted(x, distance)]
    return np.hypot(dx, dy).min(), at_goal


@given(st.floats(0.8, 10.0), st.booleans(), st.floats(0.0, 0.1))
def test_a_clear_lob_touches_no_bar(distance, over, clearance):
    """The sampled flight of a sphere keeps the clearance, on the side that was asked for."""
    bar = Bar()
    found = lob_clear(distance, over=over, clearance=clearance)
    assert found.possible
    assert math.hypot(found.ahead, found.up) <= 12.0
    gap, at_goal = gap_to_bar(float(found.ahead), float(found.up), distance, bar, 9.81)
    assert gap >= 0.11 + clearance - 1e-5
    assert (at_goal > bar.height) == over
    assert at_goal > 0.11 - 1e-6


@given(st.floats(2.0, 10.0))
def test_a_lob_over_the_bar_wastes_nothing(distance):
    """A little less upward speed would touch the clearance."""
    found = lob_clear(distance, over=True, clearance=0.03)
    gap, _ = gap_to_bar(float(found.ahead), 0.995 * float(found.up), distance, Bar(), 9.81)
    assert gap < 0.14


def test_no_speed_is_large_enough_for_a_long_way():
    """The range of a kick at 45 degrees is v² / g; beyond it nothing is possible."""
    found = lob_clear([5.0, 14.0, 15.0], max_speed=12.0)
    np.testing.assert_array_equal(found.possible, [True, True, False])
    assert np.isnan(found.ahead[2])
    assert np.isnan(found.up[2])


def test_no_lob_fits_under_a_bar_that_is_too_low():
    """The ball needs its diameter and the clearance twice."""
    assert not lob_clear(3.0, bar=Bar(height=0.24)).possible
    assert lob_clear(3.0, bar=Bar(height=0.5)).possible


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"distance": 0.1}, "distance must be > 0.265 m, got 0.1"),
        ({"distance": 3.0, "max_speed": 0.0}, "max_speed must be > 0, got 0.0"),
    ],
)
def test_impossible_questions_are_refused(arguments, message):
    """The message names the argument."""
    with pytest.raises(ValueError, match=message):
        lob_clear(**arguments)


def test_the_paper_ignores_bar_and_radius():
    """Its lob through h = 0.76 m at the goal line touches the bar, the clear one does not."""
    x, _, z = lob(0.0, 4.95, 0.76)
    assert gap_to_bar(x, z, 4.95, Bar(), 9.8)[0] < 0.11
