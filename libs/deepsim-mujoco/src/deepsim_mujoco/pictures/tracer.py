# SPDX-License-Identifier: Apache-2.0
"""The colours along rays: Lambert's law, one shadow, one layer of glass."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.engine import mujoco

from .bundle import Array, Bundle
from .checker import checker_brightness
from .hits import Hits, Mask, first_hits
from .lamps import Lamp, lamps
from .lens import Lens
from .paint import Paint
from .sky import Sky

Colours = NDArray[np.float32]

_PLANE = int(mujoco.mjtGeom.mjGEOM_PLANE)
_SUN_DISTANCE = 1e4  # [m] parallel light starts here: bends 1 mm in 10 m, costs no precision
_LIFT = 3e-4  # of the depth; lifts a point off its own surface before looking for shadows


class Tracer:
    """Follows the rays of one lens through one state of a model."""

    def __init__(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        lens: Lens,
        near: float,
        far: float,
    ) -> None:
        self._model = model
        self._data = data
        self._lens = lens
        self._near = near
        self._far = far
        self._paint = Paint.of(model)
        self._sky = Sky(model)
        self._lamps = lamps(model, data)
        self._shadow_lamp = _strongest([lamp for lamp in self._lamps if lamp.casts_shadow])

    def colours(self, rays: Array) -> Colours:
        """(n, 3) RGB along (n, 3) rays that start at the lens; values may exceed 1."""
        opaque, translucent = self._paint.opaque, self._paint.translucent
        bundle = Bundle(self._lens.position, rays)
        hits = self._hits(bundle, opaque)
        colours = self._surfaces(rays, hits)
        if translucent.any():
            glass = self._hits(bundle, translucent)
            in_front = (glass.geoms >= 0) & ((hits.geoms < 0) | (glass.depths < hits.depths))
            some = np.flatnonzero(in_front)
            glass = glass[some]
            alpha = self._paint.alpha[glass.geoms, None]
            tint = self._surfaces(rays[some], glass)
            colours[some] = (1 - alpha) * colours[some] + alpha * tint
        return colours

    def _hits(self, bundle: Bundle, shown: Mask) -> Hits:
        return first_hits(self._model, self._data, bundle, shown, self._near, self._far)

    def _surfaces(self, rays: Array, hits: Hits) -> Colours:
        """The colours of what was hit, and of the sky elsewhere."""
        missed = hits.geoms < 0
        if missed.all():
            return self._sky.colours(rays)
        if missed.any():
            colours = np.empty((len(rays), 3), np.float32)
            colours[missed] = self._sky.colours(rays[missed])
            hit = np.flatnonzero(~missed)
            colours[hit] = self._lit(rays[hit], hits[hit])
            return colours
        return self._lit(rays, hits)

    def _lit(self, rays: Array, hits: Hits) -> Colours:
        points = self._lens.position + rays * hits.depths[:, None]
        light = self._light(rays, hits, points)
        light += self._paint.emission[hits.geoms, None]
        light *= self._paint.rgb[hits.geoms]
        planes = np.flatnonzero(self._model.geom_type == _PLANE)
        for plane in planes:
            some = np.flatnonzero(hits.geoms == plane)
            light[some] *= self._checker(plane, points[some], rays[some], hits.depths[some])[
                :, None
            ]
        return light

    def _light(self, rays: Array, hits: Hits, points: Array) -> Colours:
        """(n, 3) light that reaches the points."""
        head = self._model.vis.headlight
        light = np.empty((len(points), 3), np.float32)
        light[:] = sum((lamp.ambient for lamp in self._lamps), np.zeros(3, np.float32))
        if head.active:
            light += head.ambient
            if head.diffuse.any():
                towards = -np.einsum("ij,ij->i", hits.normals, rays)
                towards /= np.linalg.norm(rays, axis=1)
                light += np.outer(towards, head.diffuse)
        for lamp in self._lamps:
            shine = lamp.shine(points, hits.normals)
            if lamp is self._shadow_lamp:
                reached = np.flatnonzero(shine > 0)
                if not reached.size:
                    continue
                lift = hits.normals[reached] * (_LIFT * hits.depths[reached])[:, None]
                shine[reached[self._in_shadow(lamp, points[reached] + lift)]] = 0.0
            light += np.outer(shine, lamp.diffuse)
        return light

    def _in_shadow(self, lamp: Lamp, points: Array) -> Mask:
        """(n,) whether something is between the lamp and the points."""
        origin = lamp.position
        if lamp.is_directional:
            origin = self._lens.position - _SUN_DISTANCE * lamp.direction
        bundle = Bundle(origin, points - origin)
        hits = first_hits(self._model, self._data, bundle, self._paint.opaque, 0.0, 1.0)
        return hits.geoms >= 0

    def _checker(
        self, plane: int, points: Array, rays: Array, depths: Array
    ) -> NDArray[np.float32]:
        axes = self._data.geom_xmat[plane].reshape(3, 3)
        inside = (points - self._data.geom_xpos[plane]) @ axes[:, :2]
        steepness = np.maximum(np.abs(rays @ axes[:, 2]), 1e-9)
        return checker_brightness(inside, self._lens.pixel * depths / steepness)


def _strongest(some: list[Lamp]) -> Lamp | None:
    return max(some, key=lambda lamp: float(lamp.diffuse.sum()), default=None)
