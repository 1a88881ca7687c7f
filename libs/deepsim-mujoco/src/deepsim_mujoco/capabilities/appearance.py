# SPDX-License-Identifier: Apache-2.0
"""The appearance of visuals and lights.

MuJoCo loses run-time edits when it recompiles, and has fewer colours than Gazebo. Therefore this
module keeps the full appearance and applies it to each new model as far as possible.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Color, Material, Vector3, poses, quaternions
from deepsim_mujoco.engine import mujoco
from deepsim_mujoco.state.compiled import Compiled
from deepsim_mujoco.state.layout import numbers_of
from deepsim_sync import Cells, Entities, Key, Tables

_PLAIN = Material(
    ambient=Color(0.7, 0.7, 0.7), diffuse=Color(0.7, 0.7, 0.7), specular=Color(0.1, 0.1, 0.1)
)


class Appearance:
    """The visual and light columns of all entities in all worlds."""

    def __init__(self, worlds: int) -> None:
        self._tables = Tables(Entities(0), worlds)
        self._frames, self._directions = np.zeros((0, 7)), list[Vector3]()
        self._geoms = self._materials = self._shiny = self._lights = np.zeros(0, np.intp)

    def follow(self, compiled: Compiled) -> None:
        """Adds new entities as described and drops deleted ones; all others keep their values."""
        model, entities, built = compiled.model, compiled.entities, compiled.built
        shiny = [name for one in built for name in one.materials]
        self._shiny = entities.visuals.rows(shiny)
        self._geoms = _find(model, model.name_geomadr, entities.visuals)
        self._materials = _find(model, model.name_matadr, shiny)
        self._lights = _find(model, model.name_lightadr, entities.lights)
        old, new = self._tables, Tables(entities, self._tables.worlds)
        for one in built:
            for name, visual in one.visuals.items():
                row = entities.visuals.row(name)
                material = visual.material or _PLAIN
                for column in ("ambient", "diffuse", "specular", "emissive"):
                    new.columns["visuals", column][:, row] = getattr(material, column)
                new.visuals.transparency[:, row] = visual.transparency
                new.visuals.visible[:, row] = visual.visible
        self._frames, self._directions = np.zeros((len(entities.lights), 7)), []
        for row, name in enumerate(entities.lights):
            light, frame = compiled.lights[name]
            self._frames[row] = frame
            self._directions.append(light.direction)
            fading = light.attenuation
            new.lights.diffuse[:, row] = light.diffuse
            new.lights.specular[:, row] = light.specular
            new.lights.attenuation[:, row] = fading.constant, fading.linear, fading.quadratic
            new.lights.pose[:, row] = light.pose
            new.lights.range[:, row] = fading.range
        new.carry_over(old)
        self._tables = new

    def read(self, tables: Tables, key: Key) -> None:
        """Copies one column into the tables."""
        tables.columns[key][:] = self._tables.columns[key]

    def write(self, key: Key, cells: Cells) -> None:
        """Changes cells of one column."""
        self._tables.columns[key][cells.worlds, cells.rows] = cells.values

    def apply(self, model: mujoco.MjModel, world: int) -> None:
        """Applies the appearance of one world to the compiled model."""
        visuals, lights = self._tables.visuals, self._tables.lights
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


def _find(
    model: mujoco.MjModel, addresses: NDArray[np.int32], names: Iterable[str]
) -> NDArray[np.intp]:
    numbers = numbers_of(model, addresses)
    return np.array([numbers[name] for name in names], dtype=np.intp)
