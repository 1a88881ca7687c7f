# SPDX-License-Identifier: Apache-2.0
"""Jacobians from the poses of links, for simulators that have none."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_math import poses, quaternions
from deepsim_robots.joint_group import JointGroup
from deepsim_spawn import JointDescription, ModelDescription
from deepsim_sync import SCOPE, UnsupportedError

Floats = NDArray[np.float64]


class LinkChain:
    """The joints between a link and the root of its model, as the model is described.

    Args:
        joints: The joints that move the link; others beyond the chain do not.
        link: Name of the link.
        point: (3,) fixed to the link, in its frame [m].

    Raises:
        UnsupportedError: The model is not described as links and joints, or a joint of the group
            in the chain has more than one axis.
    """

    def __init__(self, joints: JointGroup, link: str, point: ArrayLike) -> None:
        world, model = joints.world, joints.model
        if not isinstance(joints.description, ModelDescription):
            raise UnsupportedError(
                f"end effectors need Jacobians, which {type(world.simulator).__name__} lacks, or a "
                f"model of SDF or URDF: {model!r} is neither"
            )
        chain = [joint for joint in _chain(joints.description, link) if joint.name in joints.names]
        for joint in chain:
            if joint.axis is None or joint.axis2 is not None:
                raise UnsupportedError(
                    f"joint {joint.name!r} of {model!r} is {joint.type}: without Jacobians of the "
                    "simulator, end effectors need joints of one axis"
                )
        self._world = world
        self._point = np.asarray(point, dtype=np.float64)
        self._size = len(joints)
        self._columns = [joints.names.index(joint.name) for joint in chain]
        self._tip = joints.link(link)
        self._children = world.links.select([model + SCOPE + joint.child for joint in chain])
        self._frames = np.array([joint.pose for joint in chain], dtype=np.float64).reshape(-1, 7)
        axes = [joint.axis.xyz for joint in chain if joint.axis is not None]
        self._axes = np.array(axes).reshape(-1, 3)
        self._slides = np.array([joint.type == "prismatic" for joint in chain], dtype=bool)[:, None]

    def jacobian(self) -> Floats:
        """Returns (W, 6, k) as `Dynamics.jacobian` does; unsent changes are sent.

        A joint turns the link about its axis, or moves it along it (Craig, Introduction to
        Robotics, 2005, section 5.7).
        """
        self._world.flush()
        tip = self._tip.pose[:, 0]
        place = tip[:, :3] + quaternions.rotate(tip[:, 3:], self._point)
        frames = np.asarray(poses.compose(self._children.pose, self._frames))
        axes = quaternions.rotate(frames[..., 3:], self._axes)
        turned = np.cross(axes, place[:, None] - frames[..., :3])
        linear = np.where(self._slides, axes, turned)
        angular = np.where(self._slides, 0.0, axes)
        found = np.zeros((len(tip), 6, self._size))
        found[:, :, self._columns] = np.concatenate([linear, angular], axis=2).swapaxes(1, 2)
        return found


def _chain(description: ModelDescription, link: str) -> Sequence[JointDescription]:
    """The joints from a link to the root."""
    above = {joint.child: joint for joint in description.all_joints()}
    chain = []
    while link in above:
        joint = above.pop(link)
        chain.append(joint)
        link = joint.parent
    return chain
