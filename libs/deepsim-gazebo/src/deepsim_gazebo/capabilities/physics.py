# SPDX-License-Identifier: Apache-2.0
"""Contact points of links, and their physics properties, which the plugin scales."""

from __future__ import annotations

import struct
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_gazebo.errors import MalformedReplyError
from deepsim_gazebo.protocol.sensors import watch
from deepsim_gazebo.ros.serialization import pack_array
from deepsim_gazebo.session import Session, check_world, is_chosen
from deepsim_sync import (
    PHYSICS_PROPERTIES,
    ContactPoints,
    Entities,
    PhysicsProperty,
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
