# SPDX-License-Identifier: Apache-2.0
"""The robot of a scene, as an entity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from deepsim_robots.config import RobotConfig
from deepsim_robots.controllers.controller import Controller
from deepsim_robots.parts import Part
from deepsim_robots.robot import Robot
from deepsim_sync import DeepSimError, WorldNumbers

from .body import Body
from .entity import Entity, not_loaded

if TYPE_CHECKING:
    from .simulator import LabSimulator


class Box(NamedTuple):
    """The bounds of actions.

    >>> Box(np.full(2, -1.0), np.ones(2), {"base": slice(0, 2)}).shape
    (2,)
    """

    low: np.ndarray
    """Lowest action."""
    high: np.ndarray
    """Highest action."""
    slices: Mapping[str, slice]
    """The numbers of each part, along the last axis."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of an action."""
        return self.low.shape

    def sample(self, rng: np.random.Generator) -> np.ndarray:
        """Draws an action uniformly."""
        return rng.uniform(self.low, self.high)


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
    def action_space(self) -> Box:
        """The bounds of actions for all scenes, (k,) for one scene and (n, k) for more."""
        robot = self.robot
        scenes = len(robot.world)
        shape = (robot.action_size,) if scenes == 1 else (scenes, robot.action_size)
        low, high = (np.broadcast_to(each, shape) for each in (robot.lower, robot.upper))
        return Box(low, high, dict(robot.slices))

    def get_base_pose(self) -> np.ndarray:
        """Returns x, y [m] and the heading [rad] of the base in each scene, (n, 3)."""
        pose = self.body.get_pose()
        x, y, z, w = pose[:, 3:].T
        yaw = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
        return np.column_stack([pose[:, :2], yaw])

    def set_base_pose(self, pose: ArrayLike, ids: WorldNumbers | None = None) -> None:
        """Puts the base upright at x, y [m] and a heading [rad], (3,) or (n, 3), at its height."""
        scenes = np.arange(len(self.robot.world)) if ids is None else np.asarray(ids)
        x, y, yaw = np.broadcast_to(np.asarray(pose, np.float64), (len(scenes), 3)).T
        height, none = self.body.get_pose()[scenes, 2], np.zeros(len(scenes))
        turn = np.sin(yaw / 2.0), np.cos(yaw / 2.0)
        self.body.set_pose(np.column_stack([x, y, height, none, none, *turn]), ids)

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
