# SPDX-License-Identifier: Apache-2.0
"""Converts names of entities, changed cells and refusals to and from the content of frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_sync import Cells, Changes, Entities, Refusal
from deepsim_sync.port.changes import checked_rows
from deepsim_sync.port.entities import KINDS
from deepsim_sync.port.tables import COLUMNS, Key, column_of
from deepsim_transport.errors import MessageError

Arrays = dict[str, NDArray[Any]]


def names_of(entities: Entities) -> dict[str, list[str]]:
    """Returns the names of the entities in each table."""
    return {kind: list(entities.names(kind)) for kind in KINDS}


def entities_of(generation: int, names: Mapping[str, Sequence[str]]) -> Entities:
    """Returns entities of a generation, from the names in each table."""
    return Entities(generation, **{kind: names[kind] for kind in KINDS})


def key_of(text: Any) -> Key:
    """Parses the name of a column, such as ``models.pose``.

    Raises:
        MessageError: The column is unknown.
    """
    kind, _, column = str(text).partition(".")
    if kind not in COLUMNS or column not in COLUMNS[kind]:
        raise MessageError(f"there is no column {text!r}")
    return kind, column


def arrays_of(changes: Changes) -> Arrays:
    """Converts changed cells to arrays by name."""
    arrays: Arrays = {}
    for (kind, column), cells in changes.cells.items():
        name = f"{kind}.{column}"
        arrays[f"{name}/worlds"], arrays[f"{name}/rows"] = cells.worlds, cells.rows
        arrays[name] = cells.values
    return arrays


def changes_of(arrays: Mapping[str, NDArray[Any]], entities: Entities, worlds: int) -> Changes:
    """Converts arrays to changed cells, and checks them like a user's changes.

    Raises:
        MessageError: The arrays do not fit together.
        ValueError: A row does not exist, or a value does not fit into its column.
    """
    batch = {}
    for name, values in arrays.items():
        if "/" in name:
            continue
        kind, column = key_of(name)
        try:
            where, rows = arrays[f"{name}/worlds"], arrays[f"{name}/rows"]
        except KeyError:
            raise MessageError(f"changes of {name} have no rows") from None
        names = entities.names(kind)
        rows = checked_rows(names, rows)
        if where.dtype.kind != "i" or where.shape != rows.shape or values.shape[:1] != rows.shape:
            raise MessageError(f"changes of {name} have rows, worlds and values of unlike numbers")
        if where.size and not (where.min() >= 0 and where.max() < worlds):
            raise MessageError(f"there are worlds 0 to {worlds - 1}, got {where.tolist()}")
        checked = column_of(kind, column).checked(names, rows, values)
        batch[kind, column] = Cells(where.astype(np.intp), rows, checked)
    return Changes(entities.generation, batch)


def refusals_of(listed: Sequence[Any]) -> list[Refusal]:
    """Returns the refusals listed in a header."""
    return [Refusal(*each) for each in listed]
