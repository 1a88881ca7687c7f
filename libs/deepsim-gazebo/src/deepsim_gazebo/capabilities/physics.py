# SPDX-License-Identifier: Apache-2.0
"""Contact points of links, their physics properties, Jacobians and bias forces."""

from __future__ import annotations

import struct
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_gazebo.errors import MalformedReplyError
from deepsim_gazebo.protocol.sensors import watch
from deepsim_gazebo.ros.serialization import pack_array
from deepsim_gazebo.session import Session, check_world, is_chosen
from deepsim_math import quaternions
from deepsim_sync import (
    PHYSICS_PROPERTIES,
    ContactPoints,
    Entities,
    Key,
    PhysicsProperty,
    Tables,
    check_property,
    checked_factors,
)

_CONTACT = 12  # numbers per point
_SCALE_HEAD = struct.Struct("<QB")
_NUMBERS = {name: number for number, name in enumerate(PHYSICS_PROPERTIES)}


class GazeboContacts:
    """The contact points at the present instant; see `deepsim_sync.Contacts`.

    The force at a point comes from the nearest contact of the same two collisions in the latest
    physics step. It is 0 if they did not touch in that step, and before the first step after the
    construction of this object, because Gazebo does not keep forces until then.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        session.take_control()
        watch(session.client, contacts=True)

    def read(self, world: int = 0) -> ContactPoints:
        """Returns the contact points, computed by Gazebo for the present poses."""
        check_world(world)
        _, numbers = self._session.numbers("get_contacts")
        if len(numbers) % _CONTACT:
            raise MalformedReplyError(
                f"the answer of get_contacts has {len(numbers)} numbers, of {_CONTACT} per point"
            )
        points = numbers.reshape(-1, _CONTACT) + 0.0  # never -0.0
        return ContactPoints(
            links=points[:, :2].astype(np.intp),
            position=points[:, 2:5].copy(),
            normal=points[:, 5:8].copy(),
            depth=points[:, 8].copy(),
            force=points[:, 9:].copy(),
        )


class GazeboPhysics:
    """Factors of physics properties of all links; see `deepsim_sync.PhysicsProperties`.

    To scale the weight of a link, the plugin adds a force to it in each step. Gazebo 11 has no
    armature (rotor inertia), so that factor has no effect.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    def factors(self, name: PhysicsProperty) -> NDArray[np.float64]:
        """Returns the factors of one property, (1, links)."""
        check_property(name)
        entities, numbers = self._session.numbers("get_factors")
        if len(numbers) != len(entities.links) * len(PHYSICS_PROPERTIES):
            raise MalformedReplyError(
                f"the answer of get_factors has {len(numbers)} numbers for "
                f"{len(entities.links)} links"
            )
        factors = numbers.reshape(-1, len(PHYSICS_PROPERTIES))
        return factors[:, _NUMBERS[name]].copy()[None]

    def scale(
        self,
        name: PhysicsProperty,
        links: Iterable[str],
        factors: ArrayLike,
        worlds: NDArray[np.intp] | None = None,
    ) -> None:
        """Sets factors of one property; no simulated time passes."""
        links, count = list(links), int(is_chosen(worlds))
        values = checked_factors(name, links, factors, count)

        def pack(entities: Entities) -> bytes:
            rows = entities.links.rows(links)
            head = _SCALE_HEAD.pack(entities.generation, _NUMBERS[name])
            return (
                head + pack_array(rows[:, None].repeat(count, 1), "<u4") + pack_array(values, "<f8")
            )

        self._session.do("scale_links", pack, f"scale {name} of {', '.join(links)}")


_LINK, _JOINT = 12, 8  # numbers of a row
_COLUMNS: tuple[Key, ...] = (("links", "pose"), ("links", "twist"), ("joints", "velocity"))
_SYMMETRIC = [0, 1, 2, 1, 3, 4, 2, 4, 5]

Floats = NDArray[np.float64]


class _Tree(NamedTuple):
    """Links and joints at one instant, in the world frame."""

    entities: Entities
    parent: NDArray[np.intp]
    """(links,) row of the parent of each link, or -1."""
    mass: Floats
    weight: Floats
    """(links,) factor of gravity."""
    centre: Floats
    """(links, 3) centre of mass [m]."""
    inertia: Floats
    """(links, 3, 3) about the centre of mass [kg m^2]."""
    child: NDArray[np.intp]
    """(joints,) row of the child link."""
    slides: NDArray[np.bool_]
    axis: Floats
    anchor: Floats
    gravity: Floats

    def chain(self, link: int) -> list[int]:
        """Returns a link and its ancestors, the root last."""
        rows = [link]
        while self.parent[rows[-1]] >= 0 and self.parent[rows[-1]] not in rows:  # stops at a loop
            rows.append(int(self.parent[rows[-1]]))
        return rows

    def column(self, joint: int, point: Floats) -> Floats:
        """Returns the twist of a point at a unit rate of a joint, (6,)."""
        axis = self.axis[joint]
        if self.slides[joint]:
            return np.concatenate([axis, np.zeros(3)])
        return np.concatenate([np.cross(axis, point - self.anchor[joint]), axis])


