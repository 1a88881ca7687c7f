# SPDX-License-Identifier: Apache-2.0
"""Pairs of shapes of two sets that need an exact test."""

from __future__ import annotations

from typing import Iterator

import numpy as np

from deepsim_colliders._rows import Index

from .snapshot import Snapshot


def near_pairs(a: Snapshot, b: Snapshot, *, once: bool) -> Iterator[tuple[Index, Index, Index]]:
    """Yields world, row of `a` and row of `b` of pairs that are enabled and near, and may meet.

    Args:
        a: one side.
        b: the other side.
        once: whether both sides are the same set; a pair then counts once, and none with itself.
    """
    near = a.bounds.among() if once else a.bounds.overlapping(b.bounds)
    for code, j in near:
        world, i = np.divmod(code, a.bounds.count)
        if a.worlds > 1:
            i = code
        ids, others = a.all_rows.owner[i], b.all_rows.owner[j]
        asked = a.live[i] & b.live[j] & a.may_meet(b, ids, others)
        if once:  # parts of a collider are consecutive
            asked &= ids < others
        met = np.flatnonzero(asked)
        yield world[met], i[met], j[met]
