# SPDX-License-Identifier: Apache-2.0
"""Mesh files: the formats, their scale, and what is said when one cannot be used."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import mujoco
import numpy as np
import pytest
import trimesh

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_mujoco.spec.assets import Assets
from deepsim_mujoco.spec.shapes import Solid
from deepsim_spawn import (
    CollisionDescription,
    Inertial,
    LinkDescription,
    Mesh,
    ModelDescription,
    VisualDescription,
)
from deepsim_sync import SpawnError, Transform, World

Run = Callable[..., str]

INCH = 0.0254


def model(mesh: Mesh) -> ModelDescription:
    link = LinkDescription(
        "link",
        inertial=Inertial(1.0, ixx=0.01, iyy=0.01, izz=0.01),
        collisions=(CollisionDescription("collision", mesh),),
        visuals=(VisualDescription("visual", mesh),),
    )
    return ModelDescription("model", links=(link,))


@pytest.fixture
def world(ground: ModelDescription) -> World:
    """A world with a ground."""
    world = World(MujocoSimulator())
    world.spawn(ground, "ground", Pose())
    return world


def resting(world: World, *names: str, seconds: float = 0.3) -> list[float]:
    """The heights of models after some time."""
    for _ in range(round(seconds / 0.001)):
        world.tick()
    return [Transform(world, name).pose.position.z for name in names]


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
        <scene><instance_visual_scene url="#s"/></scene></COLLADA>""",
        encoding="utf-8",
    )


@pytest.mark.parametrize(
    ("suffix", "scale", "half"),
    [(".obj", 0.5, 0.2), (".stl", 2.0, 0.1), (".dae", 1.0, 8.0 * INCH)],
)
def test_a_mesh_rests_at_its_half_height(
    world: World, tmp_path: Path, suffix: str, scale: float, half: float
) -> None:
    path = tmp_path / f"box{suffix}"
    if suffix == ".dae":
        write_dae(path, half / scale / INCH)
    else:
        trimesh.creation.box(extents=[2 * half / scale] * 3).export(path)
    world.spawn(model(Mesh(path, scale=(scale,) * 3)), "box", Pose((0, 0, half + 0.01)))
    assert resting(world, "box", seconds=1.0) == pytest.approx([half], abs=2e-3)


def test_models_alike_may_share_a_mesh(world: World, tmp_path: Path) -> None:
    """It stays for as long as any of them does; one that is scaled has its own."""
    path = tmp_path / "box.obj"
    trimesh.creation.box(extents=[0.4] * 3).export(path)
    for x, name in enumerate("abc"):
        world.spawn(model(Mesh(path)), name, Pose((x, 0, 0.2)))
    world.spawn(model(Mesh(path, scale=(1, 1, 2))), "d", Pose((3, 0, 0.4)))
    world.delete("a")
    assert resting(world, *"bcd") == pytest.approx([0.2, 0.2, 0.4], abs=2e-3)


def test_equal_shapes_are_one_mesh_for_as_long_as_one_is_used() -> None:
    points = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    corner, same, larger = Solid(points), Solid(points.copy()), Solid(2 * points)
    spec = mujoco.MjSpec()
    assets = Assets(spec)
    first, second, other = (assets.take(shape, "m") for shape in (corner, same, larger))
    assert first == second != other
    assert [mesh.name for mesh in spec.meshes] == [first, other]
    assets.give_back(first)
    assert len(spec.meshes) == 2
    assets.give_back(second)
    assert [mesh.name for mesh in spec.meshes] == [other]
    assert assets.take(corner, "m") not in (first, other)


def test_a_file_may_go_once_its_model_is_there(
    world: World, ball: ModelDescription, tmp_path: Path
) -> None:
    path = tmp_path / "box.stl"
    trimesh.creation.box(extents=[0.4] * 3).export(path)
    world.spawn(model(Mesh(path)), "box", Pose((0, 0, 0.2)))
    path.unlink()
    world.spawn(ball, "ball", Pose((3, 0, 0.5)))
    world.delete("ball")
    with pytest.raises(SpawnError, match=r"'other'.*box\.stl cannot be read: No such file"):
        world.spawn(model(Mesh(path)), "other", Pose((0, 3, 0.2)))
    assert list(world.entities.models) == ["ground", "box"]
    assert resting(world, "box") == pytest.approx([0.2], abs=2e-3)


def test_a_file_that_is_written_anew_changes_no_model_that_is_there(
    world: World, tmp_path: Path
) -> None:
    """Though it keeps its size and its second, by which MuJoCo tells files apart."""
    path = tmp_path / "box.stl"
    sizes = {"old": 0.4, "new": 0.8, "newest": 1.2}
    for x, (name, size) in enumerate(sizes.items()):
        trimesh.creation.box(extents=[size] * 3).export(path)
        world.spawn(model(Mesh(path)), name, Pose((3 * x, 0, size / 2)))
    assert resting(world, *sizes) == pytest.approx([0.2, 0.4, 0.6], abs=2e-3)


COPIES = """
import gc, os, shutil, tempfile
from pathlib import Path
import trimesh
from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import *
from deepsim_sync import DeepSimError, World

def model(geometry):
    collision = CollisionDescription("c", geometry)
    link = LinkDescription("l", inertial=Inertial(), collisions=(collision,))
    return ModelDescription("m", links=(link,))

def copies():
    return sorted(Path(tempfile.gettempdir()).glob("deepsim-mujoco-*/[!.]*"))

box = Path(tempfile.gettempdir()) / "box.stl"
trimesh.creation.box().export(box)
world = World(MujocoSimulator())
world.spawn(model(Mesh(box)), "mesh", Pose())
world.spawn(model(Sphere(0.5)), "ball", Pose((3, 0, 0)))
"""


