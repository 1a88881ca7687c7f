# SPDX-License-Identifier: Apache-2.0
"""The value that an effect shows in one column, and its share in the visible result."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_math import lerp
from deepsim_sync import COLUMNS, WorldNumbers

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
