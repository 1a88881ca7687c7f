# SPDX-License-Identifier: Apache-2.0
"""The race: two cars and two vans on a closed course."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gymnasium.spaces import Box

from deepsim_envs import AreaInterface
from deepsim_spawn import GazeboXMLLoader, ModelSpawner
from deepsim_sync import World

from .car import Car
from .centreline import Centreline
from .gates import Gates
from .looks import blink, randomizers
from .van import Van

FOLDER = Path(__file__).parent
LOADER = GazeboXMLLoader([FOLDER / "models"])

PAINT = {"red_car": "0.85 0.1 0.1", "blue_car": "0.1 0.3 0.85"}
GAP = 1.6  # between the cars at the start [m]
VANS = {"van_0": (11.0, 0.7), "van_1": (18.0, 0.9)}
"""Where along the course a van starts, give or take a metre [m], and its speed [m/s]."""


class RaceArea(AreaInterface):
    """Spawns cars and vans once; an episode only puts them back.

    Args:
        world: Built from ``racetrack.world``.
        looks: Whether each episode has colours and light of its own, and cars that are hit blink.
    """

    def __init__(self, world: World, *, looks: bool = True) -> None:
        self.world = world
        self.course = Centreline()
        gates = Gates(self.course)
        self.cars = [
            Car(
                name,
                self.course,
                gates,
                spawner=ModelSpawner(
                    FOLDER / "models/car/car.xacro", arguments={"color": color}, loader=LOADER
                ),
                world=world,
            )
            for name, color in PAINT.items()
        ]
        spawner = ModelSpawner("model://van", loader=LOADER)
        # After the cars: a van decides by where these are at the end of the same step.
        self.vans = [
            Van(name, self.course, speed, spawner=spawner, world=world)
            for name, (_, speed) in VANS.items()
        ]
        everybody = [*self.vans, *self.cars]
        for one in everybody:
            one.spawn()
        for car in self.cars:
            car.others = [(it.transform, it.collider) for it in everybody if it is not car]
        for van in self.vans:
            van.others = [it for it in everybody if it is not van]
        self._randomizers = None
        if looks:
            self._randomizers = randomizers(world)
            for car in self.cars:
                car.effect = blink(car.transform)

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
        """Lines the cars up, a little differently each time, and puts the vans ahead of them."""
        rng = self.world.rng
        for place, car in enumerate(self.cars):
            distance = self.course.length / 8 - GAP * place + rng.uniform(-0.3, 0.3)
            car.place(distance, offset=rng.uniform(-0.3, 0.3))
        for van in self.vans:
            distance = VANS[van.name][0] + rng.uniform(-1.0, 1.0)
            lane = 1 if rng.random() < 0.5 else -1
            van.place(distance, lane, changed=rng.uniform(-5.0, 0.0))
        if self._randomizers is not None:
            self._randomizers.randomize(self.world.stream("looks"))
