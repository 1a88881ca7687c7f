# SPDX-License-Identifier: Apache-2.0
"""Pairs of indices, in blocks whose arrays fit in the cache of one CPU core."""

from __future__ import annotations

from typing import Callable, Iterator, Tuple

import numpy as np

from deepsim_colliders._rows import Index

BLOCK = 1 << 15

Pairs = Tuple[Index, Index]


def ragged(start: Index, count: Index) -> Iterator[Pairs]:
    """Yields the elements of ranges, given by `start` and `count`, in blocks.

    A block consists of the number of each element's range, and the elements themselves.
    """
    ends = np.cumsum(count)
    total = int(ends[-1]) if ends.size else 0
    shift = start - (ends - count)
    for begin in range(0, total, BLOCK):
        flat = np.arange(begin, min(begin + BLOCK, total))
        number = np.searchsorted(ends, flat, side="right")
        yield number, flat + shift[number]


def collected(parts: Iterator[Pairs]) -> Iterator[Pairs]:
    """Joins small parts into blocks that are worth the fixed cost of a further step."""
    waiting: list[Pairs] = []
    size = 0
    for part in parts:
        waiting.append(part)
        size += part[0].size
        if size >= BLOCK // 2:
            yield _joined(waiting)
            waiting, size = [], 0
    if size:
        yield _joined(waiting)


def filled(fill: Callable[[Index, Index], int], size: int) -> Iterator[Pairs]:
    """Yields pairs that compiled code finds, in blocks.

    Args:
        fill: writes as many pairs as fit into its two arrays, and returns the number of all pairs.
        size: expected number of pairs.
    """
    while True:
        first, second = np.empty(size, dtype=np.intp), np.empty(size, dtype=np.intp)
        found = fill(first, second)
        if found <= size:
            break
        size = found
    for start in range(0, found, BLOCK):
        some = slice(start, min(start + BLOCK, found))
        yield first[some], second[some]


def _joined(parts: list[Pairs]) -> Pairs:
    if len(parts) == 1:
        return parts[0]
    first, second = zip(*parts)
    return np.concatenate(first), np.concatenate(second)
