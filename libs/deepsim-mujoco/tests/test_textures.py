# SPDX-License-Identifier: Apache-2.0
"""Textures of SDF models in pictures."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from deepsim_math import Color, Euler, Material, Pose, Vector3
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import (
    Box,
    LinkDescription,
    Mesh,
    ModelDescription,
    Plane,
    VisualDescription,
)
from deepsim_sync import CameraView, World

RED, GREEN, BLUE, GREY = (220, 30, 30), (30, 200, 30), (30, 30, 230), (40, 40, 40)
NAMES = {"red": RED, "green": GREEN, "blue": BLUE, "grey": GREY}
UPRIGHT = [["red", "green"], ["blue", "grey"]]
FRONT = CameraView(Pose(Vector3(0.0, -2.0, 0.0), Euler(0.0, 0.0, np.pi / 2)), 0.5, 96, 96)
ABOVE = CameraView(Pose(Vector3(0.0, 0.0, 2.0), Euler(0.0, np.pi / 2, np.pi / 2)), 0.5, 96, 96)
SHEET = """mtllib sheet.mtl
v -.5 0 -.5
v .5 0 -.5
v .5 0 .5
v -.5 0 .5
vt 0 0
vt 1 0
vt 1 1
vt 0 1
usemtl sheet
f 1/1 2/2 3/3 4/4
"""


@pytest.fixture
def flag(tmp_path):
    """A picture with four colours in its quarters, also of the mesh of a flat sheet."""
    image = np.array([*NAMES.values()], np.uint8).reshape(2, 2, 3)
    Image.fromarray(image.repeat(16, axis=0).repeat(16, axis=1)).save(tmp_path / "flag.png")
    (tmp_path / "sheet.obj").write_text(SHEET)
    (tmp_path / "sheet.mtl").write_text("newmtl sheet\nmap_Kd flag.png\n")
    return tmp_path / "flag.png"


def model(visual):
    return ModelDescription("m", links=(LinkDescription("l", visuals=(visual,)),), static=True)


def nearest(color):
    """The name of the colour with the most similar hue; dark ones are grey."""
    color = np.asarray(color, dtype=np.float64)
    if np.ptp(color) < 30.0:
        return "grey"
    return ["red", "green", "blue"][int(color.argmax())]


def quarters(picture):
    """The names of the colours in the middles of the four quarters."""
    return [[nearest(picture[y, x]) for x in (36, 60)] for y in (36, 60)]


@pytest.mark.parametrize("turn", [0.0, np.pi])
@pytest.mark.parametrize(
    ("geometry", "view", "own"),
    [
        (Box((1, 1, 1)), FRONT, False),
        (Plane(size=(1, 1)), ABOVE, False),
        ("sheet.obj", FRONT, False),
        ("sheet.obj", FRONT, True),
    ],
    ids=["box", "plane", "mesh", "mesh of its own"],
)
def test_a_texture_is_drawn_as_it_is(flag, geometry, view, own, turn):
    """Each quarter of the picture is where it should be; a turned shape shows it turned."""
    geometry = Mesh(flag.parent / geometry) if isinstance(geometry, str) else geometry
    axis = Euler(0.0, turn, 0.0) if view is FRONT else Euler(0.0, 0.0, turn)
    visual = VisualDescription("v", geometry, Pose((0, 0, 0), axis), texture=None if own else flag)
    world = World(MujocoSimulator())
    world.spawn(model(visual), "m", Pose())
    expected = [row[::-1] for row in UPRIGHT[::-1]] if turn else UPRIGHT
    assert quarters(world.render(view)) == expected
    world.close()


def test_colours_multiply_a_texture(flag):
    """A visual is white unless its material says otherwise, and its colour can be changed."""
    world = World(MujocoSimulator())
    world.spawn(model(VisualDescription("v", Box((1, 1, 1)), texture=flag)), "m", Pose())
    np.testing.assert_array_equal(world.visuals.diffuse[0, 0], (1, 1, 1, 1))
    bright = world.render(FRONT)[36, 60].astype(float)
    world.put("visuals", {"diffuse": (1.0, 0.5, 1.0, 1.0)}, [0])
    world.flush()
    dim = world.render(FRONT)[36, 60].astype(float)
    assert dim[1] == pytest.approx(0.5 * bright[1], rel=0.1)
    yellow = Material(diffuse=Color(1, 1, 0))
    world.delete("m")
    described = VisualDescription("v", Box((1, 1, 1)), material=yellow, texture=flag)
    world.spawn(model(described), "m", Pose())
    assert world.render(FRONT)[60, 36].max() < 60  # blue times yellow
    world.close()


def test_models_share_a_texture_and_each_has_it(flag):
    """A model that comes after a picture was drawn is textured, too; so is one that stays."""
    world = World(MujocoSimulator())
    described = model(VisualDescription("v", Box((0.4, 0.4, 0.4)), texture=flag))
    world.spawn(described, "left", Pose((-0.25, 0.0, 0.0)))
    world.render(FRONT)
    world.spawn(described, "right", Pose((0.25, 0.0, 0.0)))
    both = world.render(FRONT)
    colours = {nearest(color) for color in both[40:56, 50:76].reshape(-1, 3)[::7]}
    assert colours >= {"red", "green", "blue"}
    world.delete("left")
    np.testing.assert_array_equal(world.render(FRONT)[30:66, 58:72], both[30:66, 58:72])
    world.close()
