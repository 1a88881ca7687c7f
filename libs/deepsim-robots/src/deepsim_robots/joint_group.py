# SPDX-License-Identifier: Apache-2.0
"""Groups of a robot's joints, with their limits, gains and home positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_sync import SCOPE, JointRows, StateRows, UnknownEntityError, World, WorldNumbers

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
