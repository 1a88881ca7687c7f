# SPDX-License-Identifier: Apache-2.0
"""The life cycle of a node, its name, its path and its copies."""

from __future__ import annotations

import pytest

import deepsim_btree as bt
from deepsim_btree import Status


def test_status_codes():
    """The codes are fixed: they are stored in arrays and match BehaviorTree.CPP."""
    assert {status.name: int(status) for status in Status} == {
        "INVALID": 0,
        "RUNNING": 1,
        "SUCCESS": 2,
        "FAILURE": 3,
        "SKIPPED": 4,
    }
    assert str(Status.RUNNING) == f"{Status.RUNNING}" == "RUNNING"


def test_hooks_surround_a_run(leaf, log):
    """A run starts once, is updated at each tick and ends once, then the next one starts."""
    node = leaf("RRS", "a")
    assert [node.tick().name for _ in range(4)] == ["RUNNING", "RUNNING", "SUCCESS", "RUNNING"]
    events = [event for _, event in log]
    assert events == ["start", "R", "R", "S", "end S", "start", "R"]


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


@pytest.mark.parametrize("script", ["S", "F", "I"])
def test_halting_a_node_that_is_not_running_does_nothing(leaf, log, script):
    """Only RUNNING nodes can be halted; others keep their status."""
    node = leaf(script)
    node.tick()
    before = list(log), node.status
    node.halt()
    assert (log, node.status) == before


def test_names():
    """A name is that of the class unless given, and a str in any case."""
    assert bt.Success().name == "Success"
    assert bt.Success("arrived").name == "arrived"
    assert repr(bt.Sequence(name="go")) == "<Sequence 'go' INVALID>"
    with pytest.raises(TypeError, match="name must be a str, got 3"):
        bt.Success(3)
    with pytest.raises(TypeError, match=r"name must be a str, .*: children go into one list"):
        bt.Sequence(bt.Success(), bt.Success())


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


def test_last_tick_says_when_a_node_ran():
    """Finished nodes keep their status; last_tick tells which statuses are of this tick."""
    first, second = bt.Success(), bt.Running()
    tree = bt.Tree(bt.Sequence([first, second]))
    tree.tick()
    tree.tick()
    assert (first.status, first.last_tick) == (Status.SUCCESS, 1)
    assert (second.status, second.last_tick) == (Status.RUNNING, 2)


def test_nodes_run_without_a_tree(leaf):
    """A root can be ticked by itself; only what comes with a Tree is missing."""
    root = bt.Sequence([leaf("S"), leaf("RS")])
    assert [root.tick().name for _ in range(2)] == ["RUNNING", "SUCCESS"]
    with pytest.raises(bt.StructureError, match=r"in no Tree.*Tree\(root\)"):
        _ = root.tree
    with pytest.raises(bt.StructureError, match="in no Tree"):
        _ = root.blackboard


def test_a_node_can_be_halted_without_a_tree(leaf, log):
    """halt() reaches the children first."""
    root = bt.Sequence([bt.Inverter(leaf("R", "a"))])
    root.tick()
    root.halt()
    assert log[-1] == ("a", "end I")
    assert {node.status for node in root.walk()} == {Status.INVALID}


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


def test_names_and_feedback_do_not_mix():
    """Either can be changed at any time, and the other stays."""
    node = bt.Success("near")
    node.feedback_message = "3 m"
    node.name = "far"
    assert (node.name, node.feedback_message, node.path) == ("far", "3 m", "far")
    with pytest.raises(TypeError, match="name must be a str, got 3"):
        node.name = 3
    node.feedback_message = ""
    assert (node.name, node.feedback_message) == ("far", "")


def test_a_node_without_a_tree(leaf):
    """It has none before a tree is made and after it was removed, at any depth."""
    deep = leaf("S")
    middle = bt.Inverter(deep)
    root = bt.Sequence([middle])
    with pytest.raises(bt.StructureError, match="is in no Tree"):
        deep.tree  # noqa: B018 - it raises
    tree = bt.Tree(root)
    assert deep.tree is middle.tree is root.tree is tree
    assert (deep.parent, middle.parent, root.parent) == (middle, root, None)
    root.remove_child(middle)
    assert (deep.parent, middle.parent) == (middle, None)
    with pytest.raises(bt.StructureError, match="is in no Tree"):
        deep.tree  # noqa: B018 - it raises
    assert bt.Tree(middle).root.children[0].tree is not tree


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


def test_own_control_nodes(leaf, log):
    """tick_child is all that a decorator or a composite of one's own needs."""

    class Twice(bt.Decorator):
        def update(self):
            self.tick_child(self.child)
            return self.tick_child(self.child)

    class LastFirst(bt.Composite):
        def update(self):
            statuses = [self.tick_child(child) for child in reversed(self.children)]
            return min(statuses)

    first, second = leaf("SF", "a"), leaf("S", "b")
    tree = bt.Tree(LastFirst([Twice(first), second]))
    assert tree.tick() is Status.SUCCESS
    assert [entry for entry in log if len(entry[1]) == 1] == [("b", "S"), ("a", "S"), ("a", "F")]
    assert first.last_tick == second.last_tick == 1
