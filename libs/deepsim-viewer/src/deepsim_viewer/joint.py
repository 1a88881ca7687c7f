# SPDX-License-Identifier: Apache-2.0
"""The joint with viser: how it opens its server, its page, and two of its messages.

The names are not part of its interface: tests/test_joint.py says which of them has changed.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import threading
from collections.abc import Iterable, Iterator
from html import escape
from typing import Any

import numpy as np
import rich
import viser
import viser.infra
import websockets.asyncio.server
from numpy.typing import NDArray
from viser._messages import RunJavascriptMessage, SetPositionMessage
from websockets.http11 import Request, Response

from deepsim_sync.access import LOOPBACK

from .access import AccessControl, ProcessRequest
from .keyboard import SCRIPT, Keyboard

# For each clickable mesh, viser 1.1.1 replaces a method by its bound version in every frame
# (InstancedMeshBVH.ts, _enableReversedDepthFrustum), so that the page accumulates one function per
# mesh and frame, and calls through all of them. Here a bound method is returned unchanged.
_MEND = """<script>(() => {
  const bind = Function.prototype.bind, name = "setFromProjectionMatrix";
  Function.prototype.bind = function (self, ...given) {
    const isBound = self && Object.hasOwn(self, name) && self[name] === this;
    return isBound ? this : bind.call(this, self, ...given);
  };
})();</script>"""
_HEAD = "<head>"

# On a narrow screen viser 1.1.1 opens its panel, which covers most of the picture
# (BottomPanel.tsx); a click on its head closes it.
_COLLAPSE = """<script>(() => {
  const watcher = new MutationObserver(() => {
    const heads = [...document.querySelectorAll('div[style*="cursor: pointer"]')];
    const head = heads.find(each => each.style.height === "3.5em");
    if (!head) return;
    watcher.disconnect();
    head.click();
  });
  watcher.observe(document, { childList: true, subtree: true });
})();</script>"""
_TITLE = "<title>Viser</title>"
_NAME = "DeepSim"


def mended(page: str, label: str, scripts: str = "") -> str:
    """Returns viser's page without the memory leak, titled by a label, with a free picture.

    Args:
        page: The page.
        label: What it shows.
        scripts: Further elements for the beginning of its head.
    """
    name = label if label == _NAME else f"{label} - {_NAME}"
    title = f"<title>{escape(name)}</title>"
    return page.replace(_TITLE, title, 1).replace(_HEAD, _HEAD + _MEND + _COLLAPSE + scripts, 1)


def mending(inner: ProcessRequest, label: str, scripts: str) -> ProcessRequest:
    """Returns a request handler that sends the `mended` page."""

    def process(connection: Any, request: Request) -> Response | None:
        headers = request.headers.copy()
        headers.pop("Accept-Encoding", None)  # the page itself contains compressed data
        answer = inner(connection, dataclasses.replace(request, headers=headers))
        if answer is None or not answer.headers.get("Content-Type", "").startswith("text/html"):
            return answer
        body = mended(answer.body.decode(), label, scripts).encode()
        del answer.headers["Content-Length"]
        answer.headers["Content-Length"] = str(len(body))
        answer.body = body
        return answer

    return process


class GuardedServer(viser.ViserServer):
    """A viser server with access control and without viser's public tunnel.

    viser has no hook for requests and would listen on its own port, so this class replaces the
    function that opens viser's server.

    Attributes:
        keyboard: The keys of the browsers.

    Raises:
        RuntimeError: viser opened its server in another way, and was stopped.
    """

    _lock = threading.Lock()

    def __init__(self, access: AccessControl, label: str) -> None:
        self.keyboard = Keyboard()
        opened = False
        serve = websockets.asyncio.server.serve

        def guarded(handler: Any, _host: Any, _port: Any, **options: Any) -> Any:
            nonlocal opened
            opened = True
            page = mending(options["process_request"], label, SCRIPT)
            options["process_request"] = access.guard(self.keyboard.answering(page))
            return serve(handler, sock=access.listener, **options)

        module: Any = viser.infra._infra
        with self._lock:
            plain = module.websockets
            server = _Overlay(websockets.asyncio.server, serve=guarded)
            module.websockets = _Overlay(plain, asyncio=_Overlay(plain.asyncio, server=server))
            try:
                with _quiet():
                    super().__init__(host=LOOPBACK, port=0, label=label, verbose=False)
            finally:
                module.websockets = plain
        self.gui.configure_theme(show_logo=False, show_share_button=False)
        self.gui.main_panel.dock_right()  # beside the picture, which is all to be seen
        if not opened:
            self.stop()
            raise RuntimeError(f"viser {viser.__version__} does not open its server as expected")

    def look_from(self, origin: NDArray[np.float64]) -> None:
        """Moves the scene below the cameras, as if they moved along with a point.

        viser has no public name for the root of its scene. `ClientHandle.camera` then still has
        positions in the world, but a `look_at` relative to the origin.

        Args:
            origin: (3,) position that takes the place of the world's origin [m].
        """
        x, y, z = origin.tolist()
        # viser turns the world by +z up to three.js's +y up: (x, y, z) becomes (-y, z, -x).
        self.scene._queue_scene_message(SetPositionMessage("", (y, -z, x)))

    def let_keys_drive(self, driving: bool, choices: Iterable[str] = ()) -> None:
        """Sets what the keys do for an agent.

        Args:
            driving: Whether the keys of the camera drive it instead.
            choices: Codes of the keys that make its discrete choices.
        """
        keys = {"driven": driving, "choices": list(choices)}
        source = f"Object.assign(window.deepsim, {json.dumps(keys)})"
        self._websock_server.queue_message(RunJavascriptMessage(source))

    def stop(self) -> None:
        """Closes all connections and the port."""
        with _quiet():
            super().stop()

    def request_share_url(self, verbose: bool = True) -> str | None:
        """Opens no tunnel, so that nobody else can access the world."""
        return None


class _Overlay:
    """A module in which some names are replaced."""

    def __init__(self, module: Any, **names: Any) -> None:
        self._module = module
        self.__dict__.update(names)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Prevents viser from printing an address without the token."""
    console = rich.get_console()
    before, console.quiet = console.quiet, True
    try:
        yield
    finally:
        console.quiet = before
