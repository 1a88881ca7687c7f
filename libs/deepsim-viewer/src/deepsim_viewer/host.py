# SPDX-License-Identifier: Apache-2.0
"""The viewer as its controls and marks see it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
import viser
from numpy.typing import NDArray

from deepsim_sync import DeepSimError, World


class Edits:
    """The edits that can be undone, of all browsers; accessed in the world's thread only."""

    def __init__(self) -> None:
        self._undone_by: list[Callable[[], object]] = []

    def add(self, undo: Callable[[], object]) -> None:
        """Adds the latest edit, by the function that undoes it."""
        self._undone_by.append(undo)

    def undo(self) -> bool:
        """Undoes the latest edit; returns False if there is none."""
        if not self._undone_by:
            return False
        self._undone_by.pop()()
        return True


@dataclass(frozen=True, eq=False)
class Host:
    """The viewer as its controls and marks see it.

    Attributes:
        server: The server of the browser.
        world: The world, accessed in its own thread only.
        offsets: (w, 3) positions of the shown worlds [m].
        post: Schedules a function for the world's thread; callable from any thread.
        refresh: Shows the current state, even while the world is paused.
        show_fog: Shows or hides the fog; callable from any thread.
        edits: The insertions, deletions and moves of models.
    """

    server: viser.ViserServer
    world: World
    offsets: NDArray[np.float64]
    post: Callable[[Callable[[], object]], None]
    refresh: Callable[[], None]
    show_fog: Callable[[bool], None]
    edits: Edits = field(default_factory=Edits)

    def notify(self, title: str, text: str) -> None:
        """Shows a message in all browsers; callable from any thread."""
        for client in self.server.get_clients().values():
            client.add_notification(title, text, auto_close_seconds=10.0)

    @contextmanager
    def showing_refusals(self) -> Iterator[None]:
        """Shows a DeepSimError or ValueError in the browser, which ends the block."""
        try:
            yield
        except (DeepSimError, ValueError) as error:
            self.notify("Refused", str(error))
