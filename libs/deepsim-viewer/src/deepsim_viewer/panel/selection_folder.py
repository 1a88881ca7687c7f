# SPDX-License-Identifier: Apache-2.0
"""Controls for one model: its choice, state, gizmo, force and sliders."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import viser
from numpy.typing import NDArray

from deepsim_sync import SCOPE, Entities, Kind
from deepsim_viewer.host import Host
from deepsim_viewer.scene.frame import Frame

from .row_sliders import ActuatorSliders, JointSliders, RowSliders
from .run_folder import plain_lines

_NOBODY = "nothing"
_ADVICE = "Click a model, or choose its name."
_EVERY = 0.25  # [s] of wall time between updates of the text
_PUSH = 0.2  # [s] of simulated time for which a force acts


class ModelChoice:
    """A list of models, with the world and whether the view follows the chosen one.

    Args:
        gui: The panel.
        frame: The first frame.
        followed: The model that the view follows while none is chosen.
        changed: Called when another model or world is chosen.
    """

    def __init__(
        self, gui: viser.GuiApi, frame: Frame, followed: str | None, changed: Callable[[], None]
    ) -> None:
        self._entities, self._default = frame.entities, followed
        worlds = len(frame.poses)
        self._name: Any = gui.add_dropdown("Selected", _names(frame))
        self._which: Any = gui.add_slider("World", 0, max(1, worlds - 1), 1, 0, visible=worlds > 1)
        self._follow: Any = gui.add_checkbox("Follow by camera", followed is not None)
        self._name.on_update(lambda _: changed())
        self._which.on_update(lambda _: changed())

    @property
    def model(self) -> str | None:
        """The chosen model."""
        return None if self._name.value == _NOBODY else str(self._name.value)

    @property
    def world(self) -> int:
        """Its world."""
        return int(self._which.value) if self._which.visible else 0

    @property
    def followed(self) -> tuple[str | None, int | None]:
        """The model that the view follows, and its world; None for no model, or all worlds."""
        if not self._follow.value:
            return None, None
        return (self._default, None) if self.model is None else (self.model, self.world)

    def choose(self, model: str | None, world: int = 0) -> None:
        """Chooses a model."""
        self._which.value = world
        self._name.value = _NOBODY if model is None else model

    def toggle_following(self) -> None:
        """Makes the view follow the model, or stand still."""
        self._follow.value = not self._follow.value

    def show(self, frame: Frame) -> None:
        """Lists the models of a frame, and chooses none if the chosen one is gone."""
        if frame.entities is not self._entities:
            self._entities = frame.entities
            self._name.options = _names(frame)
        if self.model is not None and self.model not in frame.entities.models:
            self.choose(None)


def _names(frame: Frame) -> tuple[str, ...]:
    return (_NOBODY, *(name for name in frame.entities.models if SCOPE not in name))


class SelectionFolder:
    """The controls for the selected model.

    Args:
        host: The viewer.
        frame: The first frame.
        followed: The model that the view follows while none is selected.

    Attributes:
        choice: The choice of the model.
    """

    def __init__(self, host: Host, frame: Frame, followed: str | None) -> None:
        self._host, self._frame = host, frame
        self._lock = threading.RLock()
        self._model: str | None = None
        self._number = 0
        self._coming: tuple[str, int] | None = None
        self._written = 0.0
        self._gizmo: Any = None
        self._dragged = False
        self._sliders: tuple[RowSliders, ...] = ()
        gui = host.server.gui
        with gui.add_folder("Model", expand_by_default=True):
            self.choice = ModelChoice(gui, frame, followed, self._choose)
            self._row = gui.add_html(plain_lines(_ADVICE))
            self._move = gui.add_checkbox("Move by gizmo", False)
            self._force = gui.add_vector3("Force [N]", (0.0, 0.0, 10.0), step=0.1)
            push = gui.add_button("Push", icon=viser.Icon.ARROW_BIG_UP)
        self._move.on_update(lambda _: self._show_gizmo())
        push.on_click(lambda _: self._push())

    def select(self, model: str, world: int = 0) -> None:
        """Selects a model of a world as soon as a frame contains it; callable from any thread."""
        with self._lock:
            self._coming = model, world
            self._select_coming()

    def _select_coming(self) -> None:
        if self._coming is not None and self._coming[0] in self._frame.entities.models:
            self.choice.choose(*self._coming)
            self._choose()

    @property
    def model(self) -> str | None:
        """The selected model."""
        return self._model

    def show(self, frame: Frame) -> None:
        """Shows the state of the model, and moves the gizmo with it."""
        with self._lock:
            self._frame = frame
            self.choice.show(frame)
            self._select_coming()
            if self._model is None:
                return
            if self._model not in frame.entities.models:
                self._choose()
                return
            pose = self._pose()
            if self._gizmo is not None and not self._dragged:
                self._gizmo.position, self._gizmo.wxyz = pose[:3], pose[[6, 3, 4, 5]]
            if time.monotonic() - self._written > _EVERY:
                self._written = time.monotonic()
                self._write()

    def _cells(self) -> NDArray[np.float64]:
        """Returns the pose and twist of the model, (13,)."""
        assert self._model is not None
        row = self._frame.entities.models.row(self._model)
        cells: NDArray[np.float64] = self._frame.models[self._number, row]
        return cells

    def _pose(self) -> NDArray[np.float64]:
        """Returns the pose (7,) at which the model is drawn."""
        pose = self._cells()[:7].copy()
        pose[:3] += self._host.offsets[self._number]
        return pose

    def _choose(self) -> None:
        with self._lock:
            model, number = self.choice.model, self.choice.world
            if (model, number) == (self._model, self._number):
                return
            self._model, self._number = model, number
            if model is not None:
                self._coming = None
            self._dragged = False
            for each in self._sliders:
                each.remove()
            self._sliders = ()
            if model is None:
                self._row.content = plain_lines(_ADVICE)
            else:
                what = self._host, self._frame, model, number
                self._sliders = JointSliders(*what), ActuatorSliders(*what)
                self._write()
            self._show_gizmo()

    def _write(self) -> None:
        cells = self._cells()
        x, y, z = cells[:3]
        vx, vy, vz, wx, wy, wz = cells[7:]
        turn = ", ".join(f"{part:.3f}" for part in cells[3:7])
        self._row.content = plain_lines(
            f"position {x:.3f}, {y:.3f}, {z:.3f} m",
            f"orientation {turn}",
            f"velocity {vx:.2f}, {vy:.2f}, {vz:.2f} m/s",
            f"turning {wx:.2f}, {wy:.2f}, {wz:.2f} rad/s",
        )
        for each in self._sliders:
            each.show(self._frame)

    def _show_gizmo(self) -> None:
        with self._lock:
            if self._gizmo is not None:
                self._gizmo.remove()
                self._gizmo = None
            moves = self._model is not None and self._move.value
            self._host.show_fog(not moves)
            if not moves:
                return
            pose = self._pose()
            self._gizmo = self._host.server.scene.add_transform_controls(
                "/gizmo", scale=0.6, position=pose[:3], wxyz=pose[[6, 3, 4, 5]], depth_test=False
            )
            self._gizmo.on_update(self._drag)

    async def _drag(self, event: Any) -> None:
        """Moves the model to the gizmo, in the server's event loop, which keeps events in order."""
        starts, self._dragged = not self._dragged, event.phase != "end"
        if starts:
            self._remember()
        self._put(np.concatenate([event.target.position, event.target.wxyz[[1, 2, 3, 0]]]))

    def _remember(self) -> None:
        """Makes it possible to undo the move that begins."""
        model, number = self._model, self._number
        if model is None:
            return
        world, edits = self._host.world, self._host.edits

        def remember() -> None:
            pose = world.models.pose[number, world.entities.models.row(model)].copy()

            def put_back() -> None:
                rows = world.models.select([model])
                rows.put(pose=pose, twist=np.zeros(6), worlds=np.array([number]))

            edits.add(put_back)

        self._host.post(remember)

    def _put(self, drawn: NDArray[np.float64]) -> None:
        """Puts the model at the drawn pose, at rest."""
        model, number = self._model, self._number
        if model is None:
            return
        pose = drawn.copy()
        pose[:3] -= self._host.offsets[number]

        def put() -> None:
            rows = self._host.world.models.select([model])
            rows.put(pose=pose, twist=np.zeros(6), worlds=np.array([number]))

        self._host.post(put)

    def _push(self) -> None:
        """Applies the force to the first link of the model for a short time."""
        with self._lock:
            model, number = self._model, self._number
            if model is None:
                return
            link = self._frame.entities.links.within(model)[0]
        force = np.array(self._force.value)
        end: list[float] = []

        def push() -> None:
            now = float(self._host.world.time[number])
            if not end:
                end.append(now + _PUSH)
            if now < end[0] and link in self._host.world.entities.links:
                self._host.world.links.select([link]).put(force=force, worlds=np.array([number]))
                self._host.world.post(push)

        self._host.post(push)


