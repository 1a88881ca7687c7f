# SPDX-License-Identifier: Apache-2.0
"""The appearance of visuals and lights.

MuJoCo loses run-time edits when it recompiles, and has fewer colours than Gazebo. Therefore this
module keeps the full appearance and applies it to each new model as far as possible.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Color, Material, Vector3, poses, quaternions
from deepsim_mujoco.imports import mujoco
from deepsim_mujoco.state.compiled import Compiled
from deepsim_sync import Cells, Entities, Key, LightTable, Tables, VisualTable

_PLAIN = Material(
    ambient=Color(0.7, 0.7, 0.7), diffuse=Color(0.7, 0.7, 0.7), specular=Color(0.1, 0.1, 0.1)
)


class Appearance:
    """The visual and light columns of all entities in all worlds."""

    def __init__(self, worlds: int) -> None:
        nothing = Entities(0)
        self._worlds = worlds
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

    def read(self, tables: Tables, key: Key) -> None:
        """Copies one column into the tables."""
        tables.columns[key][:] = self._column(key)

    def write(self, key: Key, cells: Cells) -> None:
        """Changes cells of one column."""
        self._column(key)[cells.worlds, cells.rows] = cells.values

    def _column(self, key: Key) -> NDArray[Any]:
        kind, column = key
        table = self._visual_table if kind == "visuals" else self._light_table
        return table.get(column)

    def apply(self, model: mujoco.MjModel, world: int) -> None:
        """Applies the appearance of one world to the compiled model."""
        visuals, lights = self._visual_table, self._light_table
        shown = (1.0 - visuals.transparency[world]) * visuals.visible[world]
        model.geom_rgba[self._geoms, :3] = visuals.diffuse[world, :, :3]
        model.geom_rgba[self._geoms, 3] = visuals.diffuse[world, :, 3] * shown
        # A geom with MuJoCo's default grey is drawn in the colour of its material.
        model.mat_rgba[self._materials] = model.geom_rgba[self._geoms[self._shiny]]
        # MuJoCo has one number each where Gazebo has a colour, and only in materials.
        specular, emissive = visuals.specular[world], visuals.emissive[world]
        model.mat_specular[self._materials] = specular[self._shiny, :3].max(1, initial=0)
        model.mat_emission[self._materials] = emissive[self._shiny, :3].max(1, initial=0)
        model.light_diffuse[self._lights] = lights.diffuse[world, :, :3]
        model.light_specular[self._lights] = lights.specular[world, :, :3]
        model.light_attenuation[self._lights] = lights.attenuation[world]
        model.light_range[self._lights] = lights.range[world]
        if len(self._lights):
            mounts = poses.compose(self._frames, lights.pose[world])
            model.light_pos[self._lights] = mounts[:, :3]
            model.light_dir[self._lights] = quaternions.rotate(mounts[:, 3:], self._directions)
