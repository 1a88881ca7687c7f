# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the collider tests."""

from __future__ import annotations

import pytest
import shapely

from deepsim_colliders import (
    BoxCollider,
    CircleCollider,
    GeometryCollider,
    RectangleCollider,
    SphereCollider,
)

RING = shapely.Polygon([(-3, -2), (3, -2), (3, 2), (-3, 2)], [[(-2, -1), (2, -1), (2, 1), (-2, 1)]])


@pytest.fixture
def flat():
    """One collider of each 2D kind, at the origin."""
    return [RectangleCollider(2, 1), CircleCollider(1), GeometryCollider(RING)]


@pytest.fixture
def solid():
    """One collider of each 3D kind, at the origin."""
    return [BoxCollider(2, 1, 4), SphereCollider(1)]


@pytest.fixture
def every(flat, solid):
    """One collider of each kind, at the origin."""
    return flat + solid
