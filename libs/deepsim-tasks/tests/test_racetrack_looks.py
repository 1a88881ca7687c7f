# SPDX-License-Identifier: Apache-2.0
"""How the racetrack looks: drawn from the seed, restored, and without influence on the race."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from deepsim_envs import Environment, digest
from deepsim_fx import RandomizerManager
from deepsim_train import Task
from deepsim_train.episodes import run_episodes
from deepsim_train.policies.slot_policy import slot_policy

WAIT = {name: np.array([0.0, -1.0]) for name in ("red_car", "blue_car")}
DRAWN = ["visuals of " + name for name in ("red_car", "blue_car", "van_0", "van_1", "ground")]


def looks(environment: Environment, world: int = 0) -> dict[str, Any]:
    tables = environment.world
    return {
        "diffuse": tables.visuals.diffuse[world].tolist(),
        "transparency": tables.visuals.transparency[world].tolist(),
        "light": tables.lights.diffuse[world].tolist(),
    }


def test_each_episode_has_looks_of_its_own_and_the_same_seed_the_same(racetrack: Task) -> None:
    with racetrack.make() as environment:
        seen = []
        for seed in (1, 2, None, 1):
            environment.reset(seed)
            seen.append(looks(environment))
            log = environment.world.get(RandomizerManager).log
            assert [draw.randomizer for draw in log] == [*DRAWN, "lights sun"]
        assert seen[0] == seen[3]
        assert seen[1] not in (seen[0], seen[2])


def test_the_race_is_the_same_without_looks(racetrack: Task) -> None:
    episodes = []
    for make in (racetrack.make, partial(racetrack.make, looks=False)):
        with make() as environment:
            act = slot_policy(racetrack.policy("random"), environment, 0)
            episodes += run_episodes(environment, act, 1, 0)
            drawn = len(environment.world.get(RandomizerManager).log)
    assert repr(episodes[0].rows) == repr(episodes[1].rows)
    assert drawn == 0


def test_so_are_the_races_after_it(racetrack: Task) -> None:
    """Though they get no seed: looks take no random numbers from the race."""
    seen: list[list[str]] = []
    for make in (racetrack.make, partial(racetrack.make, looks=False)):
        with make() as environment:
            rounds = []
            for seed in (3, None, None):
                rounds.append(digest(environment.reset(seed)))
                rounds += [digest(tuple(environment.step(WAIT))) for _ in range(5)]
            seen.append(rounds)
    assert seen[0] == seen[1]
    assert len(set(seen[0])) == 18


def test_a_snapshot_brings_the_next_looks_back(racetrack: Task) -> None:
    with racetrack.make() as environment:
        environment.reset(1)
        state = environment.get_state()
        environment.reset()
        next_one = looks(environment)
        environment.reset()
        assert looks(environment) != next_one
        environment.set_state(state)
        environment.reset()
        assert looks(environment) == next_one


def test_a_reset_spawns_nothing(racetrack: Task) -> None:
    with racetrack.make() as environment:
        environment.reset(0)
        before = environment.world.entities.generation
        for _ in range(20):
            environment.reset()
        assert environment.world.entities.generation == before


def faded(environment: Environment, car: str, world: int = 0) -> bool:
    names = environment.world.entities.visuals.within(car)
    return bool(environment.world.visuals.select(names).transparency[world].any())


def wait(environment: Environment, steps: int = 1) -> None:
    for _ in range(steps):
        environment.step_worlds((np.tile([0.0, -1.0], (len(environment), 2, 1)),))


def hit(environment: Environment, world: int = 0) -> None:
    """The blue car onto the red one, and away, in one world."""
    cars = environment.area.cars
    before, chosen = cars.pose[[world]], np.array([world])
    cars.put(chosen, pose=before[:, :1])
    wait(environment)
    cars.put(chosen, pose=before)
    wait(environment)


def test_a_car_that_was_hit_blinks_for_a_while(racetrack: Task) -> None:
    with racetrack.make() as environment:
        environment.reset(0)
        assert not faded(environment, "red_car")
        hit(environment)
        assert faded(environment, "red_car")
        assert faded(environment, "blue_car")
        wait(environment, 16)  # 0.75 s
        assert not faded(environment, "red_car")
        hit(environment)
        assert faded(environment, "red_car")


@pytest.mark.parametrize("seed", [0, None])
def test_a_reset_ends_the_blinking(racetrack: Task, seed: int | None) -> None:
    with racetrack.make() as environment:
        environment.reset(0)
        hit(environment)
        environment.reset(seed)
        assert not faded(environment, "red_car")
        wait(environment)
        assert not faded(environment, "red_car")
