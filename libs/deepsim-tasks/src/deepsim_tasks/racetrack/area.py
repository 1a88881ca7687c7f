# SPDX-License-Identifier: Apache-2.0
"""The race: two cars and two vans on a closed course, in any number of worlds."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.spaces import Box

from deepsim_envs import Agents, Area
from deepsim_fx import BlinkEffect, LightRandomizer, ModelVisualRandomizer, RandomizerManager
from deepsim_math import Pose
from deepsim_spawn import GazeboXMLLoader, ModelSpawner
from deepsim_sync import World, plain_attributes, restore_attributes

from . import cars
from .course import GATE, Bools, Course, Floats, Laps, Numbers

COLORS = {
    ("red_car", "paint"): ((0.65, 0.02, 0.02), (1.0, 0.25, 0.1)),
    ("blue_car", "paint"): ((0.02, 0.1, 0.6), (0.15, 0.45, 1.0)),
    ("van_0", "paint"): ((0.55, 0.55, 0.5), (1.0, 1.0, 0.9)),
    ("van_1", "paint"): ((0.7, 0.45, 0.0), (1.0, 0.75, 0.2)),
    ("ground", "grass"): ((0.2, 0.45, 0.16), (0.38, 0.62, 0.28)),  # spring .. late summer
}
"""Darkest and lightest colour of a visual of each model, RGB."""
SUN = ((0.6, 0.5, 0.4), (0.85, 0.8, 0.75))  # evening .. noon


class Looks:
    """Draws the appearance of episodes, and lets cars blink that were hit."""

    def __init__(self, world: World, cars: Iterable[str]) -> None:
        self.world = world
        self.randomizers = world.get(RandomizerManager)
        for (model, visual), colors in COLORS.items():
            color = ("uniform", *colors)
            randomizer = ModelVisualRandomizer(model, visuals=visual, color=color, world=world)
            self.randomizers.add(randomizer)
        self.randomizers.add(LightRandomizer("sun", color=("uniform", *SUN), world=world))
        self.blinking = [
            BlinkEffect(name, min_alpha=0.15, interval=0.25, duration=0.75, world=world)
            for name in cars
        ]

    def draw(self, worlds: Numbers) -> None:
        """Draws colours and light in some worlds, from a random stream beside the race's."""
        streams = [self.world.stream("looks", world) for world in worlds.tolist()]
        self.randomizers.randomize(worlds, streams)

    def show_hits(self, hit: Bools) -> None:
        """Lets cars blink where they were hit, (W, cars), and do not blink already."""
        if hit.any():
            for car, effect in enumerate(self.blinking):
                effect.attach(np.flatnonzero(hit[:, car] & ~effect.attached_in))


SIZE = (0.6, 0.3)  # length and breadth [m]
NAMES = ("van_0", "van_1")
START = np.array([11.0, 18.0])  # along the course, give or take a metre [m]
CRUISE = np.array([0.7, 0.9])  # speed on a free road [m/s]

LANE = 0.42  # from the centre line to the middle of a lane [m]
ACCELERATION, BRAKES = 1.5, 3.0  # [m/s^2]
DRIFT = 0.7  # largest change of lane: metres to the side per metre forward
GAIN = 2.5  # drift per metre from the middle of the lane [1/m]

SIGHT = 2.0  # distance ahead at which a van slows down [m]
STOP = 1.1  # distance ahead at which it stands still [m]: enough to swing out
PATIENCE = 5.0  # time after which it changes lanes if it can [s]
ROOM = 3.0  # distance ahead that must be free in the other lane [m]; more than it brakes for
BEHIND = 6.0  # distance behind that must be free in both lanes [m]: cars are faster
NEAR = 0.5  # who is closer than this to the middle of a lane is in it [m], perhaps in both
_OTHERS = np.array([[1, 2, 3], [0, 2, 3]])  # of each van, among vans and cars


