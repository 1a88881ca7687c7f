# SPDX-License-Identifier: Apache-2.0
"""The colours along rays: Lambert's law, one shadow, one layer of glass."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.engine import mujoco

from .bundle import Array, Bundle
from .checker import checker_brightness, checkered_planes
from .hits import Hits, Mask, first_hits
from .lens import Lens
from .light_sources import LightSource, light_sources
from .paint import Paint
from .sky import Sky

Floats = NDArray[np.float32]

_SUN_DISTANCE = 1e4  # [m] parallel light starts here: bends 1 mm in 10 m, costs no precision
_BLOCK = 80_000  # rays at a time: more would fall out of the caches
_SHORT = 1e-7  # of the way from a light; what is so near a point is its own surface


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
        self._checkered = checkered_planes(model)
        self._sky = Sky(model)
        self._sources = light_sources(model, data, lens)
        casting = [source for source in self._sources if source.casts_shadow]
        self._shadow_source = max(casting, key=lambda source: source.diffuse.sum(), default=None)

    def colours(self, columns: Array, rows: Array) -> Floats:
        """What is seen at places of the picture.

        Args:
            columns: (n,) pixels from the left edge.
            rows: (n,) pixels from the upper edge.

        Returns:
            (3, n) RGB in 0..1.
        """
        colours = np.empty((3, len(columns)), np.float32)
        for start in range(0, len(columns), _BLOCK):
            block = slice(start, start + _BLOCK)
            colours[:, block] = self._along(self._lens.rays(columns[block], rows[block]))
        return colours

    def _along(self, rays: Array) -> Floats:
        """(3, n) RGB in 0..1 along (3, n) rays from the lens."""
        bundle = Bundle(self._lens.position, rays)
        hits = self._hits(bundle, self._paint.opaque)
        colours = self._surfaces(rays, hits)
        if self._paint.translucent.any():
            glass = self._hits(bundle, self._paint.translucent)
            some = np.flatnonzero((glass.geoms >= 0) & (glass.depths < hits.depths))
            alpha = self._paint.alpha[glass.geoms[some]]
            tint = self._surfaces(rays.take(some, axis=1), glass[some])
            colours[:, some] = (1 - alpha) * colours[:, some] + alpha * tint
        return colours

    def _hits(self, bundle: Bundle, shown: Mask) -> Hits:
        return first_hits(self._model, self._data, bundle, shown, self._near, self._far)

    def _surfaces(self, rays: Array, hits: Hits) -> Floats:
        """The colours of what was hit, and of the sky elsewhere."""
        hit, missed = np.flatnonzero(hits.geoms >= 0), np.flatnonzero(hits.geoms < 0)
        colours = np.empty(rays.shape, np.float32)
        colours[:, missed] = self._sky.colours(rays.take(missed, axis=1))
        if hit.size:
            colours[:, hit] = self._lit(rays.take(hit, axis=1), hits[hit])
        return colours

    def _lit(self, rays: Array, hits: Hits) -> Floats:
        points = self._lens.position[:, None] + rays * hits.depths
        light = self._light(hits, points)
        light += self._paint.emission[hits.geoms]
        light *= self._paint.rgb.T.take(hits.geoms, axis=1)
        for plane in self._checkered:
            some = np.flatnonzero(hits.geoms == plane)
            light[:, some] *= self._checker(
                plane, points.take(some, axis=1), rays.take(some, axis=1), hits.depths[some]
            )
        return np.minimum(light, 1.0)

    def _light(self, hits: Hits, points: Array) -> Floats:
        """(3, n) light that reaches the points."""
        light = np.zeros(points.shape, np.float32)
        for source in self._sources:
            light += source.ambient[:, None]
            if not source.diffuse.any():
                continue
            shine = source.shine(points, hits.normals)
            if source is self._shadow_source:
                reached = np.flatnonzero(shine)
                shine[reached] *= ~self._in_shadow(source, points.take(reached, axis=1))
            light += source.diffuse[:, None] * shine
        return light

    def _in_shadow(self, source: LightSource, points: Array) -> Mask:
        """(n,) whether something is between the source and (3, n) points."""
        origin = source.position
        if source.is_directional:
            origin = self._lens.position - _SUN_DISTANCE * source.direction
        bundle = Bundle(origin, points - origin[:, None])
        hits = first_hits(
            self._model, self._data, bundle, self._paint.opaque, near=0.0, far=1.0 - _SHORT
        )
        return hits.geoms >= 0

    def _checker(self, plane: int, points: Array, rays: Array, depths: Array) -> Floats:
        axes = self._data.geom_xmat[plane].reshape(3, 3)
        inside = axes[:, :2].T @ (points - self._data.geom_xpos[plane][:, None])
        inside += self._model.geom_size[plane, :2, None] * [[1.0], [-1.0]]  # from OpenGL's corner
        steepness = np.maximum(np.abs(axes[:, 2] @ rays), 1e-9)
        return checker_brightness(inside, self._lens.pixel * depths / steepness)
