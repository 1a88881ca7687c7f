# SPDX-License-Identifier: Apache-2.0
"""Models as colliders, against MuJoCo's rays and what the shapes say."""

from __future__ import annotations

import doctest
import math

import numpy as np
import pytest

import deepsim_spawn.collision_shapes
from deepsim_math import Pose, Ray
from deepsim_spawn import (
    Box,
    Capsule,
    CollisionDescription,
    Cone,
    Cylinder,
    Ellipsoid,
    Heightmap,
    Image,
    LinkDescription,
    Mesh,
    ModelDescription,
    Plane,
    Polyline,
    Sphere,
    Surface,
    colliders_of,
)

pytest.importorskip("deepsim_colliders")


def _model(*geometries, pose=Pose(), surface=Surface()):  # noqa: B008, both are immutable
    collisions = [
        CollisionDescription(f"c{k}", geometry, pose, surface)
        for k, geometry in enumerate(geometries)
    ]
    link = LinkDescription("link", Pose((0, 0, 1)), collisions=tuple(collisions))
    return ModelDescription("model", links=(link, LinkDescription("bare")))


@pytest.mark.parametrize(
    ("geometry", "inside", "outside"),
    [
        (Box((2, 4, 6)), (0.9, 1.9, 2.9), (1.1, 0, 0)),
        (Sphere(1), (0, 0, 0.9), (0.8, 0.8, 0)),
        (Cylinder(1, 2), (0.9, 0, 0.9), (0, 0, 1.1)),
        (Capsule(1, 2), (0, 0, 1.9), (0, 0, 2.1)),
        (Cone(1, 2), (0, 0, 0.9), (0.6, 0, 0)),
        (Ellipsoid((1, 2, 3)), (0, 1.9, 0), (1.1, 0, 0)),
        (Plane((1, 0, 0)), (-5, 9, 9), (0.1, 0, 0)),
        (Polyline((((0, 0), (2, 0), (2, 2), (1, 0.5), (0, 2)),), 1.0), (1, 0.2, 0.5), (1, 1, 0.5)),
    ],
)
def test_each_shape_is_where_it_is_described(geometry, inside, outside):
    shift = Pose((0, 3, 0))
    found = colliders_of(_model(geometry, pose=shift), Pose((7, 0, 0)))
    assert list(found) == ["link"]
    place = np.array([7, 3, 1])
    assert found["link"].contains(tuple(place + inside))
    assert not found["link"].contains(tuple(place + outside))


def test_a_mesh_file_is_solid(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    file = tmp_path / "ring.stl"
    trimesh.creation.annulus(0.5, 1.0, 1.0).export(str(file))
    model = _model(Mesh(file, (2, 2, 2)))
    ring, hull = colliders_of(model)["link"], colliders_of(model, convex_meshes=True)["link"]
    for collider, middle in ((ring, False), (hull, True)):
        assert collider.contains((1.5, 0, 0))
        assert collider.contains((0, 0, 0)) == middle
        assert not collider.contains((2.1, 0, 0))


def test_pictures(tmp_path):
    image = pytest.importorskip("PIL.Image")
    pixels = np.array([[10, 20, 30], [40, 250, 60], [70, 80, 0]], dtype=np.uint8)
    image.fromarray(pixels).save(tmp_path / "hill.png")
    hill = colliders_of(_model(Heightmap(tmp_path / "hill.png", (4, 4, 2), (1, 0, 0))))["link"]
    assert hill.raycast(Ray((1, 0, 9), (0, 0, -1))).point.z == pytest.approx(2.0)
    assert hill.raycast(Ray((-1, -2, 9), (0, 0, -1))).point.z == pytest.approx(2 * 70 / 250)
    walls = colliders_of(_model(Image(tmp_path / "hill.png", height=2.0)))["link"]
    assert walls.contains((0.5, 0.5, 1))
    assert not walls.contains((1.5, 1.5, 1))


def test_a_collider_follows_its_link():
    """Without a pose, a collider is ready to be attached."""

    class Link:
        pose = Pose((5, 0, 0), (0, 0, math.sqrt(0.5), math.sqrt(0.5)))

    collider = colliders_of(_model(Box((2, 4, 6)), Sphere(2.5)))["link"]
    collider.attach(Link())
    assert len(collider.parts) == 2
    assert collider.contains((5, 0, 2.9))
    assert collider.contains((6.9, 0.9, 2.9))


def test_bits_of_surfaces_are_layers():
    one = colliders_of(_model(Sphere(1), surface=Surface(collide_bitmask=1)))["link"]
    two = colliders_of(_model(Sphere(1), surface=Surface(collide_bitmask=2)))["link"]
    both = colliders_of(_model(Sphere(1), surface=Surface(collide_bitmask=3)))["link"]
    assert not one.intersects(two)
    assert both.intersects(one)
    assert both.intersects(two)


def test_nested_links_have_scoped_names():
    outer = ModelDescription("outer", models=(_model(Sphere(1)),))
    assert list(colliders_of(outer)) == ["model::link"]


def test_the_example_runs():
    failed, ran = doctest.testmod(deepsim_spawn.collision_shapes)
    assert (failed, ran > 0) == (0, True)
