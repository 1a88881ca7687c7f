# SPDX-License-Identifier: Apache-2.0
"""Moves a base in the plane at a given velocity, by three joints or as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from deepsim_math import quaternions
from deepsim_robots.joint_group import JointGroup
from deepsim_sync import WorldNumbers

from .controller import Controller, Drive, Floats, Pair, ServoDrive, gains_of


@dataclass(frozen=True, kw_only=True)
class PlanarBase(Controller):
    """Drives a base at a velocity in its own frame: x, y [m/s] and yaw rate [rad/s].

    With joints, the position of the third joint is the yaw of the base. Without joints, the twist
    of the whole model is set in every tick: contacts do not stop the model, but gravity acts on it,
    and friction slows it until the next tick.

    >>> puck = "<sdf version='1.9'><model name='puck'><link name='body'/></model></sdf>"
    >>> base = Part([], PlanarBase(lower=(-1, -1, -2), upper=(1, 1, 2), normalized=False))
    >>> world = World(MujocoSimulator())
    >>> robot = Robot(world, RobotConfig(puck, parts={"base": base}), "puck")
    >>> robot.set_action([[1.0, 0.0, 0.0]])
    >>> world.tick()
    >>> robot.model.twist[0, 0, 0].item()
    1.0

    Attributes:
        joints: The joints along the world's x and y axes and the joint about z; empty for a base
            without joints.
        lower: Lowest velocity: x, y [m/s] and yaw rate [rad/s].
        upper: Highest velocity: x, y [m/s] and yaw rate [rad/s].
        damping: Damping of the joints; by default the robot's.
    """

    joints: Sequence[str] = ()
    lower: Sequence[float] = (-1.0, -1.0, -np.pi)
    upper: Sequence[float] = (1.0, 1.0, np.pi)
    damping: ArrayLike | None = None

    def __post_init__(self) -> None:
        if len(self.joints) not in (0, 3):
            raise ValueError(f"a planar base must have 3 joints or none, got {list(self.joints)}")
        if self.damping is not None and not self.joints:
            raise ValueError("damping is that of joints, and the planar base has none")

    def drive(self, joints: JointGroup) -> Drive:
        if not self.joints:
            return _FreeDrive(joints, self.lower, self.upper)
        own = joints.some(self.joints)
        gains = gains_of(own, None, self.damping, held=False)
        return _JointDrive(own, (self.lower, self.upper), gains)


def turned(velocity: Floats, yaw: Floats) -> Floats:
    """Converts velocities, (w, 3), from frames turned by `yaw`, (w,) [rad], to the world frame."""
    cos, sin = np.cos(yaw), np.sin(yaw)
    x, y = velocity[:, 0], velocity[:, 1]
    return np.stack([cos * x - sin * y, sin * x + cos * y, velocity[:, 2]], axis=1)


class _JointDrive(ServoDrive):
    def __init__(
        self, joints: JointGroup, limits: tuple[ArrayLike, ArrayLike], gains: Pair
    ) -> None:
        super().__init__(joints, limits, gains)
        self._velocity = self.remember("velocity", 3)

    def act(self, action: Floats, worlds: WorldNumbers) -> None:
        self._velocity[worlds] = action

    def update(self, delta_time: float, worlds: WorldNumbers) -> None:
        """Sets the joints' target velocities for the current yaw."""
        yaw = self.joints.rows.position[worlds, 2]
        self.joints.put(worlds, target_velocity=turned(self._velocity[worlds], yaw))

    def reset(self, worlds: WorldNumbers) -> None:
        super().reset(worlds)
        self._velocity[worlds] = 0.0


class _FreeDrive(Drive):
    """Sets the twist of a model that has no joints for its base."""

    def __init__(self, joints: JointGroup, lower: ArrayLike, upper: ArrayLike) -> None:
        super().__init__(joints, lower, upper)
        self._model = joints.world.models.select([joints.model])
        self._velocity = self.remember("velocity", 3)

    def act(self, action: Floats, worlds: WorldNumbers) -> None:
        self._velocity[worlds] = action

    def update(self, delta_time: float, worlds: WorldNumbers) -> None:
        """Sets the twist of the model, except for the vertical speed, which gravity changes."""
        pose, twist = self._model.pose[worlds], self._model.twist[worlds]
        yaw = np.asarray(quaternions.to_euler(pose[:, 0, 3:])[:, 2], dtype=np.float64)
        velocity = turned(self._velocity[worlds], yaw)
        twist[:, 0, :2] = velocity[:, :2]
        twist[:, 0, 3:5] = 0.0
        twist[:, 0, 5] = velocity[:, 2]
        self._model.put(worlds, twist=twist)

    def reset(self, worlds: WorldNumbers) -> None:
        self._velocity[worlds] = 0.0
