# SPDX-License-Identifier: Apache-2.0
"""Pairs of geoms whose contacts need settings of both surfaces.

MuJoCo takes all settings of a contact from the geom with the higher priority. A pair of geoms gets
settings of its own where the other surface has something that this one lacks: torsional or rolling
friction, restitution, or the softness of a wheel.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.imports import mujoco
from deepsim_spawn import Surface

from .builder import Built
from .surfaces import pair_friction, torsional
from .wheels import Wheel

PREFIX = "#pair "
"""Beginning of the names of the pairs."""

Rows = NDArray[np.intp]
Floats = NDArray[np.float64]
_SAME = 1e-9  # relative difference of friction that does not count


class _Setting(NamedTuple):
    """The settings of a contact."""

    condim: int
    friction: tuple[float, ...]
    solref: tuple[float, ...]
    solimp: tuple[float, ...]


class ContactPairs:
    """The pairs of a spec.

    Args:
        spec: The spec to which they are added.
    """

    def __init__(self, spec: mujoco.MjSpec) -> None:
        self._spec = spec
        self._present: dict[tuple[str, str], tuple[_Setting, mujoco.MjsPair]] = {}

    def clear(self) -> None:
        """Removes all pairs; geoms can only be removed without them."""
        for _, pair in self._present.values():
            self._spec.delete(pair)
        self._present.clear()

    def update(self, model: mujoco.MjModel, built: Iterable[Built]) -> bool:
        """Adds and removes pairs as the geoms of a compiled model need them.

        Returns:
            Whether the spec changed, so that it must be compiled again.
        """
        wanted = dict(_Surfaces(model, built, self._spec.default.geom).pairs())
        if wanted == {key: setting for key, (setting, _) in self._present.items()}:
            return False
        self.clear()
        for (one, other), setting in wanted.items():
            pair = self._spec.add_pair(
                name=f"{PREFIX}{one} {other}", geomname1=one, geomname2=other, **setting._asdict()
            )
            self._present[one, other] = setting, pair
        return True


class _Surfaces:
    """The surfaces of the n colliding geoms of a compiled model, as columns (n,).

    Args:
        model: The compiled model.
        built: The models.
        usual: Geom with the contact settings of SDF and URDF.
    """

    def __init__(
        self, model: mujoco.MjModel, built: Iterable[Built], usual: mujoco.MjsGeom
    ) -> None:
        described: dict[str, Surface] = {}
        wheels: dict[str, Wheel] = {}
        for one in built:
            described.update(one.surfaces)
            wheels.update((geom, wheel) for wheel in one.wheels for geom in wheel.geoms)
        self._model = model
        self._geom = np.flatnonzero(model.geom_contype | model.geom_conaffinity)
        self._names = [model.geom(geom).name for geom in self._geom.tolist()]
        found = [described.get(name) for name in self._names]
        self._described = np.array([surface is not None for surface in found], dtype=np.bool_)
        given = [surface or Surface() for surface in found]
        self._torsional_mu = np.array([surface.torsional_mu for surface in given])
        self._patch = np.array([surface.patch_radius for surface in given])
        self._restitution = np.array([surface.restitution for surface in given])
        self._wheel = np.array([name in wheels for name in self._names], dtype=np.bool_)
        friction = model.geom_friction[self._geom]
        self._condim = model.geom_condim[self._geom]
        self._mu = friction[:, 0]
        self._turning = np.where(self._condim >= 4, friction[:, 1], 0.0)
        self._rolling = np.where(self._condim >= 6, friction[:, 2], 0.0)
        self._priority = model.geom_priority[self._geom]
        self._body = model.geom_bodyid[self._geom]
        self._weld = model.body_weldid[self._body]
        self._stands = model.body_treeid[self._body] < 0
        self._parent = model.body_weldid[model.body_parentid[self._weld]]
        self._solref = model.geom_solref[self._geom]
        self._solimp = model.geom_solimp[self._geom]
        for row, name in enumerate(self._names):
            if name in wheels and wheels[name].is_mjcf:
                step, impedance = float(model.opt.timestep), np.asarray(usual.solimp)
                self._solref[row] = usual.solref
                self._solimp[row] = wheels[name].softness(step, impedance)

    def pairs(self) -> Iterator[tuple[tuple[str, str], _Setting]]:
        """Yields the names of two geoms, and the settings of their contacts."""
        has_more = (self._turning > 0.0) | (self._rolling > 0.0) | (self._restitution > 0.0)
        has_more |= self._wheel
        for one in np.flatnonzero(has_more).tolist():
            others = self._touching(one)
            others &= self._described | self._described[one]  # in MJCF, MuJoCo's rule counts
            others[:one] &= ~has_more[:one]  # the pair was considered before
            yield from self._settings(one, np.flatnonzero(others))

    def _touching(self, one: int) -> NDArray[np.bool_]:
        """Returns which geoms MuJoCo lets a geom touch, (n,)."""
        model, geom, body = self._model, self._geom, self._body
        mine = model.geom_contype[geom[one]], model.geom_conaffinity[geom[one]]
        free = (mine[0] & model.geom_conaffinity[geom] | mine[1] & model.geom_contype[geom]) != 0
        weld, parent = self._weld, self._parent
        free &= (weld != weld[one]) & ~(self._stands & self._stands[one])
        jointed = (parent == weld[one]) | (parent[one] == weld)
        free &= ~(jointed & (weld != 0) & (weld[one] != 0))
        low, high = np.minimum(body, body[one]), np.maximum(body, body[one])
        return np.asarray(free & ~np.isin((low << 16) + high, model.exclude_signature))

    def _settings(self, one: int, others: Rows) -> Iterator[tuple[tuple[str, str], _Setting]]:
        """Yields the settings of a geom's contacts with those others that need a pair.

        A pair is also needed if it would be with other factors of friction, after which another
        surface may be the slipperier one; for the softness of a wheel, only with something that
        stands in the world, or else each wheel would form a pair with each moving geom.
        """
        both = self._described[one] & self._described[others]
        mine, wins = self._priority[one], self._priority[one] > self._priority[others]
        tie = mine == self._priority[others]
        winner = np.where(wins | tie, one, others)
        mu = pair_friction((self._mu[one], self._mu[others]), (mine, self._priority[others]), both)
        turning = np.where(
            both,
            torsional(
                np.minimum(self._torsional_mu[one], self._torsional_mu[others]),
                np.maximum(self._patch[one], self._patch[others]),
            ),
            np.maximum(self._turning[one], self._turning[others]),
        )
        rolling = np.maximum(self._rolling[one], self._rolling[others])
        low = np.minimum(self._restitution[one], self._restitution[others])
        high = np.maximum(self._restitution[one], self._restitution[others])
        restitution = np.where(low > 0.0, low, high)
        soft = (self._wheel[one] | self._wheel[others]) & (restitution == 0.0)
        source = np.where(soft, np.where(self._wheel[one], one, others), winner)
        bounces = np.where(self._restitution[one] == restitution, one, others)
        source = np.where(restitution > 0.0, bounces, source)

        def lacks(geoms: int | Rows) -> NDArray[np.bool_]:
            """Returns whether contacts with the settings of these geoms alone would differ."""
            differs = ~np.isclose(self._turning[geoms], turning, rtol=_SAME, atol=0.0)
            differs |= self._rolling[geoms] != rolling
            return np.asarray(differs | (self._restitution[geoms] != restitution))

        def is_hard(geoms: int | Rows) -> NDArray[np.bool_]:
            return np.asarray(soft & ~self._wheel[geoms])

        stands = self._stands[one] | self._stands[others]
        differs = lacks(one) | lacks(others) | (stands & (is_hard(one) | is_hard(others)))
        differs |= ~tie & is_hard(winner)  # of equal priorities, MuJoCo takes the wheel's softness
        condim = np.where(tie, np.maximum(self._condim[one], self._condim[others]), 0)
        condim = np.maximum(condim, self._condim[winner])
        condim = np.maximum(condim, np.where(rolling > 0.0, 6, np.where(turning > 0.0, 4, 1)))
        mixes = tie & ~both & ~soft
        for at in np.flatnonzero(differs).tolist():
            ends = np.array([one, others[at]] if mixes[at] else [source[at]])
            solref, solimp = self._mixed(ends)
            friction = (mu[at], mu[at], turning[at], rolling[at], rolling[at])
            names = self._names[one], self._names[int(others[at])]
            yield names, _Setting(int(condim[at]), tuple(map(float, friction)), solref, solimp)

    def _mixed(self, geoms: Rows) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Returns solref and solimp of contacts of geoms of equal priorities, as MuJoCo does."""
        weights = self._model.geom_solmix[self._geom[geoms]]
        weights = weights / weights.sum()
        solref, solimp = self._solref[geoms], weights @ self._solimp[geoms]
        mixed = weights @ solref if (solref[:, 0] > 0.0).all() else solref.min(axis=0)
        return tuple(mixed.tolist()), tuple(solimp.tolist())
