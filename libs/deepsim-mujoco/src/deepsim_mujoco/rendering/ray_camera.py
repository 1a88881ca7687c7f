# SPDX-License-Identifier: Apache-2.0
"""A camera without OpenGL: MuJoCo casts rays, NumPy shades the hits."""

from __future__ import annotations

import math
from contextlib import nullcontext
from functools import partial

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.imports import mujoco
from deepsim_sync import CameraView

from .ray_casting import Array, Hits, Lens, Mask, Paint, cast
from .staging import (
    Sky,
    checker_brightness,
    checkered_planes,
    mean_textures,
    relief_brightness,
    reliefs,
    stage_lights,
    staged_sky,
)

Floats = NDArray[np.float32]

_SHORT = 1.0 - 1e-7  # share of the way from a lamp to a point, short of the point's own surface
_BLOCK = 32_768  # rays at a time; more would not fit into the caches
_SPOT, _PARALLEL = mujoco.mjtLightType.mjLIGHT_SPOT, mujoco.mjtLightType.mjLIGHT_DIRECTIONAL
_SUN_DISTANCE = 1e4  # start of parallel rays, which spread by 1 mm in 10 m [m]


def _lit_scene(
    model: mujoco.MjModel, data: mujoco.MjData, lens: Lens, *, staged: bool
) -> mujoco.MjvScene:
    """Returns a scene with the active lights of a model and the camera's headlight."""
    scene = mujoco.MjvScene(model, 1)
    for eye in scene.camera:
        eye.pos, eye.forward, eye.up = lens.position, lens.forward, lens.up
        eye.frustum_near = 1.0  # MuJoCo refuses 0
    mujoco.mjv_makeLights(model, data, scene)
    if staged:
        stage_lights(model, scene, soft=False)
    for lamp in scene.lights[: scene.nlight]:
        if not lamp.headlight and lamp.id >= 0:
            lamp.attenuation = model.light_attenuation[lamp.id]  # MuJoCo ignores it
        if lamp.type == _PARALLEL:
            lamp.pos = lens.position - _SUN_DISTANCE * lamp.dir
    return scene


def _reach(lamp: mujoco.MjvLight, points: Array) -> tuple[Array, Array]:
    """Returns the unit vectors (3, n) from points (3, n) to a lamp, and the lamp's strengths (n,).

    The formulas are those of fixed-function OpenGL (OpenGL 2.1 specification, 2.14).
    """
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


