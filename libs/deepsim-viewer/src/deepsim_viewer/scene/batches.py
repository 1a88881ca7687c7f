# SPDX-License-Identifier: Apache-2.0
"""The instances of all worlds in batches: one mesh per shape, moved by array operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import trimesh
import viser
from numpy.typing import NDArray
from PIL import Image

from deepsim_math import poses

from .frame import Frame, Instances
from .surfaces import Surface

_OPAQUE = 0.999


class Batches:
    """All visible visuals of the shown worlds, as batches of meshes.

    Args:
        scene: The scene of the browser.
        instances: The visuals of one world.
        frame: The first frame.
        offsets: (w, 3) positions of the worlds [m].
        on_click: Called with the world and link row of a clicked instance.
        name: Name of their node in the scene.

    Attributes:
        worlds: (k,) worlds of the k instances.
        links: (k,) rows of their links.
    """

    def __init__(
        self,
        scene: viser.SceneApi,
        instances: Instances,
        frame: Frame,
        offsets: NDArray[np.float64],
        on_click: Callable[[int, int], object],
        *,
        name: str = "/world",
    ) -> None:
        self._is_fixed = np.zeros(frame.opacities.shape[1], dtype=bool)
        fixed = [each.image is not None for each in instances.surfaces]
        self._is_fixed[instances.visuals[fixed]] = True
        self._pattern = self._constants(frame)
        groups = _groups(instances, frame)
        order = [cell for cells in groups.values() for cell in cells]
        numbers = np.array(order, dtype=np.intp).reshape(-1, 2)
        self.worlds, which = numbers.T
        self.links = instances.links[which]
        self._visuals = instances.visuals[which]
        self._places = instances.places[which]
        self._offsets = offsets[self.worlds]
        self._colors = frame.colors[:0]
        scales = instances.scales[which].astype(np.float32)
        positions, turns = self._motion(frame)
        colors = self._linear(frame)
        opacities = self._opacities(frame)
        self._on_click = on_click
        self._batches: list[tuple[Any, slice]] = []  # meshes, with rows of their instances
        start = 0
        for number, ((shape, is_opaque, _), cells) in enumerate(groups.items()):
            rows = slice(start, start + len(cells))
            start = rows.stop
            places: Any = {
                "batched_wxyzs": turns[rows],
                "batched_positions": positions[rows],
                "batched_scales": scales[rows],
                "lod": "off",
            }
            handle: Any
            if shape.image is not None:
                look = np.append(colors[rows][0], round(255.0 * float(opacities[rows][0])))
                mesh = _glossless(shape, look, is_opaque=is_opaque)
                handle = scene.add_batched_meshes_trimesh(
                    f"{name}/{number}", mesh, cast_shadow=not shape.is_ground, **places
                )
            else:
                handle = scene.add_batched_meshes_simple(
                    f"{name}/{number}",
                    shape.vertices,
                    shape.faces,
                    batched_colors=colors[rows],
                    batched_opacities=None if is_opaque else opacities[rows],
                    side="double" if shape.is_ground else "front",
                    cast_shadow=not shape.is_ground,
                    **places,
                )
            handle.on_click(self._clicked(rows))
            self._batches.append((handle, rows))

    def fits(self, frame: Frame) -> bool:
        """Returns whether the meshes of the first frame still suit.

        Each visual must be opaque, transparent or hidden as then, and a textured one of that
        colour.
        """
        return all(map(np.array_equal, self._pattern, self._constants(frame)))

    def update(self, frame: Frame) -> None:
        """Moves and colours the instances; call it within ``server.atomic()``."""
        positions, turns = self._motion(frame)
        opacities = self._opacities(frame)
        recolored = not np.array_equal(frame.colors, self._colors)
        colors = self._linear(frame) if recolored else None
        for handle, rows in self._batches:
            handle.batched_positions = positions[rows]
            handle.batched_wxyzs = turns[rows]
            if isinstance(handle, viser.BatchedGlbHandle):
                continue
            if colors is not None:
                handle.batched_colors = colors[rows]
            if handle.batched_opacities is not None:
                handle.batched_opacities = opacities[rows]

    def _clicked(self, rows: slice) -> Callable[[Any], None]:
        def clicked(event: Any) -> None:
            if event.instance_index is not None:
                row = rows.start + int(event.instance_index)
                self._on_click(int(self.worlds[row]), int(self.links[row]))

        return clicked

    def remove(self) -> None:
        """Removes all meshes."""
        for handle, _ in self._batches:
            handle.remove()

    def _motion(self, frame: Frame) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Returns positions (k, 3) [m] and quaternions w x y z (k, 4) of the instances."""
        count = frame.poses.shape[1]
        links = frame.poses.reshape(-1, 7).take(self.worlds * count + self.links, axis=0)
        placed = poses.compose(links, self._places)
        positions = (placed[:, :3] + self._offsets).astype(np.float32)
        return positions, placed[:, [6, 3, 4, 5]].astype(np.float32)

    def _constants(self, frame: Frame) -> tuple[NDArray[Any], ...]:
        """Returns what cannot be updated: the pattern, and the colours of textured visuals."""
        fixed = self._is_fixed
        return _pattern(frame.opacities), frame.colors[:, fixed], frame.opacities[:, fixed]

    def _linear(self, frame: Frame) -> NDArray[np.uint8]:
        self._colors = frame.colors
        return linear_bytes(frame.colors[self.worlds, self._visuals])

    def _opacities(self, frame: Frame) -> NDArray[np.float32]:
        return frame.opacities[self.worlds, self._visuals].astype(np.float32)


