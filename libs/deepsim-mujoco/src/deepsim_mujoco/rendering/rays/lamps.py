# SPDX-License-Identifier: Apache-2.0
"""Lights by the formulas of fixed-function OpenGL (OpenGL 2.1 specification, 2.14)."""

from __future__ import annotations

import math

import numpy as np

from deepsim_mujoco.engine import mujoco
from deepsim_mujoco.rendering.lens import Lens

from .casting import Array

_SPOT, _PARALLEL = mujoco.mjtLightType.mjLIGHT_SPOT, mujoco.mjtLightType.mjLIGHT_DIRECTIONAL
_SUN_DISTANCE = 1e4  # [m] parallel rays start here: they spread by 1 mm in 10 m


def lit_scene(model: mujoco.MjModel, data: mujoco.MjData, lens: Lens) -> mujoco.MjvScene:
    """Returns a scene with the active lights of a model and the headlight of the camera."""
    scene = mujoco.MjvScene(model, 1)
    for eye in scene.camera:
        eye.pos, eye.forward, eye.up = lens.position, lens.forward, lens.up
        eye.frustum_near = 1.0  # MuJoCo refuses 0
    mujoco.mjv_makeLights(model, data, scene)
    for lamp in scene.lights[: scene.nlight]:
        if not lamp.headlight:
            lamp.attenuation = model.light_attenuation[lamp.id]  # MuJoCo draws without
        if lamp.type == _PARALLEL:
            lamp.pos = lens.position - _SUN_DISTANCE * lamp.dir
    return scene


def reach(lamp: mujoco.MjvLight, points: Array) -> tuple[Array, Array]:
    """Returns unit vectors (3, n) towards a lamp, and its strength (n,), at points (3, n)."""
    if lamp.type == _PARALLEL:
        return np.repeat(-lamp.dir[:, None], points.shape[1], axis=1), np.ones(1)
    towards = lamp.pos[:, None] - points
    distance = np.maximum(np.sqrt(np.einsum("ij,ij->j", towards, towards)), 1e-9)
    towards /= distance
    constant, linear, quadratic = lamp.attenuation
    strength = 1.0 / np.maximum(constant + (linear + quadratic * distance) * distance, 1e-9)
    if lamp.type == _SPOT:
        cosine = -lamp.dir @ towards
        falloff = np.maximum(cosine, 0.0) ** lamp.exponent
        strength *= np.where(cosine >= math.cos(math.radians(lamp.cutoff)), falloff, 0.0)
    return towards, strength
