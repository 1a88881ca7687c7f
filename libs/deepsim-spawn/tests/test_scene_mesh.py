# SPDX-License-Identifier: Apache-2.0
"""Scenes as one mesh: trimesh, volumes on paper and colliders are the oracles."""

from __future__ import annotations

import math

import numpy as np
import pytest
import trimesh

from deepsim_math import Euler, Pose
from deepsim_spawn import (
    Box,
    Capsule,
    CollisionDescription,
    Cone,
    Cylinder,
    Ellipsoid,
    LinkDescription,
    MjcfModel,
    ModelDescription,
    Plane,
    Polyline,
    SceneMesh,
    Sphere,
    VisualDescription,
    colliders_of,
    scene_mesh,
    shape_triangles,
)
from deepsim_sync import UnknownEntityError, World
from deepsim_sync.testing import TableModel, TableSimulator

TILTED = Pose((0.3, -0.2, 0.1), Euler(0.4, -0.3, 0.9))
HOLED = Polyline((((0, 0), (2, 0), (2, 1), (0, 1)), ((0.5, 0.2), (1.5, 0.2), (1.5, 0.8))), 0.5)
VOLUMES = [
    (Box((1, 2, 3)), 6.0),
    (Sphere(0.5), math.pi / 6),
    (Ellipsoid((0.5, 1.0, 0.2)), 0.4 * math.pi / 3),
    (Cylinder(0.5, 2.0), math.pi / 2),
    (Capsule(0.5, 2.0), math.pi / 2 + math.pi / 6),
    (Cone(0.5, 2.0), math.pi / 6),
]
CRATE = ModelDescription(
    "crate",
    links=(
        LinkDescription(
            "body",
            collisions=(
                CollisionDescription("shell", Box((1, 1, 1)), Pose((0, 0, 0.5))),
                CollisionDescription("knob", Sphere(0.2), TILTED),
            ),
            visuals=(VisualDescription("paint", Cone(0.3, 1.0)),),
        ),
        LinkDescription("hook", pose=Pose((2, 0, 0))),
        LinkDescription(
            "lid", pose=Pose((0, 0, 2)), collisions=(CollisionDescription("c", Capsule(0.1, 1)),)
        ),
    ),
)
FLOOR = ModelDescription(
    "floor",
    links=(LinkDescription("ground", collisions=(CollisionDescription("c", Plane((0, 0, 1))),)),),
    static=True,
)


@pytest.mark.parametrize(("shape", "volume"), VOLUMES, ids=lambda each: type(each).__name__)
def test_the_surface_of_a_shape_is_closed_and_looks_out(shape, volume):
    """Its volume is that on paper: a little less where it is round."""
    mesh = trimesh.Trimesh(*shape_triangles(shape, 128), process=False)
    assert mesh.is_watertight
    assert mesh.is_winding_consistent
    assert volume * 0.998 < mesh.volume <= volume * (1 + 1e-9)
    assert len(shape_triangles(shape, 3)[1]) >= 6


def test_a_polyline_leaves_its_holes_open():
    """Its parts only touch."""
    points, faces = shape_triangles(HOLED)
    mesh = trimesh.Trimesh(points, faces)
    assert mesh.volume == pytest.approx((2.0 - 0.3) * 0.5)


@pytest.mark.parametrize("normal", [(0, 0, 1), (0, 0, -1), (0.6, 0, 0.8), (0, -1, 0)])
def test_a_plane_is_a_rectangle_that_looks_along_its_normal(normal):
    mesh = trimesh.Trimesh(*shape_triangles(Plane(normal, (2, 3))), process=False)
    assert mesh.area == pytest.approx(6.0)
    np.testing.assert_allclose(mesh.face_normals, [normal] * 2, atol=1e-12)


