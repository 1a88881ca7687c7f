# SPDX-License-Identifier: Apache-2.0
"""Access control: a loopback socket, and a check of each request before viser handles it."""

from __future__ import annotations

import contextlib
import dataclasses
import http
import json
import socket
import threading
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import rich
import viser
import viser.infra
import websockets.asyncio.server
from numpy.typing import NDArray
from viser._messages import RunJavascriptMessage, SetPositionMessage
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from deepsim_sync.access import LOOPBACK, browser_refusal, new_token

from .keyboard import SCRIPT, Keyboard, ProcessRequest, mending


class AccessControl:
    """The access control of a viewer, which accepts only requests from the viewer's own page.

    The first part of a request's path must be the secret token of `url`; its Host must be local,
    which prevents DNS rebinding; and its Origin, if any, must be the viewer's own.

    Args:
        port: The TCP port on 127.0.0.1; 0 for any free port.

    Attributes:
        port: The port.
        token: The secret part of the address.
        listener: The socket, which listens once the server has started.

    Raises:
        OSError: The port is in use.
    """

    def __init__(self, port: int = 0) -> None:
        self.token = new_token()
        self.listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self.listener.bind((LOOPBACK, port))
        except OSError as error:
            self.listener.close()
            raise OSError(
                error.errno, f"cannot listen on {LOOPBACK}:{port}: {error.strerror}; try port=0"
            ) from None
        self.port: int = self.listener.getsockname()[1]

    @property
    def url(self) -> str:
        """The address of the page, with its token."""
        return f"http://{LOOPBACK}:{self.port}/{self.token}/"

    def refusal(self, request: Request) -> str | None:
        """Returns the reason for refusing a request, or None to accept it."""
        hosts, origins = (request.headers.get_all(name) for name in ("Host", "Origin"))
        return browser_refusal(hosts, origins, request.path, self.token)

    def guard(self, inner: ProcessRequest) -> ProcessRequest:
        """Returns a handler that refuses foreign requests, and strips the token from all others."""

        def process(connection: Any, request: Request) -> Response | None:
            refusal = self.refusal(request)
            if refusal is not None:
                return _response(http.HTTPStatus.FORBIDDEN, f"Refused: {refusal}.\n")
            path = request.path.removeprefix(f"/{self.token}") or "/"
            answer = inner(connection, dataclasses.replace(request, path=path))
            if answer is not None:
                answer.headers["Referrer-Policy"] = "no-referrer"  # it would contain the token
                answer.headers["Cache-Control"] = "no-store"
            return answer

        return process


def _response(status: http.HTTPStatus, text: str) -> Response:
    body = text.encode()
    headers = Headers({"Content-Type": "text/plain", "Content-Length": str(len(body))})
    return Response(status, status.phrase, headers, body)


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
