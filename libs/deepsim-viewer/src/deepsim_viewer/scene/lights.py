# SPDX-License-Identifier: Apache-2.0
"""The lights of a world in the browser."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import viser

from deepsim_math import Color, quaternions
from deepsim_spawn import LightDescription

_SUN = 3.0  # intensity of a white directional light: as bright as viser's own
_LAMP = 10.0  # [cd] of a white point or spot light


def add_lights(scene: viser.SceneApi, lights: Mapping[str, object]) -> list[Any]:
    """Adds the lights of a world; one without any gets those of the browser.

    Returns:
        The handles of the lights.
    """
    described = [each for each in lights.values() if isinstance(each, LightDescription)]
    scene.configure_default_lights(enabled=not described, cast_shadow=True)
    return [_add(scene, f"/lights/{number}", each) for number, each in enumerate(described)]


def _add(scene: viser.SceneApi, name: str, light: LightDescription) -> Any:
    color, strength = _color(light.diffuse)
    turn = np.asarray(light.pose, dtype=np.float64)[3:]
    along = np.asarray(quaternions.rotate(turn, np.asarray(light.direction)), dtype=np.float64)
    if light.type == "directional":  # it shines from its position towards the origin
        x, y, z = (-100.0 * along).tolist()
        return scene.add_light_directional(
            name,
            color=color,
            intensity=_SUN * strength,
            cast_shadow=light.cast_shadows,
            position=(x, y, z),
        )
    x, y, z = np.asarray(light.pose, dtype=np.float64)[:3].tolist()
    return scene.add_light_point(
        name,
        color=color,
        intensity=_LAMP * strength,
        distance=light.attenuation.range,
        cast_shadow=light.cast_shadows,
        position=(x, y, z),
    )


def _color(color: Color) -> tuple[tuple[int, int, int], float]:
    """A colour whose largest part is 255, and its strength 0..1."""
    parts = np.clip(np.asarray(color, dtype=np.float64)[:3], 0.0, 1.0)
    strength = float(parts.max())
    red, green, blue = (
        np.rint(255.0 * parts / strength).astype(int).tolist() if strength else (0,) * 3
    )
    return (red, green, blue), strength
