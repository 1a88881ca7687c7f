# SPDX-License-Identifier: Apache-2.0
"""The links of a model as trees, with their inertia, and the joints that close loops."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache

import numpy as np

from deepsim_math import Pose, Quaternion
from deepsim_mujoco.imports import mujoco
from deepsim_spawn import (
    Inertial,
    JointDescription,
    LinkDescription,
    ModelDescription,
    VelocityDecay,
)
from deepsim_sync import SCOPE, SpawnError

_ORIGIN = Pose()
_LONGEST_CHAIN = 1000  # MuJoCo refuses 1024 bodies, but may take many minutes to do so


class RootKind(Enum):
    """The way in which the root link of a tree is held."""

    FREE = "free"
    """The link moves freely in the world."""
    PLACED = "placed"
    """The link stays where it was put, as in static models and kinematic links."""
    ANCHORED = "anchored"
    """A joint connects the link to the world."""


@dataclass(slots=True)
class Node:
    """A link in its tree; all names are scoped, such as ``model::link``."""

    name: str
    model: str
    """Name of the innermost model of the link."""
    link: LinkDescription
    pose: Pose
    """Pose in the frame of the spawned model."""
    placed: bool
    """Whether the link stays where it is put."""
    self_collide: bool
    """Whether the link collides with the other links of its model."""
    joint: JointDescription | None = None
    """Joint to the parent."""
    parent: Node | None = None
    children: list[Node] = field(default_factory=list)
    closing: list[tuple[Node | None, JointDescription]] = field(default_factory=list)
    """Joints to this link that close loops, with their other links; None for the world."""

    @property
    def body_pose(self) -> Pose:
        """Pose of the frame of the link's MuJoCo body in the frame of the spawned model.

        The body of a root has the frame of the whole model, so that the pose of a model is that of
        its body and need not be composed in every tick.
        """
        return Pose() if self.is_root else self.pose

    @property
    def in_body(self) -> Pose:
        """Pose of the link's frame in the frame of its MuJoCo body."""
        return self.pose if self.is_root else Pose()

    @property
    def moves(self) -> bool:
        """Whether the link can move relative to its parent."""
        return self.joint is None or self.joint.type != "fixed"

    def rigid_parts(self) -> Iterator[Node]:
        """Yields this link and all links below that are fixed to it."""
        parts = [self]
        while parts:
            part = parts.pop()
            yield part
            parts += (child for child in part.children if not child.moves and not child.placed)

    @property
    def is_root(self) -> bool:
        """Whether the link is a root: its body either moves freely or stays where it is put."""
        return self.placed or (self.parent is None and self.joint is None)

    @property
    def root_kind(self) -> RootKind:
        """The way in which the root is held."""
        if self.placed:
            return RootKind.PLACED
        return RootKind.FREE if self.joint is None else RootKind.ANCHORED


def anchor_name(root: Node) -> str:
    """Returns the name of the body that an anchored tree is attached to."""
    return f"#anchor {root.name}"


@dataclass(frozen=True, slots=True)
class Frame:
    """The frame of a model or nested model, carried by its canonical link."""

    name: str
    canonical_link: str
    """Name of the link; empty for a static model without links, which has a body of its own."""
    pose: Pose
    """Pose in the frame of the spawned model."""

    @property
    def body(self) -> str:
        """Name of the MuJoCo body that carries the frame."""
        return self.canonical_link or f"#frame {self.name}"


def nested_models(
    model: ModelDescription, name: str, pose: Pose = _ORIGIN, *, static: bool = False
) -> Iterator[tuple[ModelDescription, str, Pose, bool]]:
    """Yields a model and all models nested in it, outer ones first.

    Yields:
        Description, scoped name, pose in the frame of the spawned model, and whether the model is
        static, by itself or as part of a static model.
    """
    static = static or model.static
    yield model, name, pose, static
    for inner in model.models:
        scoped = name + SCOPE + inner.name
        yield from nested_models(inner, scoped, pose @ inner.pose, static=static)


def model_frames(description: ModelDescription, name: str) -> Iterator[Frame]:
    """Yields the frames of a model and of all models nested in it, outer ones first.

    Raises:
        SpawnError: A model that is not static has no link.
    """
    for model, scoped, pose, static in nested_models(description, name):
        link = model.canonical_link
        if not link and not static:
            raise SpawnError(scoped, "it has no link, and is not static")
        yield Frame(scoped, scoped + SCOPE + link if link else "", pose)


