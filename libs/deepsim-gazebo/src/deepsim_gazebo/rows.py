# SPDX-License-Identifier: Apache-2.0
"""The flat form of a table: (n, width) float64, the columns of `COLUMNS` side by side.

Tables are numbered as in `KINDS`, columns as in `COLUMNS`, both from 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deepsim_sync import COLUMNS, KINDS, Kind, Tables

Rows = NDArray[np.float64]
"""(n, width) rows of one table."""


class Layout(NamedTuple):
    """Where the columns of a table are within a row."""

    width: int
    """How many numbers a row has."""
    columns: dict[str, slice | int]
    """The numbers of each column; one index where a cell is one number."""


def _layout(kind: Kind) -> Layout:
    columns: dict[str, slice | int] = {}
    start = 0
    for name, spec in COLUMNS[kind].items():
        count = int(np.prod(spec.width))
        columns[name] = slice(start, start + count) if spec.width else start
        start += count
    return Layout(start, columns)


LAYOUTS: dict[Kind, Layout] = {kind: _layout(kind) for kind in KINDS}

TABLE_NUMBERS: dict[Kind, int] = {kind: number for number, kind in enumerate(KINDS)}

COLUMN_NUMBERS: dict[tuple[Kind, str], tuple[int, int]] = {
    (kind, column): (TABLE_NUMBERS[kind], number)
    for kind in KINDS
    for number, column in enumerate(COLUMNS[kind])
}
"""The numbers of the table and of the column."""


def fill(
    tables: Tables, kind: Kind, rows: Rows, at: slice | NDArray[np.intp] = slice(None)
) -> None:
    """Puts rows of the flat form into a table of one world.

    Args:
        tables: Where to.
        kind: Which table.
        rows: (n, width).
        at: Their n rows in the table; all by default.
    """
    for column, numbers in LAYOUTS[kind].columns.items():
        tables.column(kind, column)[0, at] = rows[:, numbers]