def test_copies_of_files_go_with_the_last_model_and_with_the_process(
    tmp_path: Path, run_python: Run
) -> None:
    run_python(
        COPIES
        + """
other = World(MujocoSimulator())
other.spawn(model(Mesh(box)), "mesh", Pose())
assert len(copies()) == 1
world.delete("mesh")
assert len(copies()) == 1
del other
gc.collect()
assert copies() == []
world.spawn(model(Mesh(box)), "mesh", Pose())
assert len(copies()) == 1
""",
        TMPDIR=str(tmp_path),
    )
    assert [path.name for path in tmp_path.iterdir()] == ["box.stl"]


def test_copies_of_files_come_again_when_somebody_clears_them_away(
    tmp_path: Path, run_python: Run
) -> None:
    run_python(
        COPIES
        + """
shutil.rmtree(copies()[0].parent)
world.delete("ball")
shutil.rmtree(copies()[0].parent)
world.spawn(model(Mesh(box)), "another", Pose())
""",
        TMPDIR=str(tmp_path),
    )


def test_a_delete_that_fails_leaves_the_world_as_it_was(tmp_path: Path, run_python: Run) -> None:
    run_python(
        COPIES
        + """
(copy,) = copies()
content = copy.read_bytes()
copy.write_bytes(b"broken")
try:
    world.delete("ball")
except DeepSimError as error:
    assert "cannot delete model 'ball': MuJoCo refuses it" in str(error), error
else:
    raise AssertionError("MuJoCo took a broken file")
assert list(world.entities.models) == ["mesh", "ball"]
world.tick()
copy.write_bytes(content)
world.spawn(model(Sphere(0.5)), "other", Pose((6, 0, 0)))
assert list(world.entities.models) == ["mesh", "ball", "other"]
world.delete("ball")
assert list(world.entities.models) == ["mesh", "other"]
""",
        TMPDIR=str(tmp_path),
    )


def test_a_missing_or_broken_mesh_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "broken.obj"
    broken.write_text("v 0 0 0\nf 1 2 3\n")
    world = World(MujocoSimulator())
    for path in (tmp_path / "gone.obj", broken):
        with pytest.raises(SpawnError, match=f"'box'.*{path.name}"):
            world.spawn(model(Mesh(path)), "box", Pose())
        assert list(world.entities.models) == []
        world.tick()


def test_a_submesh_is_chosen_by_name_and_centred(world: World, tmp_path: Path) -> None:
    scene = trimesh.Scene()
    small = trimesh.creation.box(extents=[0.2] * 3)
    small.apply_translation([5, 5, 5])
    scene.add_geometry(small, node_name="small", geom_name="small")
    scene.add_geometry(trimesh.creation.box(extents=[4] * 3), node_name="big", geom_name="big")
    path = tmp_path / "scene.glb"
    scene.export(path)
    world.spawn(model(Mesh(path, submesh="small", center=True)), "box", Pose((0, 0, 0.1)))
    resting(world, "box")
    position = np.asarray(Transform(world, "box").pose.position)
    assert position == pytest.approx([0, 0, 0.1], abs=2e-3)
    with pytest.raises(SpawnError, match=r"no submesh 'tiny'; it has \['big', 'small'\]"):
        world.spawn(model(Mesh(path, submesh="tiny")), "other", Pose())


def test_an_obj_file_may_give_normals_to_some_of_its_faces(tmp_path: Path) -> None:
    path = tmp_path / "mixed.obj"
    path.write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvn 0 0 1\n"
        "f 1//1 3//1 2//1\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    world = World(MujocoSimulator())
    world.spawn(model(Mesh(path)), "box", Pose())
    world.tick()


def test_stl_files_as_text_and_with_very_many_faces_rest_on_their_hull(
    world: World, tmp_path: Path
) -> None:
    """MuJoCo reads neither itself."""
    text, large = tmp_path / "text.stl", tmp_path / "large.stl"
    box = trimesh.creation.box(extents=[0.4] * 3)
    box.export(text, file_type="stl_ascii")
    corners = box.triangles.astype("<f4")
    record = np.zeros(12 * 16_700, dtype=[("n", "<f4", 3), ("c", "<f4", (3, 3)), ("a", "<u2")])
    record["c"] = np.tile(corners, (16_700, 1, 1))
    large.write_bytes(bytes(80) + len(record).to_bytes(4, "little") + record.tobytes())
    for x, path in enumerate((text, large)):
        world.spawn(model(Mesh(path)), path.stem, Pose((x, 0, 0.2)))
    assert resting(world, "text", "large") == pytest.approx([0.2, 0.2], abs=2e-3)


def test_a_flat_mesh_is_a_thin_plate(world: World, tmp_path: Path) -> None:
    """As the markers of Stretch; MuJoCo makes no hull of vertices that lie in a plane."""
    path = tmp_path / "plate.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n")
    world.spawn(model(Mesh(path)), "plate", Pose((0, 0, 0.05)))
    assert resting(world, "plate", seconds=0.5) == pytest.approx([0.0], abs=2e-3)
