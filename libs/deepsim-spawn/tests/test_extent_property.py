# SPDX-License-Identifier: Apache-2.0
"""Bounds, boxes and footprints of random models agree with those of trimesh's triangles."""

from __future__ import annotations

import math

import numpy as np
import pytest
import trimesh
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deepsim_math import Pose, Quaternion, Vector3
from deepsim_spawn import (
    Bounds,
    Box,
    Capsule,
    CollisionDescription,
    Cone,
    Cylinder,
    Ellipsoid,
    Footprint,
    LinkDescription,
    ModelDescription,
    Sphere,
)

lengths = st.floats(0.05, 3.0)
places = st.floats(-5.0, 5.0)
angles = st.floats(-math.pi, math.pi) | st.sampled_from([0.0, math.pi / 2, math.pi])
poses = st.builds(
    Pose,
    st.builds(Vector3, places, places, places),
    st.builds(Quaternion.from_euler, angles, angles, angles),
)
shapes = st.one_of(
    st.builds(Box, st.tuples(lengths, lengths, lengths)),
    st.builds(Sphere, lengths),
    st.builds(Cylinder, lengths, lengths),
    st.builds(Capsule, lengths, lengths),
    st.builds(Cone, lengths, lengths),
    st.builds(Ellipsoid, st.tuples(lengths, lengths, lengths)),
)
FIXTURE = [HealthCheck.function_scoped_fixture]  # that of `matrix` has no state
ROUND = 0.05  # of 3 m: what a ball of 1280 triangles leaves out


def triangles(shape):
    """The shape by trimesh, in its own frame."""
    match shape:
        case Box(size):
            return trimesh.creation.box(extents=tuple(size))
        case Sphere(radius):
            return trimesh.creation.icosphere(subdivisions=3, radius=radius)
        case Cylinder(radius, length):
            return trimesh.creation.cylinder(radius, length, sections=64)
        case Capsule(radius, length):
            ball = trimesh.creation.icosphere(subdivisions=3, radius=radius).vertices
            up = np.array([0, 0, length / 2])
            ends = np.concatenate([ball + up, ball - up])
            return trimesh.convex.convex_hull(ends)
        case Cone(radius, length):
            cone = trimesh.creation.cone(radius, length, sections=64)  # stands on its base
            cone.apply_translation([0, 0, -length / 2])
            return cone
        case Ellipsoid(radii):
            ball = trimesh.creation.icosphere(subdivisions=3)
            ball.apply_scale(tuple(radii))
            return ball


@st.composite
def models(draw):
    """Up to two links with up to two collisions each, one of them in a nested model."""

    def link(name):
        given = draw(st.lists(st.tuples(shapes, poses), min_size=1, max_size=2))
        collisions = (
            CollisionDescription(f"c{n}", shape, pose) for n, (shape, pose) in enumerate(given)
        )
        return LinkDescription(name, draw(poses), collisions=tuple(collisions))

    nested = draw(st.booleans())
    inner = ModelDescription("inner", draw(poses), links=(link("b"),)) if nested else None
    return ModelDescription("m", links=(link("a"),), models=(inner,) if inner else ())


def world_triangles(model, pose, matrix):
    """All triangles (n, 3, 3) of a model, by 4x4 matrices."""
    found = []

    def visit(part, frame):
        for link in part.links:
            for collision in link.collisions:
                mesh = triangles(collision.geometry)
                mesh.apply_transform(frame @ matrix(link.pose) @ matrix(collision.pose))
                found.append(mesh.triangles)
        for inner in part.models:
            visit(inner, frame @ matrix(inner.pose))

    visit(model, matrix(pose))
    return np.concatenate(found)


@settings(max_examples=25, deadline=None, suppress_health_check=FIXTURE)
@given(models(), poses)
def test_bounds(matrix, model, pose):
    points = world_triangles(model, pose, matrix).reshape(-1, 3)
    bounds = Bounds.of(model, pose)
    assert np.array(bounds.lower) == pytest.approx(points.min(axis=0), abs=ROUND)
    assert np.array(bounds.upper) == pytest.approx(points.max(axis=0), abs=ROUND)
    assert (np.array(bounds.lower) <= points.min(axis=0) + 1e-9).all()
    assert (np.array(bounds.upper) >= points.max(axis=0) - 1e-9).all()


def covered(triangles, points):
    """Which points (n, 2) lie in the shadow of some triangle, by the signs of three areas."""
    corners = triangles[:, None, :, :2]
    sides = np.roll(corners, -1, axis=2) - corners
    to = points[None, :, None] - corners
    areas = sides[..., 0] * to[..., 1] - sides[..., 1] * to[..., 0]
    return ((areas >= 0).all(axis=2) | (areas <= 0).all(axis=2)).any(axis=0)


@settings(max_examples=25, deadline=None, suppress_health_check=FIXTURE)
@given(models(), poses, st.integers(0, 2**32 - 1))
def test_the_footprint_is_the_shadow_of_all_triangles(matrix, model, pose, seed):
    """Points well inside and well outside of the shadow are told apart."""
    shadow = world_triangles(model, pose, matrix)
    low, high = shadow.reshape(-1, 3).min(axis=0)[:2], shadow.reshape(-1, 3).max(axis=0)[:2]
    points = np.random.default_rng(seed).uniform(low - 0.1, high + 0.1, (60, 2))
    footprint = Footprint.of(model, pose)
    found = footprint.contains(points)
    expected = covered(shadow, points)
    assert found[expected].all()  # trimesh's round shapes are the smaller ones
    around = [
        covered(shadow, points + 2 * ROUND * np.array([math.cos(turn), math.sin(turn)]))
        for turn in np.arange(4) * math.pi / 2
    ]
    far = ~np.any([expected, *around], axis=0)
    assert not found[far].any()
