# SPDX-License-Identifier: Apache-2.0
"""The monitor protocol: answers as of BehaviorTree.CPP itself, and monitors that attach."""

from __future__ import annotations

import itertools
import json
import socket
import struct
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deepsim_btree as bt
from deepsim_btree import Status
from deepsim_btree.xml import read_xml

zmq = pytest.importorskip("zmq")
msgpack = pytest.importorskip("msgspec").msgpack
from deepsim_btree.btcpp.groot import GrootPublisher  # noqa: E402 - needs zmq

WAIT = 30_000  # [ms]


class Monitor:
    """A client that asks and gets the parts of the answers."""

    def __init__(self, port: int) -> None:
        self.context = zmq.Context()
        self.socket = self.context.socket(zmq.REQ)
        self.socket.setsockopt(zmq.RCVTIMEO, WAIT)
        self.socket.connect(f"tcp://127.0.0.1:{port}")

    def ask(self, kind: str, *parts: bytes, head: bytes | None = None) -> list[bytes]:
        self.socket.send_multipart([head or struct.pack("<BcI", 2, kind.encode(), 7), *parts])
        return self.socket.recv_multipart()

    def close(self) -> None:
        self.context.destroy(linger=0)


def free_port() -> int:
    """A port that is free, and the next one too."""
    while True:
        with socket.socket() as first, socket.socket() as second:
            first.bind(("127.0.0.1", 0))
            port = first.getsockname()[1]
            try:
                second.bind(("127.0.0.1", port + 1))
            except OSError:
                continue
            return port


def published(publish):
    """Call a function with a port until it gets one that no other program took meanwhile."""
    for attempt in range(10):
        port = free_port()
        try:
            return publish(port), port
        except (OSError, RuntimeError):
            if attempt == 9:
                raise
    raise AssertionError


@pytest.fixture
def attach():
    """Publish trees and attach monitors to them."""
    opened = []

    def attach(tree, **settings):
        publisher, port = published(lambda port: GrootPublisher(tree, port=port, **settings))
        opened.extend([publisher, Monitor(port)])
        return opened[-1]

    yield attach
    for each in reversed(opened):
        each.close()


def statuses(monitor: Monitor) -> dict[int, int]:
    data = monitor.ask("S")[1]
    return dict(struct.unpack_from("<HB", data, at) for at in range(0, len(data), 3))


def trees(xml: bytes) -> list[object]:
    """The trees of a document, with the attributes in any order."""

    def plain(element):
        return element.tag, dict(element.attrib), [plain(child) for child in element]

    root = ElementTree.fromstring(xml)
    return [plain(element) for element in root if element.tag != "TreeNodesModel"]


LETTERS = {"R": Status.RUNNING, "S": Status.SUCCESS, "F": Status.FAILURE}
MANY = ["Sequence", "Fallback", "ReactiveSequence", "ReactiveFallback", "Parallel", "IfThenElse"]
MANY += ["AsyncSequence", "AsyncFallback", "ParallelAll"]
OPTIONS = {"Parallel": ' success_count="-1" failure_count="1"', "ParallelAll": ' max_failures="1"'}
ONE = ["Inverter", "ForceSuccess", "ForceFailure", "KeepRunningUntilFailure"]
TICKS = 8


@st.composite
def documents(draw):
    """Return the text of a random document and the scripts of its leaves."""
    scripts: dict[str, str] = {}
    trees: list[str] = []

    def node(depth: int) -> str:
        kinds = ["leaf", "many", "many", "one", "tree"] if depth else ["leaf"]
        kind = draw(st.sampled_from(kinds))
        if kind == "leaf":
            tag = f"Leaf{len(scripts)}"
            scripts[tag] = draw(st.text("RSF", min_size=1, max_size=4))
            return f"<{tag}/>"
        if kind == "tree":
            tree_id = f"Tree{len(trees)}"
            trees.append("")
            body = node(depth - 1)
            trees[int(tree_id[4:])] = f'<BehaviorTree ID="{tree_id}">{body}</BehaviorTree>'
            name = draw(st.sampled_from(["", f' name="use of {tree_id}"']))
            return f'<SubTree ID="{tree_id}"{name} k="3" n="{{n}}"/>'
        if kind == "one":
            tag = draw(st.sampled_from(ONE))
            return f"<{tag}>{node(depth - 1)}</{tag}>"
        tag = draw(st.sampled_from(MANY))
        children = [node(depth - 1) for _ in range(draw(st.integers(2, 3)))]
        if tag == "IfThenElse":  # whose condition keeps its answer there, if it is asynchronous
            children = ["<AlwaysSuccess/>", *children[:2]]
        options = f' name="a {tag}"{OPTIONS.get(tag, "")}'
        return f"<{tag}{options}>{''.join(children)}</{tag}>"

    body = node(4)
    text = (
        '<root BTCPP_format="4" main_tree_to_execute="Main"><BehaviorTree ID="Main">'
        f'<Sequence><Script code="n := 1"/>{body}</Sequence></BehaviorTree>{"".join(trees)}</root>'
    )
    return text, scripts


