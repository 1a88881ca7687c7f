# SPDX-License-Identifier: Apache-2.0
"""A van: slow traffic, which thinks with a behaviour tree."""

from __future__ import annotations

import math
from collections.abc import Sequence

from deepsim_colliders import RectangleCollider
from deepsim_math import Euler, Pose
from deepsim_spawn import AbstractSpawner
from deepsim_sync import Behaviour, World

from .car import Car
from .centreline import Centreline, Place
from .traffic_tree import traffic_tree

LENGTH, BREADTH = 0.6, 0.3  # [m]
LANE = 0.42  # from the centre line to the middle of a lane [m]
ACCELERATION, BRAKES = 1.5, 3.0  # [m/s^2]
DRIFT = 0.7  # fastest change of lane: metres to the side per metre forward
HASTE = 2.5  # how soon the van reaches the middle of its lane [1/m]

ROOM = 3.0  # how far the other lane must be free to change into it [m]; more than it brakes for
BEHIND = 6.0  # how far behind nobody may be then: cars are faster, and are about to overtake [m]
NEAR = 0.5  # what is less far from the middle of a lane is in it, some things are in both [m]


class Van(Behaviour):
    """Drives on and on along the course, in one of two lanes.

    Its model is static and only its pose is set, so it moves alike on every backend, and nothing
    pushes it. All that it remembers are plain numbers, which a snapshot of the world keeps.

    Args:
        name: The van's name.
        course: Where it drives.
        cruise: Its speed on a free road [m/s].
        spawner: Creates its model.
        world: Where it is spawned.

    Attributes:
        collider: Its outline on the ground.
        others: Who else is on the road.
        at: Where it is.
        lane: 1 left, -1 right.
        speed: How fast it goes [m/s].
        wanted_speed: How fast it wants to go [m/s].
        changed: When it changed lanes last [s].
        tree: What decides, once per step of the environment.
    """

    def __init__(
        self,
        name: str,
        course: Centreline,
        cruise: float,
        *,
        spawner: AbstractSpawner,
        world: World,
    ) -> None:
        super().__init__(name, tags=["traffic"], spawner=spawner, world=world)
        self.course = course
        self.cruise = cruise
        self.collider = RectangleCollider(LENGTH, BREADTH)
        self.collider.attach(self.transform)
        self.others: Sequence[Car | Van] = ()
        self.at = Place(0.0, 0.0)
        self.lane = 1
        self.speed = self.wanted_speed = 0.0
        self.changed = 0.0
        self.tree = traffic_tree(self)

    def place(self, distance: float, lane: int, changed: float) -> None:
        """Begins an episode at cruising speed in the middle of a lane.

        Args:
            distance: Along the course [m].
            lane: 1 left, -1 right.
            changed: When it changed lanes last [s].
        """
        self.at = Place(distance, lane * LANE)
        self.lane = lane
        self.speed = self.wanted_speed = self.cruise
        self.changed = changed
        self.move()

    # What it sees

    def gap_ahead(self) -> float:
        """How far away the next one in the van's lane is [m]; infinite if there is none."""
        gaps = [gap for gap, offset in self._seen() if gap > 0.0 and self._in(self.lane, offset)]
        return min(gaps, default=math.inf)

    def may_change_lane(self) -> bool:
        """Whether the other lane is free, and nobody comes up from behind in either lane."""
        for gap, offset in self._seen():
            there = self._in(-self.lane, offset)
            if there and -BEHIND < gap < ROOM:
                return False
            if -BEHIND < gap < 0.0 and self._in(self.lane, offset):
                return False
        return True

    def _seen(self) -> list[tuple[float, float]]:
        """How far ahead of the van each other is, and how far left of the centre line [m]."""
        length = self.course.length
        return [
            (math.remainder(other.at.distance - self.at.distance, length), other.at.offset)
            for other in self.others
        ]

    def _in(self, lane: int, offset: float) -> bool:
        return abs(offset - lane * LANE) < NEAR

    # What it does

    def on_update(self) -> None:
        """Decides."""
        self.tree.tick()

    def on_fixed_update(self, delta_time: float, sim_time: float) -> None:
        """Drives on."""
        change = self.wanted_speed - self.speed
        self.speed += max(-BRAKES * delta_time, min(change, ACCELERATION * delta_time))
        drift = max(-DRIFT, min(HASTE * (self.lane * LANE - self.at.offset), DRIFT))
        way = self.speed * delta_time
        self.at = Place((self.at.distance + way) % self.course.length, self.at.offset + drift * way)
        self.move(math.atan(drift))

    def move(self, turn: float = 0.0) -> None:
        """Puts the model where the van is.

        Args:
            turn: To the left of the road's direction [rad].
        """
        x, y = self.course.point(*self.at)
        heading = Euler(yaw=self.course.heading(self.at.distance) + turn)
        self.transform.pose = Pose((x, y, 0.0), heading)
