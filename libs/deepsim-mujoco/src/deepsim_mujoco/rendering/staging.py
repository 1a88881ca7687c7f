# SPDX-License-Identifier: Apache-2.0
"""What a picture for people has beyond the world's description: sky, sunlight and reflections.

Pictures of camera sensors, from which agents learn, have none of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Color
from deepsim_mujoco.imports import mujoco

Array = NDArray[np.float64]

_SKY = "#sky"
UNSAID = "#background"
"""Name of the sky's texture in a world that names neither a sky nor a background."""
_SKY_TEXELS = 64  # along an edge of the cube
_ZENITH = Color(0.36, 0.56, 0.80)
_HORIZON = Color(0.83, 0.89, 0.94)
_SIDE, _TOP = 0, 2  # indices of two of the six faces in MuJoCo's texture

_CHECKER = "#checker"
_TILE = 1.0  # [m]
_DARK = 0.86  # brightness relative to the light tiles
_CHECKER_TEXELS = 64
_LOW = 0.55  # brightness of the lowest point of a landscape, relative to the highest
_RELIEF_TEXELS = 2048  # at most, along an edge
RGB_ROLE = int(mujoco.mjtTextureRole.mjTEXROLE_RGB)
"""Index of the texture that colours a material."""


def add_sky(
    spec: mujoco.MjSpec,
    zenith: Color = _ZENITH,
    horizon: Color = _HORIZON,
    *,
    unsaid: bool = False,
) -> None:
    """Adds a sky to a world; without one, MuJoCo leaves the background black.

    Args:
        spec: Spec of a world without a sky.
        zenith: Colour overhead.
        horizon: Colour at and below the horizon; if equal to `zenith`, the background is plain.
        unsaid: Whether the world names no colours; pictures for people then show the default sky.
    """
    texels = sky_texels(zenith, horizon)
    name = UNSAID if unsaid else _SKY
    texture = spec.add_texture(name=name, type=mujoco.mjtTexture.mjTEXTURE_SKYBOX)
    texture.height, texture.width, texture.nchannel = texels.shape
    texture.data = texels.tobytes()


def sky_texels(zenith: Color = _ZENITH, horizon: Color = _HORIZON) -> NDArray[np.uint8]:
    """Returns the faces of the cube below each other, (6 * edge, edge, 3) RGB; see `add_sky`."""
    side, top = _sines(_SKY_TEXELS)
    sine = np.stack([side, side, top, -top, side, side])
    blend = np.sqrt(np.clip(sine, 0.0, 1.0))[..., None]  # changes most near the horizon
    colours = (1 - blend) * np.array(horizon)[:3] + blend * np.array(zenith)[:3]
    texels: NDArray[np.uint8] = np.rint(255 * colours).astype(np.uint8)
    return texels.reshape(-1, _SKY_TEXELS, 3)


def _sines(edge: int) -> tuple[Array, Array]:
    """Returns the sines of the elevations of the texels of a side and of the top, (edge, edge)."""
    place = (np.arange(edge) + 0.5) / edge * 2 - 1
    distance = np.sqrt(1 + place**2 + place[:, None] ** 2)
    return -place[:, None] / distance, 1 / distance


class Sky:
    """The sky of a compiled model, the same in all horizontal directions; black without one."""

    def __init__(self, model: mujoco.MjModel) -> None:
        self._sines, self._colours = np.zeros(1), np.zeros((3, 1))
        boxes = np.flatnonzero(model.tex_type == mujoco.mjtTexture.mjTEXTURE_SKYBOX)
        if boxes.size:
            box = boxes[0]  # MuJoCo draws the first one too
            edge, start = model.tex_width[box], model.tex_adr[box]
            shape = (6, edge, edge, model.tex_nchannel[box])
            texels = model.tex_data[start : start + np.prod(shape)].reshape(shape)[..., :3] / 255
            (side, top), middle = _sines(edge), edge // 2
            # From the lowest texel in the middle of a side up to the middle of the top.
            self._sines = np.concatenate([side[::-1, middle], top[middle, :middle]])
            upwards = [texels[_SIDE, ::-1, middle], texels[_TOP, middle, :middle]]
            self._colours = np.concatenate(upwards).T.copy()

    def colours(self, rays: Array) -> NDArray[np.float32]:
        """Returns RGB colours (3, n) in 0..1 along rays (3, n) of any length."""
        sines = rays[2] / np.sqrt(np.einsum("ij,ij->j", rays, rays))
        channels = [np.interp(sines, self._sines, channel) for channel in self._colours]
        return np.array(channels, np.float32)