class There:
    """The same document in BehaviorTree.CPP, with its own publisher."""

    def __init__(self, text: str, scripts: dict[str, str]) -> None:
        btcpp = pytest.importorskip("behaviortreepy")
        factory = btcpp.BehaviorTreeFactory()
        codes = {letter: btcpp.NodeStatus.__members__[LETTERS[letter].name] for letter in LETTERS}
        for tag, script in scripts.items():
            letters = itertools.cycle(script)
            follow = lambda _, letters=letters: codes[next(letters)]  # noqa: E731
            factory.register_simple_stateful_action(tag, follow, follow, lambda _: None)
        factory.register_behavior_tree_from_text(text)
        self.tree = factory.create_tree("Main")
        publish = partial(btcpp.Groot2Publisher, self.tree)
        self.publisher, port = published(publish)
        self.monitor = Monitor(port)

    def close(self) -> None:
        self.monitor.close()
        del self.publisher, self.tree


class Here:
    """A document in this library."""

    def __init__(self, text: str, scripts: dict[str, str]) -> None:
        def make(tag: str, script: str) -> type[bt.Behaviour]:
            def init(self, name: str | None = None) -> None:
                bt.Behaviour.__init__(self, name)
                self.letters = itertools.cycle(script)

            def update(self) -> Status:
                return LETTERS[next(self.letters)]

            return type(tag, (bt.Behaviour,), {"__init__": init, "update": update})

        nodes = {tag: make(tag, script) for tag, script in scripts.items()}
        self.tree = bt.Tree(read_xml(text, nodes), clock=lambda: 0.0)
        self.publisher, port = published(lambda port: GrootPublisher(self.tree, port=port))
        self.monitor = Monitor(port)

    def close(self) -> None:
        self.monitor.close()
        self.publisher.close()


@settings(max_examples=30, deadline=None)
@given(documents())
def test_answers_are_those_of_behaviortree_cpp(document):
    """Documents are equal but for the order of attributes, statuses byte for byte in every tick."""
    with closing(There(*document)) as there, closing(Here(*document)) as here:
        assert trees(here.monitor.ask("T")[1]) == trees(there.monitor.ask("T")[1])
        assert here.monitor.ask("S")[1] == there.monitor.ask("S")[1]
        for tick in range(TICKS):
            there.tree.tick_exactly_once()
            here.tree.tick()
            assert here.monitor.ask("S")[1] == there.monitor.ask("S")[1], (document, tick)
        there.tree.halt_tree()
        here.tree.halt()
        assert here.monitor.ask("S")[1] == there.monitor.ask("S")[1], (document, "halt")


def hook(uid: int, **settings) -> bytes:
    """The request that replaces the answer of a node."""
    fields = {"enabled": True, "uid": uid, "mode": 1, "once": False, "desired_status": "SUCCESS"}
    return json.dumps({**fields, "position": 0, **settings}).encode()


def unlock(uid: int, status: str = "SKIPPED", *, position: int = 0, once: bool = False) -> bytes:
    """The request that lets a tree go on from a breakpoint."""
    fields = {"uid": uid, "position": position, "desired_status": status, "remove_when_done": once}
    return json.dumps(fields).encode()