class Tracer:
    """A tracer of the colours along rays through one lens, for one state of a model."""

    def __init__(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        lens: Lens,
        near: float,
        far: float,
        *,
        staged: bool = False,
    ) -> None:
        self._model, self._data, self._lens = model, data, lens
        with staged_sky(model) if staged else nullcontext():
            paint, self._sky = Paint.of(model), Sky(model)
        self._paint = paint._replace(rgb=paint.rgb * mean_textures(model))
        self._scene = _lit_scene(model, data, lens, staged=staged)
        self._view = partial(cast, model, data, lens.position, near=near, far=far)
        self._opaque = self._paint.alpha >= 1.0
        self._glass = (self._paint.alpha > 0.0) & ~self._opaque

    def colours(self, rays: Array) -> Floats:
        """Returns RGB colours (3, n) in 0..1 along rays (3, n) that reach depth 1."""
        colours = self._sky.colours(rays)
        hits = self._view(rays, self._opaque)
        hit = np.flatnonzero(hits.geoms >= 0)
        colours[:, hit] = self._lit(rays.take(hit, axis=1), hits.take(hit))
        if self._glass.any():
            front = self._view(rays, self._glass)
            hidden = (hits.geoms >= 0) & (hits.depths < front.depths)
            hit = np.flatnonzero((front.geoms >= 0) & ~hidden)
            alpha = self._paint.alpha[front.geoms[hit]]
            tint = self._lit(rays.take(hit, axis=1), front.take(hit))
            colours[:, hit] += alpha * (tint - colours[:, hit])
        return colours

    def _lit(self, rays: Array, hits: Hits) -> Floats:
        """Returns the RGB colours (3, n) of the lit surfaces that rays hit."""
        points = self._lens.position[:, None] + rays * hits.depths
        eyes = -rays / np.sqrt(np.einsum("ij,ij->j", rays, rays))
        specular, exponent = self._paint.specular[hits.geoms], self._paint.exponent[hits.geoms]
        light = np.repeat(self._paint.emission[hits.geoms][None], 3, axis=0)
        highlights = np.zeros_like(light)
        for lamp in self._scene.lights[: self._scene.nlight]:
            light += lamp.ambient[:, None]
            if not (lamp.diffuse.any() or lamp.specular.any()):
                continue
            towards, strength = _reach(lamp, points)
            facing = np.einsum("ij,ij->j", hits.normals, towards)
            strength = np.where(facing > 0.0, strength, 0.0)
            if lamp.castshadow and self._model.vis.quality.shadowsize:
                lit = np.flatnonzero(strength)
                strength[lit] *= ~self._in_shadow(lamp, points.take(lit, axis=1))
            light += lamp.diffuse[:, None] * (facing * strength).astype(np.float32)
            halfway = towards + eyes
            shine = np.einsum("ij,ij->j", hits.normals, halfway)
            shine /= np.maximum(np.sqrt(np.einsum("ij,ij->j", halfway, halfway)), 1e-9)
            shine = specular * strength * np.maximum(shine, 0.0).astype(np.float32) ** exponent
            highlights += lamp.specular[:, None] * shine.astype(np.float32)
        light *= self._paint.rgb.T.take(hits.geoms, axis=1)
        light += highlights
        for plane in checkered_planes(self._model):
            some = np.flatnonzero(hits.geoms == plane)
            light[:, some] *= self._checker(plane, rays.take(some, axis=1), hits.depths[some])
        for field, top in reliefs(self._model):
            some = np.flatnonzero(hits.geoms == field)
            up = self._data.geom_xmat[field].reshape(3, 3)[:, 2]
            heights = up @ (points.take(some, axis=1) - self._data.geom_xpos[field][:, None])
            light[:, some] *= relief_brightness(heights / top).astype(np.float32)
        return np.minimum(light, 1.0)

    def _in_shadow(self, lamp: mujoco.MjvLight, points: Array) -> Mask:
        """Returns for each point (3, n) whether an opaque geom is between it and a lamp, (n,)."""
        origin = lamp.pos.astype(np.float64)
        rays = points - origin[:, None]
        hits = cast(self._model, self._data, origin, rays, self._opaque, far=_SHORT)
        return hits.geoms >= 0

    def _checker(self, plane: int, rays: Array, depths: Array) -> Floats:
        axes = self._data.geom_xmat[plane].reshape(3, 3)
        offset = self._lens.position - self._data.geom_xpos[plane]
        points = axes[:, :2].T @ (offset[:, None] + rays * depths)
        points += self._model.geom_size[plane, :2, None] * [[1.0], [-1.0]]  # from OpenGL's corner
        steepness = np.maximum(np.abs(axes[:, 2] @ rays), 1e-9)
        return checker_brightness(points, self._lens.pixel * depths / steepness)


class RayCamera:
    """A camera that casts a ray through the middle of each pixel.

    The same state gives the same bytes. Edges are hard. Only the nearest of several translucent
    geoms is visible, and translucent geoms do not cast shadows. The only textures are the sky,
    the checker of planes and the relief of landscapes; others have their mean colour.

    Args:
        staged: Whether the pictures are for people; see `open_camera`.
    """

    def __init__(self, *, staged: bool = False) -> None:
        self._staged = staged

    def render(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        view: CameraView,
        near: float,
        far: float,
    ) -> NDArray[np.uint8]:
        """Returns a picture of the present state; see :class:`Camera`."""
        lens = Lens(view)
        tracer = Tracer(model, data, lens, near, far, staged=self._staged)
        picture = np.empty((view.height * view.width, 3), np.uint8)
        for start in range(0, len(picture), _BLOCK):
            pixels = np.arange(start, min(start + _BLOCK, len(picture)))
            rows, columns = np.divmod(pixels, view.width)
            colours = tracer.colours(lens.rays(columns + 0.5, rows + 0.5))
            picture[pixels] = np.rint(255 * colours.T)
        return picture.reshape(view.height, view.width, 3)

    def close(self) -> None:
        """Does nothing, because the camera holds no resources."""
