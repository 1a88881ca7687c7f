# SPDX-License-Identifier: Apache-2.0
"""A crate that slides across the road."""

from __future__ import annotations

import math

from deepsim_colliders import RectangleCollider
from deepsim_math import Euler, Pose
from deepsim_spawn import AbstractSpawner
from deepsim_sync import Behaviour, World

from .centreline import Centreline

SIZE = 0.32  # [m]
REACH = 0.5  # how far it goes to either side of the centre line [m]
PERIOD = 12.0  # [s]


class Obstacle(Behaviour):
    """Slides to and fro, evenly and for ever.

    Args:
        name: The obstacle's name.
        course: The road that it blocks.
        distance: Where along the course [m].
        spawner: Creates its model.
        world: Where it is spawned.

    Attributes:
        collider: Its outline on the ground.
        phase: Where in its way it starts [rad].
    """

    def __init__(
        self,
        name: str,
        course: Centreline,
        distance: float,
        *,
        spawner: AbstractSpawner,
        world: World,
    ) -> None:
        super().__init__(name, tags=["obstacle"], spawner=spawner, world=world)
        self.course = course
        self.distance = distance
        self.phase = 0.0
        self.collider = RectangleCollider(SIZE, SIZE)
        self.collider.attach(self.transform)

    def move(self, sim_time: float) -> None:
        """Goes to where it is at a time [s]."""
        offset = REACH * math.sin(self.phase + math.tau * sim_time / PERIOD)
        x, y = self.course.point(self.distance, offset)
        heading = Euler(yaw=self.course.heading(self.distance))
        self.transform.pose = Pose((x, y, 0.0), heading)

    def on_fixed_update(self, delta_time: float, sim_time: float) -> None:
        """Slides on."""
        self.move(sim_time)
