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

from . import cars, vans
from .course import GATE, Bools, Course, Floats, Laps, Numbers
from .looks import Looks

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
HITS, NEXT_GATES = np.array([[0, 1, 2], [3, 4, 2]]), np.array([5, 6])  # the pairs of each car


class RaceArea(Area):
    """Two cars drive a lap each.

    A car earns 1 per metre along the course, loses some for touching something, and loses the
    episode when its middle leaves the road. Everything is spawned once.

    Args:
        world: Built from ``racetrack.world``.
        looks: Whether each episode has other colours and another light, and cars that are hit
            blink.
    """

    agents = Agents([*CARS], cars.SPACE, Box(-1.0, 1.0, (2,), np.float32))

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
        earned = self.laps.advance(self.distance, touched.take(NEXT_GATES, axis=1), live)
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
        return cars.observe(self.course, self.vehicles.pose, twist, self.distance, self.offset)

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


def headings(pose: Floats) -> Floats:
    """Returns the directions (..., 2) in which frames (..., 7) point, as seen from above."""
    x, y, z, w = (pose[..., column] for column in (3, 4, 5, 6))
    ahead = np.stack([1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w)], axis=-1)
    ahead /= np.sqrt((ahead * ahead).sum(axis=-1))[..., None]
    return ahead


def touching(middle: Floats, heading: Floats, size: Floats, pairs: Numbers) -> Bools:
    """Returns whether the rectangles of each pair touch (separating axis theorem).

    Args:
        middle: (W, n, 2) centres [m].
        heading: (W, n, 2) unit vectors along their lengths.
        size: (n, 2) length and breadth [m].
        pairs: (2, p) numbers of the rectangles of each pair; the result is (W, p).
    """
    one, other = pairs
    length, breadth = 0.5 * size[:, 0], 0.5 * size[:, 1]
    gap = middle.take(other, axis=1) - middle.take(one, axis=1)
    gap_x, gap_y, x, y = gap[..., 0], gap[..., 1], heading[..., 0], heading[..., 1]
    ax, ay, a_length, a_breadth = x.take(one, 1), y.take(one, 1), length[one], breadth[one]
    bx, by, b_length, b_breadth = x.take(other, 1), y.take(other, 1), length[other], breadth[other]
    cos, sin = np.abs(ax * bx + ay * by), np.abs(ax * by - ay * bx)
    # Along each side of each rectangle, the gap is at most as large as both half extents.
    together: Bools = np.abs(gap_x * ax + gap_y * ay) <= a_length + b_length * cos + b_breadth * sin
    together &= np.abs(gap_y * ax - gap_x * ay) <= a_breadth + b_length * sin + b_breadth * cos
    together &= np.abs(gap_x * bx + gap_y * by) <= b_length + a_length * cos + a_breadth * sin
    together &= np.abs(gap_y * bx - gap_x * by) <= b_breadth + a_length * sin + a_breadth * cos
    return together
