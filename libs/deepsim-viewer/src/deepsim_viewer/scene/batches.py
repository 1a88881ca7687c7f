# SPDX-License-Identifier: Apache-2.0
"""The instances of all worlds in batches: one mesh per shape, moved by array operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import viser
from numpy.typing import NDArray

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
        self._pattern = _pattern(frame.opacities)
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
        for number, ((shape, is_opaque), cells) in enumerate(groups.items()):
            rows = slice(start, start + len(cells))
            start = rows.stop
            handle = scene.add_batched_meshes_simple(
                f"{name}/{number}",
                shape.vertices,
                shape.faces,
                batched_wxyzs=turns[rows],
                batched_positions=positions[rows],
                batched_scales=scales[rows],
                batched_colors=colors[rows],
                batched_opacities=None if is_opaque else opacities[rows],
                lod="off",
                side="double" if shape.is_plane else "front",
                cast_shadow=not shape.is_plane,
            )
            handle.on_click(self._clicked(rows))
            self._batches.append((handle, rows))

    def fits(self, frame: Frame) -> bool:
        """Returns whether each visual is opaque, transparent or hidden as in the first frame."""
        return np.array_equal(self._pattern, _pattern(frame.opacities))

    def update(self, frame: Frame) -> None:
        """Moves and colours the instances; call it within ``server.atomic()``."""
        positions, turns = self._motion(frame)
        opacities = self._opacities(frame)
        recolored = not np.array_equal(frame.colors, self._colors)
        colors = self._linear(frame) if recolored else None
        for handle, rows in self._batches:
            handle.batched_positions = positions[rows]
            handle.batched_wxyzs = turns[rows]
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

    def _linear(self, frame: Frame) -> NDArray[np.uint8]:
        self._colors = frame.colors
        return linear_bytes(frame.colors[self.worlds, self._visuals])

    def _opacities(self, frame: Frame) -> NDArray[np.float32]:
        return frame.opacities[self.worlds, self._visuals].astype(np.float32)


def _groups(
    instances: Instances, frame: Frame
) -> dict[tuple[Surface, bool], list[tuple[int, int]]]:
    """Returns the worlds and numbers of the instances by shape and by whether they are opaque.

    A plane is drawn in the first world only, since it extends into all others.
    """
    groups: dict[tuple[Surface, bool], list[tuple[int, int]]] = {}
    opacities = frame.opacities[:, instances.visuals]
    for number, shape in enumerate(instances.surfaces):
        for world in range(1 if shape.is_plane else len(opacities)):
            opacity = opacities[world, number]
            if opacity > 0.0:
                groups.setdefault((shape, bool(opacity > _OPAQUE)), []).append((world, number))
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
