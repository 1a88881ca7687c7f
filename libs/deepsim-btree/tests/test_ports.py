# SPDX-License-Identifier: Apache-2.0
"""Typed ports of leaves, and keys in place of values."""

from __future__ import annotations

import pickle
from typing import List, Optional, Union

import pytest

import deepsim_btree as bt
from deepsim_btree import Status, key


class Drive(bt.PortLeaf):
    """Reads, writes, and does both."""

    speed = bt.Input(float, default=1.0, description="metres per tick")
    goal = bt.Input(str)
    left = bt.InOut(float)
    news = bt.Output(str)
    wrong = bt.Output(int)

    def update(self):
        self.left -= self.speed
        self.news = f"{self.left} m to {self.goal}"
        if self.goal == "?":
            self.wrong = "text"
        return Status.RUNNING if self.left > 0 else Status.SUCCESS


def test_values_and_keys():
    """A port is connected to a value or to an entry; an int is a float too."""
    root = Drive("go", goal="dock", speed=2, left=key("distance"), news=key("text"))
    tree = bt.Tree(root, blackboard={"distance": 3.0})
    assert tree.validate() == []
    assert tree.tick() is Status.RUNNING
    assert dict(tree.blackboard) == {"distance": 1.0, "text": "1.0 m to dock"}
    assert tree.root.connections["speed"] == 2
    assert list(Drive.ports) == ["speed", "goal", "left", "news", "wrong"]
    assert Drive.speed.description == "metres per tick"


def test_types_of_several_classes():
    """A union, None, and what is in brackets, which is not looked at."""

    class Many(bt.PortLeaf):
        maybe = bt.Input(Optional[float], default=None)
        either = bt.InOut(Union[int, str])
        items = bt.Input(List[int], default=[])

        def update(self):
            self.either = self.maybe if isinstance(self.maybe, str) else "done"
            return Status.SUCCESS if self.maybe is None else Status.FAILURE

    board = {"m": None, "e": 3}
    tree = bt.Tree(Many(maybe=key("m"), either=key("e"), items=[1]), blackboard=board)
    assert tree.validate() == []
    assert tree.tick() is Status.SUCCESS
    assert tree.blackboard["e"] == "done"
    tree.blackboard["m"] = 2
    assert tree.tick() is Status.FAILURE
    tree.blackboard["m"] = "far"
    with pytest.raises(bt.TickError, match=r"port maybe of Many takes .*float.*, got 'far'"):
        tree.tick()
    with pytest.raises(TypeError, match=r"port items of Many takes .*[Ll]ist\[int\], got 3"):
        Many(items=3)
    assert [port.type for port in Many.ports.values()] == [float, object, list]


def test_a_value_that_is_read_cannot_be_written():
    """Also after it was read, and in the next tick; nothing is kept of what was tried."""
    tree = bt.Tree(Drive(goal="dock", left=8.0))
    for _ in range(2):
        with pytest.raises(bt.TickError, match="port left of Drive cannot be written: connect it"):
            tree.tick()
        assert tree.root.left == 8.0
        assert tree.root.goal == "dock"


def test_copies(twin_of):
    """Connections are part of a copy."""
    tree = bt.Tree(Drive(goal="dock", left=key("d")), blackboard={"d": 5.0})
    twin = twin_of(tree)
    twin.tick()
    assert (twin.blackboard["d"], tree.blackboard["d"]) == (4.0, 5.0)


@pytest.mark.parametrize(
    ("connections", "board", "message"),
    [
        ({"left": key("d"), "goal": key("g")}, {"d": 1.0, "g": "?"}, "port wrong of go takes int"),
        ({"left": key("d")}, {"d": "far"}, "port left of go takes float, got 'far'"),
        ({"left": key("d")}, {}, "KeyError: .*nothing named 'd' on the blackboard"),
        ({}, {}, "StructureError: port left of go is not connected and has no default"),
        ({"left": key("d"), "goal": key("g")}, {"d": 1.0, "g": 7}, "port goal of go takes str"),
    ],
)
def test_wrong_values_at_a_tick(connections, board, message):
    """The node and the port are named."""
    tree = bt.Tree(Drive("go", **{"goal": "dock", **connections}), blackboard=board)
    with pytest.raises(bt.TickError, match=message):
        tree.tick()


def test_validate_finds_missing_connections():
    """Before the first tick."""
    assert [str(problem) for problem in bt.Tree(Drive()).validate()] == [
        "Drive: port goal is not connected and has no default",
        "Drive: port left is not connected and has no default",
    ]


