# SPDX-License-Identifier: Apache-2.0
"""Mapping of rows from one generation of entities to another, by name."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from deepsim_gazebo.errors import MalformedReplyError
from deepsim_gazebo.protocol.layout import Rows, fill
from deepsim_sync import Cells, Entities, Key, Kind, Names, Refusal, Tables


def map_cells(
    cells: Mapping[Key, Cells], before: Entities, now: Entities
) -> tuple[dict[Key, Cells], list[Refusal]]:
    """Maps changes to the rows of another generation.

    Returns:
        The changes, and a refusal for each row that no longer exists.
    """
    kept: dict[Key, Cells] = {}
    lost = []
    for (kind, column), (worlds, rows, values) in cells.items():
        names = before.names(kind)
        target = _mapping(names, now.names(kind))[rows]
        here = target >= 0
        if here.any():
            kept[kind, column] = Cells(worlds[here], target[here], values[here])
        lost += [Refusal(kind, column, names[int(row)], "it was deleted") for row in rows[~here]]
    return kept, lost


def fill_tables(
    tables: Tables, rows: Mapping[Kind, Rows], kinds: Collection[Kind], now: Entities
) -> None:
    """Fills tables of any generation; rows that no longer exist keep their values.

    Args:
        tables: The tables to be filled.
        rows: Rows of the present generation, in the flat form.
        kinds: The tables to fill.
        now: The present generation.

    Raises:
        MalformedReplyError: The number of rows differs from the number of names.
    """
    for kind in kinds:
        before, names, table = tables.entities.names(kind), now.names(kind), rows[kind]
        if len(table) != len(names):
            raise MalformedReplyError(
                f"the answer of exchange has {len(table)} rows for {len(names)} {kind}"
            )
        if tables.entities.generation == now.generation:
            fill(tables, kind, table)
        else:
            target = _mapping(names, before)
            fill(tables, kind, table[target >= 0], target[target >= 0])


def _mapping(before: Names, now: Names) -> NDArray[np.intp]:
    """Returns the row in `now` of each name in `before`, (n,); -1 for names that are gone."""
    return np.array([now.row(name) if name in now else -1 for name in before], dtype=np.intp)
