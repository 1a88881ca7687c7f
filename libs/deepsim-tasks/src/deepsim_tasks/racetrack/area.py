# SPDX-License-Identifier: Apache-2.0
"""The race: two cars and two vans on a closed course, in any number of worlds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.spaces import Box

from deepsim_envs import Agents, Area
from deepsim_math import Pose
from deepsim_spawn import GazeboXMLLoader, ModelSpawner
from deepsim_sync import World, plain_attributes, restore_attributes

from . import cars, sight, vans
from .course import Bools, Course, Floats, Numbers
from .laps import GATE, Laps
from .looks import Looks
from .rectangles import headings, touching

FOLDER = Path(__file__).parent
LOADER = GazeboXMLLoader([FOLDER / "models"])
CARS = {"red_car": "0.85 0.1 0.1", "blue_car": "0.1 0.3 0.85"}  # and their paint
GAP = 1.6  # between the cars at the start [m]

OFF_TRACK_REWARD = -5.0
HIT_REWARD = -0.5  # per step
LAP_REWARD = 10.0

# The rectangles that may touch: vans 0 and 1, cars 2 and 3, and the next gates 4 and 5 of the cars.
SIZES = np.array([vans.SIZE, vans.SIZE, cars.SIZE, cars.SIZE, GATE, GATE])
PAIRS = np.array([[2, 2, 2, 3, 3, 2, 3], [0, 1, 3, 0, 1, 4, 5]])
HITS, GATES = np.array([[0, 1, 2], [3, 4, 2]]), np.array([5, 6])  # the pairs of each car


class RaceArea(Area):
    """Two cars drive a lap each.

    A car earns 1 per metre along the course, loses some for touching something, and loses the
    episode when its middle leaves the road. Everything is spawned once.

    Args:
        world: Built from ``racetrack.world``.
        looks: Whether each episode has other colours and another light, and cars that are hit
            blink.
    """

    agents = Agents([*CARS], sight.SPACE, Box(-1.0, 1.0, (2,), np.float32))

    def __init__(self, world: World, *, looks: bool = True) -> None:
        super().__init__(world)
        poses = dict.fromkeys(vans.NAMES, Pose())
        ModelSpawner("model://van", loader=LOADER).spawn_many(world, poses)
        for name, color in CARS.items():
            path, arguments = FOLDER / "models/car/car.xacro", {"color": color}
            ModelSpawner(path, arguments=arguments, loader=LOADER).spawn(world, name)
        self.cars, self.vans = world.models.select(CARS), world.models.select(vans.NAMES)
        self.vehicles = world.models.select([*vans.NAMES, *CARS])
        self.course = Course()
        shape = (len(world), len(CARS))
        self.laps = Laps(self.course, shape)
        self.traffic = vans.Traffic(len(world), self.course)
        self.looks = Looks(world, CARS) if looks else None
        self.throttle, self.curvature = np.zeros(shape), np.zeros(shape)
        self.distance, self.offset = np.zeros(shape), np.zeros(shape)  # of cars on the course [m]
        self.hits = np.zeros(shape, np.int64)  # steps in which a car touched something
        self.off_track, self.finished = np.zeros(shape, np.bool_), np.zeros(shape, np.bool_)
        self.earned = np.zeros(shape)

    def reset(self, worlds: Numbers) -> None:
        """Lines the cars up, a little differently each time, and puts the vans ahead of them."""
        for kept in (self.throttle, self.curvature, self.hits, self.off_track, self.finished):
            kept[worlds] = 0
        drawn = self.world.uniform(-0.3, 0.3, (len(CARS), 2), worlds)
        start = self.course.length / 8 - GAP * np.arange(len(CARS)) + drawn[..., 0]
        pose = self.course.pose(start, drawn[..., 1])
        self.cars.put(worlds, pose=pose)
        self.locate_cars(worlds, pose)
        self.laps.begin(worlds, start)
        drawn = self.world.uniform(0.0, 1.0, (len(vans.NAMES), 3), worlds)
        self.vans.put(worlds, pose=self.traffic.begin(worlds, drawn))
        if self.looks is not None:
            self.looks.draw(worlds)

    def act(self, actions: Floats) -> None:
        """Turns the wheels and sets the throttles; a car that is done brakes."""
        curvature = cars.curvature(actions[..., 0])
        self.curvature = np.where(self.live, curvature, self.curvature)
        self.throttle = np.where(self.live, actions[..., 1], -1.0)

    def fixed_update(self, delta_time: float) -> None:
        """Drives cars and vans, in the worlds that step."""
        on = self.stepping
        pose, twist = self.cars.pose, self.cars.twist
        twist = cars.drive(pose, twist, self.throttle, self.curvature, delta_time)
        self.cars.put(on, twist=twist[on])
        self.vans.put(on, pose=self.traffic.drive(on, delta_time))

    def update(self) -> None:
        """Judges the step: progress, touches, the end of the road and of the lap; vans decide."""
        on, live, pose = self.stepping, self.live, self.vehicles.pose
        driving = pose[:, -len(CARS) :]
        self.locate_cars(on, driving[on])
        outlines = np.concatenate([pose, self.laps.next_gates()], axis=1)
        touched = touching(outlines[..., :2], headings(outlines), SIZES, PAIRS)
        earned = self.laps.advance(self.distance, touched.take(GATES, axis=1), live)
        hit = touched.take(HITS, axis=1).any(axis=-1) & live
        self.hits += hit
        self.off_track |= ~self.course.road.contains_points(driving[..., :2]) & live
        self.finished |= self.laps.complete & ~self.off_track & live
        ends = OFF_TRACK_REWARD * self.off_track + LAP_REWARD * self.finished
        self.earned = earned + HIT_REWARD * hit + ends
        self.traffic.decide(on, self.world.time[on], self.distance[on], self.offset[on])
        if self.looks is not None:
            self.looks.show_hits(hit)

    def observe(self) -> Any:
        """Returns what the cars see."""
        twist = self.cars.twist
        return sight.observe(self.course, self.vehicles.pose, twist, self.distance, self.offset)

    def reward(self) -> Floats:
        """Returns the rewards of the step."""
        return self.earned

    def terminated(self) -> Bools:
        """Returns which cars are off the road or have finished."""
        return self.off_track | self.finished

    def info(self) -> dict[str, Any]:
        """Returns how far each car got and how it ended."""
        outcome = np.where(self.finished, "finished", "driving")
        outcome = np.where(self.off_track, "off track", outcome)
        columns = {
            "success": self.finished,
            "metres": self.laps.travelled,
            "hits": self.hits,
            "outcome": outcome,
        }
        return {
            name: {column: values[:, car] for column, values in columns.items()}
            for car, name in enumerate(CARS)
        }

    def get_state(self) -> Any:
        """Returns what the race, the laps and the traffic remember."""
        return [plain_attributes(part) for part in (self, self.laps, self.traffic)]

    def set_state(self, state: Any) -> None:
        """Restores it."""
        for part, kept in zip((self, self.laps, self.traffic), state, strict=True):
            restore_attributes(part, kept)

    def locate_cars(self, worlds: Numbers, pose: Floats) -> None:
        """Finds the cars of some worlds along the course; `pose` is (w, cars, 7)."""
        self.distance[worlds], self.offset[worlds] = self.course.locate(pose[..., :2])
