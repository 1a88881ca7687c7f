# SPDX-License-Identifier: Apache-2.0
"""Forces and torques on links, which last until they are changed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from deepsim_sync import Cells, Refusal

from .layout import Floats, Part, Rows
from .world_states import WorldStates

_PLACES = {"force": np.arange(3), "torque": np.arange(3, 6)}
"""Places of the columns among the six numbers that MuJoCo has for each body."""


class LinkForces:
    """The forces that act on links during the next call of `step`, and the centres of mass."""

    COLUMNS = (*_PLACES, "center_of_mass")

    def __init__(self, states: WorldStates) -> None:
        self._states = states

    def read(self, column: str, out: Floats) -> None:
        """Fills one column, (W, n, 3)."""
        states = self._states
        bodies = states.compiled.link_bodies
        if column == "center_of_mass":
            center = states.derived("xipos")
            states.derive()
            out[:] = center.take(bodies, axis=1)
        else:
            out[:] = states.state.take(self._places(bodies, column), axis=1)

    def write(self, changed: Mapping[str, Cells]) -> list[Refusal]:
        """Sets cells, by column name; refuses forces on links that cannot move."""
        states, refusals = self._states, []
        model, names = states.model, states.compiled.entities.links
        for column, (worlds, rows, values) in changed.items():
            bodies = states.compiled.link_bodies[rows]
            stays = model.body_dofnum[model.body_weldid[bodies]] == 0
            held = stays & values.any(axis=1)
            for cell in held.nonzero()[0]:
                reason = "it stays where it is put, so no force moves it"
                name = names[int(rows[cell])]
                refusals.append(Refusal("links", column, name, reason, int(worlds[cell])))
            free = ~held
            states.state[worlds[free, None], self._places(bodies[free], column)] = values[free]
            states.pushed = True
        return refusals

    def _places(self, bodies: Rows, column: str) -> Rows:
        """Returns the places of a column of n bodies in the state of a world, (n, 3)."""
        start = self._states.compiled.layout.start[Part.mjSTATE_XFRC_APPLIED]
        places: Rows = start + 6 * bodies[:, None] + _PLACES[column]
        return places