REQUESTS = [(kind, ()) for kind in "TSAXDB"]
REQUESTS += [("B", (names,)) for names in (b"nobody", b"", b"Main", b"Main;inner")]
REQUESTS += [("r", ()), ("r", (b"stop",)), ("r", (b"nonsense",)), ("t", ())]
REQUESTS += [("R", ()), ("R", (b'{"uid":1,"position":0}',)), ("I", ()), ("I", (hook(2),))]
TWO_HOOKS = b"[" + hook(2, desired_status="FAILURE") + b"," + hook(99) + b"]"
REQUESTS += [("D", ()), ("I", (TWO_HOOKS,)), ("D", ()), ("X", ()), ("D", ())]
REQUESTS += [("R", (b'{"uid":2,"position":1}',)), ("R", (b'{"uid":2,"position":0}',)), ("D", ())]
REQUESTS += [("I", (hook(1, position=1),)), ("A", ()), ("D", ()), ("U", ()), ("U", (unlock(2),))]
REQUESTS += [("N", ()), ("z", ())]


def test_every_request():
    """Requests of all kinds, right and wrong, get the answers of BehaviorTree.CPP.

    To the byte, but for the tree's document, and blackboards, whose floats it may shorten.
    """
    text = (
        '<root BTCPP_format="4" main_tree_to_execute="Main"><BehaviorTree ID="Main"><Sequence>'
        "<Script code=\"n := 1; big := 70000; half := 0.5; third := 0.1; s := 'text'\"/>"
        '<SubTree ID="Inner" name="inner" outer="{n}"/></Sequence></BehaviorTree>'
        '<BehaviorTree ID="Inner"><Script code="k := 7"/></BehaviorTree></root>'
    )
    with closing(There(text, {})) as there, closing(Here(text, {})) as here:
        here.monitor.ask("B", b"Main")  # from now on blackboards are noted
        there.tree.tick_exactly_once()
        here.tree.tick()
        for kind, parts in REQUESTS:
            ours, theirs = (side.monitor.ask(kind, *parts) for side in (here, there))
            if kind == "T":
                assert trees(ours[1]) == trees(theirs[1])
                continue
            if theirs[0] != b"error":  # the head ends with a random name of the tree
                assert len(ours[0]) == len(theirs[0]) == 22
                ours[0], theirs[0] = ours[0][:6], theirs[0][:6]
                if kind == "B":
                    ours[1], theirs[1] = msgpack.decode(ours[1]), msgpack.decode(theirs[1])
            assert ours == theirs, (kind, parts)
        for head in (b"", b"abc", b"abcdefg"):
            assert here.monitor.ask("", head=head or b"x") == [b"error", b"wrong request header"]
        old = struct.pack("<BcI", 1, b"S", 9)  # of another version of the protocol
        assert here.monitor.ask("", head=old)[0][:6] == there.monitor.ask("", head=old)[0][:6]


def test_transitions(attach, leaf):
    """Once recording began, changes come with the time on the clock of the tree."""
    times = iter([1.0, 1.5, 2.25, 3.0])
    tree = bt.Tree(bt.Sequence([leaf("S", "a"), leaf("RS", "b")]), clock=lambda: next(times))
    monitor = attach(tree)
    tree.tick()
    assert monitor.ask("t")[1] == b""
    assert int(monitor.ask("r", b"start")[1]) > 1e15  # microseconds
    tree.tick()
    tree.tick()
    data = monitor.ask("t")[1]
    # A time of six bytes, a node and a status each.
    changes = [
        (low + (high << 32), *rest) for low, high, *rest in struct.iter_unpack("<IHHB", data)
    ]
    # All are idle after the second tick; in the third one the sequence runs again.
    idle = [(500_000, uid, 0) for uid in (1, 2, 3)]
    assert changes == [*idle, (1_250_000, 1, 1), (1_250_000, 2, 2), (1_250_000, 3, 1)]
    assert monitor.ask("t")[1] == b""


def test_a_tree_that_changes(attach, leaf):
    """New nodes get numbers, and the tree another name, at which monitors ask for it again."""
    tree = bt.Tree(bt.Sequence([leaf("S", "a")], "root"))
    monitor = attach(tree, tree_id="Robot")
    before = monitor.ask("T")
    assert b'<BehaviorTree ID="Robot"' in before[1]
    tree.root.add_child(bt.Action(lambda: Status.RUNNING, name='</> "b" & \x00 c'))
    tree.tick()
    after = monitor.ask("T")
    assert after[0][6:] != before[0][6:]
    assert statuses(monitor) == {1: 1, 2: 2, 3: 1}
    (_, _, [root]), *_ = trees(after[1])
    assert [child[1]["name"] for child in root[2]] == ["a", '</> "b" & ? c']
    tree.reset()
    assert statuses(monitor) == {1: 0, 2: 0, 3: 0}


