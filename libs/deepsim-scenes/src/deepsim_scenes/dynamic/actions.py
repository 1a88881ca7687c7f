# SPDX-License-Identifier: Apache-2.0
"""Actions for Scenic behaviours. Imports Scenic.

Custom actions inherit from `scenic.core.simulators.Action`; their ``applyTo`` gets the world from
``simulation.world`` and the name of the agent's model from ``simulation.model_of(agent)``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from scenic.core.dynamics.actions import Action

from .simulation import WorldSimulation

MAX_TURN = 3.0
"""Highest yaw rate of `DriveTowards` [rad/s]."""


class Drive(Action):  # type: ignore[misc] # Scenic has no types
    """Drives on the ground; vertical motion is left to the physics.

    The velocity is set before every tick of the world; within a tick, friction acts.

    Args:
        ahead: Speed in the direction that the agent faces [m/s].
        turn: Yaw rate, counterclockwise [rad/s].
        left: Speed to the agent's left [m/s].
    """

    def __init__(self, ahead: float = 0.0, turn: float = 0.0, left: float = 0.0) -> None:
        self.ahead, self.turn, self.left = float(ahead), float(turn), float(left)

    def applyTo(self, agent: Any, simulation: WorldSimulation) -> None:  # noqa: N802 (Scenic's)
        """Sets the velocity before every tick of the interval."""
        name = simulation.model_of(agent)
        rows = simulation.world.models.select([name])

        def act() -> None:
            heading = simulation.heading_of(agent)
            sine, cosine = math.sin(heading), math.cos(heading)
            twist = rows.twist
            twist[0, 0, 0] = -sine * self.ahead - cosine * self.left
            twist[0, 0, 1] = cosine * self.ahead - sine * self.left
            twist[0, 0, 5] = self.turn
            rows.twist = twist

        simulation.hold(agent, act)


class DriveTowards(Action):  # type: ignore[misc] # Scenic has no types
    """Drives straight to a place, turns to face it, and stops there.

    Args:
        place: A vector or object of the scenario.
        speed: Highest speed, >= 0 [m/s].
    """

    def __init__(self, place: Any, speed: float = 1.0) -> None:
        self.place, self.speed = place, float(speed)

    def applyTo(self, agent: Any, simulation: WorldSimulation) -> None:  # noqa: N802 (Scenic's)
        """Sets the velocity that leads to the place before every tick of the interval."""
        place = getattr(self.place, "position", self.place)
        east, north = place.x - agent.position.x, place.y - agent.position.y
        distance = math.hypot(east, north)
        speed = min(self.speed, distance / simulation.timestep)
        heading = simulation.heading_of(agent)
        bearing = math.atan2(-east, north)
        turn = math.remainder(bearing - heading, math.tau) if distance > 0.0 else 0.0
        rate = max(-MAX_TURN, min(MAX_TURN, turn / simulation.timestep))
        ahead, left = speed * math.cos(turn), speed * math.sin(turn)
        Drive(ahead, rate, left).applyTo(agent, simulation)


class Push(Action):  # type: ignore[misc] # Scenic has no types
    """Applies a force and a torque at the centre of mass of the agent's first link.

    Args:
        force: Force in the world frame, (3,) [N].
        torque: Torque in the world frame, (3,) [N m].
    """

    def __init__(self, force: Any, torque: Any = (0.0, 0.0, 0.0)) -> None:
        self.force, self.torque = np.array([*force], float), np.array([*torque], float)

    def applyTo(self, agent: Any, simulation: WorldSimulation) -> None:  # noqa: N802 (Scenic's)
        """Applies force and torque in every tick of the interval."""
        world, name = simulation.world, simulation.model_of(agent)
        first = next(each for each in world.entities.names("links") if each.startswith(f"{name}::"))
        rows = world.links.select([first])
        simulation.hold(agent, lambda: rows.put(force=self.force, torque=self.torque))


class SetJoints(Action):  # type: ignore[misc] # Scenic has no types
    """Sets targets of the agent's joints, which hold until they are replaced.

    Args:
        position: Target positions by joint name [rad or m].
        velocity: Target velocities by joint name [rad/s or m/s].
    """

    def __init__(
        self,
        position: Mapping[str, float] | None = None,
        velocity: Mapping[str, float] | None = None,
    ) -> None:
        self.targets = {"target_position": position or {}, "target_velocity": velocity or {}}

    def applyTo(self, agent: Any, simulation: WorldSimulation) -> None:  # noqa: N802 (Scenic's)
        """Sets the targets."""
        name = simulation.model_of(agent)
        for column, targets in self.targets.items():
            if targets:
                rows = simulation.world.joints.select([f"{name}::{joint}" for joint in targets])
                rows.put(**{column: np.array([*targets.values()], float)})
