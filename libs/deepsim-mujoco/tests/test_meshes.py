# SPDX-License-Identifier: Apache-2.0
"""Mesh files: the formats, their scale, and what is said when one cannot be used."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import (
    CollisionDescription,
    Inertial,
    LinkDescription,
    Mesh,
    ModelDescription,
    VisualDescription,
)
from deepsim_sync import SpawnError, Transform, World

INCH = 0.0254


def model(mesh: Mesh) -> ModelDescription:
    link = LinkDescription(
        "link",
        inertial=Inertial(1.0, ixx=0.01, iyy=0.01, izz=0.01),
        collisions=(CollisionDescription("collision", mesh),),
        visuals=(VisualDescription("visual", mesh),),
    )
    return ModelDescription("model", links=(link,))


def write_dae(path: Path, half: float) -> None:
    """A box of inches, as COLLADA."""
    box = trimesh.creation.box(extents=[2 * half] * 3)
    points = " ".join(f"{value:.9g}" for value in box.vertices.ravel())
    corners = " ".join(str(index) for index in box.faces.ravel())
    count = box.vertices.size
    path.write_text(
        f"""<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
        <asset><unit name="inch" meter="{INCH}"/><up_axis>Z_UP</up_axis></asset>
        <library_geometries><geometry id="g"><mesh>
        <source id="p"><float_array id="a" count="{count}">{points}</float_array>
        <technique_common><accessor source="#a" count="{count // 3}" stride="3">
        <param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
        </accessor></technique_common></source>
        <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
        <triangles count="{len(box.faces)}"><input semantic="VERTEX" source="#v" offset="0"/>
        <p>{corners}</p></triangles></mesh></geometry></library_geometries>
        <library_visual_scenes><visual_scene id="s"><node id="n"><instance_geometry url="#g"/>
        </node></visual_scene></library_visual_scenes>
        <scene><instance_visual_scene url="#s"/></scene></COLLADA>"""
    )


@pytest.mark.parametrize(
    ("suffix", "scale", "half"),
    [(".obj", 0.5, 0.2), (".stl", 2.0, 0.1), (".dae", 1.0, 8.0 * INCH)],
)
def test_a_mesh_rests_at_its_half_height(
    ground: ModelDescription, tmp_path: Path, suffix: str, scale: float, half: float
) -> None:
    path = tmp_path / f"box{suffix}"
    if suffix == ".dae":
        write_dae(path, half / scale / INCH)
    else:
        trimesh.creation.box(extents=[2 * half / scale] * 3).export(path)
    world = World(MujocoSimulator())
    world.spawn(ground, "ground", Pose())
    world.spawn(model(Mesh(path, scale=(scale,) * 3)), "box", Pose((0, 0, half + 0.01)))
    for _ in range(1000):
        world.tick()
    assert Transform(world, "box").pose.position.z == pytest.approx(half, abs=2e-3)


def test_respawning_a_mesh_model_brings_its_mesh_again(tmp_path: Path) -> None:
    path = tmp_path / "box.obj"
    trimesh.creation.box(extents=[1, 1, 1]).export(path)
    world = World(MujocoSimulator())
    for _ in range(3):
        world.spawn(model(Mesh(path)), "box", Pose())
        world.tick()
        world.delete("box")


def test_models_alike_may_share_a_mesh(ground: ModelDescription, tmp_path: Path) -> None:
    """It stays for as long as any of them does."""
    path = tmp_path / "box.obj"
    trimesh.creation.box(extents=[0.4] * 3).export(path)
    world = World(MujocoSimulator())
    world.spawn(ground, "ground", Pose())
    for name in "abc":
        world.spawn(model(Mesh(path)), name, Pose(("abc".index(name), 0, 0.2)))
    world.delete("a")
    for _ in range(300):
        world.tick()
    heights = [Transform(world, name).pose.position.z for name in "bc"]
    assert heights == pytest.approx([0.2, 0.2], abs=2e-3)


def test_a_missing_or_broken_mesh_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "broken.obj"
    broken.write_text("v 0 0 0\nf 1 2 3\n")
    world = World(MujocoSimulator())
    for path in (tmp_path / "gone.obj", broken):
        with pytest.raises(SpawnError, match=f"'box'.*{path.name}"):
            world.spawn(model(Mesh(path)), "box", Pose())
        assert list(world.entities.models) == []
        world.tick()


def test_a_submesh_is_chosen_by_name_and_centred(ground: ModelDescription, tmp_path: Path) -> None:
    scene = trimesh.Scene()
    small = trimesh.creation.box(extents=[0.2] * 3)
    small.apply_translation([5, 5, 5])
    scene.add_geometry(small, node_name="small", geom_name="small")
    scene.add_geometry(trimesh.creation.box(extents=[4] * 3), node_name="big", geom_name="big")
    path = tmp_path / "scene.glb"
    scene.export(path)
    world = World(MujocoSimulator())
    world.spawn(ground, "ground", Pose())
    world.spawn(model(Mesh(path, submesh="small", center=True)), "box", Pose((0, 0, 0.1)))
    for _ in range(300):
        world.tick()
    position = np.asarray(Transform(world, "box").pose.position)
    assert position == pytest.approx([0, 0, 0.1], abs=2e-3)
    with pytest.raises(SpawnError, match=r"no submesh 'tiny'; it has \['big', 'small'\]"):
        world.spawn(model(Mesh(path, submesh="tiny")), "other", Pose())
