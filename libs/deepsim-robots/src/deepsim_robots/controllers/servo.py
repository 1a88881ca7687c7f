# SPDX-License-Identifier: Apache-2.0
"""The base class of drives with joint servos: gains, and the commands after a reset."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from deepsim_robots.joint_group import JointGroup
from deepsim_sync import WorldNumbers

from .controller import Drive, Floats, Pair, PerJoint, bounds


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