def _groups(
    instances: Instances, frame: Frame
) -> dict[tuple[Surface, bool, tuple[float, ...]], list[tuple[int, int]]]:
    """Returns the worlds and numbers of the instances by shape and by whether they are opaque.

    Textured ones are grouped by colour and opacity, too. Ground is drawn in the first world only,
    since all others share it.
    """
    groups: dict[tuple[Surface, bool, tuple[float, ...]], list[tuple[int, int]]] = {}
    opacities = frame.opacities[:, instances.visuals]
    for number, shape in enumerate(instances.surfaces):
        for world in range(1 if shape.is_ground else len(opacities)):
            opacity = opacities[world, number]
            if opacity > 0.0:
                color = frame.colors[world, instances.visuals[number]]
                look = () if shape.image is None else (*color.tolist(), float(opacity))
                key = shape, bool(opacity > _OPAQUE), look
                groups.setdefault(key, []).append((world, number))
    return groups


def _pattern(opacities: NDArray[np.float64]) -> NDArray[np.int8]:
    """Returns 0 for hidden, 1 for transparent and 2 for opaque visuals."""
    return (opacities > 0.0).astype(np.int8) + (opacities > _OPAQUE)


def linear_bytes(colors: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Converts sRGB colours (..., 3) in 0..1 to linear light in 0..255, by IEC 61966-2-1.

    The renderer expects linear light for the instances of a batch.
    """
    linear = np.where(colors <= 0.04045, colors / 12.92, ((colors + 0.055) / 1.055) ** 2.4)
    return np.asarray(np.rint(255.0 * np.clip(linear, 0.0, 1.0)), dtype=np.uint8)


def _glossless(surface: Surface, look: NDArray[np.uint8], *, is_opaque: bool) -> trimesh.Trimesh:
    """Returns a textured surface for glTF, with a factor of its colour (4,) in linear light."""
    assert surface.image is not None
    assert surface.coordinates is not None
    a, b, c = surface.vertices[surface.faces].swapaxes(0, 1)
    normals = np.zeros_like(surface.vertices)
    np.add.at(normals, surface.faces, np.cross(b - a, c - a)[:, None])
    corners = np.column_stack([surface.faces.reshape(-1), surface.coordinates.reshape(-1, 2)])
    kept, faces = np.unique(corners, axis=0, return_inverse=True)
    which = kept[:, 0].astype(np.intp)
    material = trimesh.visual.material.PBRMaterial(  # type: ignore[no-untyped-call]
        baseColorTexture=Image.fromarray(surface.image),
        baseColorFactor=look,
        alphaMode="OPAQUE" if is_opaque else "BLEND",
        metallicFactor=0.0,
        roughnessFactor=0.9,
        doubleSided=surface.is_ground,
    )
    upwards = kept[:, 1:] * (1.0, -1.0) + (0.0, 1.0)  # trimesh measures from below
    return trimesh.Trimesh(
        surface.vertices[which],
        faces.reshape(-1, 3),
        vertex_normals=normals[which] / np.linalg.norm(normals[which], axis=1, keepdims=True),
        visual=trimesh.visual.TextureVisuals(  # type: ignore[no-untyped-call]
            uv=upwards, material=material
        ),
        process=False,
    )
