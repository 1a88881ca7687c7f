# SPDX-License-Identifier: Apache-2.0
"""TreeViewer, which shows a tree on a page in the browser, with its server and feed of steps."""

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

from deepsim_btree.arguments import check_count
from deepsim_btree.errors import TickError
from deepsim_btree.trace import Step, Trace
from deepsim_btree.trace.observer import Closing
from deepsim_btree.trace.recording import StepLines, end_line, head_line, render_page
from deepsim_btree.tree import Tree

__all__ = ["TreeViewer"]

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
    """A server on the loopback interface with one thread per client; port 0 is any free one."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, port: int, page: str, feed: Feed) -> None:
        self.token = secrets.token_urlsafe(24)
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
        return f"http://{HOST}:{self.server_address[1]}/{self.token}/"

    def refusal(self, path: str, headers: Message) -> str | None:
        """Returns the reason to refuse a request, or None if it comes from the server's own page.

        The first part of a request's path must be the secret token; its Host must be local, which
        prevents DNS rebinding; and its Origin, if any, must be the server's own, so that other
        pages in the same browser are refused.
        """
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
        refusal = self.server.refusal(self.path, self.headers)
        where = self.path.split("?")[0][len(self.server.token) + 2 :]
        if refusal is not None:
            self._refuse(HTTPStatus.FORBIDDEN, refusal)
        elif where == "":
            self._answer(HTTPStatus.OK, "text/html; charset=utf-8", self.server.page)
        elif where == "events":
            self._send_events()
        else:
            self._refuse(HTTPStatus.NOT_FOUND, "nothing is here")

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


def _name(host: str) -> str | None:
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
        """Adds a step, if the last tick changed anything, and the number and time [s] of ticks."""
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


class TreeViewer(Closing):
    """A web server for a page that shows a tree in colours while it ticks.

    The page shows the tree, a timeline of every node and the blackboard, with search.

    The server listens on this machine only, and its address contains a secret token: everybody who
    knows the address can watch the tree. Browsers do not slow the tree, even if they are
    slow or lost, since its thread only records changes. Trees without a viewer are not slowed at
    all.

    >>> from deepsim_btree import Running, Tree
    >>> tree = Tree(Running("drive"))
    >>> with TreeViewer(tree) as viewer:
    ...     print(viewer.url[:17])
    ...     status = tree.tick()
    http://127.0.0.1:

    Args:
        tree: The tree.
        port: The TCP port on 127.0.0.1; 0 for any free one.
        title: Text at the top of the page; the name of the root if None.
        limit: Number of latest steps to keep.

    Raises:
        OSError: The port is taken.
        ValueError: `limit` is less than 1.
    """

    def __init__(
        self, tree: Tree, *, port: int = 0, title: str | None = None, limit: int = 10_000
    ) -> None:
        check_count("limit", limit, 1)
        self._tree = tree
        self._feed = Feed(limit)
        page = render_page(tree.root.name if title is None else title)
        self._server = Server(port, page, self._feed)
        self._last: Step | None = None
        self._is_closed = False
        self._trace = Trace(tree, limit=1, blackboard=True)
        self._observe("start", None)
        tree.subscribe(self._observe)

    @property
    def url(self) -> str:
        """The address of the page, including its token."""
        return self._server.url

    @property
    def watchers(self) -> int:
        """Number of pages that are open."""
        return self._feed.watchers

    def close(self) -> None:
        """Stops the server and the recording; open pages keep their last state.

        Any thread may call this method, even during a tick, and more than once.
        """
        if self._is_closed:
            return
        self._is_closed = True
        self._tree.unsubscribe(self._observe)
        self._trace.close()
        self._feed.close()
        self._server.close()

    def _observe(self, call: str, error: TickError | None) -> None:
        recording = self._trace.recording
        step = recording.steps[-1]
        is_new = step is not self._last
        self._last = step
        self._feed.put(step if is_new else None, recording.last_tick, recording.last_time)
