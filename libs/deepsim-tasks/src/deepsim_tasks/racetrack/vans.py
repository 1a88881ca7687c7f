# SPDX-License-Identifier: Apache-2.0
"""Vans: slow traffic in two lanes. Only their poses are set, so that nothing pushes them."""

from __future__ import annotations

import math

import numpy as np

from .course import Bools, Course, Floats, Numbers

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
