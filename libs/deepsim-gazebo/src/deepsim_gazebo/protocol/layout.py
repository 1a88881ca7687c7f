# SPDX-License-Identifier: Apache-2.0
"""The flat form of a table: (n, width) float64, all its columns side by side.

Tables and columns are numbered in the order of `SERVED`, both from 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deepsim_sync import COLUMNS, Key, Kind, Tables

SERVED: dict[Kind, tuple[str, ...]] = {
    "models": ("pose", "twist"),
    "links": ("pose", "twist", "force", "torque", "center_of_mass"),
    "visuals": ("ambient", "diffuse", "specular", "emissive", "transparency", "visible"),
    "lights": ("diffuse", "specular", "attenuation", "pose", "range"),
    "joints": (
        "position",
        "velocity",
        "effort",
        "target_position",
        "target_velocity",
        "feedforward",
        "stiffness",
        "damping",
        "effort_limit",
        "velocity_limit",
    ),
}
"""The columns that the plugin serves."""
TABLES = tuple(SERVED)

Rows = NDArray[np.float64]
"""(n, width) rows of one table, in the flat form."""


class Layout(NamedTuple):
    """The positions of a table's columns within a row."""

    width: int
    """Numbers per row."""
    columns: dict[str, slice | int]
    """Position of each column; an index if a cell is a single number."""


def _layout(kind: Kind) -> Layout:
    columns: dict[str, slice | int] = {}
    start = 0
    for name in SERVED[kind]:
        spec = COLUMNS[kind][name]
        count = int(np.prod(spec.shape))
        columns[name] = slice(start, start + count) if spec.shape else start
        start += count
    return Layout(start, columns)


LAYOUTS: dict[Kind, Layout] = {kind: _layout(kind) for kind in TABLES}

TABLE_NUMBERS: dict[Kind, int] = {kind: number for number, kind in enumerate(TABLES)}

COLUMN_NUMBERS: dict[Key, tuple[int, int]] = {
    (kind, column): (TABLE_NUMBERS[kind], number)
    for kind in TABLES
    for number, column in enumerate(SERVED[kind])
}
"""Numbers of the table and of the column."""


def fill(
    tables: Tables, kind: Kind, rows: Rows, at: slice | NDArray[np.intp] = slice(None)
) -> None:
    """Copies rows in the flat form into a table of one world.

    Args:
        tables: The tables to be filled.
        kind: The table.
        rows: (n, width).
        at: The n rows of the table; all by default.
    """
    for column, numbers in LAYOUTS[kind].columns.items():
        tables.columns[kind, column][0, at] = rows[:, numbers]
