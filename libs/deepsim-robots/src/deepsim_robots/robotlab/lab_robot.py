# SPDX-License-Identifier: Apache-2.0
"""The robot of a scene, as an entity."""

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
from .entity import Entity, not_loaded

if TYPE_CHECKING:
    from .simulator import LabSimulator


class LabRobot(Entity):
    """The robot of a scene; its controllers are registered before it is loaded.

    >>> robot = LabRobot(replace(find_robot("arm").load(), parts={}), fix_root=True)
    >>> robot.register_controller("arm", ["joint_.*"], "pd_joint_pos")
    >>> list(robot.config.parts)
    ['arm']

    Args:
        config: Configuration of the robot; `register_controller` adds parts.
        pose: Pose in every scene; by default the origin.
        fix_root: Whether the base is fixed to the world; None leaves it as configured.
        balance_passive_force: Whether gravity, centrifugal and Coriolis forces are compensated.

    Attributes:
        config: The configuration, including registered controllers.
        robot: The robot, after loading.
        body: The model of the robot in all scenes.
    """

    robot: Robot = not_loaded()
    body: Body = not_loaded()

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
        """Adds a part with a controller.

        Args:
            name: Name of the part, such as ``arm`` or ``gripper``.
            joints: Joints as in `Part`.
            controller: Controller as in `Part`.

        Raises:
            DeepSimError: The robot has already been loaded.
        """
        if self._loaded:
            raise DeepSimError("controllers are registered before the robot is loaded")
        parts = {**self.config.parts, name: Part(joints, controller)}
        self.config = replace(self.config, parts=parts)

    @property
    def action_space(self) -> dict[str, Any]:
        """The bounds of actions, ``lower`` and ``upper``, (k,) each, and ``slices`` by part."""
        robot = self.robot
        return {"lower": robot.lower, "upper": robot.upper, "slices": dict(robot.slices)}

    def set_action(self, action: ArrayLike) -> None:
        """Applies an action, (k,) for all scenes or (n, k)."""
        self.robot.set_action(action)

    def get_state(self) -> Mapping[str, Any]:
        """Returns the state of joints and controllers in all scenes."""
        return self.robot.state

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restores the result of `get_state`."""
        self.robot.state = dict(state)

    def clear(self) -> None:
        """Discards the loaded objects; controllers can be registered again."""
        super().clear()
        self._loaded = False

    def _load(self, sim: LabSimulator) -> None:
        self._loaded = True
        self.body = sim.scene.add_robot(self, self._pose)

    def assemble(self, sim: LabSimulator, poses: np.ndarray) -> None:
        """Creates the robot, after all scenes have been loaded."""
        self.robot = Robot(sim.world, self.config, self.path, poses)

    def _get_sapien_entities(self) -> list[Body]:
        return [self.body]

    def find_part(self, name: str) -> Any:
        """Returns a link of the robot."""
        return self.body.link(name)
