# SPDX-License-Identifier: Apache-2.0
"""Shapes far from the origin, as in UTM coordinates, keep their sizes."""

from __future__ import annotations

import math

import numpy as np
import pytest
import shapely

from deepsim_colliders import BoxCollider, ColliderSet, CylinderCollider, GeometryCollider
from deepsim_math import Pose, Ray

EAST, NORTH = 5e5, 5e6


@pytest.fixture
def field():
    return GeometryCollider(shapely.box(EAST, NORTH, EAST + 10, NORTH + 10))


@pytest.mark.parametrize("gap", [1e-3, 1e-4, 1e-6])
def test_points_beside_a_geometry_are_outside(field, gap):
    inside, outside = (EAST + gap, NORTH + 5, 0), (EAST - gap, NORTH + 5, 0)
    assert field.contains(inside)
    assert not field.contains(outside)
    assert ColliderSet([field]).contains_points([inside, outside]).tolist() == [[True], [False]]
    assert field.distance(outside) == pytest.approx(gap, abs=2e-9)


def test_geometries_a_little_apart_do_not_meet(field):
    other = GeometryCollider(shapely.box(EAST + 10.004, NORTH, EAST + 20, NORTH + 10))
    assert not field.intersects(other)
    assert not ColliderSet([field]).intersects(ColliderSet([other])).any()
    assert field.distance(other) == pytest.approx(0.004, abs=2e-9)
    other.pose_offset = Pose((-0.004, 0, 0))
    assert field.intersects(other)


def test_it_still_contains_itself_however_it_is_turned(field):
    for angle in np.linspace(0, math.tau, 17):
        field.pose_offset = Pose((0, 0, 0), (0, 0, math.sin(angle / 2), math.cos(angle / 2)))
        assert field.contains(field)
        assert field.intersects(GeometryCollider(field.geometry, pose_offset=field.pose))


def test_rays_along_an_edge_count_and_those_beside_it_do_not(field):
    assert field.raycast(Ray((EAST, NORTH - 5, 0), (0, 1, 0))).distance == pytest.approx(5)
    assert field.raycast(Ray((EAST - 1e-4, NORTH - 5, 0), (0, 1, 0))) is None


def test_solids_keep_their_size(cases):
    for pose in cases(1).poses(40, 1):
        turn = tuple(pose[3:])
        near, far = (
            Pose(tuple(pose[:3]), turn),
            Pose((pose[0] + EAST, pose[1] + NORTH, pose[2]), turn),
        )
        here = BoxCollider(1, 1, 1).distance(CylinderCollider(0.2, 0.4, pose_offset=near))
        box = BoxCollider(1, 1, 1, pose_offset=Pose((EAST, NORTH, 0)))
        there = box.distance(CylinderCollider(0.2, 0.4, pose_offset=far))
        assert there == pytest.approx(here, abs=1e-8)
