# SPDX-License-Identifier: Apache-2.0
"""Pictures for people: sky, shadows and reflections; camera sensors see the described world."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import NDArray

from deepsim_math import Euler, Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_mujoco.imports import mujoco
from deepsim_mujoco.rendering import GlUnavailableError, open_camera
from deepsim_spawn import GazeboXMLLoader
from deepsim_sync import CameraView, Transform, UnknownEntityError, World

Picture = NDArray[np.uint8]
SUN = "<light name='sun' type='directional'><direction>0 0.5 -1</direction></light>"
GROUND = """<model name='ground'><static>true</static><link name='l'><visual name='v'><geometry>
  <plane><normal>0 0 1</normal><size>100 100</size></plane></geometry></visual></link></model>"""
BALL = """<model name='ball'><static>true</static><pose>2 0 0.6 0 0 0</pose><link name='l'>
  <visual name='v'><geometry><sphere><radius>0.1</radius></sphere></geometry></visual>
</link></model>"""
EYE = """<model name='eye'><static>true</static><pose>0 0 1 0 0 0</pose><link name='l'>
  <sensor name='s' type='camera'><camera><horizontal_fov>1</horizontal_fov>
  <image><width>64</width><height>48</height></image></camera></sensor></link></model>"""
AHEAD = CameraView(Pose((0, 0, 1)), 1.0, 64, 48)
DOWN = Euler(0, np.pi / 2, 0)
SHADE = CameraView(Pose((2, 0.55, 4), DOWN), 0.2, 64, 48)  # sees the shadow, not the ball
DEFAULT_SHADE = CameraView(Pose((1.7, 0.6, 4), DOWN), 0.2, 64, 48)


def opened(body: str) -> World:
    text = f"<sdf version='1.7'><world name='w'>{body}</world></sdf>"
    return World(MujocoSimulator(GazeboXMLLoader().load_world(text)))


def deepest(without: Picture, picture: Picture) -> int:
    """By how much a pixel is darker at most, in values of 255."""
    return int((without.astype(int) - picture).max())


def test_the_sky_of_a_world_is_bright_at_the_horizon() -> None:
    """Free cameras and camera sensors see ``<sky/>``, bluer above."""
    with opened(f"<scene><sky/></scene>{EYE}") as world:
        for camera in (AHEAD, "eye::l::s"):
            picture = world.render(camera).astype(int)
            top, horizon = picture[0].mean(axis=0), picture[24].mean(axis=0)
            assert horizon[0] - top[0] > 20
            assert top[2] - top[0] > horizon[2] - horizon[0] + 10


def test_the_background_that_a_world_names_stays() -> None:
    with opened("<scene><background>.2 .4 .6 1</background></scene>") as world:
        assert (world.render(AHEAD) == (51, 102, 153)).all()


def test_camera_sensors_see_the_default_background_of_sdf() -> None:
    """Free cameras see a sky instead, before and after a picture of the sensor."""
    with opened(EYE) as world:
        free = world.render(AHEAD)
        assert np.ptp(world.render("eye::l::s")) <= 1
        assert np.ptp(free) > 20
        assert (world.render(AHEAD) == free).all()


def test_shadows_fall_unless_the_scene_has_none() -> None:
    """Free cameras see those of the sun, which casts none by the rules of SDF."""
    for scene, falls in (("", True), ("<scene><shadows>false</shadows></scene>", False)):
        with opened(scene + SUN + GROUND) as empty, opened(scene + SUN + GROUND + BALL) as world:
            darker = deepest(empty.render(SHADE), world.render(SHADE))
        assert (darker > 20) == falls
        assert falls or darker == 0


def test_a_scene_without_shadows_has_none_of_lights_that_cast_them() -> None:
    """Camera sensors and free cameras alike."""
    sun = SUN.replace("<direction>", "<cast_shadows>true</cast_shadows><direction>")
    eye = EYE.replace("<pose>0 0 1 0 0 0", "<pose>2 0.55 4 0 1.5708 0").replace(">1<", ">.2<")
    for scene, falls in (("", True), ("<scene><shadows>false</shadows></scene>", False)):
        with (
            opened(scene + sun + GROUND + eye) as one,
            opened(scene + sun + GROUND + eye + BALL) as other,
        ):
            for camera in (SHADE, "eye::l::s"):
                assert (deepest(one.render(camera), other.render(camera)) > 20) == falls


@pytest.fixture(params=["ray", "gl"])
def kind(request: pytest.FixtureRequest) -> Any:
    try:
        open_camera(request.param).close()
    except GlUnavailableError as error:
        pytest.skip(str(error))
    return request.param


def ground(*, sun: bool, ball: bool) -> Any:
    """A spec of a grey ground, perhaps with a sun that casts no shadows, and a ball above it."""
    spec = mujoco.MjSpec()
    spec.stat.extent = 10.0
    spec.visual.headlight.ambient, spec.visual.headlight.diffuse = [0.4] * 3, [0.3] * 3
    add = partial(spec.worldbody.add_geom, group=2, rgba=[0.6, 0.6, 0.6, 1.0])
    add(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0.0, 0.0, 1.0])
    if sun:
        light = spec.worldbody.add_light(name="sun", type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL)
        light.dir, light.castshadow, light.diffuse = [0.0, 0.5, -1.0], False, [0.5] * 3
    if ball:
        add(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.1, 0.0, 0.0], pos=[2.0, 0.0, 0.6])
    return spec


def shot(
    kind: Literal["ray", "gl"],
    spec: Any,
    view: CameraView,
    *,
    staged: bool,
    soft: bool | None = None,
) -> Picture:
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    camera = open_camera(kind, staged=staged, soft=soft)
    try:
        return camera.render(model, data, view, 0.05, 100.0)
    finally:
        camera.close()


@pytest.mark.parametrize(("sun", "view"), [(True, SHADE), (False, DEFAULT_SHADE)])
def test_a_ball_has_a_shadow_in_pictures_for_people(
    sun: bool, view: CameraView, kind: Literal["ray", "gl"]
) -> None:
    """Of a sun of the world, or in a world without lights; pictures of sensors have none."""
    pictures = {
        (staged, ball): shot(kind, ground(sun=sun, ball=ball), view, staged=staged)
        for staged in (False, True)
        for ball in (False, True)
    }
    assert (pictures[False, False] == pictures[False, True]).all()
    assert deepest(pictures[True, False], pictures[True, True]) > 30


def test_open_ground_is_as_bright_in_pictures_for_people(kind: Literal["ray", "gl"]) -> None:
    """Lights that share the brightness of the sun add up to it."""
    one, other = (
        shot(kind, ground(sun=True, ball=False), SHADE, staged=staged).mean()
        for staged in (False, True)
    )
    assert other == pytest.approx(one, abs=2)


def test_the_edge_of_a_shadow_is_soft() -> None:
    """It has twice as many pixels of medium brightness as where one light casts the shadow."""
    spec = ground(sun=True, ball=True)
    spec.light("sun").castshadow = True
    try:
        hard, soft = (
            medium(shot("gl", spec, SHADE, staged=True, soft=soft)) for soft in (False, True)
        )
    except GlUnavailableError as error:
        pytest.skip(str(error))
    assert soft > 2 * hard


def medium(picture: Picture) -> int:
    """The number of pixels of medium brightness, between shadow and light."""
    darkest, brightest = int(picture.min()), int(picture.max())
    share = (picture[..., 0].astype(float) - darkest) / (brightest - darkest)
    return int(((share > 0.2) & (share < 0.7)).sum())


def test_a_camera_that_follows_a_model_keeps_it_in_the_picture() -> None:
    """The ball looks the same when it is elsewhere, in pictures and depths; others are named."""
    view = CameraView(Pose((-3.0, 0.0, 0.6)), 1.0, 64, 48, follows="ball")
    with opened(BALL) as world:
        before, depths = world.render(view), world.measure(view).depth
        Transform(world, "ball").pose = Pose((40.0, -7.0, 0.6))
        assert np.abs(world.render(view).astype(int) - before).max() <= 2
        np.testing.assert_allclose(world.measure(view).depth, depths, atol=1e-6)
        with pytest.raises(UnknownEntityError, match="bal"):
            world.render(replace(view, follows="bal"))
