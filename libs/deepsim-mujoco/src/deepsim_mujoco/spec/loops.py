# SPDX-License-Identifier: Apache-2.0
"""Joints that close loops as constraints, for MuJoCo's joints are trees."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from deepsim_math import Vector3
from deepsim_mujoco.engine import mujoco
from deepsim_spawn import JointDescription
from deepsim_sync import SCOPE, SpawnError

from .tree import Node, RootKind, anchor_name

STIFFEST = 1e-9  # [s] MuJoCo takes two steps instead: as stiff as is stable at any step size
_TORQUE_SCALE = 10  # of the numbers of a weld
_LEVER = 0.1  # [m] between the two points that keep an axis


def close_loop(
    spec: mujoco.MjSpec,
    links: Sequence[Node],
    child: Node,
    parent: Node | None,
    joint: JointDescription,
) -> list[mujoco.MjsEquality]:
    """Adds the constraints of a joint that the tree of its links has no place for.

    Args:
        spec: Where they are added.
        links: Of the model.
        child: The link that the joint moves.
        parent: The link that it comes from; None for the world.
        joint: It keeps neither limits nor damping.

    Raises:
        SpawnError: A joint of its type cannot close a loop.
    """
    if parent is None:  # a joint to the world comes here only if another one holds the same link
        held = (node for node in links if node.root_kind is RootKind.ANCHORED and not node.parent)
        other = anchor_name(next(held))
    else:
        other = parent.name

    def constraint(kind: mujoco.mjtEq, anchor: Vector3) -> mujoco.MjsEquality:
        added = spec.add_equality(
            name1=child.name,
            name2=other,
            objtype=mujoco.mjtObj.mjOBJ_BODY,
            type=kind,
            solref=[STIFFEST, 1.0],
        )
        numbers = np.zeros_like(added.data)
        numbers[:3], numbers[_TORQUE_SCALE] = anchor, 1.0
        added.data = numbers
        return added

    if joint.type == "fixed" or is_locked(joint):
        return [constraint(mujoco.mjtEq.mjEQ_WELD, Vector3(0.0, 0.0, 0.0))]
    frame = child.in_body @ joint.pose
    anchors = [Vector3(*frame.position)]
    if joint.axis is not None and joint.type in ("revolute", "continuous"):
        along = frame.orientation.rotate(joint.axis.xyz)
        anchors.append(anchors[0] + Vector3(*along) * _LEVER)
    elif joint.type != "ball":
        raise SpawnError(
            child.name.split(SCOPE)[0],
            f"joint {joint.name!r} closes a loop, and a {joint.type} joint cannot here: "
            "expected a fixed, revolute, continuous or ball joint, or one with lower = upper",
        )
    return [constraint(mujoco.mjtEq.mjEQ_CONNECT, anchor) for anchor in anchors]


def is_locked(joint: JointDescription) -> bool:
    """Whether its limits let it move nowhere, at the position that its description has."""
    axes = [axis for axis in (joint.axis, joint.axis2) if axis is not None]
    return bool(axes) and all(axis.lower == axis.upper == 0.0 for axis in axes)
