# SPDX-License-Identifier: Apache-2.0
"""Masses and inertias that loaders take from shapes are those that MuJoCo takes from geoms."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import mujoco
import numpy as np
import pytest

from deepsim_spawn import GazeboXMLLoader, Inertial, ModelFormatWarning, Polyline, shape_triangles

SHAPES = {
    "box": (
        "<box><size>0.3 0.2 0.1</size></box>",
        'type="box" size=".15 .1 .05"',
    ),
    "sphere": ("<sphere><radius>0.1</radius></sphere>", 'type="sphere" size=".1"'),
    "cylinder": (
        "<cylinder><radius>0.1</radius><length>0.3</length></cylinder>",
        'type="cylinder" size=".1 .15"',
    ),
    "capsule": (
        "<capsule><radius>0.1</radius><length>0.3</length></capsule>",
        'type="capsule" size=".1 .15"',
    ),
    "ellipsoid": (
        "<ellipsoid><radii>0.1 0.2 0.3</radii></ellipsoid>",
        'type="ellipsoid" size=".1 .2 .3"',
    ),
}


def link(
    collisions: str, inertial: str = '<inertial auto="true"/>', folder: Path | None = None
) -> Inertial:
    """Returns the inertia of a link of SDF, whose meshes are in a folder."""
    text = f"""<sdf version="1.11"><model name="m"><link name="l">{inertial}{collisions}</link>
    </model></sdf>"""
    if folder is not None:
        (folder / "model.sdf").write_text(text)
    model = GazeboXMLLoader().load_model(folder / "model.sdf" if folder else text)
    found = model.links[0].inertial
    assert found is not None
    return found


def collision(shape: str, pose: str = "0 0 0 0 0 0", density: str = "", name: str = "c") -> str:
    return f"""<collision name="{name}"><pose>{pose}</pose>{density}<geometry>{shape}</geometry>
    </collision>"""


def tensor(inertial: Inertial) -> np.ndarray:
    """Returns the inertia about the centre of mass in the link's axes, (3, 3)."""
    i = inertial
    own = np.array([[i.ixx, i.ixy, i.ixz], [i.ixy, i.iyy, i.iyz], [i.ixz, i.iyz, i.izz]])
    turn = np.array(i.pose.orientation.to_matrix())
    return turn @ own @ turn.T


