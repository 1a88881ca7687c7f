# SPDX-License-Identifier: Apache-2.0
"""Pairs of links of a model that must not touch each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from deepsim_mujoco.imports import mujoco
from deepsim_spawn import Mesh

from .tree import Node

_BITS = 0xFFFF
"""The mask of a collision that touches all others, SDF's default."""
_SHIFT = 4  # the lowest bits stay in all affinities, for MJCF geoms, which use few bits
_MOST = _BITS >> _SHIFT
_MESH = int(mujoco.mjtGeom.mjGEOM_MESH)
_DEEPEST = 1e-3  # deepest contact of the meshes themselves rather than of their hulls [m]


class ModelNumbers:
    """Numbers that keep the geoms of each model from colliding with each other.

    Two geoms collide only if the ``contype`` of one and the ``conaffinity`` of the other share a
    bit. ``contype`` has the bits of the number, ``conaffinity`` all other bits: geoms with equal
    numbers do not share a bit, geoms with different numbers do. The alternative, excluding every
    pair of links, would be quadratic.
    """

    def __init__(self) -> None:
        self._free: list[int] = []
        self._highest = 0

    def take(self, links: Iterable[Node]) -> dict[str, int]:
        """Returns the numbers of links by name; links of one model have the same number.

        A link has no number if it self-collides, does not move, or has a collision mask of its own,
        or if all numbers are in use.
        """
        models: dict[str, list[str]] = defaultdict(list)
        for node in links:
            masks = [collision.surface.collide_bitmask for collision in node.link.collisions]
            if masks and not node.placed and not node.self_collide and {*masks} == {_BITS}:
                models[node.model].append(node.name)
        numbers: dict[str, int] = {}
        for names in models.values():
            if len(names) > 1 and (self._free or self._highest < _MOST):
                if not self._free:
                    self._highest += 1
                    self._free.append(self._highest)
                numbers.update(dict.fromkeys(names, self._free.pop()))
        return numbers

    def give_back(self, numbers: dict[str, int]) -> None:
        """Frees the numbers of removed links."""
        self._free += {*numbers.values()}


def masks(number: int) -> tuple[int, int]:
    """Returns ``contype`` and ``conaffinity`` of the geoms with a number."""
    return number << _SHIFT, _BITS ^ number << _SHIFT


def kept_off(links: Sequence[Node], numbers: dict[str, int]) -> Iterator[tuple[Node, Node]]:
    """Yields the pairs of links that must not collide, except those with equal numbers.

    As in Gazebo, these are links connected by a joint, and links of one model neither of which
    self-collides; a nested model counts as a separate model.
    """
    touching = [node for node in links if node.link.collisions]
    found = [
        (node, other)
        for node in touching
        for other in (node.parent, *(parent for parent, _ in node.closing))
        if other is not None and other.link.collisions
    ]
    quiet = [node for node in touching if not node.self_collide]
    moving = [node for node in quiet if not node.placed]
    for one in quiet:
        if one.name not in numbers:
            others = moving if one.placed else quiet
            found += [(one, other) for other in others if one.model == other.model]
    pairs = {frozenset((one.name, other.name)): (one, other) for one, other in found}
    for one, other in pairs.values():
        never = one is other or (one.placed and other.placed)  # MuJoCo skips immovable pairs
        if not never and (one.name not in numbers or numbers[one.name] != numbers.get(other.name)):
            yield one, other


def overlapping_hulls(
    model: mujoco.MjModel, links: Sequence[Node]
) -> Iterator[tuple[Node, Node, float]]:
    """Yields pairs of self-colliding links that overlap when all joints are at 0.

    The convex hull of a mesh fills hollows in which other links may lie, like PR2's shoulders in
    its base. Contacts of such links would throw the robot apart.

    Yields:
        Two links, and the depth of their overlap [m].
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
    """Returns whether links self-collide, include a mesh, and are not connected by a joint."""
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
    """Returns the numbers of the geoms of a link that collide."""
    body = model.body(node.name)
    first, count = int(body.geomadr[0]), int(body.geomnum[0])
    return [geom for geom in range(first, first + count) if model.geom_contype[geom]]
