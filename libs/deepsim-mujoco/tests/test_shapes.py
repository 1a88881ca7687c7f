# SPDX-License-Identifier: Apache-2.0
"""Shapes that MuJoCo lacks: where a ball comes to rest on them tells how they collide."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import PIL.Image
import pytest

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import (
    Bounds,
    CollisionDescription,
    Cone,
    Geometry,
    Image,
    LinkDescription,
    ModelDescription,
    Polyline,
    VisualDescription,
)
from deepsim_sync import CameraView, SpawnError, Transform, World

RADIUS = 0.1
BALL = f"""<link name="link"><inertial><mass>1</mass><inertia><ixx>0.004</ixx><iyy>0.004</iyy>
<izz>0.004</izz></inertia></inertial><collision name="collision"><geometry><sphere>
<radius>{RADIUS}</radius></sphere></geometry></collision></link>"""
SQUARE = ((-2, -2), (2, -2), (2, 2), (-2, 2))
HOLE = ((-1, -1), (1, -1), (1, 1), (-1, 1))


def standing(geometry: Geometry) -> ModelDescription:
    """A static model of one shape, to touch and to see."""
    link = LinkDescription(
        "link",
        collisions=(CollisionDescription("collision", geometry),),
        visuals=(VisualDescription("visual", geometry),),
    )
    return ModelDescription("model", links=(link,), static=True)


@pytest.mark.parametrize(
    ("geometry", "place", "height"),
    [
        (Polyline((SQUARE,), 1.0), (0.0, 0.0), 1.0),
        (Polyline((SQUARE, HOLE), 1.0), (1.5, 0.3), 1.0),
        (Polyline((SQUARE, HOLE), 1.0), (0.0, -1.5), 1.0),
        (Polyline((SQUARE, HOLE), 1.0), (0.0, 0.0), 0.0),  # falls through to the ground
        (Cone(1.0, 2.0), (0.0, 0.0), 1.0),
    ],
)
def test_a_ball_rests_on_it(
    ground: ModelDescription,
    load: Callable[[str], ModelDescription],
    geometry: Geometry,
    place: tuple[float, float],
    height: float,
) -> None:
    world = World(MujocoSimulator())
    world.spawn(ground, "ground", Pose())
    world.spawn(standing(geometry), "shape", Pose())
    world.spawn(load(BALL), "ball", Pose((*place, height + RADIUS + 0.01)))
    for _ in range(300):
        world.tick()
    assert Transform(world, "ball").pose.position.z == pytest.approx(height + RADIUS, abs=3e-3)


def test_a_hole_is_seen(load: Callable[[str], ModelDescription]) -> None:
    """From above, the middle of a frame looks like what is around it."""
    world = World(MujocoSimulator())
    empty = world.render(CameraView.from_above(0, 0, 10, size=(64, 64)))
    world.spawn(standing(Polyline((SQUARE, HOLE), 1.0)), "frame", Pose())
    seen = world.render(CameraView.from_above(0, 0, 10, size=(64, 64)))
    changed = (seen != empty).any(axis=-1)
    assert not changed[30:34, 30:34].any()
    assert changed[30:34, 22:25].all()


def test_a_cone_is_as_large_as_its_bounds(load: Callable[[str], ModelDescription]) -> None:
    model = standing(Cone(1.0, 2.0))
    bounds = Bounds.of(model)
    assert bounds is not None
    world = World(MujocoSimulator())
    empty = world.render(CameraView.from_above(0, 0, 6, size=(100, 100)))
    world.spawn(model, "cone", Pose())
    seen = world.render(CameraView.from_above(0, 0, 6, size=(100, 100)))
    rows, columns = np.nonzero((seen != empty).any(axis=-1))
    pixels = 100 * bounds.size.x / (2 * 7 * math.tan(1.0472 / 2))  # its rim is 7 m below
    assert np.ptp(rows) + 1 == pytest.approx(pixels, abs=2)
    assert np.ptp(columns) + 1 == pytest.approx(pixels, abs=2)


@pytest.fixture
def frame(tmp_path: Path) -> Image:
    """A square of 4 m with a hole of 2 m, as a picture; its left wall is broken."""
    picture = np.zeros((8, 8), dtype=np.uint8)
    picture[2:6, 2:6] = 255
    picture[4, :2] = 255
    PIL.Image.fromarray(picture).save(tmp_path / "frame.png")
    return Image(tmp_path / "frame.png", scale=0.5, height=1.0)


@pytest.mark.parametrize(
    ("place", "height"),
    [((3.5, 2.0), 1.0), ((0.5, 2.5), 1.0), ((0.5, 1.75), 0.0), ((2.0, 2.0), 0.0)],
)
def test_a_ball_rests_on_the_walls_of_an_image(
    ground: ModelDescription,
    load: Callable[[str], ModelDescription],
    frame: Image,
    place: tuple[float, float],
    height: float,
) -> None:
    world = World(MujocoSimulator())
    world.spawn(ground, "ground", Pose())
    world.spawn(standing(frame), "walls", Pose((1, 0, 0)))
    x, y = place
    world.spawn(load(BALL), "ball", Pose((x + 1, y, height + RADIUS + 0.01)))
    for _ in range(300):
        world.tick()
    assert Transform(world, "ball").pose.position.z == pytest.approx(height + RADIUS, abs=3e-3)


def test_an_image_is_seen(frame: Image) -> None:
    world = World(MujocoSimulator())
    view = CameraView.from_above(2, 2, 10, size=(64, 64))
    empty = world.render(view)
    world.spawn(standing(frame), "walls", Pose())
    changed = (world.render(view) != empty).any(axis=-1)
    assert not changed[31:33, 31:33].any()
    assert changed[31:33, 38:40].all()


def test_an_image_that_cannot_be_read_is_a_spawn_error(tmp_path: Path, frame: Image) -> None:
    world = World(MujocoSimulator())
    frame.path.write_text("no picture")
    with pytest.raises(SpawnError, match=r"'walls'.*frame\.png: cannot be read as a picture"):
        world.spawn(standing(frame), "walls", Pose())
    assert list(world.entities.models) == []


def test_a_bright_image_is_nothing(frame: Image) -> None:
    PIL.Image.new("L", (4, 4), 255).save(frame.path)
    world = World(MujocoSimulator())
    world.spawn(standing(frame), "walls", Pose())
    assert list(world.entities.visuals) == []