def bare(geoms: str, assets: str = "") -> tuple[float, np.ndarray, np.ndarray]:
    """Returns mass, centre and tensor of a body of geoms, as MuJoCo's compiler has them."""
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco><compiler angle="radian" eulerseq="XYZ"/><asset>{assets}</asset><worldbody>
        <body>{geoms}</body></worldbody></mujoco>"""
    )
    turn = np.empty(9)
    mujoco.mju_quat2Mat(turn, model.body_iquat[1])
    axes = turn.reshape(3, 3)
    return model.body_mass[1], model.body_ipos[1], (axes * model.body_inertia[1]) @ axes.T


def check(inertial: Inertial, expected: tuple[float, np.ndarray, np.ndarray], rel: float) -> None:
    mass, centre, inertia = expected
    assert inertial.mass == pytest.approx(mass, rel=rel)
    assert tuple(inertial.pose.position) == pytest.approx(centre, abs=rel)
    assert tensor(inertial) == pytest.approx(inertia, rel=rel, abs=rel * np.trace(inertia))


@pytest.mark.parametrize("name", SHAPES)
def test_one_shape(name: str) -> None:
    shape, geom = SHAPES[name]
    check(link(collision(shape)), bare(f'<geom {geom} density="1000"/>'), 1e-9)


@pytest.mark.parametrize(("one", "other"), [*itertools.pairwise(SHAPES)])
def test_two_shapes_of_two_densities_elsewhere(one: str, other: str) -> None:
    shapes = collision(SHAPES[one][0], "0.1 0.2 0.3 0.4 0.5 0.6", name="a")
    shapes += collision(SHAPES[other][0], "-0.3 0 0 1 0 0", "<density>300</density>", "b")
    inertial = '<inertial auto="true"><density>700</density></inertial>'
    expected = bare(
        f"""<geom {SHAPES[one][1]} pos=".1 .2 .3" euler=".4 .5 .6" density="700"/>
        <geom {SHAPES[other][1]} pos="-.3 0 0" euler="1 0 0" density="300"/>"""
    )
    check(link(shapes, inertial), expected, 1e-9)


def written(points: np.ndarray, faces: np.ndarray, file: Path) -> Path:
    """Writes a mesh as OBJ."""
    lines = [f"v {x:.17g} {y:.17g} {z:.17g}" for x, y, z in points.tolist()]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces.tolist()]
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


def test_a_closed_mesh_with_a_hollow(tmp_path: Path) -> None:
    """An L is not convex: its convex hull would be heavier."""
    corner = Polyline((((0, 0), (0.3, 0), (0.3, 0.1), (0.1, 0.1), (0.1, 0.2), (0, 0.2)),), 0.05)
    parts = [
        bare(f'<geom type="box" size="{x} {y} .025" pos="{x} {at} .025"/>')
        for x, y, at in ((0.15, 0.05, 0.05), (0.05, 0.05, 0.15))
    ]
    assert parts[0][0] + parts[1][0] == pytest.approx(2.0)
    expected = bare(
        """<geom type="box" size=".15 .05 .025" pos=".15 .05 .025"/>
        <geom type="box" size=".05 .05 .025" pos=".05 .15 .025"/>"""
    )
    outline = "".join(f"<point>{x} {y}</point>" for x, y in corner.outlines[0])
    check(link(collision(f"<polyline>{outline}<height>0.05</height></polyline>")), expected, 1e-9)
    ring = np.array(corner.outlines[0])
    n = len(ring)
    points = np.concatenate([np.column_stack([ring, np.full(n, z)]) for z in (0.0, 0.05)])
    flat = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]])
    here, there = np.arange(n), (np.arange(n) + 1) % n
    walls = [
        np.column_stack([here, there, there + n]),
        np.column_stack([here, there + n, here + n]),
    ]
    faces = np.concatenate([flat[:, ::-1], flat + n, *walls])
    file = written(points, faces, tmp_path / "corner.obj")
    shape = f"<mesh><uri>{file.name}</uri></mesh>"
    check(link(collision(shape), folder=tmp_path), expected, 1e-6)
    mirrored = f"<mesh><uri>{file.name}</uri><scale>-1 1 1</scale></mesh>"
    found = link(collision(mirrored), folder=tmp_path)
    assert found.mass == pytest.approx(2.0, rel=1e-6)
    assert found.pose.position.x == pytest.approx(-expected[1][0], rel=1e-6)


def test_a_cone_is_close_to_its_triangles(tmp_path: Path) -> None:
    model = GazeboXMLLoader().load_model(
        f"""<sdf version="1.11"><model name="m"><link name="l">
        {collision("<cone><radius>0.1</radius><length>0.3</length></cone>")}</link></model></sdf>"""
    )
    points, faces = shape_triangles(model.links[0].collisions[0].geometry, 256)
    file = written(points, faces, tmp_path / "cone.obj")
    asset = f'<mesh name="cone" file="{file}" inertia="exact"/>'
    expected = bare('<geom type="mesh" mesh="cone"/>', asset)
    cone = "<cone><radius>0.1</radius><length>0.3</length></cone>"
    check(link(collision(cone)), expected, 5e-4)
    assert link(collision(cone)).mass == pytest.approx(math.pi * 0.1**2 * 0.1 * 1000)


def test_an_open_mesh_counts_as_its_bounding_box(tmp_path: Path) -> None:
    box = GazeboXMLLoader().load_model(
        f"""<sdf version="1.11"><model name="m"><link name="l">
        {collision(SHAPES["box"][0])}</link></model></sdf>"""
    )
    points, faces = shape_triangles(box.links[0].collisions[0].geometry)
    file = written(points, faces[:-1], tmp_path / "open.obj")
    with pytest.warns(ModelFormatWarning, match=r"open\.obj .* is not closed"):
        found = link(collision(f"<mesh><uri>{file.name}</uri></mesh>"), folder=tmp_path)
    check(found, bare(f"<geom {SHAPES['box'][1]}/>"), 1e-6)


def test_a_urdf_without_inertia_takes_that_of_its_collisions() -> None:
    """A cube of 1 m and 6 kg has 1 kg m^2; a ball of water of 6 kg has a 33rd of it."""
    text = """<robot name="r"><link name="l"><inertial><mass value="6"/></inertial><collision>
    <geometry><box size="{}"/></geometry></collision></link></robot>"""
    for size in ("1 1 1", "0.3 0.2 0.1"):
        with pytest.warns(ModelFormatWarning, match="collision shapes"):
            found = GazeboXMLLoader().load_model(text.format(size)).links[0].inertial
        assert found is not None
        half = " ".join(str(float(each) / 2) for each in size.split())
        check(found, bare(f'<geom type="box" size="{half}" mass="6"/>'), 1e-9)
