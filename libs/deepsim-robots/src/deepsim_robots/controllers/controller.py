# SPDX-License-Identifier: Apache-2.0
"""The base classes of controllers and of their drives, with gains where joints have servos."""

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
"""One number for all joints of a part, one for each in order, or numbers by joint name."""
Pair: TypeAlias = tuple[Floats, Floats]
"""Two arrays (n,) for n joints: lower and upper limits, or stiffness and damping."""


@dataclass(frozen=True, kw_only=True)
class Controller(ABC):
    """The settings of a controller, which any number of parts and robots can use.

    It has no state: `drive` makes the object that acts on the joints of one part.

    >>> class Hold(Controller):  # without actions: joints are held at home
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
        normalized: Whether actions in [-1, 1] are scaled to the controller's bounds; otherwise
            actions have the units of the bounds.
    """

    normalized: bool = True

    @abstractmethod
    def drive(self, joints: JointGroup) -> Drive:
        """Returns a drive for some joints.

        Raises:
            ValueError: A setting is invalid, or the joints have no bounds or gains.
        """


class Drive(ABC):
    """Applies a controller to the joints of one part, in all worlds.

    >>> drive = Robot.load(World(MujocoSimulator()), "arm").parts["gripper"]
    >>> drive.joints.names, drive.lower.tolist(), drive.upper.tolist()
    (('left_finger_joint', 'right_finger_joint'), [0.0], [1.0])

    Args:
        joints: The joints.
        lower: Lowest action in the controller's units, (n,).
        upper: Highest action, (n,).

    Attributes:
        joints: The joints.
        lower: Lowest action in the controller's units, (n,).
        upper: Highest action, (n,).
        memory: State of the drive that snapshots contain, as arrays (W, ...) by name.
        controls: Names of the controls of the model's own file that the drive sets.

    Raises:
        ValueError: A lower bound is above its upper bound, or there are more of one.
    """

    def __init__(self, joints: JointGroup, lower: ArrayLike, upper: ArrayLike) -> None:
        self.joints = joints
        self.lower = np.array(lower, dtype=np.float64)
        self.upper = np.array(upper, dtype=np.float64)
        self.memory: dict[str, Floats] = {"efforts": joints.efforts}
        self.controls: tuple[str, ...] = ()
        if self.lower.ndim != 1 or self.lower.shape != self.upper.shape:
            raise ValueError(
                f"part {joints.part!r}: lower and upper must be as many numbers, "
                f"got {self.lower} and {self.upper}"
            )
        if not (self.lower <= self.upper).all():
            raise ValueError(
                f"part {joints.part!r}: lower must be <= upper, got {self.lower} and {self.upper}"
            )

    def require_finite(self) -> None:
        """Raises ValueError if a bound is infinite, because actions cannot be scaled to it."""
        if not (np.isfinite(self.lower).all() and np.isfinite(self.upper).all()):
            joints = self.joints
            raise ValueError(
                f"part {joints.part!r} of {joints.model!r} has joints without limits: "
                "give its controller the bounds lower and upper"
            )

    def remember(self, name: str, *shape: int) -> Floats:
        """Adds an array of zeros, (W, *shape), to the memory; returns the array."""
        self.memory[name] = np.zeros((len(self.joints.world), *shape))
        return self.memory[name]

    @abstractmethod
    def act(self, action: Floats, worlds: WorldNumbers) -> None:
        """Applies actions, (w, n), that are within the bounds and in the controller's units."""

    def update(self, delta_time: float, worlds: WorldNumbers) -> None:  # noqa: B027
        """Is called before every tick of some worlds; does nothing by default."""

    @abstractmethod
    def reset(self, worlds: WorldNumbers) -> None:
        """Prepares new episodes in some worlds; the joints are at home."""

    def get_state(self) -> dict[str, Floats]:
        """Returns a copy of the memory."""
        return {name: array.copy() for name, array in self.memory.items()}

    def set_state(self, state: Mapping[str, Floats]) -> None:
        """Restores the result of `get_state`."""
        for name, array in self.memory.items():
            array[...] = state[name]


def settings(controller: Controller) -> dict[str, Any]:
    """Returns the settings of a controller by name."""
    return {each.name: getattr(controller, each.name) for each in fields(controller)}


