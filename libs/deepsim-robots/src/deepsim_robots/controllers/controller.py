# SPDX-License-Identifier: Apache-2.0
"""The base of all controllers: their settings, and what drives the joints of a part by them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_robots.joint_group import JointGroup
from deepsim_sync import UnknownEntityError, WorldNumbers

Floats = NDArray[np.float64]
PerJoint: TypeAlias = "ArrayLike | Mapping[str, float]"
"""A number for all joints of a part, one for each in their order, or numbers by joint."""


@dataclass(frozen=True, kw_only=True)
class Controller(ABC):
    """The settings of a controller, without any state; one may serve several parts and robots.

    >>> class Hold(Controller):  # no actions: joints are held at home
    ...     def drive(self, joints):
    ...         return HoldDrive(joints, np.zeros(0), np.zeros(0))
    >>> class HoldDrive(Drive):
    ...     def act(self, action, worlds):
    ...         pass
    ...     def reset(self, worlds):
    ...         self.joints.put(worlds, target_position=self.joints.traits.home)
    >>> config = replace(find_robot("arm").load(), parts={"arm": Part(["joint_.*"], Hold())})
    >>> Robot(World(MujocoSimulator()), config, "arm").action_size
    0

    Attributes:
        normalized: Whether actions are [-1, 1], which the controller scales to its own bounds;
            otherwise actions have the units of its bounds.
    """

    normalized: bool = True

    @abstractmethod
    def drive(self, joints: JointGroup) -> Drive:
        """Returns the drive of some joints.

        Raises:
            ValueError: The joints lack what the controller needs, such as bounds or gains.
        """


class Drive(ABC):
    """A controller at work on the joints of one part, in all worlds.

    >>> drive = Robot.load(World(MujocoSimulator()), "arm").parts["gripper"]
    >>> drive.joints.names, drive.lower.tolist(), drive.upper.tolist()
    (('left_finger_joint', 'right_finger_joint'), [0.0], [1.0])

    Args:
        joints: The joints.
        lower: Least action, (n,), in the controller's units.
        upper: Largest action, (n,).

    Attributes:
        joints: As given.
        lower: As given.
        upper: As given.
        memory: Whatever it remembers, (W, ...) arrays by name; snapshots hold them.

    Raises:
        ValueError: A lower bound is above its upper one.
    """

    def __init__(self, joints: JointGroup, lower: ArrayLike, upper: ArrayLike) -> None:
        self.joints = joints
        self.lower = np.array(lower, dtype=np.float64)
        self.upper = np.array(upper, dtype=np.float64)
        self.memory: dict[str, Floats] = {"efforts": joints.efforts}
        if not (self.lower <= self.upper).all():
            raise ValueError(
                f"part {joints.part!r}: lower must be <= upper, got {self.lower} and {self.upper}"
            )

    def require_finite(self) -> None:
        """Refuses bounds that no action can be scaled to.

        Raises:
            ValueError: A bound is infinite.
        """
        if not (np.isfinite(self.lower).all() and np.isfinite(self.upper).all()):
            joints = self.joints
            raise ValueError(
                f"part {joints.part!r} of {joints.model!r} has joints without limits: "
                "give its controller the bounds lower and upper"
            )

    def remember(self, name: str, *shape: int) -> Floats:
        """Returns a new array (W, *shape) of zeros, which is part of the memory."""
        self.memory[name] = np.zeros((len(self.joints.world), *shape))
        return self.memory[name]

    @abstractmethod
    def act(self, action: Floats, worlds: WorldNumbers) -> None:
        """Takes an action within the bounds, (w, n), in the controller's units."""

    def update(self, delta_time: float, worlds: WorldNumbers) -> None:  # noqa: B027
        """Called before every tick of some worlds; the default does nothing."""

    @abstractmethod
    def reset(self, worlds: WorldNumbers) -> None:
        """Begins new episodes in some worlds: the joints are at home."""

    def get_state(self) -> dict[str, Floats]:
        """Returns a copy of the memory."""
        return {name: array.copy() for name, array in self.memory.items()}

    def set_state(self, state: Mapping[str, Floats]) -> None:
        """Takes up a copy of an earlier memory."""
        for name, array in self.memory.items():
            array[...] = state[name]


def settings(controller: Controller) -> dict[str, Any]:
    """Returns the settings of a controller by name."""
    return {each.name: getattr(controller, each.name) for each in fields(controller)}


def bounds(given: PerJoint | None, default: PerJoint, joints: JointGroup, name: str) -> Floats:
    """Returns a setting of each joint of a part, (n,).

    Args:
        given: A number for all, one for each, or numbers by joint; None for the default.
        default: Of each joint.
        joints: The joints.
        name: Of the setting, for messages.

    Raises:
        ValueError: The number of numbers does not fit, or a joint has none.
        UnknownEntityError: The part has no such joint.
    """
    if isinstance(given, Mapping):
        for joint in given:
            if joint not in joints.names:
                raise UnknownEntityError(f"joint of part {joints.part!r}", joint, joints.names)
        missing = [joint for joint in joints.names if joint not in given]
        if missing:
            raise ValueError(f"{name} of part {joints.part!r} lacks joint {missing[0]!r}")
        given = [given[joint] for joint in joints.names]
    values = np.asarray(default if given is None else given, dtype=np.float64)
    if values.ndim > 1 or (values.ndim == 1 and len(values) != len(joints)):
        raise ValueError(
            f"{name} of part {joints.part!r} is a number or one for each of its joints "
            f"{list(joints.names)}, got {values.tolist()}"
        )
    return np.broadcast_to(values, (len(joints),)).copy()
