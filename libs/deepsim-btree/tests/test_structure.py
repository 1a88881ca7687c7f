# SPDX-License-Identifier: Apache-2.0
"""Changing the children of a node: done whole or not at all."""

from __future__ import annotations

import copy

import pytest

import deepsim_btree as bt
from deepsim_btree import Status


def named(*names: str) -> list[bt.Behaviour]:
    return [bt.Success(name) for name in names]


def names(node: bt.Behaviour) -> str:
    return " ".join(child.name for child in node.children)


def test_edits():
    """Each method changes the order of the children as it says and keeps parents right."""
    a, b, c, d, e = named(*"abcde")
    root = bt.Sequence([b])
    root.add_child(d)
    root.prepend_child(a)
    root.insert_child(c, 2)
    assert names(root) == "a b c d"
    assert root.replace_child(b, e) == 1
    assert names(root) == "a e c d"
    assert (e.parent, b.parent) == (root, None)
    assert root.remove_child(c) == 2
    root.add_children([b, c])
    assert names(root) == "a e d b c"
    root.remove_all_children()
    assert root.children == ()
    assert {node.parent for node in (a, b, c, d, e)} == {None}


@pytest.mark.parametrize(
    ("index", "expected"), [(0, "x a b"), (1, "a x b"), (2, "a b x"), (-1, "a x b"), (-2, "x a b")]
)
def test_insert_positions(index, expected):
    """Positions count as in list.insert."""
    root = bt.Sequence(named("a", "b"))
    root.insert_child(bt.Success("x"), index)
    assert names(root) == expected


@pytest.mark.parametrize("index", [3, -3])
def test_insert_out_of_range(index):
    """Unlike list.insert there is no clamping."""
    root = bt.Sequence(named("a", "b"), "root")
    with pytest.raises(IndexError, match=f"root has 2 children: no place {index}"):
        root.insert_child(bt.Success(), index)


def test_removed_nodes_leave_the_tree():
    """A removed branch belongs to no tree and can be added elsewhere."""
    branch = bt.Inverter(bt.Success())
    root = bt.Sequence([branch])
    bt.Tree(root)
    root.remove_child(branch)
    with pytest.raises(bt.StructureError, match="in no Tree"):
        _ = branch.child.tree
    other = bt.Tree(bt.Selector([branch]))
    assert branch.child.tree is other


TAKEN = bt.Sequence(named("taken"), "elsewhere").children[0]
ROOTED = bt.Tree(bt.Success("rooted")).root
# What is done to a root r and its child c, and the error.
REFUSED = {
    "no node": (lambda r, c: r.add_child("x"), TypeError, "must be a Behaviour, got 'x'"),
    "class": (lambda r, c: r.add_child(bt.Success), TypeError, r"call it, Success\(...\)"),
    "self": (lambda r, c: r.add_child(r), bt.StructureError, "below itself"),
    "ancestor": (lambda r, c: c.add_child(r), bt.StructureError, "below itself"),
    "taken": (lambda r, c: r.add_child(TAKEN), bt.StructureError, "child of elsewhere already"),
    "rooted": (lambda r, c: r.add_child(ROOTED), bt.StructureError, "the root of a Tree"),
    "twice": (lambda r, c: r.add_child(c), bt.StructureError, "twice"),
    "replace by taken": (lambda r, c: r.replace_child(c, TAKEN), bt.StructureError, "already"),
    "replace stranger": (lambda r, c: r.replace_child(TAKEN, c), ValueError, "no child of"),
    "remove stranger": (lambda r, c: r.remove_child(TAKEN), ValueError, "no child of"),
    "insert taken": (lambda r, c: r.insert_child(TAKEN, 0), bt.StructureError, "already"),
    "second": (lambda r, c: r.add_children([*named("a"), TAKEN]), bt.StructureError, "already"),
}


@pytest.mark.parametrize(("edit", "error", "message"), REFUSED.values(), ids=REFUSED)
def test_refused_edits_change_nothing(edit, error, message):
    """After a refused change the tree is as it was before."""
    child = bt.Sequence(named("a", "b"), "child")
    root = bt.Selector([child, *named("c")], "root")
    before = [(node, node.parent, node.children) for node in root.walk()]
    with pytest.raises(error, match=message):
        edit(root, child)
    assert [(node, node.parent, node.children) for node in root.walk()] == before