def bounds(given: PerJoint | None, default: PerJoint, joints: JointGroup, name: str) -> Floats:
    """Returns the values of a setting for the joints of a part, (n,).

    Args:
        given: A number for all joints, one for each, or numbers by name; None for the default.
        default: The default, as one number for all joints or one for each.
        joints: The joints.
        name: Name of the setting, for error messages.

    Raises:
        ValueError: The number of values is wrong, or a joint has no value.
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
    try:
        values = np.asarray(default if given is None else given, dtype=np.float64)
        fit = values.ndim == 0 or values.shape == (len(joints),)
    except (TypeError, ValueError):
        fit = False
    if not fit:
        raise ValueError(
            f"{name} of part {joints.part!r} must be a number or one for each of its joints "
            f"{list(joints.names)}, got {given!r}"
        )
    return np.broadcast_to(values, (len(joints),)).copy()


def limits_of(
    joints: JointGroup,
    lower: PerJoint | None,
    upper: PerJoint | None,
    default: tuple[PerJoint, PerJoint],
) -> Pair:
    """Returns the settings ``lower`` and ``upper`` of a controller, (n,) each; see `bounds`."""
    return bounds(lower, default[0], joints, "lower"), bounds(upper, default[1], joints, "upper")


def gains_of(
    joints: JointGroup,
    stiffness: PerJoint | None,
    damping: PerJoint | None,
    *,
    held: bool,
) -> Pair:
    """Returns stiffness and damping of a part's joints, (n,) each.

    Args:
        joints: The joints.
        stiffness: Stiffness of the joints; None for the robot's.
        damping: Damping of the joints; None for the robot's.
        held: Whether positions are controlled, which requires stiffness. Otherwise velocities are
            controlled, which requires damping, and the returned stiffness is 0.

    Raises:
        ValueError: A required gain or a limit of a joint is 0, or a gain is negative.
    """
    k = bounds(stiffness, joints.traits.stiffness, joints, "stiffness")
    d = bounds(damping, joints.traits.damping, joints, "damping")
    for name, values in (("stiffness", k), ("damping", d)):
        if not (np.isfinite(values) & (values >= 0.0)).all():
            raise ValueError(f"{name} of part {joints.part!r} must be >= 0, got {values}")
    name, needed = ("stiffness", k) if held else ("damping", d)
    if (needed == 0.0).any():
        joint = joints.names[int(np.argmin(needed))]
        raise ValueError(
            f"joint {joint!r} of part {joints.part!r} has no {name}: "
            f"give its controller {name}, or the robot gains for it"
        )
    for name in ("effort_limit", "velocity_limit"):
        limits: Floats = getattr(joints.traits, name)
        if (limits == 0.0).any():  # often in files that leave the limits open
            joint = joints.names[int(np.argmin(limits))]
            raise ValueError(
                f"joint {joint!r} of part {joints.part!r} never moves, because its {name} is 0: "
                f"give the robot gains with {name}"
            )
    return (k if held else np.zeros_like(k)), d


def hold(joints: JointGroup, stiffness: Floats, damping: Floats, worlds: WorldNumbers) -> None:
    """Sets the gains of joints, and makes their home position the target, in some worlds."""
    joints.put(
        worlds,
        target_position=joints.traits.home,
        target_velocity=0.0,
        stiffness=stiffness,
        damping=damping,
    )
    joints.push(worlds, 0.0)


class ServoDrive(Drive):
    """A drive that sets the gains of its joints at a reset, and holds the joints.

    Joints with stiffness are held at their home positions, joints with damping alone at rest.

    Args:
        joints: The joints.
        limits: Lowest and highest action, (n,) each.
        gains: Stiffness [N m/rad or N/m] and damping [N m s/rad or N s/m] of the joints, (n,) each.
    """

    def __init__(
        self, joints: JointGroup, limits: tuple[ArrayLike, ArrayLike], gains: Pair
    ) -> None:
        super().__init__(joints, *limits)
        # One by one, because the check of the public API does not see unpacked attributes.
        self.stiffness: Floats = gains[0]
        self.damping: Floats = gains[1]

    def reset(self, worlds: WorldNumbers) -> None:
        """Sets the gains, and holds the joints at home, or at rest if they have no stiffness."""
        hold(self.joints, self.stiffness, self.damping, worlds)
