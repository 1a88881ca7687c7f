# SPDX-License-Identifier: Apache-2.0
"""How visuals and lights look: kept here in full, shown in MuJoCo as well as it can.

MuJoCo forgets run-time edits at every recompile and has fewer colours than Gazebo; so these tables
are the truth, and are applied again to each new model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from deepsim_math import Color, Material
from deepsim_spawn import LightDescription
from deepsim_sync import COLUMNS, Cells, Entities, Kind, Tables

from .builder import Built
from .engine import mujoco

_PLAIN = Material(
    ambient=Color(0.7, 0.7, 0.7), diffuse=Color(0.7, 0.7, 0.7), specular=Color(0.1, 0.1, 0.1)
)
_KINDS: tuple[Kind, Kind] = ("visuals", "lights")


class Appearance:
    """The visual and light columns of all entities."""

    def __init__(self) -> None:
        self._tables = Tables.allocate(Entities(0))
        self._geoms = self._materials = self._shiny = self._lights = np.zeros(0, np.intp)

    def follow(
        self,
        entities: Entities,
        built: Sequence[Built],
        world_lights: Mapping[str, LightDescription],
        model: mujoco.MjModel,
    ) -> None:
        """Takes up new entities as described and forgets deleted ones; the rest stays as it is."""
        self._geoms = np.array([model.geom(name).id for name in entities.visuals], np.intp)
        shiny = [name for one in built for name in one.materials]
        self._materials = np.array([model.mat(name).id for name in shiny], np.intp)
        self._shiny = entities.visuals.rows(shiny)
        self._lights = np.array([model.light(name).id for name in entities.lights], np.intp)
        old, new = self._tables, Tables.allocate(entities)
        lights = dict(world_lights)
        for one in built:
            for name, visual in one.visuals.items():
                row = entities.visuals.row(name)
                material = visual.material or _PLAIN
                for column in ("ambient", "diffuse", "specular", "emissive"):
                    new.column("visuals", column)[0, row] = getattr(material, column)
                new.visuals.transparency[0, row] = visual.transparency
                new.visuals.visible[0, row] = visual.visible
            lights.update(one.lights)
        for name, light in lights.items():
            row = entities.lights.row(name)
            fading = light.attenuation
            new.lights.diffuse[0, row] = light.diffuse
            new.lights.specular[0, row] = light.specular
            new.lights.attenuation[0, row] = fading.constant, fading.linear, fading.quadratic
        for kind in _KINDS:
            before, now = old.entities.names(kind), entities.names(kind)
            kept = [name for name in now if name in before]
            for column in COLUMNS[kind]:
                values = old.column(kind, column)[:, before.rows(kept)]
                new.column(kind, column)[:, now.rows(kept)] = values
        self._tables = new

    def read(self, tables: Tables, kind: Kind) -> None:
        """Copies the columns of one kind."""
        for column in COLUMNS[kind]:
            tables.column(kind, column)[:] = self._tables.column(kind, column)

    def write(self, kind: Kind, column: str, cells: Cells) -> None:
        """Changes cells of one column."""
        self._tables.column(kind, column)[cells.worlds, cells.rows] = cells.values

    def apply(self, model: mujoco.MjModel) -> None:
        """Shows everything in the compiled model that was followed last."""
        visuals, lights = self._tables.visuals, self._tables.lights
        shown = (1.0 - visuals.transparency[0]) * visuals.visible[0]
        model.geom_rgba[self._geoms, :3] = visuals.diffuse[0, :, :3]
        model.geom_rgba[self._geoms, 3] = visuals.diffuse[0, :, 3] * shown
        # A geom of MuJoCo's default grey is drawn in the colour of its material.
        model.mat_rgba[self._materials] = model.geom_rgba[self._geoms[self._shiny]]
        # MuJoCo has one number each where Gazebo has a colour, and only in materials.
        model.mat_specular[self._materials] = visuals.specular[0, self._shiny, :3].max(1, initial=0)
        model.mat_emission[self._materials] = visuals.emissive[0, self._shiny, :3].max(1, initial=0)
        model.light_diffuse[self._lights] = lights.diffuse[0, :, :3]
        model.light_specular[self._lights] = lights.specular[0, :, :3]
        model.light_attenuation[self._lights] = lights.attenuation[0]