def add_checker(spec: mujoco.MjSpec, material: mujoco.MjsMaterial) -> None:
    """Adds a checker with tiles of 1 m to a material of planes.

    Args:
        spec: Spec of the world, which gets the texture with the first such material.
        material: Material of the world; geoms with it keep their own colour.
    """
    if spec.texture(_CHECKER) is None:
        spec.add_texture(
            name=_CHECKER,
            type=mujoco.mjtTexture.mjTEXTURE_2D,
            builtin=mujoco.mjtBuiltin.mjBUILTIN_CHECKER,
            rgb1=[1.0] * 3,
            rgb2=[_DARK] * 3,
            width=_CHECKER_TEXELS,
            height=_CHECKER_TEXELS,
        )
    material.textures[RGB_ROLE] = _CHECKER
    material.texuniform = True
    material.texrepeat = [1.0 / _TILE] * 2


def checkered_planes(model: mujoco.MjModel) -> list[int]:
    """Returns the numbers of planes with a textured material, taken for a checker."""
    texture = np.append(model.mat_texid[:, RGB_ROLE], -1)[model.geom_matid]
    planes = (model.geom_type == mujoco.mjtGeom.mjGEOM_PLANE) & (texture >= 0)
    return [int(plane) for plane in np.flatnonzero(planes)]


def checker_brightness(
    points: NDArray[np.float64], blur: NDArray[np.float64]
) -> NDArray[np.float32]:
    """Returns the brightness of the checker in 0..1, (n,), for cameras without textures.

    Args:
        points: Points on the plane, relative to the start of the texture, (2, n) [m].
        blur: Length of a pixel on the plane, (n,) [m]; small tiles fade to their mean.
    """
    side = 1 - 2 * (np.floor(points / _TILE).sum(axis=0) % 2)  # -1 light, 1 dark
    contrast = np.clip(1.5 - 2.0 * blur / _TILE, 0.0, 1.0)
    brightness: NDArray[np.float64] = 1 - (1 - _DARK) / 2 * (1 + side * contrast)
    return brightness.astype(np.float32)


