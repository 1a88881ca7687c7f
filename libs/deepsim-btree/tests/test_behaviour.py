# SPDX-License-Identifier: Apache-2.0
"""The life cycle of a node, its name, its path and its copies."""

from __future__ import annotations

import itertools

import pytest

import deepsim_btree as bt
from deepsim_btree import Status


def test_status_codes():
    """The codes are fixed: they are stored in arrays and match BehaviorTree.CPP."""
    names = ["INVALID", "RUNNING", "SUCCESS", "FAILURE", "SKIPPED"]
    assert [(status.name, int(status)) for status in Status] == list(zip(names, range(5)))
    assert str(Status.RUNNING) == f"{Status.RUNNING}" == "RUNNING"


def test_terminate_sees_the_new_status():
    """When terminate is called, the attribute status has the new value already."""
    seen = []

    class Leaf(bt.Behaviour):
        def update(self):
            return Status.RUNNING if not seen else Status.FAILURE

        def terminate(self, new_status):
            seen.append((new_status, self.status))

    node = Leaf()
    node.tick()
    node.halt()
    node.tick()
    assert seen == [(Status.INVALID,) * 2, (Status.FAILURE,) * 2]


def test_names():
    """A name is that of the class unless given, and a str in any case."""
    assert bt.Success().name == "Success"
    assert bt.Success("arrived").name == "arrived"
    assert repr(bt.Sequence(name="go")) == "<Sequence 'go' INVALID>"


def test_paths_tell_siblings_apart():
    """A path joins the names from the root; a name that siblings share gets its position."""
    inner = bt.Sequence([bt.Success("move"), bt.Success("turn"), bt.Success("move")], "drive")
    root = bt.Selector([inner, bt.Failure()], "patrol")
    assert [node.path for node in root.walk()] == [
        "patrol",
        "patrol/drive",
        "patrol/drive/move[0]",
        "patrol/drive/turn",
        "patrol/drive/move[2]",
        "patrol/Failure",
    ]


def test_nodes_run_without_a_tree(leaf):
    """A root can be ticked by itself; only what comes with a Tree is missing."""
    root = bt.Sequence([leaf("S"), leaf("RS")])
    assert [root.tick().name for _ in range(2)] == ["RUNNING", "SUCCESS"]
    with pytest.raises(bt.StructureError, match=r"in no Tree.*Tree\(root\)"):
        _ = root.tree
    with pytest.raises(bt.StructureError, match="in no Tree"):
        _ = root.blackboard


def test_copy_is_free_and_deep(leaf):
    """copy() of a branch takes all below it and nothing above it."""
    branch = bt.Sequence([leaf("RS", "a"), bt.Success()], "branch")
    tree = bt.Tree(bt.Inverter(branch))
    tree.tick()
    twin = branch.copy()
    assert twin.parent is None
    assert twin.children[0] is not branch.children[0]
    assert twin.children[0].parent is twin
    assert [node.status for node in twin.walk()] == [node.status for node in branch.walk()]
    twin.halt()
    assert branch.status is Status.RUNNING
    assert bt.Tree(twin).tick() is Status.SUCCESS


def test_a_node_with_slots_and_hooks_in_a_base_class():
    """Hooks count wherever they are defined, and nodes without hooks work under any parent."""
    started = []

    class WithHook(bt.Behaviour):
        __slots__ = ("counter",)

        def initialize(self):
            self.counter = 0
            started.append(self.name)

    class Leaf(WithHook):
        __slots__ = ()

        def update(self):
            self.counter += 1
            return Status.SUCCESS if self.counter == 2 else Status.RUNNING

    node = Leaf()
    root = bt.Sequence([node])
    assert [root.tick().name for _ in range(4)] == ["RUNNING", "SUCCESS"] * 2
    assert started == ["Leaf", "Leaf"]


def test_hooks_of_control_nodes_are_called():
    """A subclass of a built-in node may have hooks of its own; they surround its runs."""
    events = []

    class Logged(bt.Sequence):
        def initialize(self):
            events.append("start")

        def terminate(self, new_status):
            events.append(f"end {new_status}")

    tree = bt.Tree(bt.Selector([Logged([bt.Running()])]))
    tree.tick()
    tree.tick()
    tree.halt()
    assert events == ["start", "end INVALID"]


def test_an_overridden_tick_is_called():
    """A class that replaces tick() as a whole is ticked by it, under every parent."""

    class Odd(bt.Behaviour):
        def tick(self):
            return Status.FAILURE

    assert bt.Tree(bt.Selector([Odd(), bt.Inverter(Odd())])).tick() is Status.SUCCESS


def test_halts_inside_a_tick_have_an_order(leaf, log):
    """That of the children, and a branch is halted before another one begins."""
    bt.Tree(bt.ParallelSelector([leaf("R", "a"), leaf("R", "b"), leaf("S", "c")])).tick()
    assert log[-2:] == [("a", "end I"), ("b", "end I")]
    tree = bt.Tree(bt.WhileDoElse(leaf("SF"), leaf("R", "then"), leaf("R", "else")))
    tree.tick()
    tree.tick()
    assert log[-3:] == [("then", "end I"), ("else", "start"), ("else", "R")]


def test_an_overridden_tick_child_is_called_for_each_child():
    """Also by the control nodes of the library."""

    class Logged(bt.Sequence):
        def __init__(self, children):
            super().__init__(children)
            self.ticked = []

        def tick_child(self, child):
            self.ticked.append(child.name)
            return super().tick_child(child)

    node = Logged([bt.Success("a"), bt.Success("b"), bt.Failure("c"), bt.Success("d")])
    assert bt.Tree(node).tick() is Status.FAILURE
    assert node.ticked == ["a", "b", "c"]


def test_update_means_what_python_says():
    """Swaps, chains, changes in place of shared lists, and unpacking, each of them once a tick."""
    shared, numbers = [], itertools.count()

    class Own(bt.Composite):
        def __init__(self, children):
            super().__init__(children)
            self.now, self.later, self.log, self.hits = 0, 1, shared, [0] * 3

        def update(self):
            first, *_ = self.children
            self.now, self.later = self.later, self.now
            n = self.last = next(numbers)
            self.hits[n] += 1
            self.log += [(self.now, n)]
            return self.tick_child(first)

    node = Own([bt.Success(), bt.Failure()])
    tree = bt.Tree(node)
    assert [tree.tick() for _ in range(3)] == [Status.SUCCESS] * 3
    assert shared == [(1, 0), (0, 1), (1, 2)]
    assert (node.last, node.hits) == (2, [1, 1, 1])


def test_update_can_be_replaced_between_two_ticks():
    """The method of the class at the time of the tick runs."""

    class Replaced(bt.Composite):
        def update(self):
            return Status.SUCCESS

    tree = bt.Tree(Replaced([bt.Success()]))
    answers = [tree.tick()]
    Replaced.update = lambda self: Status.FAILURE
    assert [*answers, tree.tick()] == [Status.SUCCESS, Status.FAILURE]
