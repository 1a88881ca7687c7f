# SPDX-License-Identifier: Apache-2.0
"""Colliders made of others."""

from __future__ import annotations

import copy
from typing import Any, Iterable

import numpy as np
from numpy.typing import NDArray

from deepsim_colliders._follower import ORIGIN
from deepsim_colliders._shape import Shape
from deepsim_colliders.collider import Collider
from deepsim_math import Pose


class CompoundCollider(Collider):
    """Union of colliders that move as one: a car of boxes, a table, a gate.

    The parts are copies. The `pose_offset` of each is its place in the frame of the compound. A
    part may be disabled by itself; layers and masks of parts do not count.

    A ray that passes from one part straight into the next leaves only behind the last. A collider
    counts as contained when some part contains it, or each of its own parts: not when only several
    parts together cover it.

    >>> from deepsim_colliders import BoxCollider
    >>> table = CompoundCollider(
    ...     [
    ...         BoxCollider(1.0, 1.0, 0.1, pose_offset=Pose((0, 0, 0.75))),
    ...         BoxCollider(0.1, 0.1, 0.7, pose_offset=Pose((0, 0, 0.35))),
    ...     ]
    ... )
    >>> table.contains((0.4, 0.4, 0.75)), table.contains((0.4, 0.4, 0.35))
    (True, False)

    Args:
        parts: at least one collider, all of the same dimensions.
        pose_offset: see `Collider`.

    Raises:
        TypeError: when a part is not a collider, or dimensions are mixed.
        ValueError: when `parts` is empty.
    """

    def __init__(self, parts: Iterable[Collider], *, pose_offset: Pose = ORIGIN) -> None:
        super().__init__(pose_offset)
        given = tuple(parts)
        for part in given:
            if not isinstance(part, Collider):
                raise TypeError(f"the parts of a CompoundCollider are colliders, got {part!r}")
        if not given:
            raise ValueError("a CompoundCollider needs at least one part, got none")
        if len({part.dimensions for part in given}) > 1:
            names = ", ".join(f"{type(part).__name__} ({part.dimensions}D)" for part in given)
            raise TypeError(f"the parts of a CompoundCollider share their dimensions, got {names}")
        self.dimensions = given[0].dimensions
        self._adopt(given)

    @property
    def parts(self) -> tuple[Collider, ...]:
        """The parts, each attached to the compound."""
        return self._parts

    def __repr__(self) -> str:
        offset = f", pose_offset={self.pose_offset!r}" if self.pose_offset != ORIGIN else ""
        return f"{type(self).__name__}({list(self._parts)!r}{offset})"

    def __copy__(self) -> CompoundCollider:
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._adopt(self._parts)
        return twin

    def _adopt(self, parts: tuple[Collider, ...]) -> None:
        self._parts = tuple(copy.copy(part) for part in parts)
        for part in self._parts:
            part.attach(self)

    def _placed_shapes(self, base: Pose) -> list[tuple[Shape, Pose, bool]]:
        pose = base @ self.pose_offset
        placed = [entry for part in self._parts for entry in part._placed_shapes(pose)]
        return [(shape, place, enabled and self.enabled) for shape, place, enabled in placed]

    def _live_shapes(self) -> list[Shape]:
        if not self._enabled:
            return []
        return [shape for part in self._parts for shape in part._live_shapes()]

    def _point(self, values: Any) -> Any:
        return self._parts[0]._point(values)

    def _refuse_array(self, points: NDArray[np.float64]) -> None:
        self._parts[0]._refuse_array(points)
