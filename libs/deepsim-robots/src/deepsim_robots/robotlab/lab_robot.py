# SPDX-License-Identifier: Apache-2.0
"""A robot as an entity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from deepsim_robots.config import RobotConfig
from deepsim_robots.controllers.controller import Controller
from deepsim_robots.parts import Part
from deepsim_robots.robot import Robot
from deepsim_sync import DeepSimError

from .body import Body
from .entity import Entity

if TYPE_CHECKING:
    from .simulator import LabSimulator


class LabRobot(Entity):
    """The robot of a scene: controllers are registered before it is loaded.

    Args:
        config: The robot; its parts may be registered instead.
        pose: In every scene; by default as described.
        fix_root: Whether the base is fixed to the world; None as in the configuration.
        balance_passive_force: Whether gravity, centrifugal and Coriolis forces are balanced.

    Attributes:
        config: As given, with the controllers that were registered.
        robot: The robot, once it was loaded.
        body: Its model in all scenes.
    """

    robot: Robot
    body: Body

    def __init__(
        self,
        config: RobotConfig,
        pose: ArrayLike | None = None,
        *,
        fix_root: bool | None = None,
        balance_passive_force: bool = False,
    ) -> None:
        super().__init__()
        if fix_root is not None:
            config = replace(config, fixed_base=fix_root)
        if balance_passive_force:
            config = replace(config, balance="bias")
        self.config = config
        self._pose = pose
        self._loaded = False

    def register_controller(
        self, name: str, joints: Sequence[str], controller: Controller | str
    ) -> None:
        """Gives some joints a controller.

        Args:
            name: Of the part: ``arm``, ``gripper``, ``base``, ...
            joints: As in `Part`.
            controller: As in `Part`.

        Raises:
            DeepSimError: The robot was loaded already.
        """
        if self._loaded:
            raise DeepSimError("controllers are registered before the robot is loaded")
        parts = {**self.config.parts, name: Part(joints, controller)}
        self.config = replace(self.config, parts=parts)

    @property
    def action_space(self) -> dict[str, Any]:
        """Bounds of actions, ``lower`` and ``upper`` (k,), and ``slices`` by part."""
        robot = self.robot
        return {"lower": robot.lower, "upper": robot.upper, "slices": dict(robot.slices)}

    def set_action(self, action: ArrayLike) -> None:
        """Takes an action: (k,) for all scenes, or (n, k)."""
        self.robot.set_action(action)

    def get_state(self) -> Mapping[str, Any]:
        """Returns joints and controllers in all scenes."""
        return self.robot.state

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Goes back to a state."""
        self.robot.state = dict(state)

    def clear(self) -> None:
        """Lets controllers be registered again."""
        super().clear()
        self._loaded = False

    def _load(self, sim: LabSimulator) -> None:
        """Adds the model to the present scene."""
        self._loaded = True
        self.body = sim.scene.add_robot(self, self._pose)

    def assemble(self, sim: LabSimulator, poses: np.ndarray) -> None:
        """Makes the robot of the model, once all scenes are loaded."""
        self.robot = Robot(sim.world, self.config, self.path, poses)

    def _get_sapien_entities(self) -> list[Body]:
        """Returns the model."""
        return [self.body]

    def find_part(self, name: str) -> Any:
        """Returns a link."""
        return self.body.link(name)
