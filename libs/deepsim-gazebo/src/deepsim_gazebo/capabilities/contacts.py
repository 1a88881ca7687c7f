# SPDX-License-Identifier: Apache-2.0
"""The points where links touch, computed by Gazebo's physics."""

from __future__ import annotations

import numpy as np

from deepsim_gazebo.errors import MalformedReplyError
from deepsim_gazebo.protocol.sensors import watch
from deepsim_gazebo.session.session import Session
from deepsim_gazebo.session.single_world import check_world
from deepsim_sync import ContactPoints

_NUMBERS = 12  # per point


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
        if len(numbers) % _NUMBERS:
            raise MalformedReplyError(
                f"the answer of get_contacts has {len(numbers)} numbers, of {_NUMBERS} per point"
            )
        points = numbers.reshape(-1, _NUMBERS) + 0.0  # never -0.0
        return ContactPoints(
            links=points[:, :2].astype(np.intp),
            position=points[:, 2:5].copy(),
            normal=points[:, 5:8].copy(),
            depth=points[:, 8].copy(),
            force=points[:, 9:].copy(),
        )
