# SPDX-License-Identifier: Apache-2.0
"""Heightmaps: what lies on them and what is seen of them tells their heights."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import PIL.Image
import pytest
from numpy.typing import NDArray

from deepsim_math import Euler, Pose, Vector3
from deepsim_mujoco import MujocoSimulator
from deepsim_mujoco.spec.assets import Assets
from deepsim_mujoco.spec.shapes import Landscape, add_landscape
from deepsim_spawn import (
    Bounds,
    CollisionDescription,
    Heightmap,
    LinkDescription,
    ModelDescription,
    UnsupportedElementWarning,
    VisualDescription,
    heightmap_heights,
)
from deepsim_sync import CameraView, SpawnError, Transform, World

RADIUS = 0.1
SIZE = (8.0, 16.0, 2.0)
POSITION = (0.5, -1.0, 0.25)
STEPS = np.array([[50, 100, 150, 200], [0, 0, 250, 250], [0, 25, 0, 25], [75, 125, 175, 225]])
"""Grey of level squares, 2 m by 4 m; the upper row lies at the greatest y."""


def model(*geometries: Heightmap, static: bool = True) -> ModelDescription:
    link = LinkDescription(
        "link",
        collisions=tuple(CollisionDescription(f"c{i}", one) for i, one in enumerate(geometries)),
        visuals=tuple(VisualDescription(f"v{i}", one) for i, one in enumerate(geometries)),
    )
    return ModelDescription("model", links=(link,), static=static)


@pytest.fixture
def stairs(tmp_path: Path) -> Heightmap:
    """Four by four squares of 2 m by 4 m, each level but for a ramp along its edges."""
    pixels = np.kron(STEPS, np.ones((4, 4)))
    picture = np.pad(pixels, ((0, 1), (0, 1)), mode="edge")
    PIL.Image.fromarray(picture.astype(np.uint8)).save(tmp_path / "stairs.png")
    return Heightmap(tmp_path / "stairs.png", SIZE, POSITION)


@pytest.fixture
def noise(tmp_path: Path) -> Heightmap:
    pixels = np.random.default_rng(3).integers(40, 200, (9, 9))
    PIL.Image.fromarray(pixels.astype(np.uint8)).save(tmp_path / "noise.png")
    return Heightmap(tmp_path / "noise.png", (4, 6, 1.5), (1, 2, 3))


def height(heightmap: Heightmap, x: float, y: float) -> float:
    """Of the surface, triangle by triangle: each four pixels are joined from lower left on."""
    heights = heightmap_heights(heightmap)
    cells = len(heights) - 1
    u = ((x - heightmap.position[0]) / heightmap.size[0] + 0.5) * cells
    v = ((y - heightmap.position[1]) / heightmap.size[1] + 0.5) * cells
    column, row = min(int(u), cells - 1), min(int(v), cells - 1)
    u, v = u - column, v - row
    (low_left, low_right), (up_left, up_right) = heights[row : row + 2, column : column + 2]
    if u > v:
        above = low_left + u * (low_right - low_left) + v * (up_right - low_right)
    else:
        above = low_left + v * (up_left - low_left) + u * (up_right - up_left)
    return float(above) + heightmap.position[2]


def test_rays_meet_it_where_the_picture_says(noise: Heightmap) -> None:
    landscape = Landscape.of(noise)
    spec = mujoco.MjSpec()
    add_landscape(spec, "hills", landscape)
    spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_HFIELD, hfieldname="hills", pos=list(landscape.middle)
    )
    compiled = spec.compile()
    data = mujoco.MjData(compiled)
    mujoco.mj_kinematics(compiled, data)
    for x, y in np.random.default_rng(4).uniform((-0.99, -0.99), (2.99, 4.99), (200, 2)):
        args = None, True, -1, np.zeros(1, np.int32), None
        depth = mujoco.mj_ray(compiled, data, np.array([x, y, 9]), np.array([0.0, 0, -1]), *args)
        assert 9 - depth == pytest.approx(height(noise, x, y), abs=1e-5)


@pytest.mark.parametrize("row", range(4))
def test_balls_rest_on_it(ball: ModelDescription, stairs: Heightmap, row: int) -> None:
    """On each square, also after others of its kind came and went."""
    place = Pose((10, 0, 1))
    world = World(MujocoSimulator())
    world.spawn(model(stairs), "other", Pose((50, 0, 0)))
    world.spawn(model(stairs), "stairs", place)
    world.delete("other")
    expected = []
    for column in range(4):
        x, y = (column - 1.5) * 2 + POSITION[0] - 0.25, (1.5 - row) * 4 + POSITION[1] + 0.5
        z = place.position.z + height(stairs, x, y)
        level = place.position.z + POSITION[2] + STEPS[row, column] / 250 * SIZE[2]
        assert z == pytest.approx(level)
        expected.append(z + RADIUS)
        world.spawn(ball, f"ball{column}", Pose((x + 10, y, z + RADIUS + 0.01)))
    for _ in range(300):
        world.tick()
    rest = [Transform(world, f"ball{column}").pose.position.z for column in range(4)]
    assert rest == pytest.approx(expected, abs=3e-3)


def test_a_ball_rolls_down_a_slope(ball: ModelDescription, tmp_path: Path) -> None:
    """Along the picture's column of growing grey, and on the slope all the time."""
    slope = np.repeat(np.arange(17)[:, None] * 15, 17, axis=1)  # the lower edge is the highest
    PIL.Image.fromarray(slope.astype(np.uint8)).save(tmp_path / "slope.png")
    heightmap = Heightmap(tmp_path / "slope.png", (10, 10, 1))
    angle = math.atan2(1, 10)
    world = World(MujocoSimulator())
    world.spawn(model(heightmap), "slope", Pose())
    start = height(heightmap, 0.3, -3.0) + RADIUS / math.cos(angle)
    world.spawn(ball, "ball", Pose((0.3, -3.0, start)))
    for _ in range(1000):
        world.tick()
    x, y, z = Transform(world, "ball").pose.position
    assert x == pytest.approx(0.3, abs=5e-3)  # edges within the slope turn it aside a little
    rolled = math.sin(angle) * math.cos(angle) * 9.8 / 2 / 1.4  # a full ball: 7/5 of its mass
    assert y == pytest.approx(-3.0 + rolled, abs=0.02)
    assert z == pytest.approx(height(heightmap, x, y) + RADIUS / math.cos(angle), abs=3e-3)


