# SPDX-License-Identifier: Apache-2.0
"""Lights, as the fixed-function lighting of OpenGL has them (OpenGL 2.1 specification, 2.14)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.engine import mujoco

from .lens import Lens

Array = NDArray[np.float64]

_DIRECTIONAL = int(mujoco.mjtLightType.mjLIGHT_DIRECTIONAL)
_SPOT = int(mujoco.mjtLightType.mjLIGHT_SPOT)
_UNDIMMED = np.array([1.0, 0.0, 0.0], np.float32)


@dataclass(frozen=True, slots=True)
class LightSource:
    """A light in the world frame.

    Attributes:
        type: As ``mjtLightType``.
        position: (3,) [m]; of no meaning for a directional light.
        direction: (3,) unit vector in which it shines; of no meaning for a point light.
        diffuse: (3,) RGB.
        ambient: (3,) RGB.
        attenuation: Constant [1], linear [1/m] and quadratic [1/m^2] term.
        cutoff: Half angle of a spot light's cone [rad].
        exponent: How a spot light falls off from its axis.
        casts_shadow: Whether things are meant to throw shadows in it.
    """

    type: int
    position: Array
    direction: Array
    diffuse: NDArray[np.float32]
    ambient: NDArray[np.float32]
    attenuation: NDArray[np.float32]
    cutoff: float
    exponent: float
    casts_shadow: bool

    @property
    def is_directional(self) -> bool:
        """Whether its rays are parallel."""
        return self.type == _DIRECTIONAL

    def shine(self, points: Array, normals: Array) -> NDArray[np.float32]:
        """How much of its diffuse light surfaces receive.

        Args:
            points: (3, n) world frame [m].
            normals: (3, n) unit vectors out of the surface.

        Returns:
            (n,) factors in 0..1.
        """
        if self.is_directional:
            facing: Array = np.maximum(-self.direction @ normals, 0.0)
            return facing.astype(np.float32)
        towards = self.position[:, None] - points
        distance = np.sqrt(np.einsum("ij,ij->j", towards, towards))
        towards /= np.maximum(distance, 1e-9)
        factor: Array = np.maximum(np.einsum("ij,ij->j", normals, towards), 0.0)
        constant, linear, quadratic = self.attenuation
        factor /= np.maximum(constant + (linear + quadratic * distance) * distance, 1e-9)
        if self.type == _SPOT:
            cosine = -self.direction @ towards
            falloff = np.maximum(cosine, 0.0) ** self.exponent
            factor *= np.where(cosine >= math.cos(self.cutoff), falloff, 0.0)
        return factor.astype(np.float32)


def light_sources(model: mujoco.MjModel, data: mujoco.MjData, lens: Lens) -> list[LightSource]:
    """The lights of a model that are switched on, with the headlight of the camera.

    Args:
        model: With the colours of the lights.
        data: With their poses.
        lens: Carries the headlight.
    """
    lit = [
        LightSource(
            type=int(model.light_type[i]),
            position=data.light_xpos[i],
            direction=data.light_xdir[i],
            diffuse=model.light_diffuse[i],
            ambient=model.light_ambient[i],
            attenuation=model.light_attenuation[i],
            cutoff=math.radians(model.light_cutoff[i]),
            exponent=float(model.light_exponent[i]),
            casts_shadow=bool(model.light_castshadow[i]),
        )
        for i in np.flatnonzero(model.light_active)
    ]
    head = model.vis.headlight
    if head.active:
        lit.append(
            LightSource(
                type=_DIRECTIONAL,
                position=lens.position,
                direction=lens.forward,
                diffuse=head.diffuse,
                ambient=head.ambient,
                attenuation=_UNDIMMED,
                cutoff=math.pi,
                exponent=0.0,
                casts_shadow=False,
            )
        )
    return lit
