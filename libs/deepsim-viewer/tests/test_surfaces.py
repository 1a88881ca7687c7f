# SPDX-License-Identifier: Apache-2.0
"""Meshes keep their shape, and their edges."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_math import Vector3
from deepsim_spawn import Box, Capsule, Cylinder, Ellipsoid, Sphere, shape_triangles
from deepsim_viewer.scene.surfaces import Surface, unit_shape

SHAPES = [
    Box(Vector3(0.2, 0.3, 0.4)),
    Sphere(0.5),
    Ellipsoid(Vector3(0.1, 0.2, 0.3)),
    Cylinder(0.1, 0.7),
    Capsule(0.1, 0.7),
]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: type(shape).__name__)
def test_a_scaled_unit_shape_is_the_shape(shape):
    """Faces of the shared mesh, scaled, are those of the shape itself."""
    unit, scale = unit_shape(shape)
    mesh = Surface.of(unit)
    points, corners = shape_triangles(shape)
    found = (mesh.vertices * np.array(scale))[mesh.faces].mean(axis=1)
    wanted = points[corners].mean(axis=1)
    gaps = np.linalg.norm(found[:, None] - wanted, axis=2)
    assert len(found) == len(wanted)
    assert gaps.min(axis=0).max() < 1e-6
    assert gaps.min(axis=1).max() < 1e-6


@pytest.mark.parametrize(("shape", "count"), [(SHAPES[0], 24), (SHAPES[1], None)])
def test_edges(shape, count):
    """A box has three vertices at each corner; a ball is smooth all over."""
    assert len(Surface.of(shape).vertices) == (count or len(shape_triangles(shape)[0]))


def test_the_rim_of_a_cylinder_is_sharp():
    """Normals that are means at the vertices point along z on the caps, and nowhere else."""
    rim = Surface.of(Cylinder(1.0, 1.0))
    vertices, faces = rim.vertices, rim.faces
    a, b, c = vertices[faces].swapaxes(0, 1)
    normals = np.zeros_like(vertices)
    for corner in faces.T:
        np.add.at(normals, corner, np.cross(b - a, c - a))
    up = np.abs(normals[:, 2]) / np.linalg.norm(normals, axis=1)
    assert np.all((up < 1e-5) | (up > 1 - 1e-5))
