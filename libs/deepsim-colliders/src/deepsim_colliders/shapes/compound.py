# SPDX-License-Identifier: Apache-2.0
"""Colliders composed of other colliders."""

from __future__ import annotations

import copy
from typing import Any, Iterable

from deepsim_colliders._shape import Shape
from deepsim_colliders.collider import ORIGIN, Collider
from deepsim_math import Pose


class CompoundCollider(Collider):
    """Union of colliders that move as one, such as a car of boxes, a table or a gate.

    The parts are copies, each at its `pose_offset` in the frame of the compound. Parts can be
    disabled individually; their layers and masks are ignored.

    A ray that passes directly from one part into the next leaves the compound after the last one.
    The compound contains a collider if each part of that collider is inside a single part of the
    compound; a part that several parts cover together does not count.

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

    Raises:
        TypeError: when a part is not a collider, or dimensions are mixed.
        ValueError: when `parts` is empty.
    """

    def __init__(self, parts: Iterable[Collider], *, pose_offset: Pose = ORIGIN) -> None:
        super().__init__(pose_offset)
        given = tuple(parts)
        for part in given:
            if not isinstance(part, Collider):
                raise TypeError(f"the parts of a CompoundCollider must be colliders, got {part!r}")
        if not given:
            raise ValueError("a CompoundCollider needs at least one part, got none")
        if len({part.dimensions for part in given}) > 1:
            names = ", ".join(f"{type(part).__name__} ({part.dimensions}D)" for part in given)
            raise TypeError(f"parts of a CompoundCollider must all be 2D or all be 3D, got {names}")
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