def test_directions():
    """An input is not written, an output not read."""

    class Wrong(bt.PortLeaf):
        source = bt.Input(int, default=1)
        sink = bt.Output(int)

    node = Wrong()
    with pytest.raises(AttributeError, match="source of Wrong is an input: declare it InOut"):
        node.source = 2
    with pytest.raises(AttributeError, match="sink of Wrong is an output: declare it InOut"):
        _ = node.sink


def test_declarations():
    """Names are free but for one, and a subclass has the ports of all its bases."""
    with pytest.raises(TypeError, match="cannot have a port called ID: files use it"):
        type("Bad", (bt.PortLeaf,), {"ID": bt.Input(int)})

    class Named(bt.PortLeaf):
        title = bt.Input(str)

    class Faster(Named, Drive):
        factor = bt.Input(int, default=2)

    assert list(Faster.ports) == [*Drive.ports, "title", "factor"]


class Report(bt.PortLeaf):
    """Its ports are called like attributes that all nodes have."""

    path = bt.Input(list)
    status = bt.InOut(str)
    parent = bt.Input(str, default="nobody")
    name = bt.Input(str, default="unnamed")
    tick = bt.Output(int)
    reset = bt.Output(int)

    def update(self):
        ports = self.ports
        ports.status = f"{ports.name}: {ports.status}, {len(ports.path)} to {ports.parent}"
        ports.tick = 1
        return Status.SUCCESS


class DetailedReport(Report):
    """Has one more such port, and one of the base again with another default."""

    blackboard = bt.Input(int)
    parent = bt.Input(str, default="all")


def test_ports_may_be_called_like_attributes_of_all_nodes():
    """The node's own attribute has precedence; `ports` has the values."""
    root = bt.Sequence([Report(path=[1, 2], status=key("s"), name="R", tick=key("t"))], "top")
    tree = bt.Tree(root, blackboard={"s": "fine"})
    assert tree.validate() == []
    assert tree.tick() is Status.SUCCESS
    assert dict(tree.blackboard) == {"s": "R: fine, 2 to nobody", "t": 1}
    (node,) = root.children
    assert (node.path, node.name, node.parent) == ("top/Report", "Report", root)
    assert node.status is Status.SUCCESS
    assert node.ports.path == [1, 2]
    assert dir(node.ports) == sorted(Report.ports)
    twin = pickle.loads(pickle.dumps(tree))
    assert twin.tick() is Status.SUCCESS
    assert twin.blackboard["s"] == "R: R: fine, 2 to nobody, 2 to nobody"
    with pytest.raises(AttributeError, match=r"top/Report has no port speed; its ports: path, st"):
        _ = node.ports.speed
    with pytest.raises(AttributeError, match="path of top/Report is an input: declare it InOut"):
        node.ports.path = []


def test_such_ports_are_inherited():
    """A subclass may add to them and replace them."""
    leaf = DetailedReport(path=[], status=key("s"), blackboard=3)
    tree = bt.Tree(leaf, blackboard={"s": "fine"})
    assert tree.tick() is Status.SUCCESS
    assert tree.blackboard["s"] == "unnamed: fine, 0 to all"
    assert leaf.blackboard is tree.blackboard
    assert leaf.ports.blackboard == 3
    assert set(DetailedReport.ports) == {*Report.ports, "blackboard"}


def test_two_ports_of_one_name():
    """They are refused, also if one is of a base; a port may replace that of its attribute."""
    with pytest.raises(TypeError, match="Bad has two ports called x"):
        type("Bad", (bt.PortLeaf,), {"a": bt.Input(int, name="x"), "b": bt.Input(str, name="x")})
    with pytest.raises(TypeError, match="Bad has two ports called goal"):
        type("Bad", (Drive,), {"target": bt.Input(str, name="goal")})

    class Renamed(Drive):
        goal = bt.Input(str, name="target")
        news = bt.Output(int)

    assert list(Renamed.ports) == ["speed", "target", "left", "news", "wrong"]
    assert Renamed.ports["news"] is Renamed.news


def test_keys_are_shown_as_they_are_made():
    """With their names."""
    assert repr(key("goal")) == "key('goal')"


@pytest.mark.parametrize("kind", [bt.Action, bt.Check])
def test_functions_take_keys(kind):
    """Positional and named arguments are looked up at each tick."""
    calls = []

    def work(speed, *, limit):
        calls.append((speed, limit))
        return Status.SUCCESS if kind is bt.Action else True

    root = kind(work, key("speed"), limit=key("limit"))
    tree = bt.Tree(root, blackboard={"speed": 1, "limit": 9})
    tree.tick()
    tree.blackboard["speed"] = 2
    tree.tick()
    assert calls == [(1, 9), (2, 9)]
    del tree.blackboard["limit"]
    with pytest.raises(bt.TickError, match="nothing named 'limit' on the blackboard"):
        tree.tick()
