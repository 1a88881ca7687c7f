# SPDX-License-Identifier: Apache-2.0
"""Physics properties of links, scaled by the plugin."""

from __future__ import annotations

import struct
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_gazebo.errors import MalformedReplyError
from deepsim_gazebo.ros.serialization import pack_array
from deepsim_gazebo.session.session import Session
from deepsim_gazebo.session.single_world import is_chosen
from deepsim_sync import (
    PHYSICS_PROPERTIES,
    Entities,
    PhysicsProperty,
    check_property,
    checked_factors,
)

_SCALE_HEAD = struct.Struct("<QB")
_NUMBERS = {name: number for number, name in enumerate(PHYSICS_PROPERTIES)}


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
        check_property(name)
        links = list(links)
        count = int(is_chosen(worlds))

        def pack(entities: Entities) -> bytes:
            rows = entities.links.rows(links)
            values = checked_factors(name, links, factors, count)
            head = _SCALE_HEAD.pack(entities.generation, _NUMBERS[name])
            return (
                head + pack_array(rows[:, None].repeat(count, 1), "<u4") + pack_array(values, "<f8")
            )

        self._session.do("scale_links", pack, f"scale {name} of {', '.join(links)}")