@pytest.mark.parametrize("grey", [0, 1, 255])
def test_a_level_picture_is_level_ground(ball: ModelDescription, tmp_path: Path, grey: int) -> None:
    PIL.Image.new("L", (5, 5), grey).save(tmp_path / "level.png")
    world = World(MujocoSimulator())
    world.spawn(model(Heightmap(tmp_path / "level.png", (4, 4, 2))), "level", Pose())
    level = 2.0 if grey else 0.0
    world.spawn(ball, "ball", Pose((0.3, 0.2, level + RADIUS)))
    for _ in range(300):
        world.tick()
    assert Transform(world, "ball").pose.position.z == pytest.approx(level + RADIUS, abs=3e-3)


def seen(heightmap: Heightmap, yaw: float) -> NDArray[np.bool_]:
    """Which pixels of a picture from far away, at the level of the lowest point, it fills."""
    world = World(MujocoSimulator())
    eye = Pose((-400 * math.cos(yaw), -400 * math.sin(yaw), 0), Euler(yaw=yaw))
    view = CameraView(eye, horizontal_fov=2 * math.atan2(8, 400), width=160, height=80)
    empty = world.render(view)
    world.spawn(model(heightmap), "hills", Pose())
    changed: NDArray[np.bool_] = (world.render(view) != empty).any(axis=-1)
    return changed


