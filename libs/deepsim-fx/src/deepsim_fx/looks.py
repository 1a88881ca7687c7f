# SPDX-License-Identifier: Apache-2.0
"""Layers of looks: how visuals look by themselves, and with effects on top."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deepsim_math import lerp
from deepsim_sync import COLUMNS, World

Array = NDArray[Any]
Rows = NDArray[np.intp]

_NOISE = 1e-6  # a simulator may hand back what it stored as float32


class Shade(NamedTuple):
    """A value, and how much of it covers what is beneath."""

    value: Array
    mix: Array
    """0 what is beneath .. 1 only the value; one for all components of a cell, or one for each."""

    def over(self, beneath: Array) -> Array:
        """The cells (W, n, ...) with it on top; at 0 and 1 to the last digit."""
        if (self.mix == 1.0).all():
            return np.broadcast_to(self.value, beneath.shape)
        mixed: Array = lerp(beneath, self.value, self.mix)
        return mixed


Look = Mapping[str, Shade]
"""What to show, by column of the visual table: one shade for all visuals of an effect."""


class Looks:
    """Shows the looks of effects on top of the visuals' own, and gives these back.

    Whatever someone else sets on a visual while an effect is on it becomes the visual's own look,
    but for a value that equals what is shown: nothing tells the two apart.

    Args:
        world: Where the visuals are.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._entities = world.entities
        self._columns: dict[str, _Column] = {}

    def show(self, effects: Sequence[tuple[Rows, Look]]) -> None:
        """Puts what differs from what the visuals look like now.

        Args:
            effects: The visual rows and the look of every effect; of two on one cell the later
                counts.
        """
        if not effects and not self._columns:
            return
        table = self._world.visuals
        self._follow_entities()
        for name in COLUMNS["visuals"]:
            tops = [(rows, look[name]) for rows, look in effects if name in look]
            if not tops and name not in self._columns:
                continue
            now: Array = getattr(table, name)
            column = self._columns.setdefault(name, _Column(now))
            shown = column.show(now, tops)
            rows = np.flatnonzero(_any_in_row(shown != now))
            if rows.size:
                self._world.put("visuals", {name: shown[:, rows]}, rows)
            if not tops:
                del self._columns[name]

    def own(self, name: str) -> Array:
        """One column of the visual table, (W, N, ...), as it would be without effects."""
        now: Array = getattr(self._world.visuals, name)
        self._follow_entities()
        return self._columns[name].renewed(now).copy() if name in self._columns else now

    def _follow_entities(self) -> None:
        entities, before = self._world.entities, self._entities
        if entities.generation == before.generation:
            return
        self._entities = entities
        stay = [name for name in before.visuals if name in entities.visuals]
        old, new = before.visuals.rows(stay), entities.visuals.rows(stay)
        for name, column in self._columns.items():
            moved = _Column(getattr(self._world.visuals, name))
            moved.own[:, new] = column.own[:, old]
            moved.shown[:, new] = column.shown[:, old]
            moved.covered[new] = column.covered[old]
            self._columns[name] = moved


class _Column:
    """One column of the visual table, while an effect shows something in it."""

    def __init__(self, now: Array) -> None:
        self.own = now.copy()  # (W, N, ...) without effects
        self.shown = now.copy()  # (W, N, ...) with effects
        self.covered = np.zeros(now.shape[1], dtype=np.bool_)  # (N,) whether the two may differ

    def renewed(self, now: Array) -> Array:
        """The column without effects, given what is there now."""
        differs = now != self.shown
        if now.dtype != np.bool_:
            differs = np.abs(now - self.shown) > _NOISE
        renewed = ~self.covered | _any_in_row(differs)
        self.own[:, renewed] = now[:, renewed]
        return self.own

    def show(self, now: Array, tops: Sequence[tuple[Rows, Shade]]) -> Array:
        """The column with effects, given what is there now."""
        self.shown = self.renewed(now).copy()
        self.covered[:] = False
        for rows, shade in tops:
            self.shown[:, rows] = shade.over(self.shown[:, rows])
            self.covered[rows] = True
        return self.shown


def _any_in_row(cells: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(N,) from (W, N, ...)."""
    result: NDArray[np.bool_] = np.logical_or.reduce(cells, axis=(0, *range(2, cells.ndim)))
    return result
