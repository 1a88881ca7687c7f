# SPDX-License-Identifier: Apache-2.0
"""Conversion of lights to MuJoCo lights."""

from __future__ import annotations

import math
from typing import NamedTuple

from deepsim_math import Pose
from deepsim_mujoco.imports import mujoco
from deepsim_spawn import LightDescription, SceneDescription

_TYPES = {
    "point": mujoco.mjtLightType.mjLIGHT_POINT,
    "spot": mujoco.mjtLightType.mjLIGHT_SPOT,
    "directional": mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
}


class BuiltLight(NamedTuple):
    """A light and the frame that carries it."""

    description: LightDescription
    frame: Pose
    """Pose of the frame of its link or of the world in the frame of the MuJoCo body."""


def add_light(body: mujoco.MjsBody, name: str, light: LightDescription, frame: Pose) -> BuiltLight:
    """Adds a light to a body.

    Args:
        body: Body of the world or of a link.
        name: Name of the light in MuJoCo.
        light: The light, whose pose is in the frame of the world or link.
        frame: Pose of that frame in the frame of the body.

    Returns:
        The light with its frame.
    """
    pose = frame @ light.pose
    added = body.add_light(name=name, type=_TYPES[light.type])
    added.pos = list(pose.position)
    added.dir = list(pose.orientation.rotate(light.direction))
    added.castshadow = light.cast_shadows
    added.range = light.attenuation.range
    added.ambient = [0.0, 0.0, 0.0]
    if light.type == "spot":
        added.cutoff = min(math.degrees(light.spot.outer_angle) / 2, 90.0)
        added.exponent = light.spot.falloff
    else:
        added.cutoff = 180.0
    return BuiltLight(light, frame)


def apply_scene(spec: mujoco.MjSpec, scene: SceneDescription, *, lit: bool) -> None:
    """Sets the ambient light, a headlight for worlds without lights, and whether shadows fall."""
    if not scene.shadows:
        spec.visual.quality.shadowsize = 0
    headlight = spec.visual.headlight
    headlight.ambient = list(scene.ambient)[:3]
    headlight.diffuse = [0.0] * 3 if lit else [0.5] * 3
    headlight.specular = [0.0] * 3