_PARTS: tuple[Kind, ...] = ("links", "joints", "actuators")
_MOST = 60  # largest number of models in the tree


class EntityFolder:
    """A folder for each model, with the names of its parts and a button that selects it.

    The folder has at most 60 models, and says how many more there are.

    Args:
        gui: The panel.
        entities: The entities of the world.
        select: Called with the name of a model.
    """

    def __init__(
        self, gui: viser.GuiApi, entities: Entities, select: Callable[[str], None]
    ) -> None:
        self._gui, self._select = gui, select
        self._entities: Entities | None = None
        self._folders: dict[str, Any] = {}
        self._root = gui.add_folder("Entities", expand_by_default=False)
        with self._root:
            self._rest = gui.add_html("", order=1e9)
        self.show(entities)

    def show(self, entities: Entities) -> None:
        """Shows the entities, if they have changed."""
        if entities is self._entities:
            return
        self._entities = entities
        models = [name for name in entities.models if SCOPE not in name]
        for name in set(self._folders) - set(models[:_MOST]):
            self._folders.pop(name).remove()
        for name in models[:_MOST]:
            if name not in self._folders:
                self._folders[name] = self._add(name, entities)
        more = len(models) - _MOST
        self._rest.content = plain_lines(f"and {more} more models") if more > 0 else ""

    def _add(self, name: str, entities: Entities) -> Any:
        parts = [
            f"{kind}: {', '.join(own)}"
            for kind in _PARTS
            if (
                own := [
                    each.removeprefix(name + SCOPE) for each in entities.names(kind).within(name)
                ]
            )
        ]
        with self._root, self._gui.add_folder(name, expand_by_default=False) as folder:
            self._gui.add_html(plain_lines(*parts))
            button = self._gui.add_button(f"Select {name}", icon=viser.Icon.POINTER)
        button.on_click(lambda _: self._select(name))
        return folder
