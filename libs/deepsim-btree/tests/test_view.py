# SPDX-License-Identifier: Apache-2.0
"""The live view, by a client that is no browser: who is let in, what is sent, what can be asked."""

from __future__ import annotations

import copy
import http.client
import json
import pickle
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
    """What a page does: listens, and sends commands."""

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

    def stops(self) -> list[str]:
        """Why the tree was stopped, each time."""
        controls = [line["control"] for line in self.lines if "control" in line]
        return [control["reason"] for control in controls if control["stopped"]]

    def command(self, **fields) -> int:
        """Send a command; return the status of the answer."""
        return post(self.url, json.dumps(fields))

    def close(self) -> None:
        self.events.close()
        self.connection.close()


def post(url, body: str, **headers) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", url.port, timeout=WAIT)
    headers = {"Content-Type": "application/json", **headers}
    connection.request("POST", url.path + "command", body, headers)
    status = connection.getresponse().status
    connection.close()
    return status


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
        lines = [line for line in client.lines if "control" not in line]
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
    assert post(urlsplit(url), '{"stopped": false}', Origin=origin) == 204
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
    assert post(urlsplit(url), '{"stopped": true}', **headers) == 403
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


class Loop:
    """A thread that ticks a tree until it is told to end."""

    def __init__(self, tree) -> None:
        self.tree = tree
        self.is_wanted = True
        self.ticked = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self) -> None:
        while self.is_wanted:
            self.tree.tick()
            self.ticked.set()

    def goes_on(self) -> bool:
        self.ticked.clear()
        return self.ticked.wait(WAIT)

    def end(self) -> None:
        self.is_wanted = False
        self.thread.join(WAIT)
        assert not self.thread.is_alive()


def test_a_tree_is_stopped_and_makes_single_ticks(tree, view, look):
    """It waits inside a tick, makes one when asked, and goes on."""
    client = look(view(tree))
    loop = Loop(tree)
    assert client.command(stopped=True) == 204
    client.read(client.stops)
    for _ in range(3):
        # A stopped tree says how far it came, then nothing until it may make a tick.
        count = tree.tick_count
        assert client.command(tick=True) == 204
        client.read(lambda count=count: any(line.get("end", 0) > count for line in client.lines))
    assert client.command(stopped=False) == 204
    assert loop.goes_on()
    loop.end()


def test_breakpoints(leaf, view, look):
    """The tree stops whenever a node becomes what was asked for, and says why."""
    root = bt.Sequence([leaf("S", "a"), leaf("RRS", "b"), leaf("F", "b")], "root")
    tree = bt.Tree(root)
    client = look(view(tree))
    assert client.command(path="root/b[1]", stop="S") == 204
    loop = Loop(tree)
    for count in (1, 2, 3):
        client.read(lambda count=count: len(client.stops()) == count)
        assert client.stops()[-1] == "root/b[1] is SUCCESS"
        assert tree.tick_count == 3 * count
        if count < 3:
            assert client.command(stopped=False) == 204
    assert client.command(path="root/b[1]", stop="") == 204
    assert client.command(stopped=False) == 204
    assert loop.goes_on()
    loop.end()


def test_a_breakpoint_is_reached_once(leaf, view, look):
    """A status that a node keeps from tick to tick stops the tree at the first one only."""
    tree = bt.Tree(bt.ReactiveSequence([leaf("S", "a"), leaf("RS", "b")], "root"))
    client = look(view(tree))
    assert client.command(path="root/a", stop="S") == 204
    loop = Loop(tree)
    client.read(client.stops)
    assert tree.tick_count == 1
    assert client.command(stopped=False) == 204
    client.read(lambda: any(line.get("end", 0) > 50 for line in client.lines))
    loop.end()
    assert len(client.stops()) == 1