class GazeboDynamics:
    """The dynamics of joints that form trees; see `deepsim_sync.Dynamics`.

    Args:
        session: The session with the server.
        read_tables: `GazeboSimulator.read`.
    """

    def __init__(
        self, session: Session, read_tables: Callable[[Tables, Collection[Key]], None]
    ) -> None:
        self._session, self._read_tables = session, read_tables

    def jacobian(
        self, link: str, joints: Sequence[str], point: ArrayLike = (0.0, 0.0, 0.0)
    ) -> Floats:
        """Returns the Jacobian of a point of a link for some joints, (1, 6, k)."""
        tree, tables = self._read()
        rows = tree.entities.joints.rows(joints)
        row = tree.entities.links.row(link)
        given = np.asarray(point, dtype=np.float64)
        if given.shape not in ((3,), (1, 3)):
            raise ValueError(f"point must have shape (3,) or (1, 3), got {given.shape}")
        pose = tables.links.pose[0, row]
        place = pose[:3] + quaternions.rotate(pose[3:], given.reshape(3))
        found = np.zeros((1, 6, len(rows)))
        moving = set(tree.chain(row))
        for number, joint in enumerate(rows.tolist()):
            if int(tree.child[joint]) in moving:
                found[0, :, number] = tree.column(joint, place)
        return found

    def bias_forces(self, joints: Sequence[str]) -> Floats:
        """Returns the efforts that balance gravity, centrifugal and Coriolis forces, (1, k).

        Uses the recursive Newton-Euler algorithm (Featherstone, Rigid Body Dynamics Algorithms,
        chapter 5) in the world frame, for joints that do not accelerate.
        """
        tree, tables = self._read()
        rows = tree.entities.joints.rows(joints)
        chains = [tree.chain(row) for row in range(len(tree.mass))]
        roots = {chains[int(tree.child[joint])][-1] for joint in rows.tolist()}
        moved = [row for row, chain in enumerate(chains) if chain[-1] in roots]
        moved.sort(key=lambda row: len(chains[row]))
        linear, angular = _accelerations(tree, tables, moved)
        efforts = np.zeros((1, len(rows)))
        rate = tables.links.twist[0, :, 3:]
        for link in moved:
            inertia = tree.inertia[link]
            pull = linear[link] - tree.weight[link] * tree.gravity
            force = tree.mass[link] * pull
            turn = inertia @ angular[link] + np.cross(rate[link], inertia @ rate[link])
            wrench = np.concatenate([force, turn])
            for number, joint in enumerate(rows.tolist()):
                if int(tree.child[joint]) in chains[link]:
                    efforts[0, number] += tree.column(joint, tree.centre[link]) @ wrench
        return efforts

    def _read(self) -> tuple[_Tree, Tables]:
        entities, numbers = self._session.numbers("get_kinematics")
        links, joints = len(entities.links), len(entities.joints)
        if len(numbers) != _LINK * links + _JOINT * joints + 3:
            raise MalformedReplyError(
                f"the answer of get_kinematics has {len(numbers)} numbers for {links} links and "
                f"{joints} rows of joints"
            )
        tables = Tables(entities)
        self._read_tables(tables, _COLUMNS)
        of_links = numbers[: _LINK * links].reshape(links, _LINK)
        of_joints = numbers[_LINK * links : -3].reshape(joints, _JOINT)
        tree = _Tree(
            entities,
            of_links[:, 0].astype(np.intp),
            of_links[:, 1],
            of_links[:, 2],
            of_links[:, 3:6],
            of_links[:, 6:][:, _SYMMETRIC].reshape(links, 3, 3),
            of_joints[:, 0].astype(np.intp),
            of_joints[:, 1] != 0.0,
            of_joints[:, 2:5],
            of_joints[:, 5:],
            numbers[-3:],
        )
        return tree, tables


def _accelerations(tree: _Tree, tables: Tables, links: Sequence[int]) -> tuple[Floats, Floats]:
    """Returns linear accelerations of centres of mass and angular accelerations, (links, 3).

    Args:
        tree: Links and joints.
        tables: Their motion.
        links: The rows to compute, each after its parent.
    """
    place, rate = tables.links.pose[0, :, :3], tables.links.twist[0, :, 3:]
    velocity = tables.joints.velocity[0]
    origin, angular = np.zeros_like(place), np.zeros_like(place)
    centre = np.zeros_like(place)
    of_child: dict[int, list[int]] = {}
    for joint, child in enumerate(tree.child.tolist()):
        of_child.setdefault(child, []).append(joint)

    def at(link: int, point: Floats) -> Floats:
        arm = point - place[link]
        spin = rate[link]
        found: Floats = origin[link] + np.cross(angular[link], arm)
        return found + np.cross(spin, np.cross(spin, arm))

    for link in links:
        parent = int(tree.parent[link])
        spin = rate[parent] if parent >= 0 else np.zeros(3)
        pivot, extra = place[link], np.zeros(3)
        if parent >= 0:
            angular[link] = angular[parent]
        for joint in of_child.get(link, ()):
            motion = tree.axis[joint] * velocity[joint]
            if tree.slides[joint]:
                extra = extra + 2.0 * np.cross(spin, motion)
            else:
                angular[link] = angular[link] + np.cross(spin, motion)
                spin, pivot = spin + motion, tree.anchor[joint]
        # The pivot is a point of both links; from there on it moves with this one.
        origin[link] = extra + (at(parent, pivot) if parent >= 0 else 0.0)
        arm, own = place[link] - pivot, rate[link]
        origin[link] += np.cross(angular[link], arm) + np.cross(own, np.cross(own, arm))
        centre[link] = at(link, tree.centre[link])
    return centre, angular
