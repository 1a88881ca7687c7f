# SPDX-License-Identifier: Apache-2.0
"""Controls that insert and delete models and save the world."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, cast

import viser

from deepsim_math import Color, Vector3
from deepsim_spawn import GazeboXMLLoader, ModelDescription, ModelIndex
from deepsim_sync import DeepSimError, World
from deepsim_viewer.editing.placing import SNAPS, Snap, snapped
from deepsim_viewer.editing.shape_models import SHAPES, shape_model
from deepsim_viewer.editing.world_file import described_world

from .compose_folder import ComposeFolder
from .selection_folder import Post, SelectionFolder


class EditFolder:
    """The controls that insert and delete models.

    Args:
        server: The server of the browser.
        world: The world, accessed in its own thread only.
        post: Schedules a function for that thread.
        selection: The selected model.
        notify: Shows a message with title and text.
    """

    def __init__(
        self,
        server: viser.ViserServer,
        world: World,
        post: Post,
        selection: SelectionFolder,
        notify: Callable[[str, str], object],
    ) -> None:
        self._world, self._post, self._selection, self._notify = world, post, selection, notify
        self._index = ModelIndex()
        gui = server.gui
        with gui.add_folder("Edit", expand_by_default=False):
            self._kind: Any = gui.add_dropdown("New", (*SHAPES, *self._index))
            self._size = gui.add_vector3("Size [m]", (0.3, 0.3, 0.3), min=(0.01,) * 3, step=0.01)
            self._color = gui.add_rgb("Color", (90, 140, 200))
            self._place = gui.add_vector3("Position [m]", (0.0, 0.0, 0.0), step=0.05)
            self._yaw = gui.add_slider("Yaw [deg]", -180, 180, 1, 0)
            self._snap: Any = gui.add_dropdown("Snap to", SNAPS)
            insert = gui.add_button("Insert", icon=viser.Icon.PLUS)
            delete = gui.add_button("Delete selected", icon=viser.Icon.TRASH)
            save = gui.add_button("Save as SDF", icon=viser.Icon.DEVICE_FLOPPY)
            ComposeFolder(gui, self._spawn, notify)
        self._kind.on_update(lambda _: self._show_size())
        insert.on_click(lambda _: self._insert())
        delete.on_click(lambda _: self._delete())
        save.on_click(lambda event: self._save(event.client))

    def _show_size(self) -> None:
        shape = self._kind.value in SHAPES
        self._size.visible = self._color.visible = shape

    def _insert(self) -> None:
        """Inserts the chosen model, after loading it outside the world's thread."""
        try:
            model = self._model()
        except (DeepSimError, ValueError) as error:
            self._notify("Refused", str(error))
            return
        self._spawn(model)

    def _spawn(self, model: ModelDescription) -> None:
        """Spawns a model at the chosen position, under the first free name."""
        place, snap = Vector3(*self._place.value), cast("Snap", self._snap.value)
        yaw = math.radians(self._yaw.value)
        world = self._world

        def insert() -> None:
            names = world.entities.models
            count = next(i for i in range(len(names) + 1) if f"{model.name}_{i}" not in names)
            name = f"{model.name}_{count}"
            rows = world.models.pose[0]
            others = {
                each: (described, rows[names.row(each)])
                for each, described in world.simulator.descriptions.models.items()
            }
            world.spawn(model, name, snapped(model, place, yaw, snap, others))
            self._selection.select_when_shown(name)

        self._post(insert)

    def _model(self) -> ModelDescription:
        kind = str(self._kind.value)
        if kind in SHAPES:
            red, green, blue = (part / 255 for part in self._color.value)
            return shape_model(kind, Vector3(*self._size.value), Color(red, green, blue, 1.0))
        if kind not in self._index:
            raise ValueError(f"there is no model {kind!r} on the search path")
        return GazeboXMLLoader().load_model(f"model://{kind}")

    def _delete(self) -> None:
        name = self._selection.model
        if name is None:
            self._notify("Refused", "no model is selected")
            return
        self._post(lambda: self._world.delete(name))

    def _save(self, client: viser.ClientHandle | None) -> None:
        def save() -> None:
            text = described_world(self._world).to_sdf()
            if client is not None:
                client.send_file_download("world.sdf", text.encode())

        self._post(save)
