# SPDX-License-Identifier: Apache-2.0
"""Layers of visuals, one for each effect: values, and their shares in the visible result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_math import lerp
from deepsim_sync import COLUMNS, World, WorldNumbers

Array = NDArray[Any]


class Shade(NamedTuple):
    """One column of an effect in W worlds; the arrays are modified in place."""

    value: Array
    """(W, ...) one cell per world, for all visuals of the effect."""
    mix: NDArray[np.float64]
    """(W, ...) share of the value by component, 0..1."""

    @classmethod
    def nothing(cls, column: str, worlds: int) -> Shade:
        """Returns a shade of a column that shows nothing: its share is 0 everywhere."""
        spec = COLUMNS["visuals"][column]
        return cls(np.zeros((worlds, *spec.shape), spec.dtype), np.zeros((worlds, *spec.shape)))

    def set(self, column: str, value: ArrayLike, mix: ArrayLike, worlds: WorldNumbers) -> None:
        """Sets the value and its share in the visible result (`mix`) in some worlds.

        Args:
            column: The name of the column.
            value: One cell, or (W, ...) cells.
            mix: Share of the value, 0..1: one number; one per component; one per world; or one per
                component and world.
            worlds: The worlds to change; cells of other worlds are ignored.

        Raises:
            ValueError: A value is invalid for the column, or a `mix` is not in 0..1.
        """
        spec = COLUMNS["visuals"][column]
        one, each = spec.shape, self.value.shape
        cells: Array = np.asarray(value, dtype=spec.dtype)
        if cells.shape == each:
            cells = cells[worlds]
        elif cells.shape != one:
            raise ValueError(f"{column} must have shape {one} or {each}, got {value!r}")
        shares = np.asarray(mix, dtype=np.float64)
        by_world = (each[0], *(1 for _ in one))
        if shares.shape in (by_world, each):
            shares = shares[worlds]
        elif shares.shape not in ((), one):
            raise ValueError(
                f"mix of {column} must be a number, or have shape "
                f"{' or '.join(map(str, dict.fromkeys([one, by_world, each])))}, got {mix!r}"
            )
        if spec.bounds == (0.0, 1.0) and not _in_unit_range(cells):
            raise ValueError(f"{column} must lie in 0..1, got {value!r}")
        if not _in_unit_range(shares):
            raise ValueError(f"mix of {column} must lie in 0..1, got {mix!r}")
        if spec.dtype is np.bool_ and not (shares == 1.0).all():
            raise ValueError(f"{column} is true or false: its mix must be 1, got {mix!r}")
        self.value[worlds], self.mix[worlds] = cells, shares

    def over(self, beneath: Array, worlds: WorldNumbers) -> tuple[Array, NDArray[np.bool_]]:
        """Returns cells (w, n, ...) of some worlds with the value mixed in, and which show it."""
        value, mix = self.value[worlds][:, None], self.mix[worlds][:, None]
        shows = mix != 0.0
        if beneath.dtype == np.bool_:
            return np.where(shows, value, beneath), shows
        return lerp(beneath, value, mix), any_in_cell(shows)


def any_in_cell(numbers: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Returns whether any component of each cell is true, (w, n) for cells (w, n, ...)."""
    return numbers if numbers.ndim == 2 else np.logical_or.reduce(numbers, axis=2)


def _in_unit_range(numbers: Array) -> bool:
    return bool(numbers.min() >= 0.0 and numbers.max() <= 1.0)  # false for NaN


_NOISE = 1e-6  # a simulator may store float32


class Layer(NamedTuple):
    """The appearance that one effect gives in some worlds: its visuals, worlds and shades."""

    rows: NDArray[np.intp]
    """(n,) rows of its visuals."""
    worlds: WorldNumbers
    """(w,) numbers of the worlds."""
    look: Mapping[str, Shade]
    """Shades of the effect, by column."""


