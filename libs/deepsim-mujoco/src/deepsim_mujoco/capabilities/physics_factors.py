# SPDX-License-Identifier: Apache-2.0
"""Factors and values of physics properties of links, separate in each world."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_mujoco.imports import mujoco
from deepsim_mujoco.spec.pairs import PREFIX
from deepsim_mujoco.spec.surfaces import pair_friction, priorities
from deepsim_mujoco.state.compiled import Compiled
from deepsim_mujoco.state.world_states import WorldStates
from deepsim_sync import (
    PHYSICS_PROPERTIES,
    ContactPoints,
    Entities,
    PhysicsProperty,
    WorldNumbers,
    check_property,
    checked_factors,
)

Factors = NDArray[np.float64]
_OF_DOFS: dict[str, str] = {
    "damping": "dof_damping",
    "joint_friction": "dof_frictionloss",
    "armature": "dof_armature",
}
"""The properties of joints, with their fields in MuJoCo's model."""
_COEFFICIENT = "coefficient of friction"
_CENTERS = tuple(f"center of mass along {axis}" for axis in "xyz")
_AS_DESCRIBED: dict[str, float] = {
    **dict.fromkeys(PHYSICS_PROPERTIES, 1.0),
    _COEFFICIENT: -1.0,
    **dict.fromkeys(_CENTERS, 0.0),
}
"""The factors, coefficients and offsets of a link as its description has it."""


