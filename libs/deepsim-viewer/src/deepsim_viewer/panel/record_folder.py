# SPDX-License-Identifier: Apache-2.0
"""A button that records the world and sends the file to the browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import viser

from deepsim_sync import World
from deepsim_sync.temporary_folders import make_temporary_folder, remove_temporary_folder
from deepsim_viewer.recording.recorder import WorldRecorder


class RecordFolder:
    """A button that starts a recording, and stops it at the next press.

    Args:
        gui: The panel.
        world: The world, accessed in its own thread only.
        post: Schedules a function for that thread.
        shown: Number of worlds to record.
    """

    def __init__(
        self,
        gui: viser.GuiApi,
        world: World,
        post: Callable[[Callable[[], object]], None],
        shown: int,
    ) -> None:
        self._world, self._shown = world, shown
        self._recorder: WorldRecorder | None = None
        self._folder: Path | None = None
        self._button: Any = gui.add_button("Record", icon=viser.Icon.PLAYER_RECORD)
        self._button.on_click(lambda event: post(lambda: self._toggle(event.client)))

    def close(self) -> None:
        """Stops and discards a recording in progress."""
        if self._recorder is not None:
            self._recorder.close()
            self._recorder = None
        if self._folder is not None:
            remove_temporary_folder(self._folder)
            self._folder = None

    def _toggle(self, client: viser.ClientHandle | None) -> None:
        if self._recorder is None:
            self._folder = make_temporary_folder("deepsim-viewer-")
            path = self._folder / "recording.mcap"
            self._recorder = WorldRecorder(self._world, path, shown=self._shown)
            self._button.label = "Stop recording"
            self._button.icon = viser.Icon.PLAYER_STOP
            return
        path = self._recorder.path
        self._recorder.close()
        if client is not None:
            client.send_file_download(path.name, path.read_bytes())
        self.close()
        self._button.label = "Record"
        self._button.icon = viser.Icon.PLAYER_RECORD
