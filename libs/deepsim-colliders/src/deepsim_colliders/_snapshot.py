# SPDX-License-Identifier: Apache-2.0
"""State of many colliders at one moment, as arrays."""

from __future__ import annotations

from typing import Iterator, Sequence, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from deepsim_math import Pose, poses

from ._broad_phase import Balls
from ._follower import ORIGIN
from ._rows import Flags, Index, Rows, frames
from ._shape import BALL, BOX, CAPSULE, GEOMETRY, OTHER
from .collider import Collider
from .layers import ALL_LAYERS, layer_bits


class Snapshot:
    """Rows of the shapes of some colliders, as far as they take part."""

    def __init__(self, colliders: Sequence[Collider], dimensions: int) -> None:
        self._colliders = colliders
        self._dimensions = dimensions
        placed = [one._placed_shapes(ORIGIN) for one in colliders]
        shapes = [shape for entries in placed for shape, _, _ in entries]
        owner = np.repeat(np.arange(len(colliders)), [len(entries) for entries in placed])
        kind = np.array([shape._solid.kind for shape in shapes])
        self._order = np.argsort(kind, kind="stable")
        half = np.array([shape._solid.half for shape in shapes]).T
        radius = np.array([shape._solid.radius for shape in shapes])
        self._still = Rows(
            shapes=shapes,
            owner=owner,
            leaf=np.arange(len(shapes)),
            kind=kind,
            center=np.zeros_like(half),
            axes=np.zeros((dimensions, *half.shape)),
            half=half,
            radius=radius,
            reach=np.sqrt((half * half).sum(axis=0)) + radius,
            touch=np.array([shape._gap for shape in shapes]),
        ).take(self._order)
        self.read()

    def read(self) -> None:
        """Take everything from the colliders."""
        self._layers = np.array([one.layers for one in self._colliders])
        self._mask = np.array([one.mask for one in self._colliders])
        placed = [entry for one in self._colliders for entry in one._placed_shapes(ORIGIN)]
        self._offsets = np.array([list(pose) for _, pose, _ in placed])[self._order]
        self._enabled = np.array([enabled for _, _, enabled in placed])[self._order]
        self.place([list(Pose.from_array(one._base_now())) for one in self._colliders])

    def place(self, bases: ArrayLike) -> None:
        """Take the poses of what the colliders are attached to from an array (n, 7)."""
        array = np.asarray(bases, dtype=np.float64)
        if array.shape != (len(self._colliders), 7):
            raise ValueError(
                f"poses must have shape ({len(self._colliders)}, 7), one row for each collider, "
                f"got {array.shape}"
            )
        pose = poses.compose(array[self._still.owner], self._offsets)
        live = self._enabled & np.isfinite(pose).all(axis=1)
        rows = self._still
        if not live.all():
            rows, pose = rows.take(np.flatnonzero(live)), pose[live]
        center, axes = frames(pose, self._dimensions)
        self._rows = rows._replace(center=center, axes=axes)
        self._balls: Balls | None = None

    @property
    def balls(self) -> Balls:
        """Balls around all rows."""
        if self._balls is None:
            self._balls = Balls(self._rows)
        return self._balls

    def rows(self, mask: SupportsIndex = ALL_LAYERS) -> Rows:
        """The rows that take part and lie on a layer of `mask`, sorted by kind."""
        bits = layer_bits(mask, "mask")
        if bits == ALL_LAYERS:
            return self._rows
        return self._rows.take(np.flatnonzero(self._layers[self._rows.owner] & bits))

    def may_meet(self, other: Snapshot, ids: Index, other_ids: Index) -> Flags:
        """Whether pairs of colliders may meet by their layers and masks."""
        met: Flags = (self._layers[ids] & other._mask[other_ids]) != 0
        met &= (other._layers[other_ids] & self._mask[ids]) != 0
        return met


def by_kind(rows: Rows) -> Iterator[tuple[int, Rows]]:
    """Consecutive rows of one kind, with the place of the first."""
    for kind in (BALL, CAPSULE, BOX, GEOMETRY, OTHER):
        start, end = np.searchsorted(rows.kind, [kind, kind + 1])
        if start < end:
            yield int(start), rows.take(slice(start, end))
