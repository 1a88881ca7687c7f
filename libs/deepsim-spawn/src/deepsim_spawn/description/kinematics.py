# SPDX-License-Identifier: Apache-2.0
"""Forward kinematics: the poses of a model's links and shapes for positions of its joints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_math import poses, quaternions
from deepsim_sync import SCOPE
from deepsim_sync.errors import did_you_mean

from .checks import WORLD
from .joint import AXES, JointAxis, JointDescription

if TYPE_CHECKING:
    from .model import ModelDescription

Floats = NDArray[np.float64]
_BALL = 3


@dataclass(frozen=True, slots=True, eq=False)
class JointLimits:
    """The axes that a configuration of a model sets, in its order, with their limits.

    Units are rad or m, with seconds and N m or N; there is infinity where there is no limit.

    Attributes:
        names: Names of the n axes, as in the joints table of a simulator: ``joint`` for a joint's
            first axis, ``joint::2`` for its second, and three for a ball joint.
        lower: Lowest positions (n,).
        upper: Highest positions (n,).
        velocity: Largest speeds (n,).
        effort: Largest torques or forces (n,).
    """

    names: tuple[str, ...]
    lower: Floats
    upper: Floats
    velocity: Floats
    effort: Floats


@dataclass(frozen=True, slots=True, eq=False)
class ModelPoses:
    """Poses in the frame of a model, as rows px py pz qx qy qz qw.

    Attributes:
        links: Poses of the links (..., 7) by scoped name.
        collisions: Poses of their collisions by ``link::collision``.
        visuals: Poses of their visuals, such as meshes, by ``link::visual``.
    """

    links: Mapping[str, Floats]
    collisions: Mapping[str, Floats]
    visuals: Mapping[str, Floats]


def joint_limits(model: ModelDescription) -> JointLimits:
    """Returns the axes of a model without those that mimic others; see `JointLimits`."""
    rows = {name: axis for name, axis, leader in _rows(model) if not leader}
    axes = [axis or JointAxis() for axis in rows.values()]
    return JointLimits(
        tuple(rows),
        *(
            np.array([getattr(axis, field) for axis in axes], dtype=np.float64)
            for field in ("lower", "upper", "velocity", "effort")
        ),
    )


def forward_kinematics(
    model: ModelDescription, positions: ArrayLike | Mapping[str, ArrayLike]
) -> ModelPoses:
    """Returns the poses of a model's links and shapes; see `ModelDescription.poses`."""
    lead, values = _values(model, positions)
    described = {name: np.asarray(pose) for name, _, pose in model.all_links()}
    moved: dict[str, Floats | None] = {WORLD: None}  # by what each link is displaced
    waiting: dict[str, JointDescription] = {}
    for joint in model.all_joints():
        if joint.child in waiting:
            raise ValueError(
                f"link {joint.child!r} is the child of the joints {waiting[joint.child].name!r} "
                f"and {joint.name!r}: a closed loop has no forward kinematics"
            )
        waiting[joint.child] = joint
    moved.update((name, None) for name in described if name not in waiting)
    while waiting:
        ready = [joint for joint in waiting.values() if joint.parent in moved]
        if not ready:
            names = ", ".join(repr(joint.name) for joint in waiting.values())
            raise ValueError(f"the joints {names} form a cycle")
        for joint in ready:
            del waiting[joint.child]
            motion = _motion(joint, values)
            if motion is not None:  # the displacement of the child, in the frame of the model
                frame = poses.compose(described[joint.child], joint.pose)
                motion = poses.compose(poses.compose(frame, motion), poses.inverse(frame))
            before = moved[joint.parent]
            if before is not None:
                motion = before if motion is None else poses.compose(before, motion)
            moved[joint.child] = motion
    links, collisions, visuals = {}, {}, {}
    for name, link, _ in model.all_links():
        by, rest = moved[name], described[name]
        row = rest if by is None else poses.compose(by, rest)
        links[name] = pose = np.broadcast_to(row, (*lead, 7)).copy()
        for collision in link.collisions:
            collisions[name + SCOPE + collision.name] = poses.compose(pose, collision.pose)
        for visual in link.visuals:
            visuals[name + SCOPE + visual.name] = poses.compose(pose, visual.pose)
    return ModelPoses(links, collisions, visuals)


