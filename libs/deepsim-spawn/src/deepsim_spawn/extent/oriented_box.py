# SPDX-License-Identifier: Apache-2.0
"""Oriented bounding boxes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from deepsim_math import Pose, Vector3, quaternions
from deepsim_spawn.description.geometry import Plane
from deepsim_spawn.description.model import ModelDescription

from .polygon import Floats, convex_hull, smallest_rectangle
from .shapes import Solid, solids

_LARGEST = 16  # number of solids whose axes are tried, which keeps the time linear
_ROUND = 1e-3  # [m], tolerance of round shapes during the search; the result is exact


@dataclass(frozen=True, slots=True)
class OrientedBox:
    """A bounding box that turns with its model.

    >>> tilted = Pose((0, 0, 1), Euler(0, 0, 0.5))
    >>> bar = CollisionDescription("bar", Box((2, 0.1, 0.1)), pose=tilted)
    >>> model = ModelDescription("bar", links=(LinkDescription("body", collisions=(bar,)),))
    >>> [round(length, 3) for length in OrientedBox.of(model).size]
    [2.0, 0.1, 0.1]

    Attributes:
        pose: Pose of its centre in the model frame; compose it with the model's pose.
        size: Full lengths along its own axes [m].
    """

    pose: Pose
    size: Vector3

    @classmethod
    def of(cls, model: ModelDescription) -> OrientedBox | None:
        """Returns a small box around a model's collisions, without planes.

        It is the smallest box with an axis along one of the axes of the model or of its 16 largest
        collisions. No smaller one exists for a single box, cylinder or ellipsoid at any pose; for a
        mesh, one may exist.

        Returns:
            The box, or None for a model without collisions other than planes.

        Raises:
            ModelFormatError: A mesh or image cannot be read.
        """
        within = [solid for solid in solids(model, Pose()) if not isinstance(solid.geometry, Plane)]
        if not within:
            return None
        axes = min(
            (turned for axes in _candidates(within) for turned in (axes, _turned(within, axes))),
            key=lambda axes: _volume(within, axes),
        )
        upper, lower = _extent(within, axes)
        middle = (upper + lower) / 2 @ axes
        turn = quaternions.from_matrix(axes.T)
        return cls(Pose(middle, turn), Vector3(*(upper - lower)))


def _candidates(within: Sequence[Solid]) -> Iterator[Floats]:
    """Yields right-handed axes as rows (3, 3), each with a different last axis."""
    sizes = [_volume([solid], np.eye(3)) for solid in within]
    largest = sorted(range(len(within)), key=lambda index: -sizes[index])[:_LARGEST]
    tried: list[Floats] = []
    for rotation in (np.eye(3), *(within[index].rotation for index in largest)):
        for last in (2, 0, 1):
            axes = np.roll(rotation.T, 2 - last, axis=0)
            if all(abs(axes[2] @ other) < 1.0 - 1e-12 for other in tried):
                tried.append(axes[2])
                yield axes


def _turned(within: Sequence[Solid], axes: Floats) -> Floats:
    """Returns the axes, turned about the last one so that the box along them is smallest."""
    shadow = np.concatenate([solid.shadow(axes[:2], _ROUND) for solid in within])
    x, y = smallest_rectangle(convex_hull(shadow))
    turned: Floats = np.array([[x, y, 0.0], [-y, x, 0.0], [0.0, 0.0, 1.0]]) @ axes
    return turned


def _volume(within: Sequence[Solid], axes: Floats) -> float:
    """Returns the volume of the box, rounded so that the first of nearly equal boxes wins."""
    upper, lower = _extent(within, axes)
    return float(f"{np.prod(upper - lower):.9g}")


def _extent(within: Sequence[Solid], axes: Floats) -> tuple[Floats, Floats]:
    """Returns the greatest and least coordinates of solids along axes (n, 3)."""
    reaches = np.max([solid.reach(np.concatenate([axes, -axes])) for solid in within], axis=0)
    return reaches[: len(axes)], -reaches[len(axes) :]
