# SPDX-License-Identifier: Apache-2.0
"""What both cameras show of a MuJoCo model."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from deepsim_math import Color, Euler, Pose
from deepsim_mujoco.imports import mujoco
from deepsim_mujoco.rendering import (
    Camera,
    GlCamera,
    GlUnavailableError,
    RayCamera,
    add_checker,
    add_sky,
    open_camera,
)
from deepsim_sync import CameraView

Picture = NDArray[np.uint8]
GEOM, LIGHT = mujoco.mjtGeom, mujoco.mjtLightType
RED, GREEN, BLUE = (0.9, 0.1, 0.1, 1.0), (0.1, 0.8, 0.2, 1.0), (0.1, 0.2, 0.9, 1.0)
SKY = Color(0.6, 0.6, 0.6)
AHEAD = CameraView(Pose((0, 0, 1)), 1.0, 96, 72)


@pytest.fixture(scope="module", params=["ray", "gl"])
def camera(request: pytest.FixtureRequest) -> Iterator[Camera]:
    try:
        camera = open_camera(request.param)
    except GlUnavailableError as error:
        pytest.skip(str(error))
    yield camera
    camera.close()


def world(*, ambient: float = 0.5, sun: bool = False, ground: bool = False) -> Any:
    """A spec with a grey sky."""
    spec = mujoco.MjSpec()
    add_sky(spec, SKY, SKY)
    head = spec.visual.headlight
    head.ambient, head.diffuse, head.specular = [ambient] * 3, [0.0] * 3, [0.0] * 3
    if sun:
        light = spec.worldbody.add_light(
            name="sun", type=LIGHT.mjLIGHT_DIRECTIONAL, pos=[0, 0, 9], dir=[0, 0.6, -0.8]
        )
        light.diffuse, light.specular, light.ambient = [0.5] * 3, [0.0] * 3, [0.0] * 3
        light.castshadow = True
    if ground:
        add(spec, GEOM.mjGEOM_PLANE, (0, 0, 1), (0.6, 0.6, 0.6, 1.0), (0, 0, 0))
    return spec


def add(spec: Any, kind: Any, size: Any, rgba: Any, pos: Any, **more: Any) -> Any:
    """A visual in the world."""
    size = list(size) + [0] * (3 - len(size))
    return spec.worldbody.add_geom(
        type=kind, size=size, rgba=rgba, pos=pos, **{"group": 2, "contype": 0, **more}
    )


def add_cube_mesh(spec: Any, name: str, half: float) -> None:
    """A mesh asset."""
    signs = (-1, 1)
    corners = [[x * half, y * half, z * half] for x in signs for y in signs for z in signs]
    spec.add_mesh(name=name, uservert=np.reshape(corners, -1))


def still(spec: Any) -> tuple[Any, Any]:
    """A model and its data at rest."""
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


def shoot(camera: Camera, spec: Any, view: CameraView = AHEAD, far: float = 100) -> Picture:
    return camera.render(*still(spec), view, 0.05, far)


def reddish(picture: Picture) -> NDArray[np.bool_]:
    """Where red stands out."""
    red, green, blue = np.moveaxis(picture.astype(int), 2, 0)
    return (red - green > 15) & (red - blue > 15)


def centre(mask: NDArray[np.bool_]) -> tuple[float, float]:
    """Mean column and row of the marked pixels, as distances from the upper left corner."""
    rows, columns = np.nonzero(mask)
    return float(columns.mean()) + 0.5, float(rows.mean()) + 0.5


def test_a_picture_has_the_size_and_type_that_was_asked_for(camera: Camera) -> None:
    for width, height in ((96, 72), (7, 5), (1, 1), (130, 20)):
        picture = shoot(camera, world(), CameraView(Pose(), 1.0, width, height))
        assert picture.shape == (height, width, 3)
        assert picture.dtype == np.uint8
        assert picture.flags.c_contiguous
        assert picture.flags.writeable


@pytest.mark.parametrize(
    ("kind", "size"),
    [
        (GEOM.mjGEOM_BOX, (0.5, 0.5, 0.5)),
        (GEOM.mjGEOM_SPHERE, (0.5,)),
        (GEOM.mjGEOM_ELLIPSOID, (0.4, 0.5, 0.6)),
        (GEOM.mjGEOM_CYLINDER, (0.5, 0.4)),
        (GEOM.mjGEOM_CAPSULE, (0.4, 0.3)),
    ],
)
def test_every_shape_shows_its_colour_where_it_is(camera: Camera, kind: Any, size: Any) -> None:
    spec = world(ambient=1.0)
    add(spec, kind, size, RED, (4, 0, 1))
    picture = shoot(camera, spec)
    np.testing.assert_allclose(picture[36, 48], np.array(RED[:3]) * 255, atol=2)
    np.testing.assert_allclose(picture[2, 2], np.array(SKY)[:3] * 255, atol=2)
    assert centre(reddish(picture)) == pytest.approx((48, 36), abs=0.5)


def test_threads_take_turns(camera: Camera) -> None:
    """A server answers each call in another thread."""
    spec = world()
    here = shoot(camera, spec)
    there: list[Picture] = []
    thread = threading.Thread(target=lambda: there.append(shoot(camera, spec)))
    thread.start()
    thread.join(60.0)
    assert np.array_equal(there, [here])
    assert np.array_equal(shoot(camera, spec), here)


def test_a_mesh_is_shown(camera: Camera) -> None:
    spec = world(ambient=1.0)
    corners = np.array([[0, 0, 0.8], [0.7, 0, -0.4], [-0.35, 0.6, -0.4], [-0.35, -0.6, -0.4]])
    faces = [0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2]
    spec.add_mesh(name="tetrahedron", uservert=corners.reshape(-1), userface=faces)
    add(spec, GEOM.mjGEOM_MESH, (), GREEN, (3, 0, 1), meshname="tetrahedron")
    picture = shoot(camera, spec)
    np.testing.assert_allclose(picture[36, 48], np.array(GREEN[:3]) * 255, atol=2)
    np.testing.assert_allclose(picture[36, 5], np.array(SKY)[:3] * 255, atol=2)


def test_only_visuals_are_shown(camera: Camera) -> None:
    empty = shoot(camera, world())
    spec = world()
    for group in (0, 1, 3, 4, 5):
        add(spec, GEOM.mjGEOM_BOX, (0.5, 0.5, 0.5), RED, (4, 0, 1), group=group)
    spec.worldbody.add_site(pos=[3, 0, 1], size=[0.3, 0.3, 0.3], group=2)
    np.testing.assert_array_equal(shoot(camera, spec), empty)


@pytest.mark.parametrize("angle", [-0.4, -0.1, 0.0, 0.25, 0.4])
@pytest.mark.parametrize("fov", [1.0, 1.5])
def test_the_field_of_view_puts_a_thing_at_its_angle(
    camera: Camera, fov: float, angle: float
) -> None:
    """A pinhole shows the angle a at the tangent of a, left being positive."""
    spec = world(ambient=1.0)
    where = (10 * math.cos(angle), 10 * math.sin(angle), 1)
    add(spec, GEOM.mjGEOM_SPHERE, (0.4,), RED, where)
    column, row = centre(reddish(shoot(camera, spec, CameraView(Pose((0, 0, 1)), fov, 200, 60))))
    assert column == pytest.approx(100 * (1 - math.tan(angle) / math.tan(fov / 2)), abs=0.6)
    assert row == pytest.approx(30, abs=0.5)


@pytest.mark.parametrize(
    ("roll", "place"),
    [
        (0.0, (24, 48)),
        (math.pi / 2, (48, 72)),  # what was left is now below
        (math.pi, (72, 48)),
        (-math.pi / 2, (48, 24)),
    ],
)
def test_a_rolled_camera_turns_the_picture(
    camera: Camera, roll: float, place: tuple[float, float]
) -> None:
    spec = world(ambient=1.0)
    add(spec, GEOM.mjGEOM_SPHERE, (0.3,), RED, (4, 2 * math.tan(0.5), 1))
    view = CameraView(Pose((0, 0, 1), Euler(roll, 0, 0)), 1.0, 96, 96)
    assert centre(reddish(shoot(camera, spec, view))) == pytest.approx(place, abs=1.0)


def test_the_camera_can_look_from_anywhere(camera: Camera) -> None:
    """The same thing straight ahead of differently turned cameras."""
    spec = world(ambient=1.0)
    add(spec, GEOM.mjGEOM_SPHERE, (0.3,), RED, (50, -30, 20))
    for euler in (Euler(0, math.pi / 2, 0), Euler(0, -math.pi / 2, 1), Euler(2, 0.7, -2)):
        turn = Pose((50, -30, 20), euler)
        view = CameraView(turn @ Pose((-3, 0, 0)), 1.0, 60, 60)
        assert centre(reddish(shoot(camera, spec, view))) == pytest.approx((30, 30), abs=0.5)


def test_transparency_hides(camera: Camera) -> None:
    spec = world(ambient=1.0)
    add(spec, GEOM.mjGEOM_BOX, (0.5, 0.5, 0.5), RED, (4, 0, 1))
    model, data = still(spec)
    model.geom_rgba[0, 3] = 0.0
    np.testing.assert_array_equal(
        camera.render(model, data, AHEAD, 0.05, 100), shoot(camera, world(ambient=1.0))
    )


def test_glass_mixes_with_what_is_behind(camera: Camera) -> None:
    """From outside one looks through the front of a solid only: half red, half blue."""
    spec = world(ambient=1.0)
    add(spec, GEOM.mjGEOM_BOX, (0.5, 0.5, 0.5), (1.0, 0.0, 0.0, 0.5), (3, 0, 1))
    add(spec, GEOM.mjGEOM_BOX, (0.5, 9.0, 9.0), (0.0, 0.0, 1.0, 1.0), (6, 0, 1))
    np.testing.assert_allclose(shoot(camera, spec)[36, 48], [127.5, 0, 127.5], atol=3)


def test_glass_is_hidden_behind_what_is_opaque(camera: Camera) -> None:
    spec = world(ambient=1.0)
    add(spec, GEOM.mjGEOM_BOX, (0.5, 9.0, 9.0), BLUE, (3, 0, 1))
    add(spec, GEOM.mjGEOM_SPHERE, (0.5,), (1.0, 0.0, 0.0, 0.5), (6, 0, 1))
    assert not reddish(shoot(camera, spec)).any()


def test_the_colour_of_a_light_colours_things(camera: Camera) -> None:
    spec = world(sun=True)
    add(spec, GEOM.mjGEOM_PLANE, (0, 0, 1), (0.8, 0.8, 0.8, 1.0), (0, 0, 0))
    model, data = still(spec)
    down = CameraView(Pose((0, 0, 3), Euler(0, math.pi / 2, 0)), 0.6, 20, 20)
    white = camera.render(model, data, down, 0.05, 100).mean(axis=(0, 1))
    model.light_diffuse[0] = [0.5, 0.0, 0.0]
    red = camera.render(model, data, down, 0.05, 100).mean(axis=(0, 1))
    model.light_diffuse[0] = 0.0
    dark = camera.render(model, data, down, 0.05, 100).mean(axis=(0, 1))
    # Lambert: 0.8 of the light falls on the plane, which throws back 0.8 of it.
    np.testing.assert_allclose(white - dark, 255 * 0.8 * 0.8 * 0.5, atol=6)
    np.testing.assert_allclose(red - dark, [white[0] - dark[0], 0, 0], atol=2)


@pytest.mark.parametrize("kind", [LIGHT.mjLIGHT_POINT, LIGHT.mjLIGHT_SPOT])
@pytest.mark.parametrize("casts", [False, True])
def test_lamps_light_what_is_near(camera: Camera, kind: Any, casts: bool) -> None:
    """At 1 m half of the light of 0.8 is left; a spot light shines down only."""
    spec = world(ambient=0.2)
    add(spec, GEOM.mjGEOM_ELLIPSOID, (1, 1, 0.1), (0.8, 0.8, 0.8, 1.0), (0, 0, 0))
    add(spec, GEOM.mjGEOM_ELLIPSOID, (1, 1, 0.1), (0.8, 0.8, 0.8, 1.0), (0, 0, 2.2))
    lamp = spec.worldbody.add_light(type=kind, pos=[0, 0, 1.1], dir=[0, 0, -1], cutoff=60)
    lamp.diffuse, lamp.attenuation, lamp.exponent = [0.8] * 3, [1.0, 0.0, 1.0], 0.0
    lamp.specular, lamp.castshadow = [0.0] * 3, casts
    model, data = still(spec)

    def gain(pitch: float) -> float:
        """How much brighter the middle is with the lamp than without."""
        view = CameraView(Pose((0, 0, 1.1), Euler(0, pitch, 0)), 0.3, 20, 20)
        model.light_active[0] = 1
        lit = camera.render(model, data, view, 0.05, 100)[10, 10].astype(int)
        model.light_active[0] = 0
        dark = camera.render(model, data, view, 0.05, 100)[10, 10].astype(int)
        return float((lit - dark).mean())

    full = 255 * 0.8 * 0.8 / 2
    assert gain(math.pi / 2) == pytest.approx(full, rel=0.1)
    upward = full if kind == LIGHT.mjLIGHT_POINT else 0
    assert gain(-math.pi / 2) == pytest.approx(upward, rel=0.1, abs=1)


@pytest.mark.parametrize(("material", "gain"), [("", 0.5), ("matt", 0.0), ("polish", 0.9)])
def test_highlights_are_as_strong_as_the_material_says(
    camera: Camera, material: str, gain: float
) -> None:
    """A lamp beside the eye, of highlights only; a geom without a material has 0.5 of them.

    OpenGL computes them in the corners of a box, so it is small.
    """
    spec = world(ambient=0.3)
    spec.add_material(name="matt", specular=0.0)
    spec.add_material(name="polish", specular=0.9)
    box, blue = (0.1, 0.1, 0.1), (0.0, 0.0, 0.8, 1.0)
    add(spec, GEOM.mjGEOM_BOX, box, blue, (3, 0, 1), material=material)
    turned = [math.cos(0.4), 0, 0, math.sin(0.4)]
    add(spec, GEOM.mjGEOM_BOX, box, blue, (3, 0.5, 1), material=material, quat=turned)
    lamp = spec.worldbody.add_light(type=LIGHT.mjLIGHT_DIRECTIONAL, dir=[1, 0, 0])
    lamp.diffuse, lamp.specular, lamp.ambient = [0.0] * 3, [0.6] * 3, [0.0] * 3
    picture = shoot(camera, spec)
    highlight = gain * 0.6
    np.testing.assert_allclose(
        picture[36, 48], 255 * np.array([highlight, highlight, 0.24 + highlight]), atol=4
    )
    np.testing.assert_allclose(picture[36, 33], [0, 0, 255 * 0.24], atol=2)


@pytest.mark.parametrize("place", [0.0, 500.0])
def test_things_throw_shadows(camera: Camera, place: float) -> None:
    """The sun shines towards +y and down by 0.8 of the way; the ball hangs 2 m above the ground."""
    spec = world(sun=True, ground=True)
    add(spec, GEOM.mjGEOM_SPHERE, (0.4,), RED, (place, place, 2))
    down = CameraView(Pose((place, place + 1.5, 8), Euler(0, math.pi / 2, 0)), 0.7, 101, 101)
    picture = shoot(camera, spec, down).astype(int).sum(axis=2)
    # up in the picture is +x, left is +y
    shadow = picture[50, 50]
    lit = picture[50, 20]
    assert shadow == pytest.approx(0.5 / (0.5 + 0.5 * 0.8) * lit, rel=0.05)


def test_what_is_too_near_or_too_far_is_not_shown(camera: Camera) -> None:
    spec = world(ambient=1.0)
    add(spec, GEOM.mjGEOM_SPHERE, (0.5,), RED, (4, 0, 1))
    model, data = still(spec)
    for near, far, seen in ((1, 10, True), (3.8, 10, False), (1, 3, False), (0.001, 5000, True)):
        assert bool(reddish(camera.render(model, data, AHEAD, near, far))[36, 48]) is seen
    empty = shoot(camera, world(ambient=1.0))
    np.testing.assert_allclose(camera.render(model, data, AHEAD, 1, 3), empty, atol=1)


def test_a_camera_sees_out_of_its_own_case(camera: Camera) -> None:
    for kind, size in (
        (GEOM.mjGEOM_BOX, (0.2, 0.1, 0.1)),
        (GEOM.mjGEOM_SPHERE, (0.2,)),
        (GEOM.mjGEOM_CYLINDER, (0.1, 0.2)),
        (GEOM.mjGEOM_CAPSULE, (0.1, 0.1)),
        (GEOM.mjGEOM_MESH, ()),
    ):
        spec = world(ambient=1.0)
        mesh = {"meshname": "cube"} if kind == GEOM.mjGEOM_MESH else {}
        add_cube_mesh(spec, "cube", 0.2)
        add(spec, kind, size, BLUE, (0, 0, 1), **mesh)
        add(spec, GEOM.mjGEOM_BOX, (0.5, 9, 9), RED, (4, 0, 1))
        assert reddish(shoot(camera, spec)).all()


@pytest.mark.parametrize("size", [(0, 0, 1), (2.3, 1.4, 1)])
@pytest.mark.parametrize("place", [(0.3, 0.2), (41.25, -81.5)])
def test_the_checker_of_a_plane_has_tiles_of_a_metre(
    camera: Camera, size: tuple[float, ...], place: tuple[float, float]
) -> None:
    spec = world(ambient=1.0)
    material = spec.add_material(name="ground", specular=0)
    add_checker(spec, material)
    where = (*place, 0) if size[0] else (0, 0, 0)
    add(spec, GEOM.mjGEOM_PLANE, size, (0.8, 0.8, 0.8, 1), where, material="ground")
    down = CameraView(Pose((*place, 4), Euler(0, math.pi / 2, 0)), 2 * math.atan(1 / 4), 64, 64)
    picture = shoot(camera, spec, down)[:, :, 0].astype(int)  # 2 m wide
    light = picture > 0.93 * 0.8 * 255
    assert light.mean() == pytest.approx(0.5, abs=0.2)
    assert np.median(picture[light]) == pytest.approx(0.8 * 255, abs=2)
    assert np.median(picture[~light]) == pytest.approx(0.86 * 0.8 * 255, abs=2)
    assert (light[:30, :30] != light[32:62, :30]).mean() > 0.9
    assert (light[:30, :30] != light[:30, 32:62]).mean() > 0.9


def test_a_geom_with_the_default_colour_has_that_of_its_material(camera: Camera) -> None:
    spec = world(ambient=1.0)
    spec.add_material(name="paint", rgba=GREEN)
    add(spec, GEOM.mjGEOM_BOX, (0.5, 9, 9), (0.5, 0.5, 0.5, 1), (4, 0, 1), material="paint")
    np.testing.assert_allclose(shoot(camera, spec)[36, 48], np.array(GREEN[:3]) * 255, atol=2)


def test_what_shines_by_itself_is_seen_in_the_dark(camera: Camera) -> None:
    spec = world(ambient=0.0)
    spec.add_material(name="lamp", emission=1)
    add(spec, GEOM.mjGEOM_BOX, (0.5, 9, 9), GREEN, (4, 0, 1), material="lamp")
    np.testing.assert_allclose(shoot(camera, spec)[36, 48], np.array(GREEN[:3]) * 255, atol=2)


def test_a_world_without_a_sky_is_black_behind(camera: Camera) -> None:
    spec = mujoco.MjSpec()
    add(spec, GEOM.mjGEOM_SPHERE, (0.5,), RED, (4, 0, 1))
    picture = shoot(camera, spec)
    assert picture[0, 0].tolist() == [0, 0, 0]
    assert reddish(picture)[36, 48]


def test_the_sky_is_bright_at_the_horizon(camera: Camera) -> None:
    spec = mujoco.MjSpec()
    add_sky(spec)
    up = CameraView(Pose((0, 0, 1), Euler(0, -0.5, 0.3)), 1.2, 64, 64)
    rows = shoot(camera, spec, up).astype(int).mean(axis=(1, 2))
    assert (np.diff(rows[:-8]) >= -0.5).all()
    assert rows[-1] > rows[0] + 30


def test_the_sky_is_the_same_all_around(camera: Camera) -> None:
    """Sides and top of the cube that it is painted on fit together."""
    spec = mujoco.MjSpec()
    add_sky(spec)
    for pitch in (-0.2, -0.8, 0.6):
        north, *others = (
            shoot(camera, spec, CameraView(Pose((0, 0, 1), Euler(0, pitch, yaw)), 1.2, 48, 48))
            for yaw in (0.0, math.pi / 2, math.pi, -math.pi / 2)
        )
        for other in others:
            np.testing.assert_allclose(other.astype(int), north, atol=2)


def test_opengl_draws_smooth_edges() -> None:
    try:
        camera = open_camera("gl")
    except GlUnavailableError as error:
        pytest.skip(str(error))
    spec = world(ambient=1.0)
    add(spec, GEOM.mjGEOM_BOX, (0.5, 0.5, 0.5), (1, 1, 1, 1), (4, 0, 1), quat=[0.97, 0.24, 0, 0])
    grey = shoot(camera, spec)[:, :, 0]
    camera.close()
    between = (grey > 170) & (grey < 240)
    assert between.sum() > 30


def test_a_recompiled_model_is_shown_as_it_is_now(camera: Camera) -> None:
    """Spawning and deleting shifts the numbers of geoms, materials and textures."""
    spec = world(ambient=1.0)
    spec.stat.extent = 5.0
    spec.add_material(name="first")
    add_checker(spec, spec.add_material(name="ground"))
    spec.material("ground").specular = 0
    first = add(spec, GEOM.mjGEOM_SPHERE, (0.4,), BLUE, (4, 1, 1), material="first")
    ground = add(spec, GEOM.mjGEOM_PLANE, (0, 0, 1), (1, 1, 1, 1), (0, 0, 0), material="ground")
    model, data = still(spec)
    before = camera.render(model, data, AHEAD, 0.05, 100)

    body = spec.worldbody.add_body(name="new", pos=[4, -1, 1])
    body.add_geom(type=GEOM.mjGEOM_BOX, size=[0.4] * 3, rgba=RED, group=2)
    model, data = spec.recompile(model, data)
    mujoco.mj_forward(model, data)
    with_box = camera.render(model, data, AHEAD, 0.05, 100)
    changed = (with_box != before).any(axis=2)
    assert not changed[:, :48].any()
    assert reddish(with_box)[changed].mean() > 0.7

    spec.delete(body)
    spec.delete(first)
    spec.delete(spec.material("first"))
    model, data = spec.recompile(model, data)
    mujoco.mj_forward(model, data)
    only_ground = camera.render(model, data, AHEAD, 0.05, 100)
    np.testing.assert_array_equal(only_ground[:, 48:], before[:, 48:])
    assert (only_ground != before).any()

    spec.delete(ground)
    model, data = spec.recompile(model, data)
    nothing = camera.render(model, data, AHEAD, 0.05, 100)
    np.testing.assert_allclose(nothing, np.full_like(nothing, round(0.6 * 255)), atol=1)


def test_a_new_mesh_is_shown_after_recompiling(camera: Camera) -> None:
    spec = world(ambient=1.0)
    model, data = still(spec)
    camera.render(model, data, AHEAD, 0.05, 100)
    for half in (0.3, 0.6):
        add_cube_mesh(spec, "cube", half)
        cube = add(spec, GEOM.mjGEOM_MESH, (), RED, (4, 0, 1), meshname="cube")
        model, data = spec.recompile(model, data)
        mujoco.mj_forward(model, data)
        width = reddish(camera.render(model, data, AHEAD, 0.05, 100))[36].sum()
        assert width == pytest.approx(96 * half / (4 - half) / math.tan(0.5), abs=2)
        spec.delete(cube)
        spec.delete(spec.mesh("cube"))


def test_a_new_sky_is_shown(camera: Camera) -> None:
    for color in (Color(0.2, 0.4, 0.6), Color(0.6, 0.4, 0.2)):
        spec = mujoco.MjSpec()
        add_sky(spec, color, color)
        np.testing.assert_allclose(shoot(camera, spec)[3, 3], np.array(color)[:3] * 255, atol=1)


def test_the_model_is_left_as_it_was(camera: Camera) -> None:
    spec = world(sun=True, ground=True)
    add_cube_mesh(spec, "cube", 0.5)
    add(spec, GEOM.mjGEOM_MESH, (), RED, (4, 0, 1), meshname="cube")
    model, data = still(spec)
    settings = model.vis.quality.shadowsize, model.vis.quality.offsamples, model.vis.map.zfar
    groups, state = model.geom_group.copy(), data.qpos.copy()
    camera.render(model, data, AHEAD, 0.05, 100)
    quality = model.vis.quality
    assert settings == (quality.shadowsize, quality.offsamples, model.vis.map.zfar)
    np.testing.assert_array_equal(model.geom_group, groups)
    np.testing.assert_array_equal(data.qpos, state)


def test_pictures_follow_the_state(camera: Camera) -> None:
    spec = world(ambient=1.0)
    body = spec.worldbody.add_body(name="ball", mocap=True, pos=[4, 0, 1])
    body.add_geom(type=GEOM.mjGEOM_SPHERE, size=[0.3, 0, 0], rgba=RED, group=2)
    model, data = still(spec)
    for y in (-1.0, 0.0, 1.0):
        data.mocap_pos[0] = [4, y, 1]
        mujoco.mj_kinematics(model, data)
        column, _ = centre(reddish(camera.render(model, data, AHEAD, 0.05, 100)))
        assert column == pytest.approx(48 - 48 * y / 4 / math.tan(0.5), abs=0.5)


def test_two_hundred_pictures_leave_memory_flat(camera: Camera) -> None:
    spec = world(ground=True)
    model, data = still(spec)
    view = CameraView(Pose((0, 0, 1)), 1.0, 32, 24)

    def spawn_and_shoot(pictures: int) -> None:
        nonlocal model, data
        for i in range(pictures):
            if i % 10 == 0:
                body = spec.worldbody.add_body()
                body.add_geom(type=GEOM.mjGEOM_BOX, size=[0.4] * 3, rgba=RED, group=2)
                model, data = spec.recompile(model, data)
                mujoco.mj_forward(model, data)
                spec.delete(body)
            camera.render(model, data, view, 0.05, 100)

    spawn_and_shoot(40)
    before = resident()
    spawn_and_shoot(200)
    assert resident() - before < 4e6


def resident() -> int:
    """Memory of this process [bytes]."""
    try:
        with open("/proc/self/statm", encoding="utf-8") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        pytest.skip("needs /proc")


def test_both_cameras_show_the_same() -> None:
    spec = world(sun=True, ground=True)
    shapes = [
        (GEOM.mjGEOM_BOX, (0.4, 0.4, 0.4), RED, (3, 0.9, 0.4)),
        (GEOM.mjGEOM_CYLINDER, (0.3, 0.5), GREEN, (3, -0.9, 0.5)),
        (GEOM.mjGEOM_SPHERE, (0.5,), BLUE, (4, 0.1, 0.5)),
        (GEOM.mjGEOM_CAPSULE, (0.2, 0.3), RED, (2.2, -0.2, 0.5)),
    ]
    for shape in shapes:
        add(spec, *shape, material=spec.add_material(specular=0, name=str(shape)).name)
    add_checker(spec, spec.add_material(specular=0, name="carpet"))
    grey = (0.6, 0.6, 0.6, 1.0)
    add(spec, GEOM.mjGEOM_PLANE, (2.3, 1.4, 1), grey, (3.1, 0.2, 0.01), material="carpet")
    view = CameraView(Pose((0, 0, 1.5), Euler(0.1, 0.3, 0)), 1.0, 160, 120)
    try:
        gl = open_camera("gl")
    except GlUnavailableError as error:
        pytest.skip(str(error))
    by_gl, by_ray = shoot(gl, spec, view), shoot(RayCamera(), spec, view)
    gl.close()
    assert np.abs(by_gl.astype(int) - by_ray).mean() < 2.0
    assert (reddish(by_gl) != reddish(by_ray)).mean() < 0.005


def test_cast_rays_give_the_same_bytes_each_time() -> None:
    spec = world(sun=True, ground=True)
    add(spec, GEOM.mjGEOM_BOX, (0.5, 0.5, 0.5), RED, (4, 0, 1))
    add(spec, GEOM.mjGEOM_SPHERE, (0.5,), (0, 0, 1, 0.5), (3, 1, 1))
    pictures = {shoot(RayCamera(), spec).tobytes() for _ in range(3)}
    assert len(pictures) == 1


def test_a_closed_camera_says_so() -> None:
    try:
        camera = GlCamera()
    except GlUnavailableError as error:
        pytest.skip(str(error))
    camera.close()
    camera.close()
    with pytest.raises(ValueError, match="closed"):
        shoot(camera, world())


def test_cameras_do_not_disturb_one_another(camera: Camera) -> None:
    spec = world(ambient=1.0)
    add(spec, GEOM.mjGEOM_SPHERE, (0.5,), RED, (4, 0, 1))
    picture = shoot(camera, spec)
    other = open_camera("auto")
    shoot(other, spec)
    np.testing.assert_array_equal(shoot(camera, spec), picture)
    other.close()
    np.testing.assert_array_equal(shoot(camera, spec), picture)


def test_a_sphere_is_round_in_pictures_of_any_size(camera: Camera) -> None:
    """By the law of the pinhole, to 3 % of the width; the sizes take turns."""
    spec = world(ambient=1.0)
    add(spec, GEOM.mjGEOM_SPHERE, (1.2,), RED, (4, 0, 1))
    radius = math.tan(math.asin(1.2 / 4.0)) / math.tan(0.45)  # as a share of half the width
    shapes = {}
    for size in (64, 640, 64):
        picture = shoot(camera, spec, CameraView(Pose((0.0, 0.0, 1.0)), 0.9, size, size))
        x, y = np.meshgrid(*[np.arange(size) + 0.5 - size / 2.0] * 2)
        from_centre = np.hypot(x, y) - radius * size / 2.0
        red = reddish(picture)
        assert red[from_centre < -0.03 * size].all()
        assert not red[from_centre > 1.0].any()
        np.testing.assert_array_equal(shapes.setdefault(size, picture), picture)


def test_more_lights_than_opengl_has_are_told(
    camera: Camera, caplog: pytest.LogCaptureFixture
) -> None:
    spec = world()
    for i in range(9):
        spec.worldbody.add_light(pos=[i, 0, 3])
    assert shoot(camera, spec).shape == (72, 96, 3)
    assert any("of 10" in record.message for record in caplog.records) is isinstance(
        camera, GlCamera
    )


def test_cast_rays_show_the_mean_colour_of_a_texture() -> None:
    """Half of the texels are red, half are blue."""
    spec = world(ambient=1.0)
    texture = spec.add_texture(name="t", type=mujoco.mjtTexture.mjTEXTURE_2D)
    texture.height, texture.width, texture.nchannel = 4, 4, 3
    texture.data = bytes([200, 0, 0, 0, 0, 100] * 8)
    material = spec.add_material(name="m", specular=0.0)
    material.textures[int(mujoco.mjtTextureRole.mjTEXROLE_RGB)] = "t"
    add(spec, GEOM.mjGEOM_BOX, (0.4,) * 3, (1.0, 1.0, 1.0, 1.0), (4, 0, 1), material="m")
    assert shoot(RayCamera(), spec)[36, 48].tolist() == [100, 0, 50]