def test_nodes_of_this_library_only(attach):
    """Whatever a tree is made of, a monitor gets a document that it can read."""

    class Robot:
        """No text."""

    nodes = [
        bt.Action(lambda robot: Status.SUCCESS, Robot()),
        bt.RandomSelector([bt.Success()], seed=3),
        bt.Switch({1: bt.Success()}, bt.Failure(), on=lambda: 1),
        bt.SetEntry("robot", Robot()),
        bt.SubTree(bt.Running(), "in side", remap={"a b": "c"}, values={"robot": Robot()}),
        bt.UntilFail(bt.Condition(bt.Success(), success_status=Status.FAILURE)),
    ]
    tree = bt.Tree(bt.ParallelSequence(nodes, "root"))
    monitor = attach(tree)
    tree.tick()
    document = trees(monitor.ask("T")[1])
    assert [tag for tag, *_ in document] == ["BehaviorTree", "BehaviorTree"]
    assert len(statuses(monitor)) == len(list(tree.root.walk()))
    monitor.ask("B", b"Main")
    tree.tick()
    assert monitor.ask("B", b"Main")[1] == msgpack.encode({"Main": {"robot": "<Robot>"}})


def test_the_port(attach):
    """It is given back; one that is taken is an error."""
    port = free_port()
    with GrootPublisher(bt.Tree(bt.Running()), port=port) as publisher:
        with pytest.raises(OSError, match=f"cannot listen on 127.0.0.1:{port}"):
            GrootPublisher(bt.Tree(bt.Running()), port=port)
        with socket.socket() as other, pytest.raises(ConnectionRefusedError):
            other.connect(("127.0.0.2", port))
    publisher.close()
    tree = bt.Tree(bt.Running())
    with GrootPublisher(tree, port=port):
        pass
    assert tree.tick() is Status.RUNNING


def test_values_that_cannot_be_packed_are_texts(attach):
    """Beside others, which a reader of MessagePack gets back."""
    values = {
        "few": [1, 2.5, "\u00e9", None, {"a": True}],
        "huge": 2**64,
        "robot": object,
        "pair": (1, 2),
    }
    tree = bt.Tree(bt.Running(), blackboard=values)
    monitor = attach(tree)
    monitor.ask("B", b"Main")
    tree.tick()
    board = msgpack.decode(monitor.ask("B", b"Main")[1])["Main"]
    assert board == {
        "few": values["few"],
        "huge": str(2**64),
        "robot": repr(object),
        "pair": [1, 2],
    }


def test_btview_attaches(leaf):
    """A monitor that others have written draws the tree and follows its statuses."""
    btview = pytest.importorskip("btview.client")
    inner = bt.Sequence([leaf("RS", "drive"), leaf("S", "grasp")], "fetch")
    tree = bt.Tree(bt.Sequence([leaf("S", "look"), bt.SubTree(inner, tree_id="Fetch")], "root"))
    port = free_port()
    with GrootPublisher(tree, port=port):
        client = btview.Groot2Client(port=port, timeout_ms=WAIT)
        try:
            model = client.fetch_tree()
            assert [node.name for node in model.walk()][-3:] == ["fetch", "drive", "grasp"]
            tree.tick()
            states = {uid: state.status.name[0] for uid, state in client.poll().statuses.items()}
            assert states == dict(zip(range(1, 7), "RSRRRI"))
            tree.blackboard["goal"] = "kitchen"
            client.fetch_blackboard(["Main"])
            tree.tick()
            assert client.fetch_blackboard(["Main"]) == {"Main": {"goal": "kitchen"}}
        finally:
            client.close()


