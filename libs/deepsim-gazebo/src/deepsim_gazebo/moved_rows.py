# SPDX-License-Identifier: Apache-2.0
"""Rows of one generation of entities in another one, found by name."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from deepsim_sync import Cells, Entities, Kind, Names, Refusal, Tables

from .errors import MalformedReplyError
from .rows import Rows, fill


def moved_cells(
    cells: Mapping[tuple[Kind, str], Cells], before: Entities, now: Entities
) -> tuple[dict[tuple[Kind, str], Cells], list[Refusal]]:
    """The same changes for the rows of another generation.

    Returns:
        The changes, and a refusal for each row that is gone.
    """
    kept: dict[tuple[Kind, str], Cells] = {}
    lost = []
    for (kind, column), (worlds, rows, values) in cells.items():
        names = before.names(kind)
        target = _moved(names, now.names(kind))[rows]
        here = target >= 0
        if here.any():
            kept[kind, column] = Cells(worlds[here], target[here], values[here])
        lost += [Refusal(kind, column, names[int(row)], "it was deleted") for row in rows[~here]]
    return kept, lost


def fill_tables(
    tables: Tables, rows: Mapping[Kind, Rows], kinds: Collection[Kind], now: Entities
) -> None:
    """Fills tables of any generation; rows that are gone keep what they had.

    Args:
        tables: Where to.
        rows: In the flat form, of the present generation.
        kinds: Which tables.
        now: The present generation.

    Raises:
        MalformedReplyError: There are more or fewer rows than names.
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
            target = _moved(names, before)
            fill(tables, kind, table[target >= 0], target[target >= 0])


def _moved(before: Names, now: Names) -> NDArray[np.intp]:
    """Where each row of one generation is in another, (n,); -1 where it is gone."""
    return np.array([now.row(name) if name in now else -1 for name in before], dtype=np.intp)
