# SPDX-License-Identifier: Apache-2.0
"""Access control: a loopback socket, and a check of each request before viser handles it."""

from __future__ import annotations

import dataclasses
import http
import socket
from collections.abc import Callable
from typing import Any

from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from deepsim_sync.access import LOOPBACK, browser_refusal, new_token

ProcessRequest = Callable[[Any, Request], "Response | None"]


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