def test_nobody_who_left_holds_a_tree(tree, view, look):
    """A tree that is stopped goes on when the last page is closed, and breakpoints need a page."""
    viewer = view(tree)
    client = look(viewer)
    assert client.command(path="root", stop="RSF") == 204
    loop = Loop(tree)
    client.read(client.stops)
    client.close()
    assert loop.goes_on()
    loop.end()

    def tick():
        for _ in range(40):
            tree.tick()

    thread = threading.Thread(target=tick, daemon=True)
    thread.start()
    thread.join(WAIT)  # to wait for a page at each breakpoint would take two minutes
    assert not thread.is_alive()


def test_closing_lets_the_tree_go_on(tree, view, look):
    """A view can be closed while the tree ticks or is stopped, more than once."""
    for is_stopped in (False, True):
        viewer = view(tree)
        client = look(viewer)
        loop = Loop(tree)
        if is_stopped:
            assert client.command(stopped=True) == 204
            client.read(client.stops)
        viewer.close()
        viewer.close()
        assert loop.goes_on()
        loop.end()
        client.read(lambda client=client: client.has_ended)
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


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("{", 400),
        ("[]", 400),
        ("{}", 400),
        ('{"stopped": 1.5}', 400),
        ('{"tick": true, "stopped": true}', 400),
        ('{"path": "root", "stop": "X"}', 400),
        ('{"path": 3, "stop": "R"}', 400),
        (" " * 65537, 413),
    ],
)
def test_wrong_commands(tree, view, body, status):
    """They are refused and change nothing."""
    assert post(urlsplit(view(tree).url), body) == status
    assert tree.tick() is Status.RUNNING


def test_a_form_of_another_page_is_no_command(tree, view):
    """Only JSON is taken."""
    url = urlsplit(view(tree).url)
    assert post(url, '{"stopped": true}', **{"Content-Type": "text/plain"}) == 404


def test_errors_and_interrupts_pass(view, look):
    """What a tree raises comes as without a view, and is shown."""
    tree = bt.Tree(bt.Action(lambda: 1 / 0, name="aim"))
    client = look(view(tree))
    with pytest.raises(bt.TickError, match="node aim: ZeroDivisionError"):
        tree.tick()
    client.read(lambda: any("ZeroDivisionError" in line.get("error", "") for line in client.lines))


def test_times_of_nodes(leaf, view, look):
    """While they are measured every node counts its ticks; the tree does what it did before."""

    class Hooked(bt.Behaviour):
        def initialize(self):
            log.append("start")

        def update(self):
            return Status.SUCCESS

        def terminate(self, new_status):
            log.append(new_status.name)

    log: list[str] = []
    root = bt.Sequence(
        [Hooked("hooked"), bt.Inverter(leaf("F", "inner")), leaf("RS", "task")], "root"
    )
    tree = bt.Tree(root)
    classes = [type(node) for node in root.walk()]
    viewer = view(tree)
    client = look(viewer)
    assert client.command(measuring=True) == 204
    tree.tick()  # from its end on
    for _ in range(4):
        tree.tick()
    twin = pickle.loads(pickle.dumps(bt.Tree(root.children[1].copy())))
    assert type(twin.root) is bt.Inverter
    assert [type(node) for node in copy.deepcopy(tree).root.walk()] == classes

    def counts():
        spent = [line["spent"] for line in client.lines if "spent" in line]
        return spent and [ticks for ticks, _ in spent[-1]]

    # The second tick ends the first run; the third and the fourth are another one.
    client.read(lambda: counts() == [4, 2, 2, 2, 4])
    (spent,) = [line["spent"] for line in client.lines if "spent" in line][-1:]
    assert spent[0][1] >= spent[2][1] >= spent[3][1] > 0  # parents include their children
    assert log == ["start", "SUCCESS"] * 3
    tree.halt()
    root.add_child(bt.Running("late"))
    tree.tick()
    tree.tick()
    client.read(lambda: counts() and len(counts()) == 6)
    assert client.command(measuring=False) == 204
    tree.tick()
    assert [type(node) for node in root.walk()] == [*classes, bt.Running]
    assert client.command(measuring=True) == 204
    tree.tick()
    viewer.close()
    assert [type(node) for node in root.walk()] == [*classes, bt.Running]
