# SPDX-License-Identifier: Apache-2.0
"""The racetrack's gates: metres count in order, and a short cut earns nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from deepsim import Environment, Euler, Pose, Task
from deepsim.rollout import run_episode

WAIT = np.array([0.0, -1.0])


def step(environment: Environment, red: Any = WAIT) -> float:
    """The red car's reward; the blue one waits."""
    actions = {"red_car": red, "blue_car": WAIT}
    return environment.step({name: actions[name] for name in environment.live_agents}).reward[
        "red_car"
    ]


def put(car: Any, distance: float) -> None:
    """A car in the middle of the road."""
    x, y = car.course.point(distance)
    car.transform.pose = Pose((x, y, 0.0), Euler(yaw=car.course.heading(distance)))


def test_a_lap_passes_all_gates_and_every_metre_counts(racetrack: Task) -> None:
    with racetrack.make(0) as environment:
        act = racetrack.policy("pursuit")(environment, np.random.default_rng(0))
        episode = run_episode(environment, act, 1, 0)
        for car in environment.area.cars:
            assert car.gates_passed == 12
            assert episode.info[car.name]["metres"] >= car.course.length
            ahead = (car.at.distance - car.start) % car.course.length  # it went on as it braked
            assert ahead < 1.0


def test_who_leaves_a_gate_out_earns_no_more_than_the_way_to_it(racetrack: Task) -> None:
    with racetrack.make(0) as environment:
        environment.reset(seed=0)
        car = environment.area.cars[0]
        gate = car.gates.after(car.start)
        way = car.gates.distance(gate) - car.start
        put(car, car.gates.distance(gate) + 1.5)
        assert step(environment) == pytest.approx(way)
        put(car, car.gates.distance(gate + 2))  # no better at a later gate
        assert step(environment) == 0.0
        assert step(environment, red=np.array([0.0, 1.0])) == 0.0
        put(car, car.gates.distance(gate))  # back to the one that is missing
        assert step(environment) == pytest.approx(0.0, abs=0.01)
        assert car.gates_passed == 1
        put(car, car.gates.distance(gate) + 1.5)
        assert step(environment) == pytest.approx(1.5, abs=0.01)


def test_a_gate_is_touched_by_the_cars_outline_not_by_its_middle(racetrack: Task) -> None:
    with racetrack.make(0) as environment:
        environment.reset(seed=0)
        car = environment.area.cars[0]
        gate = car.gates.distance(car.gates.after(car.start))
        for before, passed in ((0.30, 0), (0.27, 1)):  # half a car and half a gate are 0.28 m
            put(car, gate - before)
            step(environment)
            assert car.gates_passed == passed


def test_going_back_costs_what_going_on_earned(racetrack: Task) -> None:
    with racetrack.make(0) as environment:
        environment.reset(seed=0)
        car = environment.area.cars[0]
        put(car, car.start + 0.4)
        earned = step(environment)
        put(car, car.start)
        assert step(environment) == pytest.approx(-earned, abs=1e-3)
