# SPDX-License-Identifier: Apache-2.0
"""The live view, by a client that is no browser: who is let in and what is sent."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from urllib.parse import urlsplit

import pytest

import deepsim_btree as bt
from deepsim_btree import Status
from deepsim_btree.trace import Recording, Trace
from deepsim_btree.view import TreeViewer

WAIT = 30.0  # [s], on a machine that has other things to do


class Client:
    """What a page does: listens."""

    def __init__(self, url: str) -> None:
        self.url = urlsplit(url)
        self.lines: list[dict] = []
        self.connection = http.client.HTTPConnection("127.0.0.1", self.url.port, timeout=WAIT)
        self.connection.request("GET", self.url.path + "events")
        self.events = self.connection.getresponse()
        assert self.events.headers["Content-Type"] == "text/event-stream"
        self.has_ended = False
        self.read(lambda: self.lines)

    def read(self, until) -> None:
        """Take events until a condition holds."""
        end = time.monotonic() + WAIT
        while not until():
            assert time.monotonic() < end, "it never came"
            line = self.events.readline().decode()
            assert line, "the connection was closed"
            if line.startswith("event: ended"):
                self.has_ended = True
            elif line.startswith("data: ["):
                self.lines += json.loads(line[6:])

    def close(self) -> None:
        self.events.close()
        self.connection.close()


def get(url: str, **headers) -> int:
    """The status of a GET."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection("127.0.0.1", parts.port, timeout=WAIT)
    connection.putrequest("GET", parts.path or "/", skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status


@pytest.fixture
def tree(leaf):
    root = bt.Sequence([leaf("S", "guard"), leaf("RRSF", "task")], "root")
    times = iter(range(10, 10_000_000))
    return bt.Tree(root, clock=lambda: next(times))


@pytest.fixture
def view():
    """Make viewers, which are closed at the end."""
    made = []

    def make(tree, **settings):
        made.append(TreeViewer(tree, **settings))
        return made[-1]

    yield make
    for viewer in made:
        viewer.close()


@pytest.fixture
def look():
    """Open pages, which are closed at the end."""
    clients = []

    def open_page(viewer):
        clients.append(Client(viewer.url))
        return clients[-1]

    yield open_page
    for client in clients:
        client.close()


def test_a_page_gets_the_recording(tree, view, look, tmp_path):
    """Whoever comes first and whoever comes later get what a trace records, line by line."""
    viewer = view(tree)
    tree.blackboard["goal"] = (3, 4)
    with Trace(tree, blackboard=True) as watched:
        early = look(viewer)
        for count in range(7):
            tree.tick()
            tree.blackboard["count"] = count
        tree.root.add_child(bt.Success("late"))
        tree.halt()
        tree.tick()
        tree.reset()
    late = look(viewer)
    viewer.close()
    for client in (early, late):
        client.read(lambda client=client: client.has_ended)
        lines = client.lines
        assert lines[0] == {"format": "deepsim-btree trace", "version": 1, "limit": 10_000}
        path = tmp_path / "run.jsonl"
        lines[0].pop("limit")
        path.write_text("\n".join(map(json.dumps, lines)))
        seen = Recording.load(path)
        assert list(seen.steps)[1:] == list(watched.recording.steps)[1:]
        assert (seen.last_tick, seen.last_time) == (0, None)


def test_ticks_that_change_nothing(view, look):
    """They are counted, with their time, so that the page knows how long a state lasts."""
    times = iter(range(100))
    tree = bt.Tree(bt.Running(), clock=lambda: next(times))
    client = look(view(tree))
    for _ in range(50):
        tree.tick()
    client.read(lambda: {"end": 50, "time": 49.0} in client.lines)
    assert sum("states" in line for line in client.lines) == 2


def test_a_page_that_comes_late_gets_the_latest_steps(tree, view, look):
    """No more steps are kept than was said."""
    viewer = view(tree, limit=3)
    for _ in range(10):
        tree.tick()
    client = look(viewer)
    client.read(lambda: any("end" in line for line in client.lines))
    assert [line["tick"] for line in client.lines if "states" in line] == [8, 9, 10]
    with pytest.raises(ValueError, match="limit must be at least 1, got 0"):
        TreeViewer(tree, limit=0)


def test_the_address_opens_the_page(tree, view):
    """With the address, and from the page itself, everything opens."""
    url = view(tree, title="A & B").url
    origin = "http://" + urlsplit(url).netloc
    assert get(url) == 200
    assert get(url, Origin=origin) == 200
    assert get(url + "nothing") == 404


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://example.org"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Host": "example.org"},
        {"Host": "127.0.0.1.example.org:80"},
        {"Host": "["},
    ],
)
def test_foreign_pages_are_refused(tree, view, headers):
    """A foreign Origin or Host is refused, even with the token."""
    url = view(tree).url
    assert get(url, **headers) == 403
    assert get(url + "events", **headers) == 403
    assert tree.tick() is Status.RUNNING


