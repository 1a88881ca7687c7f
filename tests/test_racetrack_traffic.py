# SPDX-License-Identifier: Apache-2.0
"""The racetrack's vans: what their behaviour tree has them do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from deepsim import Environment, Task

LANE = 0.42
WAIT = {name: np.array([0.0, -1.0]) for name in ("red_car", "blue_car")}


@pytest.fixture
def environment(racetrack: Task) -> Iterator[Environment]:
    """Cars that stand between 2 and 5 m along the course, and a van that is not in the way."""
    with racetrack.make(0) as environment:
        environment.reset(seed=0)
        environment.area.vans[1].place(33.0, lane=-1, changed=0.0)
        yield environment


def wait(environment: Environment, seconds: float) -> None:
    for _ in range(round(20 * seconds)):
        environment.step(WAIT)


def branch(van: Any) -> str:
    """What the van's tree did last."""
    return next(
        node.name
        for node in van.tree.root.children
        if node.last_tick == van.tree.tick_count and node.status.name != "FAILURE"
    )


def test_nothing_is_wrong_with_the_tree(environment: Environment) -> None:
    assert environment.area.vans[0].tree.validate() == []


def test_on_a_free_road_a_van_keeps_its_lane_and_its_speed(environment: Environment) -> None:
    van = environment.area.vans[0]
    van.place(12.0, lane=1, changed=0.0)
    wait(environment, 2.0)
    assert branch(van) == "cruise"
    assert van.at.distance == pytest.approx(12.0 + 2.0 * van.cruise, abs=0.02)
    assert van.at.offset == pytest.approx(LANE)
    position = van.transform.pose.position
    there = van.course.locate((position.x, position.y))
    assert there == pytest.approx(van.at, abs=1e-3)


def test_now_and_then_a_van_changes_lanes(environment: Environment) -> None:
    van = environment.area.vans[0]
    van.place(12.0, lane=1, changed=-3.9)
    wait(environment, 1.0)
    assert van.lane == 1
    wait(environment, 0.2)
    assert van.lane == -1
    wait(environment, 4.0)
    assert van.at.offset == pytest.approx(-LANE, abs=0.02)


def test_a_van_overtakes_a_car_that_stands_in_its_lane(environment: Environment) -> None:
    van, (red, blue) = environment.area.vans[0], environment.area.cars
    red.place(15.0, LANE)
    van.place(12.0, lane=1, changed=0.0)
    wait(environment, 1.6)
    assert van.lane == -1
    wait(environment, 4.0)
    assert van.at.distance > red.at.distance + 0.6
    assert van.speed == van.cruise
    assert (red.hits, blue.hits) == (0, 0)


def test_a_van_stops_where_both_lanes_are_blocked(environment: Environment) -> None:
    van, (red, blue) = environment.area.vans[0], environment.area.cars
    red.place(15.0, LANE)
    blue.place(15.2, -LANE)
    van.place(12.0, lane=1, changed=0.0)
    wait(environment, 3.0)
    assert branch(van) == "brake"
    assert 0.0 < van.speed < van.cruise
    wait(environment, 12.0)
    assert van.speed == pytest.approx(0.0, abs=0.01)
    assert red.at.distance - van.at.distance == pytest.approx(1.1, abs=0.02)
    assert (red.hits, blue.hits) == (0, 0)


@pytest.mark.parametrize(
    ("behind", "offset", "lane"),
    [
        *[(5.0, LANE, 1), (5.0, 0.0, 1), (5.0, -LANE, 1), (0.5, -LANE, 1), (-2.9, -LANE, 1)],
        *[(6.5, LANE, -1), (6.5, -LANE, -1), (-3.2, -LANE, -1), (-2.2, LANE, -1)],
    ],
)
def test_a_van_changes_lanes_only_if_it_is_in_nobodys_way(
    environment: Environment, behind: float, offset: float, lane: int
) -> None:
    van, (red, _) = environment.area.vans[0], environment.area.cars
    red.place(20.0 - behind, offset)
    van.place(20.0, lane=1, changed=-9.0)
    wait(environment, 0.05)  # it thinks once
    assert van.lane == lane


def test_a_van_is_solid(environment: Environment) -> None:
    """A car that drives into one is stopped, and pays for it."""
    van, (red, _) = environment.area.vans[0], environment.area.cars
    red.place(12.0, LANE)
    van.place(13.0, lane=1, changed=0.0)
    full = WAIT | {"red_car": np.array([0.0, 1.0])}
    for _ in range(20):
        environment.step(full)
    assert red.hits > 0
    assert red.at.distance < van.at.distance - 0.45