class Traffic:
    """The vans of W worlds."""

    def __init__(self, worlds: int, course: Course) -> None:
        self.course = course
        shape = (worlds, len(NAMES))
        self.distance, self.offset = np.zeros(shape), np.zeros(shape)  # on the course [m]
        self.speed, self.wanted = np.zeros(shape), np.zeros(shape)  # [m/s]
        self.lane, self.changed = np.zeros(shape), np.zeros(shape)  # 1 left, -1 right; since [s]

    def begin(self, worlds: Numbers, drawn: Floats) -> Floats:
        """Begins episodes in some worlds, at cruising speed in the middle of a lane.

        Takes random numbers between 0 and 1, (w, vans, 3), and returns the poses (w, vans, 7).
        """
        self.distance[worlds] = START + (2.0 * drawn[..., 0] - 1.0)
        self.lane[worlds] = np.where(drawn[..., 1] < 0.5, 1.0, -1.0)
        self.offset[worlds] = self.lane[worlds] * LANE
        self.speed[worlds] = self.wanted[worlds] = CRUISE
        self.changed[worlds] = 5.0 * drawn[..., 2] - 5.0
        return self.course.pose(self.distance[worlds], self.offset[worlds])

    def drive(self, worlds: Numbers, delta_time: float) -> Floats:
        """Drives on in some worlds; returns their poses (w, vans, 7)."""
        offset, speed = self.offset[worlds], self.speed[worlds]
        push = self.wanted[worlds] - speed
        speed += push.clip(-BRAKES * delta_time, ACCELERATION * delta_time)
        drift = (GAIN * (self.lane[worlds] * LANE - offset)).clip(-DRIFT, DRIFT)
        way = speed * delta_time
        distance = (self.distance[worlds] + way) % self.course.length
        offset += drift * way
        self.distance[worlds], self.offset[worlds], self.speed[worlds] = distance, offset, speed
        return self.course.pose(distance, offset, np.arctan(drift))

    def decide(self, worlds: Numbers, now: Floats, distance: Floats, offset: Floats) -> None:
        """Chooses lanes and speeds in some worlds, by the traffic rules.

        A van changes lanes if somebody is ahead or it has been in its lane for long, and nobody is
        in the way. Otherwise it keeps its distance.

        Args:
            worlds: (w,) numbers of the worlds.
            now: (w,) simulated time [s].
            distance: (w, cars) distances of the cars along the course [m].
            offset: (w, cars) their offsets to its left [m].
        """
        lane = self.lane[worlds]
        gap, here, there = self._others(worlds, distance, offset)
        ahead = np.where(here & (gap > 0.0), gap, math.inf).min(axis=-1)
        in_the_way = (gap > -BEHIND) & ((there & (gap < ROOM)) | (here & (gap < 0.0)))
        clear = ~in_the_way.any(axis=-1)
        blocked = ahead < SIGHT
        bored = now[:, None] - self.changed[worlds] >= PATIENCE
        change = clear & (blocked | bored)
        share = ((ahead - STOP) / (SIGHT - STOP)).clip(0.0, 1.0)
        self.wanted[worlds] = CRUISE * np.where(blocked & ~clear, share, 1.0)
        self.lane[worlds] = np.where(change, -lane, lane)
        self.changed[worlds] = np.where(change, now[:, None], self.changed[worlds])

    def _others(
        self, worlds: Numbers, distance: Floats, offset: Floats
    ) -> tuple[Floats, Bools, Bools]:
        """Returns the gaps to others, who is in the van's lane, and who in the other one."""
        own, lane = self.distance[worlds], self.lane[worlds][..., None] * LANE
        along = np.concatenate([own, distance], axis=1).take(_OTHERS, axis=1)
        aside = np.concatenate([self.offset[worlds], offset], axis=1).take(_OTHERS, axis=1)
        gap = self.course.ahead(along - own[..., None])
        return gap, np.abs(aside - lane) < NEAR, np.abs(aside + lane) < NEAR


FOLDER = Path(__file__).parent
LOADER = GazeboXMLLoader([FOLDER / "models"])
CARS = {"red_car": "0.85 0.1 0.1", "blue_car": "0.1 0.3 0.85"}  # and their paint
GAP = 1.6  # between the cars at the start [m]

OFF_TRACK_REWARD = -5.0
HIT_REWARD = -0.5  # per step
LAP_REWARD = 10.0

# The rectangles that may touch: vans 0 and 1, cars 2 and 3, and the next gates 4 and 5 of the cars.
SIZES = np.array([SIZE, SIZE, cars.SIZE, cars.SIZE, GATE, GATE])
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
        poses = dict.fromkeys(NAMES, Pose())
        ModelSpawner("model://van", loader=LOADER).spawn_many(world, poses)
        for name, color in CARS.items():
            path, arguments = FOLDER / "models/car/car.xacro", {"color": color}
            ModelSpawner(path, arguments=arguments, loader=LOADER).spawn(world, name)
        self.cars, self.vans = world.models.select(CARS), world.models.select(NAMES)
        self.vehicles = world.models.select([*NAMES, *CARS])
        self.course = Course()
        shape = (len(world), len(CARS))
        self.laps = Laps(self.course, shape)
        self.traffic = Traffic(len(world), self.course)
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
        drawn = self.world.uniform(0.0, 1.0, (len(NAMES), 3), worlds)
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