@pytest.mark.parametrize("path", ["", "/", "/events", "/token/", "/{}x/", "/x/{}/", "?{}"])
def test_without_the_token_nobody_enters(tree, view, path):
    """Another path than that of the address shows nothing."""
    parts = urlsplit(view(tree).url)
    assert get(f"http://{parts.netloc}" + path.format(parts.path.strip("/"))) == 403


def test_addresses(view):
    """Each view has a token of its own and listens on loopback only; a taken port is an error."""
    viewers = [view(bt.Tree(bt.Running())) for _ in range(3)]
    urls = [urlsplit(viewer.url) for viewer in viewers]
    assert len({url.path for url in urls}) == 3
    assert min(len(url.path) for url in urls) >= 34
    assert {url.hostname for url in urls} == {"127.0.0.1"}
    with socket.socket() as other, pytest.raises(ConnectionRefusedError):
        other.connect(("127.0.0.2", urls[0].port))
    with pytest.raises(OSError, match=f"cannot listen on 127.0.0.1:{urls[0].port}: .*try port=0"):
        TreeViewer(bt.Tree(bt.Running()), port=urls[0].port)


def test_closing_lets_the_tree_go_on(tree, view, look):
    """A view can be closed while the tree ticks, more than once."""
    viewer = view(tree)
    client = look(viewer)
    ticked, ended = threading.Event(), threading.Event()

    def loop():
        while not ended.is_set():
            tree.tick()
            ticked.set()

    thread = threading.Thread(target=loop, daemon=True)
    thread.start()
    viewer.close()
    viewer.close()
    ticked.clear()
    assert ticked.wait(WAIT)
    ended.set()
    thread.join(WAIT)
    assert not thread.is_alive()
    client.read(lambda: client.has_ended)
    with socket.socket() as other, pytest.raises(ConnectionRefusedError):
        other.connect(("127.0.0.1", urlsplit(viewer.url).port))


def test_clients_that_do_not_read(view):
    """A client that takes nothing, and one that says nothing, neither slow nor stop the tree."""
    changing = bt.Sequence([bt.Success(f"{n:099}") for n in range(2000)], "root")
    tree = bt.Tree(bt.UntilFail(changing))
    viewer = view(tree, limit=100)
    url = urlsplit(viewer.url)
    deaf, dumb = (socket.create_connection(("127.0.0.1", url.port)) for _ in range(2))
    with deaf, dumb:
        deaf.sendall(f"GET {url.path}events HTTP/1.0\r\nHost: localhost\r\n\r\n".encode())
        for count in range(300):
            tree.blackboard["count"] = count
            tree.tick()
        viewer.close()
    assert tree.tick_count == 300


def test_there_is_room_for_so_many_clients(tree, view, look):
    """One more is sent away at once; the others stay."""
    viewer = view(tree)
    clients = [look(viewer) for _ in range(32)]
    with pytest.raises((ConnectionError, http.client.HTTPException)):
        get(viewer.url)
    assert viewer.watchers == 32
    tree.tick()
    for client in clients:
        client.read(lambda client=client: client.lines[-1].get("end") == 1)


def test_errors_and_interrupts_pass(view, look):
    """What a tree raises comes as without a view, and is shown."""
    tree = bt.Tree(bt.Action(lambda: 1 / 0, name="aim"))
    client = look(view(tree))
    with pytest.raises(bt.TickError, match="node aim: ZeroDivisionError"):
        tree.tick()
    client.read(lambda: any("ZeroDivisionError" in line.get("error", "") for line in client.lines))
