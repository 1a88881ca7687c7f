# SPDX-License-Identifier: Apache-2.0
"""The appearance of visuals and lights.

MuJoCo loses run-time edits when it recompiles, and has fewer colours than Gazebo. Therefore this
module keeps the full appearance and applies it to each new model as far as possible.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Color, Material, Vector3, poses, quaternions
from deepsim_mujoco.imports import mujoco
from deepsim_mujoco.state.batches import Batch
from deepsim_mujoco.state.compiled import Compiled
from deepsim_mujoco.state.layout import Floats, Rows
from deepsim_sync import Cells, Entities, Key, LightTable, Tables, VisualTable

_PLAIN = Material(
    ambient=Color(0.7, 0.7, 0.7), diffuse=Color(0.7, 0.7, 0.7), specular=Color(0.1, 0.1, 0.1)
)


class Appearance:
    """The visual and light columns of all entities in all worlds."""

    def __init__(self, worlds: int) -> None:
        nothing = Entities(0)
        self._worlds = worlds
        self._version = 0
        self._applied: tuple[Batch | None, int] = (None, 0)
        self._visual_table = VisualTable(nothing.visuals, worlds)
        self._light_table = LightTable(nothing.lights, worlds)
        self._frames, self._directions = np.zeros((0, 7)), list[Vector3]()
        self._geoms = self._materials = self._shiny = self._lights = np.zeros(0, np.intp)

    def follow(self, compiled: Compiled) -> None:
        """Adds new entities as described and drops deleted ones; all others keep their values."""
        layout, entities, built = compiled.layout, compiled.entities, compiled.built
        shiny = [name for one in built for name in one.materials]
        self._shiny = entities.visuals.rows(shiny)
        self._geoms = np.array([layout.geoms[name] for name in entities.visuals], np.intp)
        self._materials = np.array([layout.materials[name] for name in shiny], np.intp)
        self._lights = np.array([layout.lights[name] for name in entities.lights], np.intp)
        visuals = VisualTable(entities.visuals, self._worlds)
        for one in built:
            for name, visual in one.visuals.items():
                row = entities.visuals.row(name)
                material = visual.material or _PLAIN
                for column in ("ambient", "diffuse", "specular", "emissive"):
                    visuals.get(column)[:, row] = getattr(material, column)
                visuals.transparency[:, row] = visual.transparency
                visuals.visible[:, row] = visual.visible
        lights = LightTable(entities.lights, self._worlds)
        self._frames, self._directions = np.zeros((len(entities.lights), 7)), []
        for row, name in enumerate(entities.lights):
            light, frame = compiled.lights[name]
            self._frames[row] = frame
            self._directions.append(light.direction)
            fading = light.attenuation
            lights.diffuse[:, row] = light.diffuse
            lights.specular[:, row] = light.specular
            lights.attenuation[:, row] = fading.constant, fading.linear, fading.quadratic
            lights.pose[:, row] = light.pose
            lights.range[:, row] = fading.range
        visuals.carry_over(self._visual_table)
        lights.carry_over(self._light_table)
        self._visual_table, self._light_table = visuals, lights
        self._version += 1

    def read(self, tables: Tables, key: Key) -> None:
        """Copies one column into the tables."""
        tables.columns[key][:] = self._column(key)

    def write(self, key: Key, cells: Cells) -> None:
        """Changes cells of one column."""
        self._column(key)[cells.worlds, cells.rows] = cells.values
        self._version += 1

    def _column(self, key: Key) -> NDArray[Any]:
        kind, column = key
        table = self._visual_table if kind == "visuals" else self._light_table
        return table.get(column)

    def apply(self, model: mujoco.MjModel, world: int) -> None:
        """Applies the appearance of one world to the compiled model."""
        for field, rows, values in self._looks(slice(world, world + 1)):
            getattr(model, field)[rows] = values[0]

    def apply_to_all(self, batch: Batch) -> None:
        """Applies the appearance of all worlds to their models, if it has changed since."""
        if self._applied != (batch, self._version):
            for field, rows, values in self._looks(slice(None)):
                batch.expand(field)[:, rows] = values
            self._applied = batch, self._version

    def _looks(self, worlds: slice) -> Iterator[tuple[str, Rows, Floats]]:
        """Yields fields of MuJoCo's model, rows in them, and values in worlds, (w, rows, ...)."""
        visuals, lights = self._visual_table, self._light_table
        if len(self._geoms):
            rgba = visuals.diffuse[worlds].copy()
            rgba[..., 3] *= (1.0 - visuals.transparency[worlds]) * visuals.visible[worlds]
            yield "geom_rgba", self._geoms, rgba
        if len(self._materials):
            # A geom with MuJoCo's default grey is drawn in the colour of its material.
            yield "mat_rgba", self._materials, rgba[:, self._shiny]
            # MuJoCo has one number each where Gazebo has a colour, and only in materials.
            for field, column in (("mat_specular", "specular"), ("mat_emission", "emissive")):
                colours = visuals.get(column)[worlds]
                yield field, self._materials, colours[:, self._shiny, :3].max(axis=-1)
        if len(self._lights):
            yield "light_diffuse", self._lights, lights.diffuse[worlds, :, :3]
            yield "light_specular", self._lights, lights.specular[worlds, :, :3]
            yield "light_attenuation", self._lights, lights.attenuation[worlds]
            mounts = poses.compose(self._frames, lights.pose[worlds])
            yield "light_pos", self._lights, mounts[..., :3]
            directions = quaternions.rotate(mounts[..., 3:], self._directions)
            yield "light_dir", self._lights, directions