def link_trees(description: ModelDescription, name: str) -> list[Node]:
    """Returns all links of a model, connected as trees.

    Raises:
        SpawnError: A chain of joints is too long.
    """
    nodes = {node.name: node for node in _nodes(description, name)}
    tops = {id(node): node for node in nodes.values()}  # towards the root of each link's tree

    def root(node: Node) -> Node:
        while (above := tops[id(node)]) is not node:
            node = tops[id(node)] = tops[id(above)]
        return node

    # Joints to the world come first, so that loops are closed between links.
    joints = description.all_joints()
    for joint in sorted(joints, key=lambda joint: name + SCOPE + joint.parent in nodes):
        child = nodes[name + SCOPE + joint.child]
        if child.placed:
            continue  # a joint of a static model has no effect
        parent = nodes.get(name + SCOPE + joint.parent)  # None: the world
        if child.joint is not None or (parent is not None and root(parent) is child):
            child.closing.append((parent, joint))
            continue
        child.joint = joint
        if parent is not None:
            child.parent = parent
            parent.children.append(child)
            tops[id(child)] = parent
    for node in nodes.values():
        _refuse_long_chain(name, node)
    return list(nodes.values())


def _nodes(description: ModelDescription, name: str) -> Iterator[Node]:
    for model, scoped, pose, static in nested_models(description, name):
        for link in model.links:
            own = link.self_collide
            yield Node(
                scoped + SCOPE + link.name,
                scoped,
                link,
                pose @ link.pose,
                placed=static or link.kinematic,
                self_collide=model.self_collide if own is None else own,
            )


def _refuse_long_chain(name: str, node: Node) -> None:
    depth, above = 1, node.parent
    while above is not None:
        depth, above = depth + 1, above.parent
        if depth > _LONGEST_CHAIN:
            raise SpawnError(
                name,
                f"link {node.link.name!r} ends a chain of more than {_LONGEST_CHAIN} links, "
                "which is as long as MuJoCo takes",
            )


_MOST = 0.999  # largest share of a velocity that a step removes; 1 would take infinite damping
_NONE = VelocityDecay()


def set_inertia(body: mujoco.MjsBody, inertial: Inertial, frame: Pose) -> None:
    """Sets the mass and inertia of a body; `frame` is the pose of the link in the body."""
    position, turn, moments = _principal(inertial, frame)
    body.mass = inertial.mass
    body.ipos = position
    body.iquat = turn
    body.inertia = moments
    body.explicitinertial = True


@lru_cache(maxsize=1024)  # otherwise half the time of spawning many equal models
def _principal(
    inertial: Inertial, frame: Pose
) -> tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]:
    """Returns the position, orientation (w, x, y, z) and moments of the principal axes."""
    tensor = np.array(
        [
            [inertial.ixx, inertial.ixy, inertial.ixz],
            [inertial.ixy, inertial.iyy, inertial.iyz],
            [inertial.ixz, inertial.iyz, inertial.izz],
        ]
    )
    moments, axes = np.linalg.eigh(tensor)
    # A flat body has I3 = I1 + I2; a sum rounded down would make MuJoCo refuse it.
    flat = moments[0] + moments[1]
    if math.isclose(moments[2], flat, rel_tol=1e-9):
        moments[2] = flat
    axes[:, 2] *= np.linalg.det(axes)  # right-handed
    pose = frame @ inertial.pose @ Pose((0.0, 0.0, 0.0), Quaternion.from_matrix(axes))
    turn = pose.orientation.normalized().to_wxyz()
    return tuple(pose.position), tuple(map(float, turn)), tuple(moments.tolist())


def decays(node: Node) -> bool:
    """Returns whether the velocity of a link decays; only that of free links without joints can."""
    if node.link.velocity_decay == _NONE or node.children or node.parent is not None:
        return False
    return node.root_kind is RootKind.FREE


def apply_decay(model: mujoco.MjModel, nodes: Iterable[Node]) -> None:
    """Damps free links so that each step removes a share of their velocity, as in Gazebo.

    A step of the implicit integrators divides a velocity by 1 + c dt / m. The damping acts along
    the axes of the body, and is exact if the centre of mass is at the body's origin.
    """
    for node in filter(decays, nodes):
        body, decay = model.body(node.name).id, node.link.velocity_decay
        axes = np.empty(9)
        mujoco.mju_quat2Mat(axes, model.body_iquat[body])
        inertia = np.square(axes.reshape(3, 3)) @ model.body_inertia[body]
        share = np.minimum(np.repeat([decay.linear, decay.angular], 3), _MOST)
        weight = np.concatenate([np.full(3, model.body_mass[body]), inertia])
        start = model.body_dofadr[body]
        damping = weight * share / (1.0 - share) / model.opt.timestep
        model.dof_damping[start : start + 6] = damping
