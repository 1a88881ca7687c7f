# SPDX-License-Identifier: Apache-2.0
"""Answers about two colliders that touch, and about the room that one takes."""

from __future__ import annotations

from typing import NamedTuple

from deepsim_math import Point, Vector3


class Contact(NamedTuple):
    """A place where two colliders overlap, in the world frame.

    >>> from deepsim_colliders import BoxCollider, SphereCollider
    >>> from deepsim_math import Pose
    >>> ground = BoxCollider(4, 4, 1, pose_offset=Pose((0, 0, -0.5)))
    >>> contacts = ground.contacts(SphereCollider(1.0, pose_offset=Pose((0, 0, 0.9))))
    >>> [(round(each.depth, 9), each.normal) for each in contacts]
    [(0.1, Vector3(0.0, 0.0, 1.0))]
    """

    point: Point
    """Half-way between both surfaces."""

    normal: Vector3
    """Unit vector from the collider that was asked to the other."""

    depth: float
    """How far the surfaces are in each other along the normal [m], >= 0."""


class Bounds(NamedTuple):
    """The smallest box along the axes of the world that a collider fits in.

    >>> from deepsim_colliders import SphereCollider
    >>> SphereCollider(1.0).bounds.upper
    Point(1.0, 1.0, 1.0)
    """

    lower: Point
    """Least x, y and z [m]; z is -infinity for a 2D collider."""

    upper: Point
    """Greatest x, y and z [m]; z is infinity for a 2D collider."""
