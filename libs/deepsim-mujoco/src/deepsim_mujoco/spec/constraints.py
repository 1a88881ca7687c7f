# SPDX-License-Identifier: Apache-2.0
"""Constraints between MuJoCo's joints and bodies: closed loops, and axes that mimic others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from deepsim_math import Vector3
from deepsim_mujoco.imports import mujoco
from deepsim_spawn import JointDescription
from deepsim_sync import SCOPE, SpawnError

from .servos import Axis
from .tree import Node, RootKind, anchor_name

STIFFEST = 1e-9  # time constant [s]; MuJoCo raises it to two steps, the stiffest that is stable
_TORQUE_SCALE = 10  # index in the numbers of a weld
_LEVER = 0.1  # distance between the two points that keep an axis [m]


def close_loop(
    spec: mujoco.MjSpec,
    links: Sequence[Node],
    child: Node,
    parent: Node | None,
    joint: JointDescription,
) -> list[mujoco.MjsEquality]:
    """Adds the constraints of a joint that closes a loop in the tree of links.

    Raises:
        SpawnError: A joint of its type cannot close a loop.
    """
    if parent is None:  # a second joint from the link to the world
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
            f"joint {joint.name!r} closes a loop, which a {joint.type} joint cannot here: "
            "expected a fixed, revolute, continuous or ball joint, or one with lower = upper",
        )
    return [constraint(mujoco.mjtEq.mjEQ_CONNECT, anchor) for anchor in anchors]


def is_locked(joint: JointDescription) -> bool:
    """Returns whether a joint's limits hold it at its described position."""
    axes = [axis for axis in (joint.axis, joint.axis2) if axis is not None]
    return bool(axes) and all(axis.lower == axis.upper == 0.0 for axis in axes)


class Follower(NamedTuple):
    """An axis whose position is ``multiplier * leader + offset``."""

    name: str
    leader: str
    """Name of the axis to follow, which does not follow another one itself."""
    multiplier: float
    offset: float


def follower_of(axis: Axis, axes: Mapping[str, Axis]) -> Follower:
    """Returns how an axis with a leader follows the first leader, by the axes of its model.

    Raises:
        SpawnError: A leader is missing, or axes follow each other in a circle.
    """
    multiplier, offset, now = 1.0, 0.0, axis
    seen = [now.name]
    while now.leader:
        mimic = now.description.mimic
        assert mimic is not None
        offset += multiplier * mimic.offset
        multiplier *= mimic.multiplier
        if now.leader not in axes or axes[now.leader].ball or now.leader in seen:
            in_circle = now.leader in seen
            problem = "they follow one another in a circle" if in_circle else "it has no axis"
            model, _, joint = axis.name.partition(SCOPE)
            raise SpawnError(model, f"joint {joint!r} mimics {mimic.joint!r}: {problem}")
        now = axes[now.leader]
        seen.append(now.name)
    return Follower(axis.name, now.name, multiplier, offset)


def add_mimic(spec: mujoco.MjSpec, follower: Follower) -> mujoco.MjsEquality:
    """Adds the constraint that makes an axis follow its leader."""
    added = spec.add_equality(
        name1=follower.name,
        name2=follower.leader,
        objtype=mujoco.mjtObj.mjOBJ_JOINT,
        type=mujoco.mjtEq.mjEQ_JOINT,
        solref=[STIFFEST, 1.0],
    )
    numbers = np.zeros_like(added.data)
    numbers[:2] = follower.offset, follower.multiplier
    added.data = numbers
    return added
