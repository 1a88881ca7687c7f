# SPDX-License-Identifier: Apache-2.0
"""Controls that insert, compose and delete models and save the world."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import viser
import viser.transforms as vtf

from deepsim_math import Color, Vector3
from deepsim_spawn import GazeboXMLLoader, ModelDescription, ModelIndex
from deepsim_viewer.editing import (
    AXES,
    JOINTS,
    SHAPES,
    SNAPS,
    SOLIDS,
    WORLD,
    Part,
    PartJoint,
    Snap,
    composed_model,
    described_world,
    free_place,
    shape_model,
    snapped,
)
from deepsim_viewer.host import Host

from .run_folder import plain_lines
from .selection_folder import SelectionFolder

_FARTHEST = 10.0  # largest distance from the eye to an inserted model [m]


class EditFolder:
    """The controls that insert and delete models."""

    def __init__(self, host: Host, selection: SelectionFolder) -> None:
        self._host, self._selection = host, selection
        self._index = ModelIndex()
        gui = host.server.gui
        with gui.add_folder("Edit", expand_by_default=False):
            self._kind: Any = gui.add_dropdown("New", (*SHAPES, *self._index))
            self._size = gui.add_vector3("Size [m]", (0.3, 0.3, 0.3), min=(0.01,) * 3, step=0.01)
            self._color = gui.add_rgb("Color", (90, 140, 200))
            self._seen = gui.add_checkbox("Where I look", True)
            self._place = gui.add_vector3("Position [m]", (0.0,) * 3, step=0.05, visible=False)
            self._yaw = gui.add_slider("Yaw [deg]", -180, 180, 1, 0)
            self._snap: Any = gui.add_dropdown("Snap to", SNAPS)
            insert = gui.add_button("Insert", icon=viser.Icon.PLUS)
            delete = gui.add_button("Delete selected", icon=viser.Icon.TRASH)
            undo = gui.add_button("Undo", icon=viser.Icon.ARROW_BACK_UP)
            save = gui.add_button("Save as SDF", icon=viser.Icon.DEVICE_FLOPPY)
            ComposeFolder(host, self._spawn)
        self._kind.on_update(lambda _: self._show_size())
        self._seen.on_update(lambda _: self._show_place())
        insert.on_click(lambda event: self._insert(event.client))
        delete.on_click(lambda _: self._delete())
        undo.on_click(lambda _: self.undo())
        save.on_click(lambda event: self._save(event.client))

    def _show_size(self) -> None:
        shape = self._kind.value in SHAPES
        self._size.visible = self._color.visible = shape

    def undo(self) -> None:
        """Undoes the latest insertion, deletion or move."""

        def undo() -> None:
            if not self._host.edits.undo():
                raise ValueError("there is no edit to undo")

        self._host.post(undo)

    def _show_place(self) -> None:
        self._place.visible = not self._seen.value

    def _insert(self, client: viser.ClientHandle | None) -> None:
        """Inserts the chosen model, after loading it outside the world's thread."""
        with self._host.showing_refusals():
            self._spawn(self._model(), client)

    def _spawn(self, model: ModelDescription, client: viser.ClientHandle | None) -> None:
        """Spawns a model where a browser looks or at the chosen position, under a free name."""
        place, snap = Vector3(*self._place.value), cast("Snap", self._snap.value)
        looks = client is not None and self._seen.value
        if client is not None and looks:
            place = self._seen_place(client)
        yaw = math.radians(self._yaw.value)
        world = self._host.world

        def insert() -> None:
            names = world.entities.models
            count = next(i for i in range(len(names) + 1) if f"{model.name}_{i}" not in names)
            name = f"{model.name}_{count}"
            rows = world.models.pose[0]
            others = {
                each: (described, rows[names.row(each)])
                for each, described in world.simulator.descriptions.models.items()
            }
            free = free_place(model, place, yaw, others) if looks and snap != "object" else place
            world.spawn(model, name, snapped(model, free, yaw, snap, others))
            self._host.edits.add(lambda: world.delete(name))
            self._selection.select(name)

        self._host.post(insert)

    def _seen_place(self, client: viser.ClientHandle) -> Vector3:
        """Returns the position on the ground in the middle of a browser's picture."""
        eye = np.asarray(client.camera.position, np.float64)
        way = vtf.SO3(client.camera.wxyz) @ np.array([0.0, 0.0, 1.0])
        far = -eye[2] / way[2] if way[2] < 0.0 < eye[2] else _FARTHEST
        seen = eye + min(far, _FARTHEST) * way
        offsets = self._host.offsets
        nearest = offsets[np.linalg.norm((offsets - seen)[:, :2], axis=1).argmin()]
        x, y, _ = (seen - nearest).tolist()
        return Vector3(x, y, 0.0)

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
            self._host.notify("Refused", "no model is selected")
            return
        world, edits = self._host.world, self._host.edits

        def delete() -> None:
            model = world.simulator.descriptions.models[name]
            pose = world.models.pose[:, world.entities.models.row(name)].copy()
            joints = world.entities.joints.within(name)
            positions = world.joints.position[:, world.entities.joints.rows(joints)].copy()
            world.delete(name)

            def restore() -> None:
                world.spawn(model, name, pose)
                if joints:
                    world.joints.select(joints).put(position=positions)

            edits.add(restore)

        self._host.post(delete)

    def _save(self, client: viser.ClientHandle | None) -> None:
        def save() -> None:
            text = described_world(self._host.world).to_sdf()
            if client is not None:
                client.send_file_download("world.sdf", text.encode(), save_immediately=True)

        self._host.post(save)


