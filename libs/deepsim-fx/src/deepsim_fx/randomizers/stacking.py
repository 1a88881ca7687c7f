# SPDX-License-Identifier: Apache-2.0
"""Stacks the draws of several worlds, so that one call applies them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from deepsim_sync import WorldNumbers


class Stacked(NamedTuple):
    """Cells that were drawn for the same entities in some worlds."""

    worlds: WorldNumbers
    """(w,) numbers of the worlds."""
    names: tuple[str, ...]
    """(k,) names of the entities."""
    columns: dict[str, list[list[Any]]]
    """(w, k, ...) cells by column."""


def stacked(
    values: Sequence[Mapping[str, Mapping[str, Any]]], worlds: WorldNumbers
) -> Iterator[Stacked]:
    """Stacks cells by column and name, one mapping for each world.

    Yields:
        One entry if the names are the same in all worlds and columns, more otherwise.
    """
    cells: dict[tuple[str, tuple[str, ...]], dict[int, list[Any]]] = {}
    for number, columns in zip(worlds.tolist(), values, strict=True):
        for column, by_name in columns.items():
            cells.setdefault((column, tuple(by_name)), {})[number] = list(by_name.values())
    entries: dict[tuple[tuple[str, ...], tuple[int, ...]], dict[str, list[list[Any]]]] = {}
    for (column, names), by_world in cells.items():
        entries.setdefault((names, tuple(by_world)), {})[column] = list(by_world.values())
    for (names, numbers), stacks in entries.items():
        yield Stacked(np.array(numbers, np.intp), names, stacks)