def make(worlds: int = 2) -> tuple[World, dict[str, ModelDescription]]:
    """Two crates and a floor, each crate elsewhere in each world."""
    world = World(TableSimulator(worlds=worlds))
    names = ("body", "hook", "lid")
    offsets = {link.name: link.pose for link in CRATE.links[1:]}
    for name, x in (("a", 0.0), ("b", 5.0)):
        place = [[x, w, 0, *TILTED.orientation] for w in range(worlds)]
        world.spawn(TableModel(links=names, offsets=offsets), name, place)
    world.spawn(TableModel(links=("ground",), static=True), "floor", Pose())
    return world, {"a": CRATE, "b": CRATE, "floor": FLOOR}


def test_a_scene_is_where_its_links_are_now():
    """It fills the collider of each link, in the world asked for."""
    world, models = make()
    mesh = scene_mesh(world, models, 1, segments=256)
    assert mesh.links == ("a::body", "a::lid", "b::body", "b::lid", "floor::ground")
    for number, name in enumerate(mesh.links[:4]):
        model, link = name.split("::")
        pose = Pose.from_array(world.models.select([model]).pose[1, 0])
        collider = colliders_of(CRATE, pose)[link]
        part = SceneMesh(
            mesh.vertices,
            mesh.faces[mesh.face_links == number],
            (name,),
            np.zeros(np.sum(mesh.face_links == number), dtype=np.intp),
        )
        drawn = part.points(200, np.random.default_rng(0))
        assert max(collider.distance(tuple(point)) for point in drawn.tolist()) < 1e-6
        bounds = collider.bounds
        assert bounds is not None
        used = part.vertices[part.faces.reshape(-1)]
        np.testing.assert_allclose(used.min(axis=0), bounds.lower, atol=1e-3)
        np.testing.assert_allclose(used.max(axis=0), bounds.upper, atol=1e-3)
    floor = mesh.vertices[mesh.faces[mesh.face_links == 4].reshape(-1)]
    np.testing.assert_allclose(np.abs(floor[:, :2]), 5.0)


def test_points_are_drawn_evenly_and_by_their_generator():
    """The sides of a box get their shares of its area; the same seed gives the same cloud."""
    points, faces = shape_triangles(Box((1, 2, 3)))
    mesh = SceneMesh(points, faces, ("m::l",), np.zeros(12, dtype=np.intp))
    assert mesh.areas.sum() == pytest.approx(22.0)
    cloud = mesh.points(22_000, np.random.default_rng(1))
    np.testing.assert_array_equal(cloud, mesh.points(22_000, np.random.default_rng(1)))
    for axis, (half, area) in enumerate(((0.5, 12.0), (1.0, 6.0), (1.5, 4.0))):
        on = np.isclose(np.abs(cloud[:, axis]), half)
        assert on.sum() == pytest.approx(1000 * area, abs=400)
        assert abs(cloud[on].mean(axis=0)).max() < 0.1
    assert (np.abs(cloud) <= np.array([0.5, 1.0, 1.5]) + 1e-12).all()


def test_what_is_drawn_is_another_mesh_and_trimesh_takes_it():
    world, models = make()
    mesh = scene_mesh(world, {"a": models["a"]}, visuals=True, segments=128).to_trimesh()
    assert mesh.volume == pytest.approx(0.03 * math.pi, rel=2e-3)


def test_scenes_that_cannot_be_meshed_are_refused():
    world, _ = make()
    with pytest.raises(UnknownEntityError, match="crate"):
        scene_mesh(world, {"crate": CRATE})
    with pytest.raises(TypeError, match="got a MjcfModel for 'a'"):
        scene_mesh(
            world, {"a": MjcfModel("<mujoco><worldbody><body name='b'/></worldbody></mujoco>")}
        )
    empty = scene_mesh(world, {})
    assert (empty.vertices.shape, empty.faces.shape) == ((0, 3), (0, 3))
    with pytest.raises(ValueError, match="no faces"):
        empty.points(3, np.random.default_rng(0))
