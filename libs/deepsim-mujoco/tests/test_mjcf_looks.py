# SPDX-License-Identifier: Apache-2.0
"""The looks of MJCF models, as others draw them."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_math import Pose, Vector3, poses
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Mesh,
    MjcfModel,
    ModelSpawner,
    Plane,
    Sphere,
    shape_triangles,
)
from deepsim_sync import World

SHAPES = """<mujoco model="shapes"><worldbody>
<geom type="plane" size="2 3 1"/>
<body name="base" pos="0 0 1"><freejoint/>
<geom type="box" size="0.1 0.2 0.3" pos="1 0 0"/><geom type="sphere" size="0.1"/>
<geom type="capsule" size="0.1 0.2"/><geom type="cylinder" size="0.1 0.2" euler="90 0 0"/>
<body name="arm"><joint/><geom type="ellipsoid" size="0.1 0.2 0.3"/></body>
</body></worldbody></mujoco>"""
TETRAHEDRON = "v 1 1 1\nv 3 1 1\nv 1 4 1\nv 1 1 6\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
MESH = """<mujoco model="mesh"><asset><mesh name="corner" file="corner.obj" scale="2 2 -2"/></asset>
<worldbody><body name="base"><freejoint/>
<geom type="mesh" mesh="corner" pos="1 2 3" euler="0 0 90"/></body></worldbody></mujoco>"""


@pytest.fixture
def spawn():
    """Spawns MJCF and returns the world and the looks of the model."""
    worlds = []

    def spawn(source):
        world = World(MujocoSimulator())
        worlds.append(world)
        ModelSpawner(MjcfModel(source)).spawn(world, "it")
        return world, world.simulator.descriptions.looks["it"]

    yield spawn
    for world in worlds:
        world.close()


def test_shapes(spawn):
    """Each geom is the shape that MuJoCo says, with full sizes, and names a row of the visuals."""
    world, looks = spawn(SHAPES)
    found = {}
    for name, link, _ in looks.all_links():
        for visual in link.visuals:
            assert f"it::{name}::{visual.name}" in world.entities.visuals
        found[name] = [visual.geometry for visual in link.visuals]
    assert found == {
        "worldbody": [Plane(size=(4.0, 6.0))],
        "base": [Box(Vector3(0.2, 0.4, 0.6)), Sphere(0.1), Capsule(0.1, 0.4), Cylinder(0.1, 0.4)],
        "arm": [Ellipsoid(Vector3(0.1, 0.2, 0.3))],
    }
    base = next(link for name, link, _ in looks.all_links() if name == "base")
    assert base.visuals[0].pose == Pose(Vector3(1.0, 0.0, 0.0))


def test_a_mesh_is_where_its_file_has_it(spawn, tmp_path):
    """The corners of the file, scaled and put at the geom's pose: MuJoCo's shift is undone."""
    (tmp_path / "corner.obj").write_text(TETRAHEDRON)
    (tmp_path / "model.xml").write_text(MESH)
    _, looks = spawn(tmp_path / "model.xml")
    (visual,) = looks.links[0].visuals
    assert isinstance(visual.geometry, Mesh)
    vertices, _ = shape_triangles(visual.geometry)
    placed = poses.transform_points(np.asarray(visual.pose, dtype=np.float64), vertices)
    corners = np.array([[1, 1, 1], [3, 1, 1], [1, 4, 1], [1, 1, 6]]) * [2, 2, -2]
    expected = np.column_stack([1 - corners[:, 1], 2 + corners[:, 0], 3 + corners[:, 2]])
    assert np.unique(placed.round(5), axis=0) == pytest.approx(np.unique(expected, axis=0))


def test_other_models_have_their_own(spawn):
    """The description of an MJCF model stays as it was given."""
    world, _ = spawn(SHAPES)
    assert isinstance(world.simulator.descriptions.models["it"], MjcfModel)
    world.delete("it")
    assert not world.simulator.descriptions.looks