class Layers:
    """Layers of effects in the visual table, above the visuals' own appearance.

    If other code sets a value on a visual under an effect, it becomes the visual's own value. A
    value equal to the shown one cannot be recognised as new, and is lost.

    Args:
        world: The world of the visuals.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._entities = world.entities
        self._columns: dict[str, _Column] = {}

    def show(self, layers: Sequence[Layer], worlds: WorldNumbers) -> None:
        """Writes the appearance of some worlds, where it differs from the current one.

        Args:
            layers: The layers from bottom to top.
            worlds: (w,) the worlds; others stay unchanged.
        """
        if not layers and not self._columns:
            return
        self._follow_entities()
        visuals = self._world.visuals
        chosen = np.zeros(len(self._world), np.bool_)
        chosen[worlds] = True
        for name in COLUMNS["visuals"]:
            tops = [layer for layer in layers if name in layer.look]
            if not tops and name not in self._columns:
                continue
            now = visuals.get(name)
            if name not in self._columns:
                self._columns[name] = _Column.unchanged(now)
            column = self._columns[name]
            column.cover(now, name, tops, chosen)
            changed = any_in_cell(column.shown != now) & chosen[:, None]
            if changed.any():
                within, rows = (np.flatnonzero(changed.any(axis)) for axis in (1, 0))
                values = column.shown[np.ix_(within, rows)]
                self._world.put("visuals", {name: values}, rows, within)
            if not tops:
                del self._columns[name]

    def own(self, name: str) -> Array:
        """Returns a column of the visual table, (W, N, ...), without effects."""
        now = self._world.visuals.get(name)
        self._follow_entities()
        return self._columns[name].beneath(now) if name in self._columns else now

    def get_state(self) -> Any:
        """Returns the appearance beneath the effects, for a snapshot."""
        self._follow_entities()
        return deepcopy(self._columns)

    def set_state(self, state: Any) -> None:
        """Restores the appearance beneath the effects; the world must have the same entities."""
        self._entities = self._world.entities
        self._columns = deepcopy(state)

    def _follow_entities(self) -> None:
        entities, before = self._world.entities, self._entities
        if entities.generation == before.generation:
            return
        self._entities = entities
        stay = [name for name in before.visuals if name in entities.visuals]
        old, new = before.visuals.rows(stay), entities.visuals.rows(stay)
        for name, column in self._columns.items():
            moved = _Column.unchanged(self._world.visuals.get(name))
            for array, kept in zip(moved, column, strict=True):
                array[:, new] = kept[:, old]
            self._columns[name] = moved


class _Column(NamedTuple):
    """One column of the visual table while effects change it, in W worlds."""

    own: Array
    """(W, N, ...) without effects."""
    shown: Array
    """(W, N, ...) with effects."""
    covered: NDArray[np.bool_]
    """(W, N) whether `own` and `shown` may differ."""

    @classmethod
    def unchanged(cls, now: Array) -> _Column:
        return cls(now.copy(), now.copy(), np.zeros(now.shape[:2], np.bool_))

    def beneath(self, now: Array) -> Array:
        """Returns the column without effects, given the current one."""
        exact = now.dtype == np.bool_
        differs = now != self.shown if exact else np.abs(now - self.shown) > _NOISE
        beneath = self.own.copy()
        renewed = ~self.covered | any_in_cell(differs)
        beneath[renewed] = now[renewed]
        return beneath

    def cover(
        self, now: Array, name: str, layers: Sequence[Layer], chosen: NDArray[np.bool_]
    ) -> None:
        """Applies all layers to the current column `now`.

        It changes only the worlds that the mask `chosen`, (W,), selects.
        """
        self.own[chosen] = self.shown[chosen] = self.beneath(now)[chosen]
        self.covered[chosen] = False
        for layer in layers:
            worlds = layer.worlds[chosen[layer.worlds]]
            cells = np.ix_(worlds, layer.rows)
            self.shown[cells], shows = layer.look[name].over(self.shown[cells], worlds)
            self.covered[cells] |= shows
