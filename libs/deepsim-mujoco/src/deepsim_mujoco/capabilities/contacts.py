# SPDX-License-Identifier: Apache-2.0
"""Where links touch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from deepsim_mujoco.engine import mujoco
from deepsim_mujoco.spec.builder import Built
from deepsim_mujoco.state.layout import numbers_of
from deepsim_mujoco.state.single_world import SingleWorld
from deepsim_sync import ContactPoints


class LinkContacts:
    """Finds the contacts of one world at a time; see `deepsim_sync.Contacts`.

    Args:
        single: Where a world is looked at.
    """

    def __init__(self, single: SingleWorld) -> None:
        self._single = single

    def follow(self, built: Sequence[Built], model: mujoco.MjModel) -> None:
        """Takes up a newly compiled model."""
        number = numbers_of(model, model.name_bodyadr)
        links = [number[node.name] for one in built for node in one.links]
        self._row = np.full(model.nbody, -1, dtype=np.intp)
        self._row[links] = np.arange(len(links))

    def read(self, world: int = 0) -> ContactPoints:
        """Returns the contact points of one world at the present instant."""
        model, data = self._single.load(world)
        mujoco.mj_fwdPosition(model, data)
        contact = data.contact
        return ContactPoints(
            links=self._row[model.geom_bodyid[contact.geom]].reshape(-1, 2),
            position=contact.pos.reshape(-1, 3).copy(),
            normal=contact.frame.reshape(-1, 9)[:, :3].copy(),
            depth=-contact.dist,
        )
