# SPDX-License-Identifier: Apache-2.0
"""The looks of effects, laid over the appearance that the visuals have by themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deepsim_sync import COLUMNS, World, WorldNumbers

from .shade import Array, Shade

_NOISE = 1e-6  # a simulator may hand back what it stored as float32


class Layer(NamedTuple):
    """The look of one effect in some worlds."""

    rows: NDArray[np.intp]
    """(n,) rows of the visuals that it is on."""
    worlds: WorldNumbers
    """(w,) numbers of the worlds."""
    look: Mapping[str, Shade]
    """What it shows, by column."""


class Layers:
    """Shows the looks of effects, and restores the visuals' own appearance.

    A value that somebody else sets on a visual under an effect becomes the visual's own. A value
    equal to the one shown cannot be told apart from it, and is not kept.

    Args:
        world: The world of the visuals.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._entities = world.entities
        self._columns: dict[str, _Column] = {}

    def show(self, layers: Sequence[Layer]) -> None:
        """Puts every cell that differs from what the visuals show now.

        Args:
            layers: From the bottom to the top.
        """
        if not layers and not self._columns:
            return
        self._follow_entities()
        visuals = self._world.visuals
        for name in COLUMNS["visuals"]:
            tops = [layer for layer in layers if name in layer.look]
            if not tops and name not in self._columns:
                continue
            now = visuals.get(name)
            if name not in self._columns:
                self._columns[name] = _Column.unchanged(now)
            shown = self._columns[name].cover(now, name, tops)
            changed = _any_in_cell(shown != now)
            if changed.any():
                worlds, rows = (np.flatnonzero(changed.any(axis)) for axis in (1, 0))
                values = shown[np.ix_(worlds, rows)]
                self._world.put("visuals", {name: values}, rows, worlds)
            if not tops:
                del self._columns[name]

    def own(self, name: str) -> Array:
        """Returns a column of the visual table, (W, N, ...), as it is without effects."""
        now = self._world.visuals.get(name)
        self._follow_entities()
        return self._columns[name].renewed(now).copy() if name in self._columns else now

    def get_state(self) -> dict[str, tuple[Array, Array, NDArray[np.bool_]]]:
        """Returns what lies beneath the effects, by column, for a snapshot."""
        self._follow_entities()
        return {
            name: (column.own.copy(), column.shown.copy(), column.covered.copy())
            for name, column in self._columns.items()
        }

    def set_state(self, state: Mapping[str, tuple[Array, Array, NDArray[np.bool_]]]) -> None:
        """Restores what lies beneath; the world has the entities of the state."""
        self._entities = self._world.entities
        self._columns = {
            name: _Column(*(array.copy() for array in arrays)) for name, arrays in state.items()
        }

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
    """One column of the visual table while an effect shows something in it, in W worlds."""

    own: Array
    """(W, N, ...) without effects."""
    shown: Array
    """(W, N, ...) with effects."""
    covered: NDArray[np.bool_]
    """(W, N) whether the two may differ."""

    @classmethod
    def unchanged(cls, now: Array) -> _Column:
        return cls(now.copy(), now.copy(), np.zeros(now.shape[:2], np.bool_))

    def renewed(self, now: Array) -> Array:
        """Updates the column without effects from the present one, and returns it."""
        exact = now.dtype == np.bool_
        differs = now != self.shown if exact else np.abs(now - self.shown) > _NOISE
        renewed = ~self.covered | _any_in_cell(differs)
        self.own[renewed] = now[renewed]
        return self.own

    def cover(self, now: Array, name: str, layers: Sequence[Layer]) -> Array:
        """Returns the column with all layers on it, given the present one."""
        self.shown[:] = self.renewed(now)
        self.covered[:] = False
        for layer in layers:
            shade = layer.look[name]
            worlds = layer.worlds[shade.named[layer.worlds]]
            cells = np.ix_(worlds, layer.rows)
            self.shown[cells] = shade.over(self.shown[cells], worlds)
            self.covered[cells] = True
        return self.shown


def _any_in_cell(numbers: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(W, N) from (W, N, ...)."""
    return np.asarray(numbers.any(axis=tuple(range(2, numbers.ndim))))
