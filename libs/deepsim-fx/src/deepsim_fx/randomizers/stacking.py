# SPDX-License-Identifier: Apache-2.0
"""Stacks the draws of several worlds, so that one call applies them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from deepsim_sync import WorldNumbers

Drawn = Mapping[str, Mapping[str, Any]]
"""Cells by column, then by the name of an entity."""


def stacked(
    values: Sequence[Drawn], worlds: WorldNumbers
) -> Iterator[tuple[WorldNumbers, tuple[str, ...], dict[str, list[list[Any]]]]]:
    """Stacks the draws of some worlds.

    Yields:
        Numbers (w,), names (k,) and cells (w, k, ...) by column: once if the names are the same
        everywhere, otherwise for each set of worlds and of columns that have the same names.
    """
    alike: dict[tuple[tuple[str, tuple[str, ...]], ...], list[tuple[int, Drawn]]] = {}
    for number, drawn in zip(worlds.tolist(), values, strict=True):
        key = tuple((column, tuple(cells)) for column, cells in drawn.items())
        alike.setdefault(key, []).append((number, drawn))
    for key, members in alike.items():
        numbers = np.array([number for number, _ in members], np.intp)
        for names in dict.fromkeys(names for _, names in key):
            columns = [column for column, own in key if own == names]
            yield (
                numbers,
                names,
                {
                    column: [list(drawn[column].values()) for _, drawn in members]
                    for column in columns
                },
            )
