# SPDX-License-Identifier: Apache-2.0
"""The racetrack's vans: lanes and speeds by the traffic rules."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from deepsim_envs import Environment
from deepsim_train import Task

LANE = 0.42
WAIT = {name: np.array([0.0, -1.0]) for name in ("red_car", "blue_car")}


@pytest.fixture
def environment(racetrack: Task) -> Iterator[Environment]:
    """Cars that stand between 2 and 5 m along the course, and a van that is not in the way."""
    with racetrack.make() as environment:
        environment.reset(seed=0)
        place_van(environment, 33.0, lane=-1, changed=0.0, van=1)
        yield environment


def place_van(
    environment: Environment, distance: float, lane: int, changed: float, van: int = 0
) -> None:
    traffic = environment.area.traffic
    traffic.distance[0, van], traffic.offset[0, van] = distance, lane * LANE
    traffic.lane[0, van], traffic.changed[0, van] = lane, changed
    poses = environment.area.vans.pose
    poses[0, van] = environment.area.course.pose(distance, lane * LANE)
    environment.area.vans.pose = poses


def place_car(environment: Environment, distance: float, offset: float, car: int = 0) -> None:
    poses = environment.area.cars.pose
    poses[0, car] = environment.area.course.pose(distance, offset)
    environment.area.cars.pose = poses


def wait(environment: Environment, seconds: float) -> None:
    for _ in range(round(20 * seconds)):
        environment.step(WAIT)


def test_on_a_free_road_a_van_keeps_its_lane_and_its_speed(environment: Environment) -> None:
    area, traffic = environment.area, environment.area.traffic
    place_van(environment, 12.0, lane=1, changed=0.0)
    wait(environment, 2.0)
    assert traffic.wanted[0, 0] == traffic.speed[0, 0] == 0.7
    assert traffic.distance[0, 0] == pytest.approx(12.0 + 2.0 * 0.7)
    assert traffic.offset[0, 0] == pytest.approx(LANE)
    distance, offset = area.course.locate(area.vans.pose[0, :1, :2])
    assert distance[0] == pytest.approx(traffic.distance[0, 0], abs=1e-3)
    assert offset[0] == pytest.approx(LANE, abs=1e-3)


def test_now_and_then_a_van_changes_lanes(environment: Environment) -> None:
    traffic = environment.area.traffic
    place_van(environment, 12.0, lane=1, changed=-3.9)
    wait(environment, 1.0)
    assert traffic.lane[0, 0] == 1
    wait(environment, 0.2)
    assert traffic.lane[0, 0] == -1
    wait(environment, 4.0)
    assert traffic.offset[0, 0] == pytest.approx(-LANE, abs=0.02)


def test_a_van_overtakes_a_car_that_stands_in_its_lane(environment: Environment) -> None:
    area, traffic = environment.area, environment.area.traffic
    place_car(environment, 15.0, LANE)
    place_van(environment, 12.0, lane=1, changed=0.0)
    wait(environment, 1.6)
    assert traffic.lane[0, 0] == -1
    wait(environment, 4.0)
    assert traffic.distance[0, 0] > area.distance[0, 0] + 0.6
    assert traffic.speed[0, 0] == 0.7
    assert area.hits.tolist() == [[0, 0]]


def test_a_van_stops_where_both_lanes_are_blocked(environment: Environment) -> None:
    area, traffic = environment.area, environment.area.traffic
    place_car(environment, 15.0, LANE)
    place_car(environment, 15.2, -LANE, car=1)
    place_van(environment, 12.0, lane=1, changed=0.0)
    wait(environment, 3.0)
    assert 0.0 < traffic.speed[0, 0] < 0.7
    wait(environment, 12.0)
    assert traffic.speed[0, 0] == pytest.approx(0.0, abs=0.01)
    assert area.distance[0, 0] - traffic.distance[0, 0] == pytest.approx(1.1, abs=0.02)
    assert area.hits.tolist() == [[0, 0]]


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
    place_car(environment, 20.0 - behind, offset)
    place_van(environment, 20.0, lane=1, changed=-9.0)
    wait(environment, 0.05)  # one step: it decides once
    assert environment.area.traffic.lane[0, 0] == lane


def test_a_van_is_solid(environment: Environment) -> None:
    """A car that drives into one is stopped, and pays for it."""
    area = environment.area
    place_car(environment, 12.0, LANE)
    place_van(environment, 13.0, lane=1, changed=0.0)
    full = WAIT | {"red_car": np.array([0.0, 1.0])}
    for _ in range(20):
        environment.step(full)
    assert area.hits[0, 0] > 0
    assert area.distance[0, 0] < area.traffic.distance[0, 0] - 0.45
