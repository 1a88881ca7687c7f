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

from deepsim_mujoco.imports import mujoco

from .backdrop import UNSAID, checkered_planes, sky_texels

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
