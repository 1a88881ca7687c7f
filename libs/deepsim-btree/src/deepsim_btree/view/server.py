# SPDX-License-Identifier: Apache-2.0
"""Server, which sends the page and events to browsers, and Feed, which passes it the steps."""

from __future__ import annotations

import hmac
import json
import secrets
import socket
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from email.message import Message
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

from deepsim_btree.trace import Step
from deepsim_btree.trace.recording import StepLines, end_line, head_line

HOST = "127.0.0.1"
_LOCAL_NAMES = frozenset({HOST, "localhost"})
_TIMEOUT = 10.0  # time for a client to send its request or to receive data [s]
_GOODBYE = 2.0  # time for the last messages to clients when the server closes [s]
_MOST_CLIENTS = 32
_HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",  # the address contains the token
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Server(ThreadingHTTPServer):
    """A server on the loopback interface with one thread per client.

    Raises:
        OSError: The port is taken.
    """

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, port: int, page: str, feed: Feed) -> None:
        self.access = AccessControl()
        self.page = page.encode()
        self.feed = feed
        self._clients: set[socket.socket] = set()
        self._left = threading.Condition()
        try:
            super().__init__((HOST, port), _Handler)
        except OSError as error:
            text = f"cannot listen on {HOST}:{port}: {error.strerror}; try port=0"
            raise OSError(error.errno, text) from None
        self._thread = threading.Thread(target=self.serve_forever, args=(0.1,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """The address of the page."""
        return self.access.url(self.server_address[1])

    def verify_request(self, request: Any, client_address: Any) -> bool:
        """Adds a client; returns whether the number of clients allows it."""
        with self._left:
            if len(self._clients) >= _MOST_CLIENTS:
                return False
            self._clients.add(request)
        return True

    def shutdown_request(self, request: Any) -> None:
        """Closes the connection of a client that has finished."""
        super().shutdown_request(request)
        with self._left:
            self._clients.discard(request)
            self._left.notify_all()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Prints nothing when clients have disconnected."""

    def close(self) -> None:
        """Sends the last events, ends all connections, and frees the port."""
        self.shutdown()
        self._thread.join()
        with self._left:
            if not self._left.wait_for(lambda: not self._clients, timeout=_GOODBYE):
                for client in self._clients:
                    with suppress(OSError):
                        client.shutdown(socket.SHUT_RDWR)
                self._left.wait_for(lambda: not self._clients, timeout=2.0)
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: Server
    timeout = _TIMEOUT

    def do_GET(self) -> None:
        """Sends the page or the events."""
        where = self._enter()
        if where == "":
            self._answer(HTTPStatus.OK, "text/html; charset=utf-8", self.server.page)
        elif where == "events":
            self._send_events()
        elif where is not None:
            self._refuse(HTTPStatus.NOT_FOUND, "nothing is here")

    def _enter(self) -> str | None:
        """Returns the path without the token, or refuses the request and returns None."""
        refusal = self.server.access.refusal(self.path, self.headers)
        if refusal is not None:
            self._refuse(HTTPStatus.FORBIDDEN, refusal)
            return None
        return self.path.split("?")[0][len(self.server.access.token) + 2 :]

    def _refuse(self, status: HTTPStatus, reason: str) -> None:
        self._answer(status, "text/plain; charset=utf-8", f"Refused: {reason}.\n".encode())

    def _answer(self, status: HTTPStatus, kind: str, body: bytes) -> None:
        self._begin(status, kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _begin(self, status: HTTPStatus, kind: str) -> None:
        self.send_response_only(status)
        self.send_header("Content-Type", kind)
        for name, value in _HEADERS.items():
            self.send_header(name, value)

    def _send_events(self) -> None:
        self._begin(HTTPStatus.OK, "text/event-stream")
        self.end_headers()
        self.server.feed.watch(1)
        try:
            for lines in self.server.feed.read():
                self.wfile.write(f"data: {lines}\n\n".encode())
            self.wfile.write(b"event: ended\ndata: \n\n")
        except OSError:
            pass  # the client has disconnected or is too slow
        finally:
            self.server.feed.watch(-1)

    def log_message(self, *args: Any) -> None:
        """Prints nothing."""


class AccessControl:
    """The access control of a viewer, which accepts only requests from the viewer's own page.

    The first part of a request's path must be the secret token; its Host must be local, which
    prevents DNS rebinding; and its Origin, if any, must be the viewer's own, so that other pages in
    the same browser are refused.

    Attributes:
        token: The secret part of the address.
    """

    def __init__(self) -> None:
        self.token = secrets.token_urlsafe(24)

    def url(self, port: int) -> str:
        """Returns the address of the page on a TCP port."""
        return f"http://{HOST}:{port}/{self.token}/"

    def refusal(self, path: str, headers: Message) -> str | None:
        """Returns the reason to refuse a request, or None if it is allowed."""
        hosts = headers.get_all("Host", [])
        if len(hosts) != 1 or _name(hosts[0]) not in _LOCAL_NAMES:
            return "the Host is not local"
        origins = headers.get_all("Origin", [])
        if origins and origins != [f"http://{hosts[0]}"]:
            return "the Origin is foreign"
        given = path.split("?")[0].split("/")[1:2]
        if not given or not hmac.compare_digest(given[0].encode(), self.token.encode()):
            return "the address lacks the token that the program has printed"
        return None


def _name(host: str) -> str | None:
    """Returns the host name of ``name:port``, or None if the text is malformed."""
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


_AT_ONCE = 1000  # steps
_INTERVAL = 0.05  # minimum time between two messages to a reader [s]
_SILENCE = 1.0  # time without news after which a reader gets a message, to find lost ones [s]


class Feed:
    """A buffer of the latest steps, in which every reader has its own position.

    The tree's thread only appends steps and never waits. All other work is done in the threads of
    the readers. A reader that falls behind misses steps.

    Args:
        limit: Number of steps to keep.

    Attributes:
        watchers: Number of pages that are open.
    """

    def __init__(self, limit: int) -> None:
        self.watchers = 0
        self._limit = limit
        self._steps: deque[Step] = deque(maxlen=limit)
        self._count = 0  # of all steps so far
        self._end: tuple[int, float | None] = 0, None
        self._changed = threading.Condition()
        self._closed = threading.Event()

    def put(self, step: Step | None, tick: int, time: float | None) -> None:
        """Adds a step, if any, and the number of ticks.

        Args:
            step: The new step; None if the last tick changed nothing.
            tick: Number of ticks so far.
            time: Time on the tree's clock [s]; None without a clock.
        """
        with self._changed:
            if step is not None:
                self._steps.append(step)
                self._count += 1
            self._end = tick, time
            self._changed.notify_all()

    def watch(self, count: int) -> None:
        """Counts pages that were opened (1) or left (-1)."""
        with self._changed:
            self.watchers += count

    def close(self) -> None:
        """Ends all readers after they have received the last steps."""
        self._closed.set()
        with self._changed:
            self._changed.notify_all()

    def read(self) -> Iterator[str]:
        """Yields JSON arrays of lines until `close`; without news, about one per second."""
        lines = StepLines()
        head = json.loads(head_line())
        yield json.dumps([{**head, "limit": self._limit}])
        position, end = 0, None
        while True:
            with self._changed:
                is_closed = self._closed.is_set()
                if position == self._count and end == self._end and not is_closed:
                    self._changed.wait(_SILENCE)
                first = self._count - len(self._steps)
                position = max(position, first)
                steps = list(islice(self._steps, position - first, position - first + _AT_ONCE))
                position += len(steps)
                is_all = position == self._count
                end = self._end
            batch = list(lines.of(steps))
            if is_all:
                batch.append(end_line(*end))
            yield "[" + ",".join(batch) + "]"
            if is_all:
                if is_closed:
                    return
                self._closed.wait(_INTERVAL)
