# SPDX-License-Identifier: Apache-2.0
"""The racetrack's gates: metres count in order, and a short cut earns nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from deepsim_envs import Environment
from deepsim_train import Task
from deepsim_train.episodes import run_episodes
from deepsim_train.policies.slot_policy import slot_policy

WAIT = np.array([0.0, -1.0])


@pytest.fixture
def environment(racetrack: Task) -> Iterator[Environment]:
    with racetrack.make() as environment:
        environment.reset(seed=0)
        yield environment


def step(environment: Environment, red: Any = WAIT) -> float:
    """The red car's reward; the blue one waits."""
    actions = {"red_car": red, "blue_car": WAIT}
    actions = {name: actions[name] for name in environment.live_agents}
    reward: float = environment.step(actions).reward["red_car"]
    return reward


def put(environment: Environment, distance: float) -> None:
    """The red car in the middle of the road."""
    poses = environment.area.cars.pose
    poses[0, 0] = environment.area.course.pose(distance)
    environment.area.cars.pose = poses


def gate(environment: Environment, number: int = 0) -> float:
    """Where a gate ahead of the red car's start is along the course."""
    laps = environment.area.laps
    return float((laps.first[0, 0] + number) * laps.spacing)


def test_a_lap_passes_all_gates_and_every_metre_counts(racetrack: Task) -> None:
    with racetrack.make() as environment:
        act = slot_policy(racetrack.policy("pursuit"), environment, 0)
        (episode,) = run_episodes(environment, act, 1, 0)
        area, laps = environment.area, environment.area.laps
        assert laps.passed.tolist() == [[12, 12]]
        for name in environment.agents:
            assert episode.info[name]["metres"] >= area.course.length
        ahead = (area.distance - laps.start) % area.course.length  # it went on as it braked
        assert (ahead < 1.0).all()


def test_who_leaves_a_gate_out_earns_no_more_than_the_way_to_it(environment: Environment) -> None:
    laps = environment.area.laps
    way = gate(environment) - laps.start[0, 0]
    put(environment, gate(environment) + 1.5)
    assert step(environment) == pytest.approx(way)
    put(environment, gate(environment, 2))  # no better at a later gate
    assert step(environment) == 0.0
    assert step(environment, red=np.array([0.0, 1.0])) == 0.0
    put(environment, gate(environment))  # back to the one that is missing
    assert step(environment) == pytest.approx(0.0, abs=0.01)
    assert laps.passed[0, 0] == 1
    put(environment, gate(environment) + 1.5)
    assert step(environment) == pytest.approx(1.5, abs=0.01)


def test_a_gate_is_touched_by_the_cars_outline_not_by_its_middle(environment: Environment) -> None:
    for before, passed in ((0.30, 0), (0.27, 1)):  # half a car and half a gate are 0.28 m
        put(environment, gate(environment) - before)
        step(environment)
        assert environment.area.laps.passed[0, 0] == passed


def test_going_back_costs_what_going_on_earned(environment: Environment) -> None:
    start = environment.area.laps.start[0, 0]
    put(environment, start + 0.4)
    earned = step(environment)
    put(environment, start)
    assert step(environment) == pytest.approx(-earned, abs=1e-3)
