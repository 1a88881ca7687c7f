# SPDX-License-Identifier: Apache-2.0
"""Textures of MJCF geoms, as viewers draw them, beside MuJoCo's own renderer."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from PIL import Image

from deepsim_math import poses
from deepsim_mujoco import MujocoSimulator
from deepsim_mujoco.rendering.gl_context import GlContext
from deepsim_spawn import MjcfModel, ModelSpawner
from deepsim_sync import World

COLORS = np.array(
    [(220, 30, 30), (30, 200, 30), (30, 30, 230), (220, 220, 30), (30, 220, 220), (220, 30, 220)],
    np.uint8,
)
SHAPES = {
    "plane": 'type="plane" size="0.7 0.4 1"',
    "box": 'type="box" size="0.5 0.3 0.2"',
    "sphere": 'type="sphere" size="0.5"',
    "ellipsoid": 'type="ellipsoid" size="0.5 0.3 0.4"',
    "cylinder": 'type="cylinder" size="0.4 0.2"',
    "capsule": 'type="capsule" size="0.25 0.3"',
    "mesh": 'type="mesh" mesh="plain"',
    "placed": 'type="mesh" mesh="placed"',
}
FACES = [(1, 3, 2), (1, 2, 4), (1, 4, 3), (2, 3, 4)]
POINTS = "v -.3 -.3 -.3\nv .5 0 0\nv 0 .6 0\nv 0 0 .7\n"
PLAIN = POINTS + "".join(f"f {a} {b} {c}\n" for a, b, c in FACES)
PLACED = (
    POINTS + "vt 0 0\nvt 1 .2\nvt .3 .9\n" + "".join(f"f {a}/1 {b}/2 {c}/3\n" for a, b, c in FACES)
)
SCENE = """<mujoco model="it"><compiler balanceinertia="true"/>
<statistic extent="2" center="0 0 0"/>
<visual><headlight ambient="1 1 1" diffuse="0 0 0" specular="0 0 0"/></visual>
<asset>{assets}</asset><worldbody>
<camera name="eye" pos="0 -3.4 2.4" xyaxes="1 0 0 0 .58 .81"/>{geoms}</worldbody></mujoco>"""


@pytest.fixture(autouse=True)
def files(tmp_path):
    """A picture of four colours, the sides of a cube with a black corner each, and two meshes."""
    quarters = COLORS[:4].reshape(2, 2, 3).repeat(32, axis=0).repeat(32, axis=1)
    Image.fromarray(quarters).save(tmp_path / "flat.png")
    sides = COLORS[:, None, None].repeat(32, axis=1).repeat(32, axis=2)
    sides[:, :8, :8] = 0
    Image.fromarray(sides.reshape(-1, 32, 3)).save(tmp_path / "cube.png")
    (tmp_path / "plain.obj").write_text(PLAIN)
    (tmp_path / "placed.obj").write_text(PLACED)


@pytest.fixture
def surfaces(tmp_path):
    """The textured triangles of all visuals of a scene, with their poses."""
    worlds = []

    def surfaces():
        world = World(MujocoSimulator())
        worlds.append(world)
        ModelSpawner(MjcfModel(tmp_path / "scene.xml")).spawn(world, "it")
        links = world.simulator.descriptions.looks["it"].links
        return [(each.pose, each.textured) for link in links for each in link.visuals]

    yield surfaces
    for world in worlds:
        world.close()


def picture(path):
    """The picture of a scene in bare MuJoCo, lit evenly."""
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    camera = mujoco.MjvCamera()
    camera.type, camera.fixedcamid = mujoco.mjtCamera.mjCAMERA_FIXED, 0
    shown, everything = mujoco.MjvScene(model, 100), mujoco.mjtCatBit.mjCAT_ALL
    pixels = np.zeros((300, 500, 3), np.uint8)
    frame = mujoco.MjrRect(0, 0, 500, 300)
    opengl = GlContext()
    with opengl:
        context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_50)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, context)
        mujoco.mjv_updateScene(
            model, data, mujoco.MjvOption(), None, camera, everything.value, shown
        )
        mujoco.mjr_render(frame, shown, context)
        mujoco.mjr_readPixels(pixels, None, frame, context)
        context.free()
    opengl.free()
    return pixels[::-1].astype(np.float64)


def redrawn(found, folder):
    """A scene of textured triangles alone: meshes with texture coordinates of their own."""
    assets, geoms = "", ""
    for number, (pose, surface) in enumerate(found):
        Image.fromarray(surface.image).save(folder / f"{number}.png")
        points = poses.transform_points(
            np.asarray(pose, np.float64), surface.triangles.reshape(-1, 3).astype(np.float64)
        )
        lines = [f"v {x} {y} {z}" for x, y, z in points.tolist()]
        lines += [f"vt {u} {1.0 - v}" for u, v in surface.coordinates.reshape(-1, 2).tolist()]
        lines += [f"f {n}/{n} {n + 1}/{n + 1} {n + 2}/{n + 2}" for n in range(1, len(points), 3)]
        lines += ["v 0 0 -9"]  # a hull needs a volume
        (folder / f"{number}.obj").write_text("\n".join(lines))
        assets += f'<texture name="{number}" type="2d" file="{number}.png"/>'
        assets += f'<material name="{number}" texture="{number}"/>'
        assets += f'<mesh name="{number}" file="{number}.obj" inertia="shell"/>'
        geoms += f'<geom type="mesh" mesh="{number}" material="{number}"/>'
    return SCENE.format(assets=assets, geoms=geoms)


def scene(texture, *, uniform, geoms):
    """MJCF of geoms with a material that repeats its texture twice and three times."""
    assets = f'''<texture name="flat" type="2d" file="flat.png"/>
    <texture name="cube" type="cube" file="cube.png" gridsize="6 1" gridlayout="RLUDFB"/>
    <mesh name="plain" file="plain.obj"/><mesh name="placed" file="placed.obj"/>
    <material name="m" texture="{texture}" texrepeat="2 3" texuniform="{uniform}"/>'''
    return SCENE.format(assets=assets, geoms=geoms)


@pytest.mark.parametrize("uniform", ["false", "true"])
@pytest.mark.parametrize("texture", ["flat", "cube"])
def test_a_texture_is_where_mujoco_draws_it(surfaces, tmp_path, texture, uniform):
    """The triangles of all shapes with their places in the picture give MuJoCo's picture."""
    shapes = [shape for name, shape in SHAPES.items() if (name, texture) != ("placed", "cube")]
    geoms = "".join(
        f'<geom {shape} material="m" euler="0 0 20" '
        f'pos="{1.2 * (number % 4) - 1.8} {1.3 * (number // 4) - 0.6} 0.05"/>'
        for number, shape in enumerate(shapes)
    )
    (tmp_path / "scene.xml").write_text(scene(texture, uniform=uniform, geoms=geoms))
    expected = picture(tmp_path / "scene.xml")
    found = surfaces()
    assert len(found) == len(shapes)
    (tmp_path / "again.xml").write_text(redrawn(found, tmp_path))
    wrong = np.abs(picture(tmp_path / "again.xml") - expected).max(axis=-1) > 60.0
    assert (expected.max(axis=-1) > 100.0).mean() > 0.2
    assert wrong.mean() < 0.01


@pytest.mark.parametrize("uniform", ["false", "true"])
def test_an_endless_plane_is_as_mujoco_draws_it(surfaces, tmp_path, uniform):
    """Its texture has a fixed size, whatever the distance to the horizon."""
    plane = '<geom type="plane" size="0 0 1" material="m" pos=".1 .2 0"/>'
    (tmp_path / "scene.xml").write_text(scene("flat", uniform=uniform, geoms=plane))
    expected = picture(tmp_path / "scene.xml")
    ((_, surface),) = found = surfaces()
    assert np.abs(surface.triangles[..., :2]).max() >= 1000.0
    (tmp_path / "again.xml").write_text(redrawn(found, tmp_path))
    wrong = np.abs(picture(tmp_path / "again.xml") - expected).max(axis=-1)[100:] > 60.0
    assert wrong.mean() < 0.02


def test_a_cube_on_a_mesh_with_places_has_no_meaning(surfaces, tmp_path):
    """MuJoCo then draws any other texture; viewers draw the colour."""
    geom = f'<geom {SHAPES["placed"]} material="m"/>'
    (tmp_path / "scene.xml").write_text(scene("cube", uniform="false", geoms=geom))
    ((_, surface),) = surfaces()
    assert surface is None