class PhysicsFactors:
    """The factors of all links in all worlds; see `deepsim_sync.PhysicsValues`.

    Scaling does not recompile the model: a property gets separate values in each world when it is
    first scaled, and MuJoCo updates the quantities that depend on mass. Factors of 1 restore the
    compiled numbers, bit for bit.
    """

    def __init__(self, states: WorldStates) -> None:
        self._states = states
        self._links = Entities(0).links
        self._factors: dict[str, Factors] = {
            name: np.ones((states.worlds, 0)) for name in _AS_DESCRIBED
        }
        self._scaled: set[str] = set()  # all others are as described
        self._warned: set[tuple[str, str]] = set()  # links whose higher friction has no effect

    def follow(self, compiled: Compiled) -> None:
        """Adopts a newly compiled model; new links get factors of 1, the others keep theirs."""
        old, self._links = self._links, compiled.entities.links
        kept = [name for name in self._links if name in old]
        before, now = old.rows(kept), self._links.rows(kept)
        for name, factors in self._factors.items():
            moved = np.full((self._states.worlds, len(self._links)), _AS_DESCRIBED[name])
            moved[:, now] = factors[:, before]
            self._factors[name] = moved
        self._batch, model = self._states.batch, compiled.model
        self._unsettled = np.zeros(self._states.worlds, dtype=np.bool_)
        self.is_settled = True
        self._body = compiled.link_bodies
        row_of_body = compiled.body_rows[1]
        self._geom = np.flatnonzero(model.geom_contype | model.geom_conaffinity)
        self._geom_row = row_of_body[model.geom_bodyid[self._geom]]
        rows = row_of_body[model.dof_bodyid]
        self._dof = np.flatnonzero(rows >= 0)
        self._dof_row = rows[self._dof]
        self._mass, self._inertia = model.body_mass[self._body], model.body_inertia[self._body]
        self._center = model.body_ipos[self._body]
        self._follow_friction(compiled)
        self._weightless = model.body_gravcomp[self._body]
        self._of_dofs = {n: getattr(model, field)[self._dof] for n, field in _OF_DOFS.items()}
        self._scaled = set(self.get_state())
        for name in self._scaled:
            self._apply(name, np.arange(self._states.worlds))

    def factors(self, name: PhysicsProperty) -> Factors:
        """Returns the factors of one property, (W, links)."""
        check_property(name)
        return self._factors[name].copy()

    def scale(
        self,
        name: PhysicsProperty,
        links: Iterable[str],
        factors: ArrayLike,
        worlds: WorldNumbers | None = None,
    ) -> None:
        """Sets the factors of one property for some links in some worlds."""
        links, chosen = list(links), self._chosen(worlds)
        values = checked_factors(name, links, factors, len(chosen))
        self._set(name, links, values, chosen)
        if name == "friction" and (values > 1.0).any():
            self._warn_of_partners(self._links.rows(links)[(values > 1.0).any(axis=0)])

    def set_friction(
        self, links: Iterable[str], coefficients: ArrayLike, worlds: WorldNumbers | None = None
    ) -> None:
        """Sets the friction coefficient of all collisions of some links in some worlds."""
        links, chosen = list(links), self._chosen(worlds)
        values = _numbers(coefficients, (len(chosen), len(links)), "coefficients of friction", 0.0)
        self._set(_COEFFICIENT, links, values, chosen)
        self._warn_of_partners(self._links.rows(links))

    def shift_center_of_mass(
        self, links: Iterable[str], offsets: ArrayLike, worlds: WorldNumbers | None = None
    ) -> None:
        """Moves the centers of mass of some links in some worlds."""
        links, chosen = list(links), self._chosen(worlds)
        values = _numbers(offsets, (len(chosen), len(links), 3), "offsets of centers of mass")
        bodies = self._body[self._links.rows(links)]
        model = self._states.model
        for link, body in zip(links, bodies.tolist(), strict=True):
            dof, count = model.body_dofadr[body], model.body_dofnum[body]
            if count and model.dof_simplenum[dof]:
                raise ValueError(
                    f"the center of mass of {link!r} cannot be moved, because MuJoCo has compiled "
                    "its inertia as a diagonal: describe its inertial 1 mm away from the origin"
                )
        for axis, name in enumerate(_CENTERS):
            self._set(name, links, values[..., axis], chosen)

    def _set(self, name: str, links: Sequence[str], values: Factors, worlds: WorldNumbers) -> None:
        self._factors[name][worlds[:, None], self._links.rows(links)] = values
        self._scaled.add(name)
        self._apply(name, worlds)

    def reset(self, worlds: WorldNumbers | None) -> None:
        """Resets all factors of some worlds to 1."""
        if self._scaled:
            chosen = self._chosen(worlds)
            for name in self._scaled:
                as_described = np.full((len(chosen), len(self._links)), _AS_DESCRIBED[name])
                self._replace(name, chosen, as_described)

    def get_state(self) -> dict[str, Factors]:
        """Returns copies of the factors and values that are not all as described."""
        return {
            name: each.copy()
            for name, each in self._factors.items()
            if (each != _AS_DESCRIBED[name]).any()
        }

    def check_state(self, state: Mapping[str, Factors]) -> None:
        """Raises ValueError if the state has a different number of links."""
        for name, factors in state.items():
            if factors.shape != self._factors[name].shape:
                raise ValueError(
                    f"the state has factors of {name} of {factors.shape[-1]} links, and these "
                    f"models have {len(self._links)}: it belongs to other models"
                )

    def set_state(self, state: Mapping[str, Factors]) -> None:
        """Restores the result of `get_state`."""
        everywhere = self._chosen(None)
        for name in self._scaled.union(state):
            factors = state.get(name)
            as_described = np.full_like(self._factors[name], _AS_DESCRIBED[name])
            self._replace(name, everywhere, as_described if factors is None else factors)
        self._scaled.update(state)

    def settle(self) -> None:
        """Updates the quantities that MuJoCo derives from masses; call it before worlds step."""
        if not self.is_settled:
            # Subtree masses, and the inverse weights that soften contacts.
            self._states.settle(np.flatnonzero(self._unsettled))
            self._unsettled[:] = False
            self.is_settled = True

    def _chosen(self, worlds: WorldNumbers | None) -> WorldNumbers:
        return np.arange(self._states.worlds) if worlds is None else np.asarray(worlds, np.intp)

    def _replace(self, name: str, worlds: WorldNumbers, factors: Factors) -> None:
        now = self._factors[name]
        changed = worlds[(now[worlds] != factors).any(axis=1)]
        if len(changed):
            now[worlds] = factors
            self._apply(name, changed)

    def _apply(self, name: str, worlds: WorldNumbers) -> None:
        expand: Any = self._batch.expand
        factors, world = self._factors[name][worlds], worlds[:, None]
        if name == "mass":
            expand("body_mass")[world, self._body] = self._mass * factors
            expand("body_inertia")[world, self._body] = self._inertia * factors[..., None]
            self._unsettled[worlds] = True
            self.is_settled = False
        elif name in ("friction", _COEFFICIENT):
            self._rub(worlds, self._friction_of(worlds))
        elif name in _CENTERS:
            axis = _CENTERS.index(name)
            expand("body_ipos")[world, self._body, axis] = self._center[:, axis] + factors
            self._unsettled[worlds] = True
            self.is_settled = False
        elif name == "gravity":
            weight = (1.0 - self._weightless) * factors
            expand("body_gravcomp")[world, self._body] = 1.0 - weight
        else:
            values = self._of_dofs[name] * factors[:, self._dof_row]
            if name == "armature":
                self._states.set_armature(worlds, self._dof, own=values)
                self._unsettled[worlds] = True
                self.is_settled = False
            else:
                expand(_OF_DOFS[name])[world, self._dof] = values
        self._states.version += 1

    def _friction_of(self, worlds: WorldNumbers) -> Factors:
        """Returns the sliding friction of all geoms in some worlds, (w, geoms)."""
        factors, own = (self._factors[name][worlds] for name in ("friction", _COEFFICIENT))
        scaled = self._sliding * factors[:, self._geom_row]
        coefficients = own[:, self._geom_row]
        return np.where(coefficients < 0.0, scaled, coefficients)

    def _follow_friction(self, compiled: Compiled) -> None:
        model = compiled.model
        self._sliding = model.geom_friction[self._geom, 0]
        numbers = compiled.layout.geoms
        described = [numbers[name] for one in compiled.built for name in one.surfaces]
        # MuJoCo's own rule, which has no priorities, counts among the geoms of MJCF.
        self._ranked = np.isin(self._geom, described)
        ranks = np.where(self._ranked, priorities(self._sliding), 0)
        self._bounces = model.geom_priority[self._geom] - ranks
        pairs = [n for n in range(model.npair) if model.pair(n).name.startswith(PREFIX)]
        self._pair = np.array(pairs, dtype=np.intp)
        column = np.zeros(model.ngeom, dtype=np.intp)
        column[self._geom] = np.arange(len(self._geom))
        self._ends = column[model.pair_geom1[self._pair]], column[model.pair_geom2[self._pair]]

    def _rub(self, worlds: WorldNumbers, sliding: Factors) -> None:
        """Sets the sliding friction of all geoms in some worlds, (w, geoms)."""
        expand: Any = self._batch.expand
        world, (one, other) = worlds[:, None], self._ends
        priority = np.where(self._ranked, priorities(sliding), 0) + self._bounces
        expand("geom_friction")[world, self._geom, 0] = sliding
        expand("geom_priority")[world, self._geom] = priority
        if len(self._pair):
            values = pair_friction(
                (sliding[:, one], sliding[:, other]),
                (priority[:, one], priority[:, other]),
                self._ranked[one] & self._ranked[other],
            )
            expand("pair_friction")[world, self._pair, 0] = values
            expand("pair_friction")[world, self._pair, 1] = values

    def _warn_of_partners(self, rows: NDArray[np.intp]) -> None:
        """Warns once of each link whose higher friction has no effect on a slippery ground."""
        friction = self._friction_of(self._chosen(None)).max(axis=0)
        model = self._states.model
        stands = self._ranked & (model.body_treeid[model.geom_bodyid[self._geom]] < 0)
        for row in rows.tolist():
            own = self._ranked & (self._geom_row == row)
            if not own.any():
                continue
            highest = friction[own].max()
            for geom in np.flatnonzero(stands & (friction < highest) & ~own).tolist():
                pair = self._links[row], self._links[self._geom_row[geom]]
                if pair in self._warned:
                    continue
                self._warned.add(pair)
                warnings.warn(
                    f"this raises the friction of {pair[0]!r} to {highest:.3g}, but of two "
                    f"surfaces the lower one counts, and {pair[1]!r} has {friction[geom]:.3g}: "
                    "describe the ground with a higher friction, or scale it as well",
                    UserWarning,
                    stacklevel=3,
                )


def _numbers(
    given: ArrayLike, shape: tuple[int, ...], what: str, least: float = -np.inf
) -> Factors:
    """Returns finite numbers that broadcast to a shape; raises ValueError for others."""
    try:
        values = np.broadcast_to(np.asarray(given, dtype=np.float64), shape)
        fit = bool((np.isfinite(values) & (values >= least)).all())
    except (TypeError, ValueError):
        fit = False
    if not fit:
        at_least = f" >= {least:g}" if least > -np.inf else ""
        raise ValueError(
            f"{what} must be finite numbers{at_least} that broadcast to {shape}, got {given!r}"
        )
    return values


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
