# SPDX-License-Identifier: Apache-2.0
"""A display without a screen, on which gzserver's cameras render by software (llvmpipe)."""

from __future__ import annotations

import socket

from gazebo.process import Process

_NUMBER = 77

ENVIRONMENT = {"DISPLAY": f":{_NUMBER}", "LIBGL_ALWAYS_SOFTWARE": "1"}
"""What a program needs to render there."""


class VirtualDisplay(Process):
    """Xvfb; its socket is an abstract one, so that each sandbox has display 77 to itself."""

    def __init__(self) -> None:
        command = ["Xvfb", f":{_NUMBER}", "-nolock", "-nolisten", "tcp", "-nolisten", "unix"]
        # -noreset: Xvfb starts over when its last client leaves, and has died in doing so
        super().__init__([*command, "-noreset", "-screen", "0", "640x480x24"])

    def start(self) -> None:
        """Start it and return when it accepts clients."""
        super().start()
        self.wait_until(self._listens)

    def _listens(self) -> bool:
        with socket.socket(socket.AF_UNIX) as client:
            return client.connect_ex(f"\0/tmp/.X11-unix/X{_NUMBER}") == 0
