# SPDX-License-Identifier: Apache-2.0
"""A tree of all models with their links, joints and actuators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import viser

from deepsim_sync import SCOPE, Entities, Kind

from .run_folder import plain_lines

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
