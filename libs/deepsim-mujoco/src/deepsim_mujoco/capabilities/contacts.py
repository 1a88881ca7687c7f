# SPDX-License-Identifier: Apache-2.0
"""The contact points of links."""

from __future__ import annotations

from typing import Any

import numpy as np

from deepsim_mujoco.imports import mujoco
from deepsim_mujoco.state.world_states import WorldStates
from deepsim_sync import ContactPoints

from .physics_factors import PhysicsFactors


class LinkContacts:
    """The contact points of links, for one world at a time; see `deepsim_sync.Contacts`."""

    def __init__(self, states: WorldStates, physics: PhysicsFactors) -> None:
        self._states, self._physics = states, physics
        self._batch: Any = None  # the one that made the model and the data
        self._model: mujoco.MjModel | None = None
        self._data: mujoco.MjData | None = None

    def read(self, world: int = 0) -> ContactPoints:
        """Returns the contact points of one world at the present instant."""
        self._states.check_number(world)
        if not self._physics.is_settled:
            self._physics.settle()
        batch = self._states.batch
        if self._batch is not batch:
            self._batch, self._model, self._data = batch, None, None
        self._model = model = batch.get_model(world, self._model)  # with this world's properties
        self._data = data = batch.get_data(world, self._data)
        mujoco.mj_forward(model, data)
        contact = data.contact
        axes = contact.frame.reshape(-1, 3, 3).copy()
        in_axes = np.empty((len(axes), 6))
        links = self._states.compiled.body_rows[1]
        for number, wrench in enumerate(in_axes):
            mujoco.mj_contactForce(model, data, number, wrench)
        return ContactPoints(
            links=links[model.geom_bodyid[contact.geom]].reshape(-1, 2),
            position=contact.pos.reshape(-1, 3).copy(),
            normal=axes[:, 0].copy(),
            depth=-contact.dist,
            force=(in_axes[:, :3, None] * axes).sum(axis=1) + 0.0,
        )
