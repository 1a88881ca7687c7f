# SPDX-License-Identifier: Apache-2.0
"""The race in many worlds at once: the rules of `area.py` and `car.py` on arrays.

Axes are worlds, then cars or things, then components. Each world gives the bits of the race as it
is written there, without looks: operations have the same order, and what is no arithmetic is asked
number by number of the same functions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from deepsim_envs import BatchArea, Judgement
from deepsim_math import Euler, Pose, Twist, quaternions
from deepsim_sync import Worlds, plain_attributes, restore_attributes

from . import car as rules
from . import sight
from .area import GAP, PAINT, VANS
from .batch_gates import BatchGates
from .batch_traffic import Traffic
from .centreline import WIDTH, Centreline
from .elementwise import Bools, Floats, axes, dot, each, headings
from .rectangles import meet
from .van import BREADTH, LENGTH

CAR = (rules.LENGTH, rules.BREADTH)
VAN = (LENGTH, BREADTH)


class RaceBatch(BatchArea):
    """Two cars and two vans in every world.

    Args:
        worlds: Of a simulator where a `RaceArea` has spawned what there is.
    """

    def __init__(self, worlds: Worlds) -> None:
        super().__init__(worlds)
        self.course = Centreline()
        models = worlds.entities.models
        self._cars, self._vans = models.rows(PAINT), models.rows(VANS)
        self._things = np.concatenate([self._vans, self._cars])
        shape = (len(worlds), len(PAINT))
        self.gates = BatchGates(self.course, shape)
        self.traffic = Traffic(len(worlds), self.course)
        self.start, self.travelled = np.zeros(shape), np.zeros(shape)
        self.hits = np.zeros(shape, dtype=np.int64)
        self.finished, self.off_track = np.zeros(shape, np.bool_), np.zeros(shape, np.bool_)
        self.throttle, self.slope = np.zeros(shape), np.zeros(shape)
        self._located = np.full((*shape, 2), np.nan)
        self._along, self._offset = np.zeros(shape), np.zeros(shape)

    @property
    def agents(self) -> tuple[str, ...]:
        """The two cars."""
        return tuple(PAINT)

    @property
    def observation_space(self) -> dict[str, Box]:
        """By car."""
        return {name: sight.space(len(PAINT) + len(VANS) - 1) for name in PAINT}

    @property
    def action_space(self) -> dict[str, Box]:
        """By car."""
        return {name: rules.action_space() for name in PAINT}

    def reset(self, chosen: NDArray[np.intp]) -> None:
        """Lines the cars up and puts the vans ahead of them."""
        poses = np.empty((len(chosen), len(PAINT), 7))
        for row, number in enumerate(chosen.tolist()):
            rng = self.worlds.rngs[number]
            for place in range(len(PAINT)):
                distance = self.course.length / 8 - GAP * place + rng.uniform(-0.3, 0.3)
                at = self.course.point(distance, rng.uniform(-0.3, 0.3))
                poses[row, place] = Pose((*at, 0.0), Euler(yaw=self.course.heading(distance)))
                self.start[number, place] = distance
            self.traffic.draw(number, rng)
        for kept in (self.travelled, self.hits, self.finished, self.off_track):
            kept[chosen] = 0
        for kept in (self.throttle, self.slope):
            kept[chosen] = 0.0
        still: dict[str, Any] = {"pose": poses, "twist": [Twist()]}
        self.worlds.put("models", still, self._cars, chosen)
        vans = self.traffic.poses(chosen)
        self.worlds.put("models", {"pose": vans}, self._vans, chosen)
        self.gates.reset(chosen, self.start)

    def act(self, actions: Mapping[str, NDArray[Any]], live: Bools) -> None:
        """Turns the wheels and sets the throttles."""
        given = np.stack([actions[name] for name in PAINT], axis=1).astype(np.float64)
        steering = each(math.tan, given[..., 0] * rules.MAX_STEERING)
        self.slope = np.where(live, steering, self.slope)
        # A car that is done brakes.
        self.throttle = np.where(live, given[..., 1], -1.0)

    def fixed_update(self, delta_time: Floats, sim_time: Floats, live: Bools) -> None:
        """The drive acts on the chassis, and the vans drive on."""
        models = self.worlds.models
        twist = models.twist[:, self._cars]
        forward, up = axes(models.pose[:, self._cars])
        linear, angular = twist[..., :3], twist[..., 3:]
        speed = dot(linear, forward)
        faster = np.where(self.throttle * speed < 0.0, 2.0, 1.0)
        push = self.throttle * rules.ACCELERATION * faster * delta_time[:, None]
        target = np.minimum(speed + push, rules.MAX_SPEED)
        target = np.where(target > 0.0, target, 0.0)
        turn = target * self.slope / rules.WHEELBASE
        along = forward * target[..., None] + up * dot(linear, up)[..., None]
        around = angular + up * (turn - dot(angular, up))[..., None]
        driven = np.concatenate([along, around], axis=-1)
        self.worlds.put("models", {"twist": driven}, self._cars)
        stepping = _stepping(live)
        vans = self.traffic.drive(stepping, delta_time[stepping])
        self.worlds.put("models", {"pose": vans}, self._vans, stepping)

    def judge(self, live: Bools) -> Judgement:
        """Progress, touches, the end of the road and of the lap; then the vans decide."""
        pose = self.worlds.models.pose
        cars = pose[:, self._cars]
        position = cars[..., :2]
        self._locate(position)
        way = self._along - self.start - self.travelled
        progress = each(lambda metres: math.remainder(metres, self.course.length), way)
        counted = self.gates.limit(self.travelled + progress, self.start, cars, live)
        earned = counted - self.travelled
        self.travelled = np.where(live, counted, self.travelled)
        hit = self._touches(pose[:, self._things]) & live
        self.hits += hit
        self.off_track |= ~self.course.road.contains_points(position) & live
        self.finished |= (self.travelled >= self.course.length) & ~self.off_track & live
        reward = 0.0 + earned
        reward = np.where(hit, reward + rules.HIT_REWARD, reward)
        reward = np.where(self.off_track, reward + rules.OFF_TRACK_REWARD, reward)
        reward = np.where(self.finished, reward + rules.LAP_REWARD, reward)
        on = _stepping(live)
        self.traffic.decide(on, self.worlds.time[on], self._along[on], self._offset[on])
        return Judgement(reward, self.off_track | self.finished)

    def observe(self) -> dict[str, NDArray[np.float32]]:
        """What `sight.look` sees."""
        pose, twist = self.worlds.models.pose, self.worlds.models.twist[:, self._cars]
        cars = pose[:, self._cars]
        position = cars[..., :2]
        self._locate(position)
        ahead = self.course.point(self._along[..., None] + np.array(sight.LOOKAHEAD))
        things = pose[:, self._things, :2][:, None]
        others = ~np.eye(len(PAINT), len(self._things), len(VANS), dtype=np.bool_)
        things = np.broadcast_to(things, (len(pose), *others.shape, 2))[:, others]
        things = things.reshape(len(pose), len(PAINT), -1, 2)
        gap = np.concatenate([ahead, things], axis=2) - position[:, :, None]
        forward, _ = axes(cars)
        seen = sight.in_frame(gap, forward[..., None, 0], forward[..., None, 1])
        inverse = quaternions.inverse(cars[..., 3:])
        speed = quaternions.rotate(inverse, twist[..., :3])[..., 0]
        own = np.stack([speed, twist[..., 5], self._offset / (WIDTH / 2)], axis=-1)
        own = np.clip(own, np.negative(sight.OWN_LIMITS), sight.OWN_LIMITS)
        numbers = np.concatenate([own, seen.reshape(len(pose), len(PAINT), -1)], axis=-1)
        return {name: numbers[:, car].astype(np.float32) for car, name in enumerate(PAINT)}

    def get_info(self) -> dict[str, Any]:
        """How far each car got and how it ended."""
        driving = np.where(self.finished, "finished", "driving")
        outcome = np.where(self.off_track, "off track", driving).astype(object)
        return {
            name: {
                "metres": self.travelled[:, car],
                "hits": self.hits[:, car],
                "outcome": outcome[:, car],
            }
            for car, name in enumerate(PAINT)
        }

    def get_state(self) -> Any:
        """What the race remembers, and the gates and vans."""
        return super().get_state(), plain_attributes(self.gates), plain_attributes(self.traffic)

    def set_state(self, state: Any) -> None:
        """Remembers that."""
        race, gates, traffic = state
        super().set_state(race)
        restore_attributes(self.gates, gates)
        restore_attributes(self.traffic, traffic)

    def _locate(self, position: Floats) -> None:
        """Finds the cars that have moved since the last time along the course."""
        moved = (position != self._located).any(axis=-1)
        self._located[moved] = position[moved]
        self._along[moved], self._offset[moved] = self.course.locate_all(position[moved])

    def _touches(self, things: Floats) -> Bools:
        """Whether each car touches another thing, (W, cars)."""
        heading = headings(things)
        touched = np.zeros((len(things), len(PAINT)), dtype=np.bool_)
        for car in range(len(PAINT)):
            mine = len(VANS) + car
            for other in range(mine):
                size = VAN if other < len(VANS) else CAR
                here, there = things[:, mine, :2], things[:, other, :2]
                met = meet(here, heading[:, mine], CAR, there, heading[:, other], size)
                touched[:, car] |= met
                if other >= len(VANS):
                    touched[:, other - len(VANS)] |= met
        return touched


def _stepping(live: Bools) -> NDArray[np.intp]:
    """The worlds that take part in a step: vans neither drive nor decide in others."""
    return np.flatnonzero(live.any(axis=1))
