# SPDX-License-Identifier: Apache-2.0
"""Many colliders, asked at once."""

from __future__ import annotations

import operator
from typing import Any, Iterable, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from deepsim_math import Frustum

from ._broad_phase import near_points, near_rays
from ._containment import contain
from ._frustum_tests import seen
from ._nearest import Nearest
from ._pair_tests import hold_points, meet
from ._pixels import pixel_rays, seen_pixels
from ._ray_tests import distances, ray_hits
from ._rays import Rays
from ._rows import Array, Flags, Index
from ._snapshot import Snapshot, by_kind
from .collider import Collider
from .layers import ALL_LAYERS
from .ray_hits import RayHits
from .segmentation import Segmentation


class ColliderSet:
    """Colliders of the same dimensions as arrays, for queries about all of them.

    It answers as the colliders themselves do, for the moment of the last `update`. Colliders are
    numbered from 0 in the order in which they were given; answers name them by these ids. Points,
    rays and cameras ask for the layers of a `mask`, all of them by default.

    Args:
        colliders: at least one, all 2D or all 3D.

    Raises:
        TypeError: when one is no collider, or dimensions are mixed.
        ValueError: when there is none.
    """

    def __init__(self, colliders: Iterable[Collider]) -> None:
        given = tuple(colliders)
        for collider in given:
            if not isinstance(collider, Collider):
                raise TypeError(f"a ColliderSet holds colliders, got {collider!r}")
        if not given:
            raise ValueError("a ColliderSet needs at least one collider, got none")
        if len({collider.dimensions for collider in given}) > 1:
            raise TypeError("a ColliderSet holds 2D or 3D colliders, not both; make two sets")
        self._colliders = given
        self._dimensions = given[0].dimensions
        self._now = Snapshot(given, self._dimensions)

    @property
    def colliders(self) -> tuple[Collider, ...]:
        """The colliders; the id of each is its place here."""
        return self._colliders

    @property
    def dimensions(self) -> int:
        """2 or 3."""
        return self._dimensions

    def __len__(self) -> int:
        return len(self._colliders)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(self._colliders)!r})"

    def update(self, poses: ArrayLike | None = None) -> None:
        """Take poses, pose offsets, layers, masks and what is enabled from the colliders.

        Args:
            poses: (n, 7) poses of what the colliders are attached to, in the world, instead of
                asking each; the rest then stays as it was read last.

        Raises:
            ValueError: when `poses` has another shape, or a quaternion has zero length.
        """
        if poses is None:
            self._now.read()
        else:
            self._now.place(poses)

    def pairs(self, other: ColliderSet | None = None) -> Index:
        """Which colliders meet.

        Args:
            other: the other side; without it, the set is tested against itself.

        Returns:
            Pairs of ids, (k, 2), in ascending order. With `other` the second is an id of that set;
            without it each pair is named once, lower id first, and none is paired with itself.

        Raises:
            TypeError: when `other` is no set of the same dimensions.
        """
        a, b = self._now, self._now if other is None else self._checked(other)._now
        rows, others = a.rows(), b.rows()
        count = len(self if other is None else other)
        codes: list[Index] = []
        for i, j in a.balls.overlapping(b.balls):
            ids, other_ids = rows.owner[i], others.owner[j]
            asked = a.may_meet(b, ids, other_ids)
            if other is None:
                asked &= ids < other_ids
            met = np.flatnonzero(asked)
            met = met[meet(rows.take(i[met]), others.take(j[met]))]
            codes.append(ids[met] * count + other_ids[met])
        found = _sorted_once(codes)
        pairs = np.empty((found.size, 2), dtype=np.intp)
        np.divmod(found, count, out=(pairs[:, 0], pairs[:, 1]))
        return pairs

    def intersects(self, other: ColliderSet | None = None) -> Flags:
        """Whether each collider meets each collider of `other`, shape (n, m).

        Without `other` those of the set itself, shape (n, n), with a diagonal of False.

        Raises:
            TypeError: when `other` is no set of the same dimensions.
        """
        first, second = self.pairs(other).T
        met = np.zeros((len(self), len(self if other is None else other)), dtype=np.bool_)
        met[first, second] = True
        return met | met.T if other is None else met

    def contains(self, other: ColliderSet) -> Flags:
        """Whether each collider contains each collider of `other`, shape (n, m).

        Raises:
            TypeError: when `other` is no set of the same dimensions.
        """
        a, b = self._now, self._checked(other)._now
        rows, others = a.rows(), b.rows()
        # Each part of a compound must be in some part of the other.
        held = np.zeros((len(self), others.owner.size), dtype=np.bool_)
        for i, j in a.balls.overlapping(b.balls):
            asked = np.flatnonzero(a.may_meet(b, rows.owner[i], others.owner[j]))
            i, j = i[asked], j[asked]
            inside = contain(rows.take(i), others.take(j))
            held[rows.owner[i[inside]], j[inside]] = True
        answers = np.ones((len(self), len(other)), dtype=np.bool_)
        answers[:, np.bincount(others.owner, minlength=len(other)) == 0] = False
        owners, parts = np.nonzero(~held)
        answers[owners, others.owner[parts]] = False
        return answers

    def contains_points(self, points: ArrayLike, *, mask: SupportsIndex = ALL_LAYERS) -> Flags:
        """Whether each point is in each collider, as `Collider.contains_points` of each.

        Args:
            points: shape (..., 3), in the world frame; 2D colliders take (..., 2) as well.
            mask: layers of the colliders to ask.

        Returns:
            Array of shape (..., n).

        Raises:
            ValueError: when `points` has another shape.
        """
        array = self._checked_array(points)
        flat = array[..., : self._dimensions].reshape(-1, self._dimensions)
        inside = np.zeros((len(flat), len(self)), dtype=np.bool_)
        for _, rows in by_kind(self._now.rows(mask)):
            for point, row in near_points(rows, flat):
                met = rows.take(row)
                held = hold_points(met, met.to_local(flat[point].T))
                inside[point[held], met.owner[held]] = True
        return inside.reshape(*array.shape[:-1], len(self))

    def raycast(
        self,
        origins: ArrayLike,
        directions: ArrayLike,
        *,
        min_distance: ArrayLike = 0.0,
        max_distance: ArrayLike = np.inf,
        mask: SupportsIndex = ALL_LAYERS,
    ) -> RayHits:
        """Find where each ray first meets a collider.

        A ray is the points at distances from `min_distance` to `max_distance`. When it starts in a
        collider or on its surface, the distance is `min_distance` and there is no normal, as in
        `Collider.raycast`. Of colliders at the same distance the one with the lowest id is met.

        Args:
            origins: shape (..., 3), in the world frame; 2D colliders take (..., 2) as well.
            directions: likewise, of any length; all arguments broadcast.
            min_distance: shape (...) [m], >= 0.
            max_distance: shape (...) [m], >= 0.
            mask: layers of the colliders to meet.

        Raises:
            ValueError: when a shape does not fit, a direction has zero length or a distance is
                negative.
        """
        rays, lead = Rays.read(
            self._checked_array(origins),
            self._checked_array(directions),
            min_distance,
            max_distance,
        )
        rows = self._now.rows(mask)
        flat = rays.flat(self._dimensions)
        nearest = Nearest(rows, rays.nearest.size)
        for start, some in by_kind(rows):
            for ray, row in near_rays(some, flat.origins.T, flat.directions.T):
                nearest.add(ray, start + row, distances(some.take(row), flat.take(ray)))
        return ray_hits(rows, rays, lead, nearest)

    def cull(self, frustum: Frustum, *, mask: SupportsIndex = ALL_LAYERS) -> Index:
        """Ids of the colliders that a camera may see, in ascending order.

        Boxes and spheres count when a part of them is in the frustum, capsules when a part of the
        box around them is.

        Raises:
            TypeError: when `frustum` is no Frustum, or the colliders are 2D.
        """
        self._refuse_no_view(frustum)
        rows = self._now.rows(mask)
        return np.unique(rows.owner[seen(rows, frustum)])

    def segmentation(
        self,
        frustum: Frustum,
        width: SupportsIndex,
        height: SupportsIndex,
        *,
        mask: SupportsIndex = ALL_LAYERS,
    ) -> Segmentation:
        """Find which collider each pixel of a picture shows.

        A pixel shows what the ray from the camera through its middle first meets between the near
        and the far plane, exactly as `raycast` finds it; a collider cut by the near plane is seen
        as solid there.

        Args:
            frustum: what the camera sees.
            width: columns of the picture, >= 1.
            height: rows of the picture, >= 1.
            mask: layers of the colliders to see.

        Raises:
            TypeError: when `frustum` is no Frustum, a size is no integer or the colliders are 2D.
            ValueError: when a size is less than 1.
        """
        self._refuse_no_view(frustum)
        size = _pixels(height, "height"), _pixels(width, "width")
        directions, cosines = pixel_rays(frustum, size[1], size[0])
        origins = np.asarray(frustum.pose.position)[:, np.newaxis]
        rays = Rays(origins, directions, frustum.near / cosines, frustum.far / cosines)
        rows = self._now.rows(mask)
        nearest = Nearest(rows, cosines.size)
        for start, some in by_kind(rows):
            for pixel, row in seen_pixels(some, frustum, size[1], size[0]):
                nearest.add(pixel, start + row, distances(some.take(row), rays.take(pixel)))
        ids = np.full(cosines.size, -1, dtype=np.int32)
        hits = nearest.row >= 0
        ids[hits] = rows.owner[nearest.row[hits]]
        return Segmentation(ids.reshape(size), (nearest.distance * cosines).reshape(size))

    def _checked(self, other: ColliderSet) -> ColliderSet:
        if not isinstance(other, ColliderSet):
            raise TypeError(f"a ColliderSet meets another one, got {other!r}")
        if other.dimensions != self.dimensions:
            raise TypeError(
                f"cannot test {self.dimensions}D colliders against {other.dimensions}D ones"
            )
        return other

    def _checked_array(self, values: ArrayLike) -> Array:
        return self._colliders[0]._points_array(values)

    def _refuse_no_view(self, frustum: Any) -> None:
        if not isinstance(frustum, Frustum):
            raise TypeError(f"a Frustum says what the camera sees, got {frustum!r}")
        if self._dimensions != 3:
            raise TypeError("a camera sees 3D colliders only, and these are 2D")


def _pixels(value: SupportsIndex, name: str) -> int:
    try:
        count = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, got {value!r}") from None
    if count < 1:
        raise ValueError(f"{name} must be at least 1 pixel, got {count}")
    return count


def _sorted_once(parts: list[Index]) -> Index:
    """All numbers in ascending order, each once; for a handful quicker than `np.unique`."""
    numbers = np.sort(np.concatenate(parts)) if parts else np.empty(0, dtype=np.intp)
    first = np.ones(numbers.size, dtype=np.bool_)
    np.not_equal(numbers[1:], numbers[:-1], out=first[1:])
    return numbers[first]