def test_a_constructor_takes_no_child_that_has_a_parent():
    """Decorators and composites do not steal children."""
    owner = bt.Inverter(bt.Success("x"))
    for make in (bt.Inverter, lambda child: bt.Sequence([bt.Failure(), child])):
        with pytest.raises(bt.StructureError, match="child of Inverter already"):
            make(owner.child)
    assert owner.child.parent is owner


def test_running_nodes_keep_their_children(leaf):
    """A composite or decorator that is RUNNING refuses changes until it is halted."""
    inverter = bt.Inverter(leaf("R", "a"))
    root = bt.Sequence([inverter], "root")
    tree = bt.Tree(root)
    tree.tick()
    with pytest.raises(bt.BusyError, match=r"root is RUNNING: halt\(\) it before"):
        root.add_child(bt.Success())
    with pytest.raises(bt.BusyError, match="root/Inverter is RUNNING"):
        inverter.child = bt.Success()
    tree.halt()
    inverter.child = bt.Success()
    root.add_child(bt.Running())
    assert tree.tick() is Status.FAILURE


def test_running_nodes_are_not_added(leaf):
    """A newcomer in the middle of a run is refused."""
    node = leaf("R", "a")
    node.tick()
    with pytest.raises(bt.BusyError, match=r"RUNNING: halt\(\) it before adding"):
        bt.Sequence([node])


def test_no_edits_inside_a_tick():
    """A leaf cannot change the tree that is ticking it."""
    root = bt.Sequence(name="root")
    root.add_child(bt.Action(lambda: root.add_child(bt.Success()), name="meddler"))
    with pytest.raises(bt.TickError, match=r"root/meddler: BusyError: .* inside a tick"):
        bt.Tree(root).tick()
    assert names(root) == "meddler"


def test_a_change_looks_at_the_newcomers_only():
    """The nodes that stay are not touched, so that many can be added and removed one by one."""

    class Counted(bt.Success):
        touched = 0

        def __setattr__(self, name, value):
            type(self).touched += 1
            super().__setattr__(name, value)

    root = bt.Sequence([Counted() for _ in range(50)])
    tree = bt.Tree(root)
    Counted.touched = 0
    root.insert_child(bt.Success("a"), 20)
    root.prepend_child(bt.Success("b"))
    root.insert_child(bt.Success("c"), -1)
    root.replace_child(root.children[30], bt.Success("d"))
    assert Counted.touched == 2  # of the one that was replaced
    for child in root.children[:25]:
        root.remove_child(child)
    assert Counted.touched < 100
    assert [child.name for child in root.children if type(child) is bt.Success] == ["d", "c"]
    assert tree.tick() is Status.SUCCESS


def test_current_child(leaf):
    """A serial composite tells which child is RUNNING."""
    a, b = leaf("S"), leaf("RS")
    root = bt.Sequence([a, b])
    assert root.current_child is None
    root.tick()
    assert root.current_child is b
    root.tick()
    assert root.current_child is None


def test_fewer_children_after_a_halted_run(leaf):
    """A reactive composite that lost the child at which it was RUNNING starts afresh."""
    root = bt.ReactiveSelector([leaf("FS"), leaf("F"), leaf("R")])
    tree = bt.Tree(root)
    tree.tick()
    tree.halt()
    root.remove_child(root.children[2])
    root.remove_child(root.children[1])
    assert tree.tick() is Status.SUCCESS


class Watched(bt.Behaviour):
    """Counts the attributes that are set, and keeps a number under the name of a property."""

    count = 0

    def __init__(self) -> None:
        super().__init__()
        self.__dict__["number"] = 3

    @property
    def number(self) -> int:
        return self.__dict__["number"]

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        self.__dict__["count"] = self.count + 1


@pytest.mark.parametrize("duplicate", [copy.deepcopy, bt.Behaviour.copy])
def test_copies_take_attributes_as_they_are(duplicate):
    """Without a call of `__setattr__` or of a property."""
    node = Watched()
    twin = duplicate(node)
    assert (twin.number, twin.count, twin.name) == (3, node.count, "Watched")


def test_shallow_copies_are_refused():
    """They would share their children, and their blackboard."""
    tree = bt.Tree(bt.Sequence(named("a")))
    for one in (tree, tree.root, tree.root.children[0]):
        with pytest.raises(TypeError, match="would share"):
            copy.copy(one)
