# SPDX-License-Identifier: Apache-2.0
"""The race: two cars and two crates on a closed course."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from gymnasium.spaces import Box

from deepsim_envs import AreaInterface
from deepsim_spawn import GazeboXMLLoader, ModelSpawner
from deepsim_sync import World

from .car import Car
from .centreline import Centreline
from .obstacle import Obstacle

FOLDER = Path(__file__).parent
LOADER = GazeboXMLLoader([FOLDER / "models"])

PAINT = {"red_car": "0.85 0.1 0.1", "blue_car": "0.1 0.3 0.85"}
GAP = 1.6  # between the cars at the start [m]
CRATES = {"crate_0": 11.0, "crate_1": 27.0}  # where along the course [m]


class RaceArea(AreaInterface):
    """Spawns cars and crates once; an episode only puts them back.

    Args:
        world: Built from ``racetrack.world``.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.course = Centreline()
        crate = ModelSpawner("model://obstacle", loader=LOADER)
        self.crates = [
            Obstacle(name, self.course, distance, spawner=crate, world=world)
            for name, distance in CRATES.items()
        ]
        self.cars = [
            Car(
                name,
                self.course,
                spawner=ModelSpawner(
                    FOLDER / "models/car/car.xacro", arguments={"color": color}, loader=LOADER
                ),
                world=world,
            )
            for name, color in PAINT.items()
        ]
        things = [*self.crates, *self.cars]
        for thing in things:
            thing.spawn()
        for car in self.cars:
            car.others = [(it.transform, it.collider) for it in things if it is not car]

    def get_agents(self) -> list[Car]:
        """The two cars."""
        return self.cars

    def get_info(self) -> dict[str, Any]:
        """How far each car got and how it ended."""
        return {
            car.name: {"metres": car.travelled, "hits": car.hits, "outcome": car.outcome}
            for car in self.cars
        }

    def observation_space(self) -> dict[str, Box]:
        """By car."""
        return {car.name: car.observation_space() for car in self.cars}

    def action_space(self) -> dict[str, Box]:
        """By car."""
        return {car.name: car.action_space() for car in self.cars}

    def reset(self) -> None:
        """Lines the cars up, a little differently each time, and starts the crates anywhere."""
        rng = self.world.rng
        for place, car in enumerate(self.cars):
            distance = self.course.length / 8 - GAP * place + rng.uniform(-0.3, 0.3)
            car.place(distance, offset=rng.uniform(-0.3, 0.3))
        for crate in self.crates:
            crate.phase = rng.uniform(0.0, math.tau)
            crate.move(0.0)
