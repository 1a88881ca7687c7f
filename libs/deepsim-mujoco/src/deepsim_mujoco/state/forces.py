# SPDX-License-Identifier: Apache-2.0
"""Forces on links, and their centres of mass."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from deepsim_sync import Cells, Refusal

from .compiled import Compiled
from .layout import Floats, Part, start
from .world_states import WorldStates

_PLACES = {"force": np.arange(3), "torque": np.arange(3, 6)}
"""Places of the columns among the six numbers that MuJoCo has for each body."""


class LinkForces:
    """The forces that act on links during the next call of `step`, and the centres of mass."""

    COLUMNS = (*_PLACES, "center_of_mass")

    def __init__(self, states: WorldStates) -> None:
        self._states = states

    def follow(self, compiled: Compiled) -> None:
        """Adopts a newly compiled model."""
        model = compiled.model
        self._names, self._body = compiled.entities.links, compiled.link_bodies
        self._moves = model.body_dofnum[model.body_weldid[self._body]] > 0
        self._start = start(model, Part.mjSTATE_XFRC_APPLIED) + 6 * self._body
        self._center: Floats | None = None

    def read(self, column: str, out: Floats) -> None:
        """Fills one column, (W, n, 3)."""
        if column == "center_of_mass":
            if self._center is None:  # on demand, because bound fields are copied at each step
                self._center = self._states.batch.bind("xipos")
                self._states.version += 1  # so that MuJoCo derives it now
            self._states.derive()
            out[:] = self._center.take(self._body, axis=1)
        else:
            out[:] = self._states.state.take(self._start[:, None] + _PLACES[column], axis=1)

    def write(self, changed: Mapping[str, Cells]) -> list[Refusal]:
        """Sets cells, by column name; refuses forces on links that cannot move."""
        refusals = []
        for column, (worlds, rows, values) in changed.items():
            held = ~self._moves[rows] & values.any(axis=1)
            for cell in held.nonzero()[0]:
                reason = "it stays where it is put, so no force moves it"
                name = self._names[int(rows[cell])]
                refusals.append(Refusal("links", column, name, reason, int(worlds[cell])))
            free = ~held
            at = self._start[rows[free], None] + _PLACES[column]
            self._states.state[worlds[free, None], at] = values[free]
            self._states.pushed = True
        return refusals