def _rows(model: ModelDescription) -> Iterator[tuple[str, JointAxis | None, str]]:
    """Yields the name of each axis, the axis (None for ball joints), and the name of its leader."""
    for joint in model.all_joints():
        scope = "".join(joint.name.rpartition(SCOPE)[:2])
        axes = (joint.axis, joint.axis2)[: AXES[joint.type]]
        for number, axis in enumerate([None] * _BALL if joint.type == "ball" else axes, start=1):
            mimic = axis and axis.mimic
            yield _row_name(joint, number), axis, scope + mimic.joint if mimic else ""


def _row_name(joint: JointDescription, number: int) -> str:
    return joint.name if number == 1 else f"{joint.name}{SCOPE}{number}"


def _values(
    model: ModelDescription, positions: ArrayLike | Mapping[str, ArrayLike]
) -> tuple[tuple[int, ...], dict[str, Floats]]:
    """Returns the leading axes of positions, and those of all axes by name, followers too."""
    rows = {name: (axis, leader) for name, axis, leader in _rows(model)}
    free = [name for name, (_, leader) in rows.items() if not leader]
    lead: tuple[int, ...] = ()
    if isinstance(positions, Mapping):
        for name in positions:
            if name not in rows:
                hint = did_you_mean(name, rows)
                raise ValueError(f"model {model.name!r} has no joint axis {name!r}{hint}")
        values = {name: np.asarray(each, dtype=np.float64) for name, each in positions.items()}
    else:
        array = np.asarray(positions, dtype=np.float64)
        if array.shape[-1:] != (len(free),):
            raise ValueError(
                f"model {model.name!r} needs positions of shape (..., {len(free)}), in the order "
                f"of joint_limits().names, got {array.shape}"
            )
        lead = array.shape[:-1]
        values = {name: array[..., index] for index, name in enumerate(free)}
    for name in free:
        values.setdefault(name, np.zeros(()))
    for name in rows:
        _follow(name, rows, values, ())
    return np.broadcast_shapes(lead, *(value.shape for value in values.values())), values


def _follow(
    name: str,
    rows: Mapping[str, tuple[JointAxis | None, str]],
    values: dict[str, Floats],
    followers: tuple[str, ...],
) -> Floats:
    """Returns the position of an axis, which is that of its leader where it has one."""
    if name not in values:
        axis, leader = rows.get(name, (None, ""))
        if axis is None or axis.mimic is None or name in followers:
            chain = " mimics ".join((*followers, name))
            raise ValueError(f"{chain}: there is no such axis, or it leads itself")
        led = _follow(leader, rows, values, (*followers, name))
        values[name] = axis.mimic.multiplier * led + axis.mimic.offset
    return values[name]


def _motion(joint: JointDescription, values: Mapping[str, Floats]) -> Floats | None:
    """Returns the motion (..., 7) of a joint in its own frame; None for a fixed joint."""
    if joint.type == "ball":  # the rows are a rotation vector in the axes of the child
        rows = [values[_row_name(joint, number)] for number in range(1, _BALL + 1)]
        vector = np.stack(np.broadcast_arrays(*rows), axis=-1)
        vector = quaternions.inverse_rotate(joint.pose.orientation, vector)
        return _row(np.zeros(3), quaternions.from_rotation_vector(vector))
    motion: Floats | None = None
    for number, axis in enumerate((joint.axis, joint.axis2), start=1):
        if axis is not None:
            value = values[_row_name(joint, number)]
            if joint.type == "prismatic":
                step = _row(value[..., None] * np.asarray(axis.xyz), np.array([0.0, 0.0, 0.0, 1.0]))
            else:
                step = _row(np.zeros(3), quaternions.from_axis_angle(axis.xyz, value))
            motion = step if motion is None else poses.compose(motion, step)
    return motion


def _row(position: Floats, turn: Floats) -> Floats:
    lead = np.broadcast_shapes(position.shape[:-1], turn.shape[:-1])
    parts = [np.broadcast_to(part, (*lead, part.shape[-1])) for part in (position, turn)]
    return np.concatenate(parts, axis=-1)
