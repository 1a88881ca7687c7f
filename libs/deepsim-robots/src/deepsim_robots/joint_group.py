# SPDX-License-Identifier: Apache-2.0
"""Joints of a robot in all worlds, chosen by names and patterns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_sync import SCOPE, JointRows, StateRows, UnknownEntityError, World, WorldNumbers


def matching(kind: str, patterns: Iterable[str], names: Sequence[str]) -> list[int]:
    """Returns the indices of the names that match a pattern, in ascending order.

    Args:
        kind: Kind of the names for error messages, such as ``"joint of robot 'arm'"``.
        patterns: Names, or regular expressions that must match a whole name.
        names: All names.

    Raises:
        UnknownEntityError: A pattern does not match any name.
        ValueError: A pattern is not a valid regular expression.
    """
    chosen: set[int] = set()
    for pattern in patterns:
        if pattern in names:
            chosen.add(names.index(pattern))
            continue
        try:
            expression = re.compile(pattern)
        except (re.error, TypeError) as error:
            raise ValueError(
                f"{pattern!r} is neither a {kind} nor a regular expression: {error}"
            ) from None
        found = [index for index, name in enumerate(names) if expression.fullmatch(name)]
        if not found:
            raise UnknownEntityError(kind, pattern, names)
        chosen.update(found)
    return sorted(chosen)


def check_names(kind: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Raises UnknownEntityError for the first name that is not known."""
    names = tuple(known)
    for name in given:
        if name not in names:
            raise UnknownEntityError(kind, name, names)


Floats = NDArray[np.float64]


@dataclass(frozen=True)
class JointTraits:
    """The constants of n joints, (n,) each.

    >>> joints = Robot.load(World(MujocoSimulator()), "arm").joints
    >>> joints.traits.take([0, 6]).upper.round(2).tolist()
    [3.05, 0.04]

    Attributes:
        lower: Lowest position [rad or m]; -inf without a limit.
        upper: Highest position [rad or m]; inf without a limit.
        effort_limit: Largest effort [N m or N].
        velocity_limit: Largest target velocity [rad/s or m/s].
        stiffness: Position gain [N m/rad or N/m].
        damping: Velocity gain [N m s/rad or N s/m].
        home: Position after a reset [rad or m].
    """

    lower: Floats
    upper: Floats
    effort_limit: Floats
    velocity_limit: Floats
    stiffness: Floats
    damping: Floats
    home: Floats

    def take(self, index: Sequence[int]) -> JointTraits:
        """Returns the constants of some joints, given by index."""
        chosen = list(index)
        return JointTraits(*(values[chosen] for values in vars(self).values()))


class JointGroup:
    """The joints of a model that one controller drives, in all worlds.

    >>> robot = Robot.load(World(MujocoSimulator(worlds=2)), "arm")
    >>> gripper = robot.parts["gripper"].joints
    >>> gripper.names
    ('left_finger_joint', 'right_finger_joint')
    >>> gripper.rows.position.shape
    (2, 2)

    Args:
        world: The world.
        model: Name of the model.
        part: Name of the part, for error messages.
        names: Names of the n joints in the model.
        traits: Constants of the joints.

    Attributes:
        rows: The rows of the joints in the world's table.
        efforts: Feedforward efforts that the controller has set, (W, n) [N m or N].
    """

    def __init__(
        self, world: World, model: str, part: str, names: Sequence[str], traits: JointTraits
    ) -> None:
        self.world = world
        self.model = model
        self.part = part
        self.names = tuple(names)
        self.traits = traits
        self.rows: JointRows = world.joints.select([model + SCOPE + name for name in names])
        self.efforts: Floats = np.zeros((len(world), len(self.names)))
        self._every = len(world)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"<JointGroup of {self.model!r}, {self.part}: {', '.join(self.names)}>"

    @property
    def scoped(self) -> tuple[str, ...]:
        """The names of the joints in the world, ``model::joint``."""
        return tuple(self.rows.names)

    def put(self, worlds: WorldNumbers, **columns: Any) -> None:
        """Sets columns of the joints to values that broadcast to (w, n)."""
        self.rows.put(None if len(worlds) == self._every else worlds, **columns)

    def push(self, worlds: WorldNumbers, efforts: Floats | float) -> None:
        """Sets the feedforward efforts of the joints, (w, n) [N m or N]."""
        self.efforts[worlds] = efforts
        self.put(worlds, feedforward=efforts)

    def some(self, names: Sequence[str]) -> JointGroup:
        """Returns a group of some of the joints, in the given order.

        Raises:
            UnknownEntityError: The part has no such joint.
        """
        index = []
        for name in names:
            if name not in self.names:
                raise UnknownEntityError(f"joint of part {self.part!r}", name, self.names)
            index.append(self.names.index(name))
        return JointGroup(self.world, self.model, self.part, names, self.traits.take(index))

    def link(self, name: str) -> StateRows:
        """Returns the row of a link of the model.

        Raises:
            UnknownEntityError: The model has no such link.
        """
        known = self.world.entities.links
        scoped = self.model + SCOPE + name
        if scoped not in known:
            own = [link[len(self.model) + len(SCOPE) :] for link in known.within(self.model)]
            raise UnknownEntityError(f"link of {self.model!r}", name, own)
        return self.world.links.select([scoped])
