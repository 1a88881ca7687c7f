# SPDX-License-Identifier: Apache-2.0
"""The value that an effect shows in one column, and its share of what is seen, world by world."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_math import lerp
from deepsim_sync import COLUMNS, WorldNumbers

Array = NDArray[Any]


class Shade(NamedTuple):
    """One column of an effect's look in W worlds; the arrays are changed in place."""

    value: Array
    """(W, ...) a cell for each world, which all visuals of the effect show."""
    mix: NDArray[np.float64]
    """(W, ...) share of the value, component by component: 0 nothing .. 1 nothing else."""
    named: NDArray[np.bool_]
    """(W,) whether the effect shows the column at all."""

    @classmethod
    def nowhere(cls, column: str, worlds: int) -> Shade:
        """Returns the shade of a column that is shown in none of the worlds."""
        spec = COLUMNS["visuals"][column]
        shape = (worlds, *spec.shape)
        return cls(np.zeros(shape, spec.dtype), np.zeros(shape), np.zeros(worlds, np.bool_))

    def set(self, column: str, value: ArrayLike, mix: ArrayLike, worlds: WorldNumbers) -> None:
        """Shows a value in some worlds.

        Args:
            column: The name of the column.
            value: One cell, or (W, ...) cells.
            mix: One number, one for each component, or one or all components for each world.
            worlds: The worlds that change; the cells of the others are ignored.

        Raises:
            ValueError: A value is not fit for the column, or a share not in 0..1.
        """
        spec = COLUMNS["visuals"][column]
        one, each = spec.shape, self.value.shape
        cells: Array = np.array(value, dtype=spec.dtype)
        if cells.shape not in (one, each):
            raise ValueError(f"{column} must have shape {one} or {each}, got {value!r}")
        shares = np.array(mix, dtype=np.float64)
        by_world = (len(self.named), *(1 for _ in one))
        if shares.shape not in ((), one, by_world, each):
            known = dict.fromkeys([one, by_world, each])
            raise ValueError(
                f"mix of {column} must be a number, or have shape "
                f"{' or '.join(map(str, known))}, got {mix!r}"
            )
        chosen = np.broadcast_to(cells, each)[worlds]
        share = np.broadcast_to(shares, each)[worlds]
        if spec.unit_range and not _in_unit_range(chosen):
            raise ValueError(f"{column} must lie in 0..1, got {value!r}")
        if not _in_unit_range(share):
            raise ValueError(f"mix of {column} must lie in 0..1, got {mix!r}")
        if spec.dtype is np.bool_ and not (share == 1.0).all():
            raise ValueError(f"{column} is true or false: its mix must be 1, got {mix!r}")
        self.value[worlds], self.mix[worlds], self.named[worlds] = chosen, share, True

    def over(self, beneath: Array, worlds: WorldNumbers) -> Array:
        """Returns cells (w, n, ...) of some worlds with the value mixed in."""
        value = self.value[worlds][:, None]
        if beneath.dtype == np.bool_:
            return np.broadcast_to(value, beneath.shape)
        mixed: Array = lerp(beneath, value, self.mix[worlds][:, None])
        return mixed


def _in_unit_range(numbers: Array) -> bool:
    return bool(((numbers >= 0.0) & (numbers <= 1.0)).all())
