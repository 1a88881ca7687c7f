# SPDX-License-Identifier: Apache-2.0
"""Scripts on objects: doors that open, and lamps that shine, while a robot is near."""

from __future__ import annotations

import numpy as np
from house import GAP

from deepsim import Behaviour

LIGHT = (0.45, 0.4, 0.28, 1.0)
DARK = (0.0, 0.0, 0.0, 1.0)


class Trigger(Behaviour):
    """Calls `on_enter` when the first visitor comes near its model, `on_leave` after the last one.

    Args:
        name: Of the model.
        visitors: Names of the models that it waits for.
        reach: How far away they are near, along x and y [m].
    """

    def __init__(self, name: str, visitors: list[str], reach: tuple[float, float]) -> None:
        super().__init__(name)
        self.visitors = self.world.models.select(visitors)
        self.reach = reach
        self.place = np.array(self.transform.pose.position[:2])  # a door's own pose slides away
        self.occupied = False

    def on_enter(self) -> None:
        """Is called in the tick in which the first visitor is near."""

    def on_leave(self) -> None:
        """Is called in the tick in which no visitor is near any more."""

    def on_fixed_update(self, delta_time: float, sim_time: float) -> None:
        """Looks who is near."""
        away = np.abs(self.visitors.pose[0, :, :2] - self.place)
        occupied = bool((away < self.reach).all(axis=1).any())
        if occupied != self.occupied:
            self.occupied = occupied
            if occupied:
                self.on_enter()
            else:
                self.on_leave()


class Door(Trigger):
    """Slides open for whoever comes near, and closes behind the last one."""

    def __init__(self, name: str, visitors: list[str]) -> None:
        super().__init__(name, visitors, (1.1, 0.8))
        self.slide = self.world.joints.select([f"{name}::slide"])
        self.slide.put(stiffness=400.0, damping=120.0)
        self.opened = 0  # times

    def on_enter(self) -> None:
        """Opens."""
        self.slide.target_position = GAP
        self.opened += 1

    def on_leave(self) -> None:
        """Closes."""
        self.slide.target_position = 0.0


class Lamp(Trigger):
    """Lights its room while somebody is there."""

    def __init__(self, room: str, visitors: list[str]) -> None:
        super().__init__(f"{room}_bulb", visitors, (2.0, 2.0))
        self.light = self.world.lights.select([f"{room}_lamp"])
        self.bulb = self.world.visuals.select([f"{room}_bulb::link::bulb"])

    def on_enter(self) -> None:
        """Switches it on."""
        self.light.diffuse = LIGHT
        self.bulb.emissive = (1.0, 1.0, 1.0, 1.0)

    def on_leave(self) -> None:
        """Switches it off."""
        self.light.diffuse = DARK
        self.bulb.emissive = DARK