def add_relief(
    spec: mujoco.MjSpec, material: mujoco.MjsMaterial, heights: NDArray[np.float64]
) -> mujoco.MjsTexture:
    """Lets the ground of a landscape grow brighter with its height.

    Args:
        spec: Spec of the world.
        material: Material of the landscape; geoms with it keep their own colour.
        heights: Heights above the lowest point, (rows, columns) [m]; rows from the least y on.

    Returns:
        The texture, which belongs to the material.
    """
    step = -(-max(heights.shape) // _RELIEF_TEXELS)
    shares = heights[::step, ::step] / (heights.max() or 1.0)
    grey = np.rint(255 * relief_brightness(shares))[::-1, :, None]  # textures begin at the top
    texels = np.repeat(grey, 3, axis=2).astype(np.uint8)
    texture = spec.add_texture(name=material.name, type=mujoco.mjtTexture.mjTEXTURE_2D)
    texture.height, texture.width, texture.nchannel = texels.shape
    texture.data = texels.tobytes()
    material.textures[RGB_ROLE] = texture.name
    return texture


def mean_textures(model: mujoco.MjModel) -> NDArray[np.float32]:
    """Returns the mean colours (n, 3) in 0..1 of the geoms' textures, for cameras without them.

    Those of geoms without texture, of planes and of landscapes are white.
    """
    found = np.ones((model.ngeom, 3), np.float32)
    drawn_else = (mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_HFIELD)
    textures = np.append(model.mat_texid[:, RGB_ROLE], -1)[model.geom_matid]
    textures[np.isin(model.geom_type, drawn_else)] = -1
    for texture in np.unique(textures[textures >= 0]):
        channels, start = model.tex_nchannel[texture], model.tex_adr[texture]
        count = int(model.tex_height[texture]) * int(model.tex_width[texture]) * channels
        texels = model.tex_data[start : start + count].reshape(-1, channels)
        if channels >= 3:
            found[textures == texture] = texels[:, :3].mean(axis=0) / 255.0
    return found


def reliefs(model: mujoco.MjModel) -> list[tuple[int, float]]:
    """Returns the geoms of landscapes with a relief, and their greatest heights [m]."""
    texture = np.append(model.mat_texid[:, RGB_ROLE], -1)[model.geom_matid]
    fields = (model.geom_type == mujoco.mjtGeom.mjGEOM_HFIELD) & (texture >= 0)
    return [
        (int(geom), float(model.hfield_size[model.geom_dataid[geom], 2]))
        for geom in np.flatnonzero(fields)
    ]


def relief_brightness(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the brightness at heights that are given as shares of the greatest one."""
    return np.asarray(_LOW + (1.0 - _LOW) * np.clip(shares, 0.0, 1.0))


_REFLECTANCE = 0.08  # of a checkered ground
_SUN = np.array([-0.4, 0.5, -0.8]) / np.linalg.norm([-0.4, 0.5, -0.8])
_SUNLIGHT, _FILL = 0.55, 0.15  # of the sun and the headlight, in worlds without lights
_SUNS = 3  # lights that share the brightness of a sun, so that its shadow has a soft edge
_SPREAD = math.radians(1.0)  # angle between their directions and the sun's
_MAX_LIGHTS = 8  # limit of fixed-function OpenGL
_DIRECTIONAL = int(mujoco.mjtLightType.mjLIGHT_DIRECTIONAL)


@contextmanager
def staged_sky(model: mujoco.MjModel) -> Iterator[None]:
    """Replaces the background of a world that names none by a sky, and restores it afterwards."""
    texture = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_TEXTURE, UNSAID)
    if texture < 0:
        yield
        return
    texels = sky_texels().reshape(-1)
    start = model.tex_adr[texture]
    part = slice(start, start + texels.size)
    plain = model.tex_data[part].copy()
    model.tex_data[part] = texels
    try:
        yield
    finally:
        model.tex_data[part] = plain


def stage_lights(model: mujoco.MjModel, scene: mujoco.MjvScene, *, soft: bool) -> None:
    """Lets a sun cast shadows in a scene where no light does, unless its world has none.

    The sun is the first directional light. In a world without lights, there is one behind the left
    shoulder of somebody who looks along +y, and less light from the camera.

    Args:
        model: Model of the scene.
        scene: The scene with its lights, which are changed.
        soft: Whether several lights share the brightness of each directional light that casts
            shadows, so that their edges are soft.
    """
    if model.vis.quality.shadowsize == 0:
        return
    if scene.nlight == 1 and scene.lights[0].headlight:
        scene.lights[0].diffuse = [_FILL] * 3
        _add(scene, _SUN, [_SUNLIGHT] * 3, [0.0] * 3)
    suns = [light for light in _lights(scene) if light.type == _DIRECTIONAL and not light.headlight]
    if suns and not any(light.castshadow for light in _lights(scene)):
        suns[0].castshadow = True
    casting = [light for light in suns if light.castshadow]
    if not soft or scene.nlight + len(casting) * (_SUNS - 1) > _MAX_LIGHTS:
        return
    for light in casting:
        sun, ambient = light.dir.astype(np.float64), light.ambient.copy()
        diffuse, specular = light.diffuse / _SUNS, light.specular / _SUNS
        across = np.cross(sun, np.eye(3)[np.argmin(np.abs(sun))])
        across /= np.linalg.norm(across)
        other = np.cross(sun, across)
        for number in range(_SUNS):
            angle = 2 * math.pi * (number + 0.25) / _SUNS
            aside = math.cos(angle) * across + math.sin(angle) * other
            direction = math.cos(_SPREAD) * sun + math.sin(_SPREAD) * aside
            if number:
                _add(scene, direction, diffuse, specular)
            else:
                light.dir, light.diffuse, light.specular = direction, diffuse, specular
                light.ambient = ambient


def stage_ground(model: mujoco.MjModel, scene: mujoco.MjvScene) -> None:
    """Lets checkered planes reflect a little."""
    scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = 1
    planes = set(checkered_planes(model))
    for geom in scene.geoms[: scene.ngeom]:
        if geom.objtype == mujoco.mjtObj.mjOBJ_GEOM and geom.objid in planes:
            geom.reflectance = max(float(geom.reflectance), _REFLECTANCE)


def _lights(scene: mujoco.MjvScene) -> list[mujoco.MjvLight]:
    return list(scene.lights[: scene.nlight])


def _add(
    scene: mujoco.MjvScene,
    direction: NDArray[np.float64],
    diffuse: NDArray[np.float32] | list[float],
    specular: NDArray[np.float32] | list[float],
) -> None:
    """Adds a directional light that casts shadows."""
    light = scene.lights[scene.nlight]
    scene.nlight += 1
    light.id, light.type, light.headlight, light.castshadow = -1, _DIRECTIONAL, False, True
    light.dir, light.diffuse, light.specular = direction, diffuse, specular
    light.ambient, light.attenuation = [0.0] * 3, [1.0, 0.0, 0.0]
    light.cutoff, light.exponent, light.texid = 180.0, 0.0, -1
    light.pos, light.intensity, light.range, light.bulbradius = [0.0] * 3, 0.0, 0.0, 0.0
