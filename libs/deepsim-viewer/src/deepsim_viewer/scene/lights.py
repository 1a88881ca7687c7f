# SPDX-License-Identifier: Apache-2.0
"""The lights of a world in the browser."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import viser
from numpy.typing import NDArray

from deepsim_math import Color, quaternions
from deepsim_spawn import LightDescription

_SKY_LIGHT = 0.45
_ZENITH = np.array([148.0, 182.0, 214.0])  # sRGB
_HORIZON = np.array([240.0, 243.0, 245.0])
_SUN = 2.0  # intensity of a white directional light
_LAMP = 10.0  # [cd] of a white point or spot light


def add_lights(scene: viser.SceneApi, lights: Mapping[str, object], *, shadows: bool) -> None:
    """Adds the lights of a world and a sky; a world without lights gets viser's default lights.

    Args:
        scene: The scene of the browser.
        lights: Descriptions by name.
        shadows: Whether the first directional light casts shadows.
    """
    described = [each for each in lights.values() if isinstance(each, LightDescription)]
    scene.configure_environment_map("studio", environment_intensity=_SKY_LIGHT)
    scene.configure_default_lights(enabled=not described, cast_shadow=shadows)
    scene.set_background_image(_sky(), format="png")
    for number, light in enumerate(described):
        first = light.type == "directional" and all(
            each.type != "directional" for each in described[:number]
        )
        _add(scene, f"/lights/{number}", light, shadow=shadows and first)


def _sky() -> NDArray[np.uint8]:
    """Returns a picture (256, 1, 3) that becomes paler downwards."""
    share = np.linspace(0.0, 1.0, 256)[:, None, None]
    return np.asarray(np.rint(_ZENITH + share * (_HORIZON - _ZENITH)), dtype=np.uint8)


def _add(scene: viser.SceneApi, name: str, light: LightDescription, *, shadow: bool) -> Any:
    color, strength = _color(light.diffuse)
    turn = np.asarray(light.pose, dtype=np.float64)[3:]
    along = np.asarray(quaternions.rotate(turn, np.asarray(light.direction)), dtype=np.float64)
    if light.type == "directional":  # shines from its position towards the origin
        x, y, z = (-100.0 * along).tolist()
        return scene.add_light_directional(
            name,
            color=color,
            intensity=_SUN * strength,
            cast_shadow=shadow,
            position=(x, y, z),
        )
    x, y, z = np.asarray(light.pose, dtype=np.float64)[:3].tolist()
    return scene.add_light_point(
        name,
        color=color,
        intensity=_LAMP * strength,
        distance=light.attenuation.range,
        cast_shadow=shadow,
        position=(x, y, z),
    )


def _color(color: Color) -> tuple[tuple[int, int, int], float]:
    """Returns a colour whose largest component is 255, and its strength 0..1."""
    parts = np.clip(np.asarray(color, dtype=np.float64)[:3], 0.0, 1.0)
    strength = float(parts.max())
    red, green, blue = (
        np.rint(255.0 * parts / strength).astype(int).tolist() if strength else (0,) * 3
    )
    return (red, green, blue), strength
