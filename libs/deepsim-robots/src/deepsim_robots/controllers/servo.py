# SPDX-License-Identifier: Apache-2.0
"""The part that drives of joint servos share: gains, and the command at a reset."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from deepsim_robots.joint_group import JointGroup
from deepsim_sync import WorldNumbers

from .controller import Drive, Floats, PerJoint, bounds


def gains_of(
    joints: JointGroup,
    stiffness: PerJoint | None,
    damping: PerJoint | None,
    *,
    held: bool,
) -> tuple[Floats, Floats]:
    """Returns the gains of a part's joints, (n,) and (n,).

    Args:
        joints: The joints.
        stiffness: In place of the robot's gains, or None.
        damping: In place of the robot's gains, or None.
        held: Whether positions are held, which needs stiffness; velocities need damping alone.

    Raises:
        ValueError: A joint has no gain to be driven with, or one is negative.
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
    return (k if held else np.zeros_like(k)), d


def hold(joints: JointGroup, stiffness: Floats, damping: Floats, worlds: WorldNumbers) -> None:
    """Sets the gains of joints, with home and rest as targets, in some worlds."""
    joints.put(
        worlds,
        target_position=joints.traits.home,
        target_velocity=0.0,
        stiffness=stiffness,
        damping=damping,
    )
    joints.push(worlds, 0.0)


class ServoDrive(Drive):
    """Sets the gains and the command at a reset: the joints are held at home, or at rest.

    Args:
        joints: The joints.
        lower: Least action.
        upper: Largest action.
        stiffness: (n,)
        damping: (n,)
    """

    def __init__(
        self,
        joints: JointGroup,
        lower: ArrayLike,
        upper: ArrayLike,
        stiffness: Floats,
        damping: Floats,
    ) -> None:
        super().__init__(joints, lower, upper)
        self.stiffness = stiffness
        self.damping = damping

    def reset(self, worlds: WorldNumbers) -> None:
        """Holds the joints."""
        hold(self.joints, self.stiffness, self.damping, worlds)