class Stopped:
    """A tree that is ticked in a thread, and a monitor that hears of its breakpoints."""

    def __init__(self, tree: bt.Tree) -> None:
        self.publisher, self.port = published(lambda port: GrootPublisher(tree, port=port))
        self.monitor = Monitor(self.port)
        self.news = self.monitor.context.socket(zmq.SUB)
        self.news.setsockopt(zmq.RCVTIMEO, WAIT)
        self.news.setsockopt(zmq.SUBSCRIBE, b"")
        self.news.connect(f"tcp://127.0.0.1:{self.port + 1}")
        self.tree = tree

    def tick(self, uid: int, request: str, *parts: bytes) -> Status:
        """Ticks to a breakpoint, sends a request there, and returns the answer of the tree."""
        with ThreadPoolExecutor() as pool:
            ticked = pool.submit(self.tree.tick)
            head, number = self.news.recv_multipart()
            assert (head[:2], number) == (b"\x02N", str(uid).encode())
            assert not ticked.done()
            assert self.monitor.ask(request, *parts)[0][:2] == b"\x02" + request.encode()
            return ticked.result(WAIT / 1000)

    def close(self) -> None:
        self.monitor.close()
        self.publisher.close()


def test_breakpoints_of_groot(leaf, log):
    """They stop the tree within its tick, before or after a node, and may replace its answer."""
    tree = bt.Tree(bt.Sequence([leaf("S", "first"), leaf("F", "last")]))
    with closing(Stopped(tree)) as stopped:
        first_news(stopped, tree)
        stopped.monitor.ask("I", hook(3, mode=0))
        log.clear()
        assert stopped.tick(3, "U", unlock(3)) is Status.FAILURE
        assert [name for name, event in log if event == "start"] == ["first", "last"]
        log.clear()
        assert stopped.tick(3, "U", unlock(3, "SUCCESS")) is Status.SUCCESS
        assert [name for name, _ in log if name == "last"] == []
        assert stopped.tick(3, "R", b'{"uid":3,"position":0}') is Status.FAILURE
        stopped.monitor.ask("I", hook(3, mode=0, position=1))
        assert stopped.tick(3, "U", unlock(3, "SUCCESS", position=1, once=True)) is Status.SUCCESS
        assert tree.tick() is Status.FAILURE  # it was for once
        for request in ("X", "A"):
            stopped.monitor.ask("I", hook(3, mode=0))
            assert stopped.tick(3, request) is Status.FAILURE
    assert type(tree.root.children[1]) is type(tree.root.children[0])


def first_news(stopped: Stopped, tree: bt.Tree) -> None:
    """Waits until the monitor hears of breakpoints: ZeroMQ connects in the background."""
    once = hook(2, mode=0, once=True)
    stopped.news.setsockopt(zmq.RCVTIMEO, 50)
    with ThreadPoolExecutor() as pool:
        for _ in range(100):
            stopped.monitor.ask("I", once)
            ticked = pool.submit(tree.tick)
            try:
                stopped.news.recv_multipart()
            except zmq.Again:
                continue
            finally:
                stopped.monitor.ask("A")
                ticked.result(WAIT / 1000)
            break
        else:
            pytest.fail("no breakpoint was reached")
    stopped.news.setsockopt(zmq.RCVTIMEO, WAIT)


def test_answers_that_groot_replaces(attach, leaf, log):
    """The node is not ticked; a run that it is in ends."""
    tree = bt.Tree(bt.Sequence([leaf("R", "a")]))
    monitor = attach(tree)
    tree.tick()
    monitor.ask("I", hook(2, once=True))
    assert tree.tick() is Status.SUCCESS
    assert log[-1] == ("a", "end I")
    assert tree.tick() is Status.RUNNING
    assert monitor.ask("D")[1] == b"[]"
    tree.halt()
    tree.root.add_child(leaf("S", "b"))
    monitor.ask("I", hook(2))
    tree.tick()  # another tree now, with other numbers
    assert monitor.ask("D")[1] == b"[]"
    assert tree.tick() is Status.RUNNING


@pytest.mark.parametrize("text", [b"nonsense", b"{}", b"3", hook(1, mode="1"), b'{"uid":[]}'])
def test_what_is_no_hook(attach, text):
    """It is refused; BehaviorTree.CPP ends the program there."""
    monitor = attach(bt.Tree(bt.Success()))
    assert monitor.ask("I", text) == [b"error", b"not a hook"]
    assert monitor.ask("R", text) == [b"error", b"Node ID not found"]
    assert monitor.ask("U", text) == [b"error", b"Node ID not found"]


def test_a_monitor_that_left(leaf):
    """A tree that it stopped goes on after some seconds."""
    tree = bt.Tree(bt.Sequence([leaf("S", "a")]))
    with closing(Stopped(tree)) as stopped:
        stopped.monitor.ask("I", hook(2, mode=0))
        assert tree.tick() is Status.SUCCESS