_MESH = "mesh"
_NOTHING = "nothing"
_NONE = "no part yet"


class ComposeFolder:
    """The controls for the next part and the composed model."""

    def __init__(self, host: Host, insert: Callable[[ModelDescription, Any], object]) -> None:
        self._host, self._insert_model = host, insert
        self._parts: list[Part] = []
        gui = host.server.gui
        with gui.add_folder("Compose", expand_by_default=False):
            self._list = gui.add_html(plain_lines(_NONE))
            self._shape: Any = gui.add_dropdown("Part", (*SOLIDS, _MESH))
            self._mesh = gui.add_text("Mesh", "model://", visible=False)
            self._size = gui.add_vector3("Part size [m]", (0.2,) * 3, min=(0.001,) * 3, step=0.01)
            self._color = gui.add_rgb("Part color", (200, 140, 60))
            self._place = gui.add_vector3("Part at [m]", (0.0, 0.0, 0.0), step=0.05)
            self._parent: Any = gui.add_dropdown("Held by", (_NOTHING, WORLD))
            self._joint: Any = gui.add_dropdown("Joint", JOINTS, visible=False)
            self._pivot = gui.add_vector3("Joint at [m]", (0.0, 0.0, 0.0), step=0.05)
            self._axis: Any = gui.add_dropdown("Axis", tuple(AXES), initial_value="z")
            self._limits = gui.add_vector2("Limits [deg or m]", (-90.0, 90.0), step=0.1)
            add = gui.add_button("Add part", icon=viser.Icon.PLUS)
            remove = gui.add_button("Remove last part", icon=viser.Icon.MINUS)
            insert_all = gui.add_button("Insert composed", icon=viser.Icon.CUBE_PLUS)
        for choice in (self._shape, self._parent, self._joint):
            choice.on_update(lambda _: self._show_controls())
        add.on_click(lambda _: self._change([*self._parts, self._part()]))
        remove.on_click(lambda _: self._change(self._parts[:-1]))
        insert_all.on_click(lambda event: self._insert(event.client))
        self._show_controls()

    def _show_controls(self) -> None:
        self._mesh.visible = self._shape.value == _MESH
        held = self._parent.value != _NOTHING
        self._joint.visible = held
        moves = held and self._joint.value != "fixed"
        self._pivot.visible = self._axis.visible = self._limits.visible = moves

    def _part(self) -> Part:
        """Returns the part that the controls describe."""
        red, green, blue = (value / 255 for value in self._color.value)
        joint = cast("PartJoint", self._joint.value)
        unit = math.radians(1.0) if joint == "revolute" else 1.0
        lower, upper = (unit * value for value in self._limits.value)
        return Part(
            f"part_{len(self._parts)}",
            self._mesh.value if self._shape.value == _MESH else self._shape.value,
            Vector3(*self._size.value),
            Color(red, green, blue, 1.0),
            Vector3(*self._place.value),
            None if self._parent.value == _NOTHING else self._parent.value,
            joint,
            self._axis.value,
            lower,
            upper,
            Vector3(*self._pivot.value),
        )

    def _change(self, parts: list[Part]) -> None:
        """Replaces the parts if they form a valid model."""
        with self._host.showing_refusals():
            if parts:
                composed_model("composed", parts)
            self._parts = parts
            self._list.content = plain_lines(*(map(_line, parts) if parts else (_NONE,)))
            names = tuple(part.name for part in parts)
            self._parent.options = (*reversed(names), WORLD) if names else (_NOTHING, WORLD)
            self._parent.value = self._parent.options[0]
            self._show_controls()

    def _insert(self, client: viser.ClientHandle | None) -> None:
        with self._host.showing_refusals():
            self._insert_model(composed_model("composed", self._parts), client)


def _line(part: Part) -> str:
    held = "" if part.parent is None else f", {part.joint} on {part.parent}"
    return f"{part.name}: {part.shape}{held}"