def test_it_is_seen_as_high_as_it_is(stairs: Heightmap) -> None:
    """From the south, each column is as high as the highest square in it; from the west, each row.

    A pixel is 0.1 m wide and high, and the picture's middle at z = 0.
    """
    centred = replace(stairs, position=(0, 0, 0))
    south, west = seen(centred, math.pi / 2), seen(centred, 0.0)
    for index, highest in enumerate(STEPS.max(axis=0)):
        x = (index - 1.5) * 2 - 0.25
        filled = south[:40, 80 + round(10 * x)].sum()
        assert filled == pytest.approx(highest / 250 * SIZE[2] * 10, abs=1.5)
    for index, highest in enumerate(STEPS.max(axis=1)):
        y = (1.5 - index) * 4 + 0.5
        filled = west[:40, 80 - round(10 * y)].sum()
        assert filled == pytest.approx(highest / 250 * SIZE[2] * 10, abs=1.5)


def test_a_picture_that_cannot_be_read_is_a_spawn_error(stairs: Heightmap) -> None:
    world = World(MujocoSimulator())
    Path(stairs.key).write_text("no picture", encoding="utf-8")
    with pytest.raises(SpawnError, match=r"'hill'.*stairs\.png: cannot be read as a picture"):
        world.spawn(model(stairs), "hill", Pose())
    assert list(world.entities.models) == []


def test_an_elevation_model_is_left_out_with_one_warning(tmp_path: Path) -> None:
    world = World(MujocoSimulator())
    message = r"'hill': the heightmap \(an elevation model, not a picture\) of link::c0 and 1 more"
    with pytest.warns(UnsupportedElementWarning, match=message):
        world.spawn(model(Heightmap(tmp_path / "hill.tif")), "hill", Pose())
    assert list(world.entities.models) == ["hill"]
    assert list(world.entities.visuals) == []


def test_a_heightmap_that_may_move_is_left_out_with_one_warning(
    ball: ModelDescription, stairs: Heightmap
) -> None:
    """Not so a kinematic one, which moves only where it is put."""
    hills = model(stairs).links[0]
    link = replace(ball.links[0], visuals=hills.visuals, collisions=hills.collisions)
    world = World(MujocoSimulator())
    message = r"the heightmap \(on a link that may move\) of link::c0 and 1 more"
    with pytest.warns(UnsupportedElementWarning, match=message):
        world.spawn(ModelDescription("model", links=(link,)), "hill", Pose())
    assert list(world.entities.visuals) == []
    world.spawn(ModelDescription("model", links=(replace(link, kinematic=True),)), "put", Pose())
    assert list(world.entities.visuals) == ["put::link::v0"]


def test_bounds_contain_the_ground_below(stairs: Heightmap) -> None:
    """The bounds of the description are those that MuJoCo itself computes for the height field."""
    landscape = Landscape.of(stairs)
    spec = mujoco.MjSpec()
    add_landscape(spec, "stairs", landscape)
    spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_HFIELD, hfieldname="stairs", pos=list(landscape.middle)
    )
    compiled = spec.compile()
    centre, half = np.split(compiled.geom_aabb[0], 2)
    middle = compiled.geom_pos[0] + centre
    bounds = Bounds.of(model(stairs))
    assert bounds is not None
    np.testing.assert_allclose(bounds.lower, middle - half, atol=1e-6)
    np.testing.assert_allclose(bounds.upper, middle + half, atol=1e-6)


def test_equal_landscapes_are_one_height_field_wherever_they_lie() -> None:
    spec = mujoco.MjSpec()
    assets = Assets(spec)
    heights = np.arange(9.0).reshape(3, 3)
    shapes = [
        Landscape(heights, (2.0, 2.0), Vector3(0.0, 0.0, 0.0)),
        Landscape(heights.copy(), (2.0, 2.0), Vector3(0.0, 0.0, 5.0)),
        Landscape(heights, (2.0, 3.0), Vector3(0.0, 0.0, 0.0)),
        Landscape(2 * heights, (2.0, 2.0), Vector3(0.0, 0.0, 0.0)),
    ]
    names = [assets.take(shape, "m") for shape in shapes]
    assert [names.index(name) for name in names] == [0, 0, 2, 3]
    assert len(spec.hfields) == 3
    assets.give_back(names[0])
    assert len(spec.hfields) == 3
    for name in names[1:]:
        assets.give_back(name)
    assert len(spec.hfields) == 0
