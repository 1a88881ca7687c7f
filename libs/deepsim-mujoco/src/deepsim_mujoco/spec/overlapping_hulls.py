# SPDX-License-Identifier: Apache-2.0
"""Finds links of a model that touch only because the hulls of their meshes are larger."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from deepsim_mujoco.engine import mujoco
from deepsim_spawn import Mesh

from .tree import Node

_MESH = int(mujoco.mjtGeom.mjGEOM_MESH)
_DEEPEST = 1e-3  # [m] of a touch that is one of the meshes themselves


def overlapping_hulls(
    model: mujoco.MjModel, links: Sequence[Node]
) -> Iterator[tuple[Node, Node, float]]:
    """Finds links that self-collide and overlap where all joints are at 0.

    A hull fills the hollows of a mesh in which another link may lie: that of PR2's base holds its
    shoulders. No joint could part such links, and their contact would throw the robot apart.

    Args:
        model: A compiled model with these links.
        links: Of one spawned model.

    Yields:
        Two links and the depth of their overlap [m]; one of the two geoms is a mesh.
    """
    solid = [node for node in links if node.link.collisions]
    pairs = [pair for pair in combinations(solid, 2) if _may_touch(model, *pair)]
    if not pairs:
        return
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    for one, other in pairs:
        depth = -min(
            (
                mujoco.mj_geomDistance(model, data, a, b, 0.0, None)
                for a in _solids(model, one)
                for b in _solids(model, other)
                if _MESH in (model.geom_type[a], model.geom_type[b])
            ),
            default=0.0,
        )
        if depth > _DEEPEST:
            yield one, other, depth


def _may_touch(model: mujoco.MjModel, one: Node, other: Node) -> bool:
    """Whether a mesh is among them, they self-collide, and no joint joins their rigid parts."""
    if one.model != other.model or not (one.self_collide or other.self_collide):
        return False
    collisions = (*one.link.collisions, *other.link.collisions)
    if not any(isinstance(collision.geometry, Mesh) for collision in collisions):
        return False
    if any(parent is other for parent, _ in one.closing):
        return False
    if any(parent is one for parent, _ in other.closing):
        return False
    first, second = (model.body_weldid[model.body(node.name).id] for node in (one, other))
    above = model.body_weldid[model.body_parentid]
    return bool(first != second and above[first] != second and above[second] != first)


def _solids(model: mujoco.MjModel, node: Node) -> list[int]:
    """The geoms of a link that touch others."""
    body = model.body(node.name)
    first, count = int(body.geomadr[0]), int(body.geomnum[0])
    return [geom for geom in range(first, first + count) if model.geom_contype[geom]]
