# SPDX-License-Identifier: Apache-2.0
"""The vans of many worlds: the rules of `van.py` and `traffic_tree.py` on arrays (W, vans)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from . import van as rules
from .area import VANS
from .centreline import Centreline
from .elementwise import Floats, each, turned
from .traffic_tree import PATIENCE, SIGHT, STOP

_STARTS, _CRUISE = np.array([*VANS.values()]).T


class Traffic:
    """All vans; what is given by van has their order in `area.VANS`.

    Args:
        worlds: How many worlds there are.
        course: Where the vans drive.

    Attributes:
        distance: Along the course [m], (W, vans).
        offset: To the left of its centre line [m].
        lane: 1 left, -1 right.
        speed: How fast each goes [m/s].
        wanted_speed: How fast it wants to go [m/s].
        changed: When it changed lanes last [s].
    """

    def __init__(self, worlds: int, course: Centreline) -> None:
        self.course = course
        shape = (worlds, len(VANS))
        self.distance, self.offset = np.zeros(shape), np.zeros(shape)
        self.lane = np.ones(shape, dtype=np.int64)
        self.speed, self.wanted_speed = np.zeros(shape), np.zeros(shape)
        self.changed = np.zeros(shape)

    def draw(self, number: int, rng: np.random.Generator) -> None:
        """Begins an episode of one world, as `RaceArea.reset` does."""
        for van, start in enumerate(_STARTS.tolist()):
            self.distance[number, van] = start + rng.uniform(-1.0, 1.0)
            self.lane[number, van] = 1 if rng.random() < 0.5 else -1
            self.changed[number, van] = rng.uniform(-5.0, 0.0)
        self.offset[number] = self.lane[number] * rules.LANE
        self.speed[number] = self.wanted_speed[number] = _CRUISE

    def poses(self, chosen: NDArray[np.intp], drift: Floats | None = None) -> Floats:
        """Where the models are in some worlds, (w, vans, 7).

        Args:
            chosen: The worlds.
            drift: Metres to the side per metre forward, (w, vans); None for straight on.
        """
        distance = self.distance[chosen]
        turn = np.zeros(distance.shape) if drift is None else each(math.atan, drift)
        poses = np.zeros((*distance.shape, 7))
        poses[..., :2] = self.course.point(distance, self.offset[chosen])
        poses[..., 3:] = turned(self.course.headings(distance) + turn)
        return poses

    def drive(self, chosen: NDArray[np.intp], delta_time: Floats) -> Floats:
        """Drives on in some worlds, and says where the models are then, (w, vans, 7).

        Args:
            chosen: The worlds.
            delta_time: Since the last tick of each of them [s], (w,).
        """
        delta = delta_time[:, None]
        offset = self.offset[chosen]
        change = np.minimum(
            self.wanted_speed[chosen] - self.speed[chosen], rules.ACCELERATION * delta
        )
        self.speed[chosen] += np.maximum(-rules.BRAKES * delta, change)
        aside = rules.HASTE * (self.lane[chosen] * rules.LANE - offset)
        drift = np.maximum(-rules.DRIFT, np.minimum(aside, rules.DRIFT))
        way = self.speed[chosen] * delta
        self.distance[chosen] = (self.distance[chosen] + way) % self.course.length
        self.offset[chosen] = offset + drift * way
        return self.poses(chosen, drift)

    def decide(
        self, chosen: NDArray[np.intp], now: Floats, distance: Floats, offset: Floats
    ) -> None:
        """Does in some worlds what the behaviour tree does.

        Args:
            chosen: The worlds.
            now: Simulated time of each of them [s], (w,).
            distance: Where their cars are along the course [m], (w, cars).
            offset: And to the left of its centre line [m].
        """
        lane = self.lane[chosen]
        gap, aside = self._seen(chosen, distance, offset)
        here = np.abs(aside - (lane * rules.LANE)[..., None]) < rules.NEAR
        there = np.abs(aside - (-lane * rules.LANE)[..., None]) < rules.NEAR
        ahead = np.where(here & (gap > 0.0), gap, math.inf).min(axis=-1)
        behind = gap > -rules.BEHIND
        in_the_way = (there & behind & (gap < rules.ROOM)) | (here & behind & (gap < 0.0))

        clear = ~in_the_way.any(axis=-1)
        somebody_is_ahead = ahead < SIGHT
        bored = now[:, None] - self.changed[chosen] >= PATIENCE
        change = clear & (somebody_is_ahead | bored)
        slow = somebody_is_ahead & ~clear
        share = np.maximum(0.0, (ahead - STOP) / (SIGHT - STOP))
        # Not `_CRUISE * share`, which is infinite where nobody is ahead.
        self.wanted_speed[chosen] = _CRUISE * np.where(slow, share, 1.0)
        self.lane[chosen] = np.where(change, -lane, lane)
        self.changed[chosen] = np.where(change, now[:, None], self.changed[chosen])

    def _seen(
        self, chosen: NDArray[np.intp], distance: Floats, offset: Floats
    ) -> tuple[Floats, Floats]:
        """How far ahead of each van each other is, and how far left of the centre line [m].

        Both are (w, vans, others); the others are the other vans, then the cars.
        """
        mine = self.distance[chosen]
        shape = (len(mine), len(VANS), len(VANS) + distance.shape[1])
        others = ~np.eye(*shape[1:], dtype=np.bool_)

        def by_van(vans: Floats, cars: Floats) -> Floats:
            all_of_them = np.concatenate([vans, cars], axis=1)[:, None]
            found: Floats = np.broadcast_to(all_of_them, shape)[:, others]
            return found.reshape(len(mine), len(VANS), -1)

        gap = by_van(mine, distance) - mine[..., None]
        length = self.course.length
        ahead = each(lambda metres: math.remainder(metres, length), gap)
        return ahead, by_van(self.offset[chosen], offset)
