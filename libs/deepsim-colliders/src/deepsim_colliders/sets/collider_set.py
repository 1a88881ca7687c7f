# SPDX-License-Identifier: Apache-2.0
"""Queries of many colliders at once."""

from __future__ import annotations

import operator
from typing import Iterable, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from deepsim_colliders._borders import lengths
from deepsim_colliders.collider import ALL_LAYERS, Collider
from deepsim_colliders.results import Clearances, RayHits

from .clearance import clearances, first_meetings
from .meeting import contain, hold_points, meet
from .raycast import first_hits
from .rows import Array, Flags, Index, Rays, leading_shape
from .snapshot import Snapshot


class ColliderSet:
    """Set of colliders of the same dimensions, stored as arrays to query all of them at once.

    A query answers as the colliders themselves would have at the time of the last `update`.
    Results refer to colliders by ids, which count from 0 in the given order. Queries of points
    and rays are limited to the layers of a `mask`, by default all.

    With `worlds`, the colliders exist in every world, at separate poses. Colliders of different
    worlds never meet, and arrays have a first axis of worlds in arguments and results. A query with
    a set of other dimensions raises TypeError, and with another number of worlds ValueError.

    >>> from deepsim_colliders import SphereCollider
    >>> ball = ColliderSet([SphereCollider(1.0)], worlds=2)
    >>> ball.update([[(5, 0, 0, 0, 0, 0, 1)], [(9, 0, 0, 0, 0, 0, 1)]])
    >>> ball.raycast([[(0, 0, 0)], [(0, 0, 0)]], (1, 0, 0)).distances.tolist()
    [[4.0], [8.0]]

    Args:
        colliders: at least one, all 2D or all 3D.
        worlds: number of worlds, >= 1; None for a single world without an axis of worlds.

    Raises:
        TypeError: when an entry is not a collider, dimensions are mixed, or `worlds` is not an
            integer.
        ValueError: when `colliders` is empty, or `worlds` is less than 1.
    """

    def __init__(
        self,
        colliders: Iterable[Collider],
        *,
        worlds: SupportsIndex | None = None,
    ) -> None:
        self._worlds = None if worlds is None else _count(worlds, "worlds")
        self._adopt(tuple(colliders), None)

    def _adopt(self, given: tuple[Collider, ...], bases: Array | None) -> None:
        for collider in given:
            if not isinstance(collider, Collider):
                raise TypeError(f"a ColliderSet needs colliders, got {collider!r}")
        if not given:
            raise ValueError("a ColliderSet needs at least one collider, got none")
        if len({collider.dimensions for collider in given}) > 1:
            raise TypeError("a ColliderSet must be all 2D or all 3D; make two sets")
        self._now = Snapshot(given, given[0].dimensions, self._worlds or 1, bases)
        self._colliders = given
        self._dimensions = given[0].dimensions

    @property
    def colliders(self) -> tuple[Collider, ...]:
        """The colliders; the id of each is its index."""
        return self._colliders

    @property
    def dimensions(self) -> int:
        """Number of dimensions, 2 or 3."""
        return self._dimensions

    @property
    def worlds(self) -> int | None:
        """Number of worlds; None for a set without an axis of worlds."""
        return self._worlds

    def __len__(self) -> int:
        return len(self._colliders)

    def __repr__(self) -> str:
        worlds = "" if self._worlds is None else f", worlds={self._worlds}"
        return f"{type(self).__name__}({list(self._colliders)!r}{worlds})"

    def add(self, *colliders: Collider) -> None:
        """Adds colliders, with the next ids, at their own poses in all worlds.

        Raises:
            TypeError: when an argument is not a collider, or has other dimensions.
        """
        if colliders:
            more = ColliderSet(colliders, worlds=self._worlds)
            bases = np.concatenate([self._now.bases, more._now.bases], axis=1)
            self._adopt(self._colliders + colliders, bases)

    def remove(self, *colliders: Collider) -> None:
        """Removes colliders; later colliders move to lower ids.

        Raises:
            ValueError: when a collider is not in the set, or none would remain.
        """
        kept = list(range(len(self)))
        for collider in colliders:
            places = [k for k in kept if self._colliders[k] is collider]
            if not places:
                raise ValueError(f"cannot remove {collider!r}: it is not in the set")
            kept.remove(places[0])
        self._adopt(tuple(self._colliders[k] for k in kept), self._now.bases[:, kept])

    def update(self, poses: ArrayLike | None = None) -> None:
        """Updates poses, pose offsets, layers, masks and enabled flags from the colliders.

        Args:
            poses: (n, 7) poses in the world frame, used in place of the sources' poses; all else
                remains as last read. With worlds, (worlds, n, 7), or (n, 7) for all of them.

        Raises:
            TypeError: when `poses` are masked or not numbers.
            ValueError: when `poses` has another shape, or a quaternion has zero length.
        """
        if poses is None:
            self._now.read()
        else:
            self._now.place(poses, self._worlds is not None)

    def pairs(self, other: ColliderSet | None = None) -> Index:
        """Returns the pairs of colliders that meet.

        Args:
            other: the other side; by default the set itself. A set without worlds is present in
                each world.

        Returns:
            Pairs of ids (k, 2) in ascending order; the second id is of the other set. Within one
            set, each pair occurs once, lower id first, and no collider is paired with itself. With
            worlds, the shape is (k, 3), world first.
        """
        a, b = self._now, self._now if other is None else self._checked(other)._now
        ids = len(self), len(self if other is None else other)
        codes: list[Index] = []
        for world, i, j in a.pairs(b, once=other is None):
            rows, others = a.all_rows.take(i), b.all_rows.take(j)
            met = meet(rows, others)
            code = (world * ids[0] + rows.owner) * ids[1] + others.owner
            codes.append(code[met])
        # A compound may meet by several of its parts.
        once = np.unique(np.concatenate(codes)) if codes else np.empty(0, dtype=np.intp)
        found = np.stack(np.unravel_index(once, (self._count(other), *ids)), axis=1)
        return found[:, 1:] if self._axis(other) is None else found

    def intersects(self, other: ColliderSet | None = None) -> Flags:
        """Returns whether each collider meets each collider of `other`, shape (n, m).

        Without `other`, the set is tested against itself, with a diagonal of False. With worlds,
        the first axis is that of the worlds.
        """
        pairs = self.pairs(other)
        axis, sizes = self._axis(other), (len(self), len(self if other is None else other))
        met = np.zeros(sizes if axis is None else (axis, *sizes), dtype=np.bool_)
        met[tuple(pairs.T)] = True
        return met | met.swapaxes(-1, -2) if other is None else met

    def contains(self, other: ColliderSet) -> Flags:
        """Returns whether each collider contains each collider of `other`, shape (n, m).

        With worlds, the first axis is that of the worlds.
        """
        a, b = self._now, self._checked(other)._now
        worlds, parts = self._count(other), b.count
        # Each part of a compound must be inside a part of the other.
        held = np.zeros((worlds, len(self), parts), dtype=np.bool_)
        for world, i, j in a.pairs(b, once=False):
            rows = a.all_rows.take(i)
            inside = contain(rows, b.all_rows.take(j))
            held[world[inside], rows.owner[inside], j[inside] % parts] = True
        owner, live = b.all_rows.owner[:parts], b.live.reshape(-1, parts)
        answers = np.ones((worlds, len(self), len(other)), dtype=np.bool_)
        held |= ~live[:, np.newaxis]
        for part in range(parts):
            answers[:, :, owner[part]] &= held[:, :, part]
        taking_part = np.zeros((len(live), len(other)), dtype=np.bool_)
        world, row = np.nonzero(live)
        taking_part[world, owner[row]] = True
        answers &= taking_part[:, np.newaxis]
        return answers[0] if self._axis(other) is None else answers

    def contains_points(self, points: ArrayLike, *, mask: SupportsIndex = ALL_LAYERS) -> Flags:
        """Returns whether each point is in each collider.

        Args:
            points: shape (..., 3), in the world frame; 2D colliders also accept (..., 2). With
                worlds, (worlds, ..., 3), or a shape that broadcasts to it.
            mask: layers of the colliders to test.

        Returns:
            Array of shape (..., n).

        Raises:
            TypeError: when `points` are masked or not numbers.
            ValueError: when `points` has another shape.
        """
        array = self._checked_array(points, "points")
        lead = leading_shape([array.shape[:-1]], self._worlds)
        array = np.broadcast_to(array, (*lead, array.shape[-1]))[..., : self._dimensions]
        flat = array.reshape(self._worlds or 1, -1, self._dimensions)
        columns = flat.reshape(-1, self._dimensions).T
        inside = np.zeros((columns.shape[1], len(self)), dtype=np.bool_)
        for point, row in self._now.around(flat, self._now.asked(mask)):
            rows = self._now.all_rows.take(row)
            with np.errstate(all="ignore"):
                held = hold_points(rows, rows.to_local(columns[:, point]))
            inside[point[held], rows.owner[held]] = True
        return inside.reshape(*lead, len(self))

    def raycast(
        self,
        origins: ArrayLike,
        directions: ArrayLike,
        *,
        min_distance: ArrayLike = 0.0,
        max_distance: ArrayLike = np.inf,
        mask: SupportsIndex = ALL_LAYERS,
    ) -> RayHits:
        """Returns the first hit of each ray on any collider.

        A ray consists of the points at distances from `min_distance` to `max_distance`. If it
        starts inside a collider or on its surface, the distance is `min_distance` and the normal is
        NaN. Of colliders at the same distance, the one with the lowest id is hit.

        Args:
            origins: shape (..., 3), in the world frame; 2D colliders also accept (..., 2). With
                worlds, (worlds, ..., 3).
            directions: likewise, of any length; all arguments broadcast.
            min_distance: shape (...) [m], >= 0.
            max_distance: shape (...) [m], >= 0.
            mask: layers of the colliders to hit.

        Raises:
            ValueError: when shapes do not broadcast, a direction has zero length or a distance is
                negative.
        """
        rays, lead = self._rays(origins, directions, min_distance, max_distance)
        return first_hits(self._now, rays, lead, self._now.asked(mask))

    def spherecast(
        self,
        origins: ArrayLike,
        directions: ArrayLike,
        radius: ArrayLike,
        *,
        max_distance: ArrayLike = np.inf,
        mask: SupportsIndex = ALL_LAYERS,
    ) -> RayHits:
        """Returns the first meeting of each ball, whose centre moves along a ray.

        In 2D, the balls are discs. Distances are those that the centre travels; points are those
        of the colliders that are met, and normals point from there to the centre. A ball that meets
        a collider at its start has the distance 0 and the normal NaN.

        >>> from deepsim_colliders import BoxCollider
        >>> hits = ColliderSet([BoxCollider(2, 2, 2)]).spherecast((-5, 0, 1.2), (1, 0, 0), 0.5)
        >>> float(hits.distances.round(9)), hits.points.round(9).tolist()
        (3.541742431, [-1.0, 0.0, 1.0])

        Args:
            origins: shape (..., 3), in the world frame; 2D colliders also accept (..., 2). With
                worlds, (worlds, ..., 3).
            directions: likewise, of any length; all arguments broadcast.
            radius: shape (...) [m], >= 0.
            max_distance: shape (...) [m], >= 0.
            mask: layers of the colliders to hit.

        Raises:
            ValueError: when shapes do not broadcast, a direction has zero length, or a radius or
                distance is negative.
        """
        size = lengths(radius, "radius")
        rays, lead = self._rays(origins, directions, 0.0 * size, max_distance)
        radii = np.broadcast_to(size, lead).reshape(-1)
        return first_meetings(self._now, rays, radii, lead, self._now.asked(mask))

    def clearance(
        self,
        points: ArrayLike,
        ends: ArrayLike | None = None,
        *,
        radius: ArrayLike = 0.0,
        max_distance: ArrayLike = np.inf,
        mask: SupportsIndex = ALL_LAYERS,
    ) -> Clearances:
        """Returns the distance of each point, ball or capsule from the nearest collider.

        The distance is 0 if they meet. Of several at the same distance from the point, or from the
        central line of the capsule, the one with the lowest id counts.

        >>> from deepsim_colliders import BoxCollider
        >>> wall = ColliderSet([BoxCollider(1, 9, 2)])
        >>> wall.clearance([(3, 0, 0), (0, 0, 0)], radius=0.5).distances.tolist()
        [2.0, 0.0]
        >>> wall.clearance((3, 0, 0), (1, 2, 0), radius=0.25).distances.tolist()  # a capsule
        0.25

        Args:
            points: shape (..., 3), in the world frame; 2D colliders also accept (..., 2). With
                worlds, (worlds, ..., 3). All arguments broadcast.
            ends: the other ends of the central lines of capsules; None for points and balls.
            radius: radius of the balls or capsules, shape (...) [m], >= 0.
            max_distance: colliders farther away than this [m] do not count, shape (...), >= 0.
            mask: layers of the colliders that count.

        Raises:
            TypeError: when arrays are masked or not numbers.
            ValueError: when shapes do not broadcast, or a radius or distance is negative.
        """
        given = [self._checked_array(points, "points")]
        if ends is not None:
            given.append(self._checked_array(ends, "ends"))
        size, limit = lengths(radius, "radius"), lengths(max_distance, "max_distance")
        shapes = [each.shape[:-1] for each in given] + [size.shape, limit.shape]
        lead, dimensions = leading_shape(shapes, self._worlds), self._dimensions
        worlds = self._worlds or 1
        start, *others = (
            np.broadcast_to(each[..., :dimensions], (*lead, dimensions)).reshape(
                worlds, -1, dimensions
            )
            for each in given
        )
        radii, limits = (np.broadcast_to(each, lead).reshape(worlds, -1) for each in (size, limit))
        steps = others[0] - start if others else None
        ids, distances = clearances(self._now, start, steps, radii, limits, self._now.asked(mask))
        return Clearances(ids.reshape(lead), distances.reshape(lead))

    def _rays(
        self, origins: ArrayLike, directions: ArrayLike, nearest: ArrayLike, farthest: ArrayLike
    ) -> tuple[Rays, tuple[int, ...]]:
        return Rays.read(
            self._checked_array(origins, "origins"),
            self._checked_array(directions, "directions"),
            nearest,
            farthest,
            self._worlds,
        )

    def _checked(self, other: ColliderSet) -> ColliderSet:
        if not isinstance(other, ColliderSet):
            raise TypeError(f"expected another ColliderSet, got {other!r}")
        if other.dimensions != self.dimensions:
            raise TypeError(
                f"cannot test {self.dimensions}D colliders against {other.dimensions}D ones"
            )
        if None not in (self.worlds, other.worlds) and self.worlds != other.worlds:
            raise ValueError(f"cannot test {self.worlds} worlds against {other.worlds}")
        return other

    def _axis(self, other: ColliderSet | None) -> int | None:
        """Returns the number of worlds of a result, or None without an axis of worlds."""
        return self._worlds if other is None or self._worlds is not None else other._worlds

    def _count(self, other: ColliderSet | None) -> int:
        return self._axis(other) or 1

    def _checked_array(self, values: ArrayLike, name: str) -> Array:
        return self._colliders[0]._points_array(values, name)


def _count(value: SupportsIndex, name: str) -> int:
    try:
        count = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, got {value!r}") from None
    if count < 1:
        raise ValueError(f"{name} must be at least 1, got {count}")
    return count
