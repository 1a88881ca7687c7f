# SPDX-License-Identifier: Apache-2.0
"""Mass, friction and damping of links, scaled in the compiled model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_sync import PHYSICS_PROPERTIES, Entities, PhysicsProperty

from .builder import COLLISION_GROUP, Built
from .engine import mujoco
from .surfaces import priorities

Factors = NDArray[np.float64]


class PhysicsFactors:
    """The factors of all links, and the compiled model that they scale.

    Nothing is compiled anew: the model's arrays change in place, and what MuJoCo derives from mass
    is derived again. Factors of 1 give back the compiled numbers bit for bit.
    """

    def __init__(self) -> None:
        self._links = Entities(0).links
        self._factors: dict[PhysicsProperty, Factors] = {
            name: np.ones(0) for name in PHYSICS_PROPERTIES
        }
        self._scaled: set[PhysicsProperty] = set()  # of all others every factor is 1

    def follow(self, entities: Entities, built: Sequence[Built], model: mujoco.MjModel) -> None:
        """Takes up a newly compiled model: new links have factors of 1, the others keep theirs."""
        old, self._links = self._links, entities.links
        kept = [name for name in self._links if name in old]
        for name, factors in self._factors.items():
            moved = np.ones(len(self._links))
            moved[self._links.rows(kept)] = factors[old.rows(kept)]
            self._factors[name] = moved
        self._model = model
        self._settled = True
        self._body = np.array(
            [model.body(node.name).id for one in built for node in one.links], dtype=np.intp
        )
        row_of_body = np.full(model.nbody, -1, dtype=np.intp)
        row_of_body[self._body] = np.arange(len(self._body))
        self._geom = np.flatnonzero(model.geom_group == COLLISION_GROUP)
        self._geom_row = row_of_body[model.geom_bodyid[self._geom]]
        rows = row_of_body[model.dof_bodyid]
        self._dof = np.flatnonzero(rows >= 0)
        self._dof_row = rows[self._dof]
        self._mass, self._inertia = model.body_mass[self._body], model.body_inertia[self._body]
        self._sliding = model.geom_friction[self._geom, 0]
        self._priority = model.geom_priority[self._geom]
        self._damping = model.dof_damping[self._dof]
        self._scaled = {name for name, each in self._factors.items() if (each != 1.0).any()}
        for name in self._scaled:
            self._apply(name)

    def get(self, name: PhysicsProperty) -> Factors:
        """The factors of one property in the order of the links, a copy."""
        self._check_name(name)
        return self._factors[name].copy()

    def set(self, name: PhysicsProperty, links: Iterable[str], factors: ArrayLike) -> None:
        """Sets factors of one property; see `deepsim_sync.PhysicsProperties.scale_physics`."""
        self._check_name(name)
        links = list(links)
        rows = self._links.rows(links)
        try:
            values = np.broadcast_to(np.asarray(factors, dtype=np.float64), rows.shape)
            fit = bool((np.isfinite(values) & (values > 0.0)).all())
        except (TypeError, ValueError):
            fit = False
        if not fit:
            raise ValueError(
                f"factors of {name} of {links} must be finite numbers > 0, "
                f"one or one for each link, got {factors!r}"
            )
        self._factors[name][rows] = values
        self._scaled.add(name)
        self._apply(name)

    def reset(self) -> None:
        """All factors are 1 again."""
        self.set_state({})

    def get_state(self) -> dict[PhysicsProperty, Factors]:
        """The factors of the properties that are scaled, copies."""
        return {n: each.copy() for n, each in self._factors.items() if n in self._scaled}

    def set_state(self, state: Mapping[PhysicsProperty, Factors]) -> None:
        """Scales these properties, and no others.

        Raises:
            ValueError: The factors are those of other links; nothing was changed.
        """
        for name, factors in state.items():
            if factors.shape != (len(self._links),):
                raise ValueError(
                    f"the state has factors of {name} of {len(factors)} links, and these models "
                    f"have {len(self._links)}: it is one of other models"
                )
        for name in self._scaled.union(state):
            now, then = self._factors[name], state.get(name, 1.0)
            if (now != then).any():
                now[:] = then
                self._apply(name)
        self._scaled = set(state)

    def settle(self) -> None:
        """Derives what depends on masses, once for all that were set; due before anything moves."""
        if not self._settled:
            # Subtree masses, and the inverse weights that soften contacts. It leaves the state that
            # it works in changed, so it gets one of its own.
            mujoco.mj_setConst(self._model, mujoco.MjData(self._model))
            self._settled = True

    def _check_name(self, name: str) -> None:
        if name not in PHYSICS_PROPERTIES:
            known = ", ".join(PHYSICS_PROPERTIES)
            raise ValueError(f"there is no physics property {name!r}; there are {known}")

    def _apply(self, name: PhysicsProperty) -> None:
        model, factors = self._model, self._factors[name]
        if name == "mass":
            model.body_mass[self._body] = self._mass * factors
            model.body_inertia[self._body] = self._inertia * factors[:, None]
            self._settled = False
        elif name == "friction":
            scale = factors[self._geom_row]
            sliding = self._sliding * scale
            model.geom_friction[self._geom, 0] = sliding
            priority = np.where(scale == 1.0, self._priority, priorities(sliding))
            model.geom_priority[self._geom] = priority
        else:
            model.dof_damping[self._dof] = self._damping * factors[self._dof_row]
