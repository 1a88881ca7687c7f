# SPDX-License-Identifier: Apache-2.0
"""Subtrees: what they share with the blackboard outside, and what is private."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

import deepsim_btree as bt
from deepsim_btree import key

NAMES = st.sampled_from(["a", "b", "_c", "d"])
VALUES = st.dictionaries(NAMES, st.integers(0, 9))


class Note(bt.Behaviour):
    """Writes down what it sees."""

    def update(self):
        self.feedback_message = ", ".join(f"{n}={v}" for n, v in sorted(self.blackboard.items()))
        return bt.Status.SUCCESS


def run(subtree, **board):
    """Tick a subtree once; return the blackboard outside and what a node inside saw at the end."""
    tree = bt.Tree(subtree, blackboard=board)
    tree.tick()
    note = [node for node in tree.root.walk() if isinstance(node, Note)][-1]
    return dict(tree.blackboard), note.feedback_message


def test_remapped_entries_are_shared():
    """A name inside stands for another name outside, for reading and for writing."""
    branch = bt.Sequence([bt.SetEntry("x", key("goal")), bt.DeleteEntry("old"), Note()])
    remap = {"goal": "target", "x": "answer", "old": "rest"}
    outside, inside = run(bt.SubTree(branch, remap=remap), target=3, rest=0)
    assert outside == {"target": 3, "answer": 3}
    assert inside == "goal=3, x=3"


def test_initial_values():
    """Private entries to start with; the mapping that was given is not changed."""
    values = {"speed": 2}
    branch = bt.Sequence([bt.SetEntry("speed", 5), Note()])
    assert run(bt.SubTree(branch, values=values))[1] == "speed=5"
    assert values == {"speed": 2}


def test_autoremap():
    """Every name is shared but those with an underscore, those mapped and those given."""
    entries = {"x": 1, "_x": 2, "v": 3, "m": 4}
    branch = bt.Sequence([*itertools.starmap(bt.SetEntry, entries.items()), Note()])
    subtree = bt.SubTree(branch, autoremap=True, values={"v": 0}, remap={"m": "n"})
    outside, inside = run(subtree, y=5, _y=6)
    assert outside == {"y": 5, "_y": 6, "x": 1, "n": 4}
    assert inside == "_x=2, m=4, n=4, v=3, x=1, y=5"


def test_at_means_the_whole_tree():
    """A name with an @ passes all subtrees, in keys and in mappings."""
    branch = bt.Sequence([bt.SetEntry("@x", key("@y")), bt.SetEntry("z", 7), Note()])
    inner = bt.SubTree(branch, remap={"z": "@z"})
    assert run(bt.SubTree(inner), y=1)[0] == {"y": 1, "x": 1, "z": 7}


def test_subtrees_in_subtrees():
    """A mapping leads one level out, and from there further."""
    inner = bt.SubTree(bt.Sequence([bt.SetEntry("c", 1), Note()]), remap={"c": "b"})
    assert run(bt.SubTree(inner, remap={"b": "a"})) == ({"a": 1}, "c=1")
    assert run(bt.SubTree(inner.copy())) == ({}, "c=1")


def test_each_use_has_its_own_entries():
    """Two subtrees of the same shape do not meet, unless their mappings do."""

    def count(name):
        branch = bt.Sequence([bt.SetEntry("n", name), bt.SetEntry("out", key("n"))])
        return bt.SubTree(branch, name, remap={"out": f"out_{name}"})

    tree = bt.Tree(bt.Sequence([count("a"), count("b")]))
    tree.tick()
    assert dict(tree.blackboard) == {"out_a": "a", "out_b": "b"}
    assert [child.scope["n"] for child in tree.root.children] == ["a", "b"]


def test_copies_have_entries_of_their_own(twin_of):
    """Private and shared entries of a copy are those of the copy."""
    tree = bt.Tree(bt.SubTree(bt.SetEntry("x", key("y")), remap={"y": "y"}), blackboard={"y": 1})
    twin = twin_of(tree)
    twin.blackboard["y"] = 2
    twin.tick()
    assert (twin.root.scope["x"], "x" in tree.root.scope) == (2, False)


@given(
    outside=VALUES,
    values=VALUES,
    remap=st.dictionaries(NAMES, NAMES),
    autoremap=st.booleans(),
    deleted=st.sets(NAMES),
    written=VALUES,
)
def test_a_scope_is_a_mapping(outside, values, remap, autoremap, deleted, written):
    """What it lists is what it contains and what it returns, also after changes."""
    values = {name: value for name, value in values.items() if name not in remap}
    subtree = bt.SubTree(bt.Success(), values=values, remap=remap, autoremap=autoremap)
    tree = bt.Tree(subtree, blackboard=outside)
    expected = dict(values)
    expected.update({name: outside[outer] for name, outer in remap.items() if outer in outside})
    if autoremap:
        taken = {*values, *remap}
        expected.update({n: v for n, v in outside.items() if n not in taken and n[0] != "_"})
    assert dict(subtree.scope) == expected
    assert all((name in subtree.scope) == (name in expected) for name in "abd")
    assert subtree.blackboard is tree.blackboard
    assert subtree.child.blackboard is subtree.scope
    for name in deleted:
        subtree.scope.pop(name, None)
    check_names(subtree.scope)
    subtree.scope.update(written)
    subtree.autoremap = not autoremap
    check_names(subtree.scope)


def check_names(scope):
    """What is listed is there, once, and there is nothing else."""
    names = list(scope)
    assert len(names) == len(set(names)) == len(scope)
    assert set(names) == {name for name in ["a", "b", "_c", "d"] if name in scope}
    assert repr(scope) == f"Blackboard({dict(scope)!r})"


def test_an_entry_outside_is_deleted_outside():
    """But not where the blackboard outside has it from its parent."""
    world = bt.Blackboard({"x": 1})
    subtree = bt.SubTree(bt.DeleteEntry("y"), remap={"y": "x"})
    tree = bt.Tree(subtree, blackboard=bt.Blackboard({"x": 2}, parent=world))
    assert [tree.tick().name, tree.tick().name] == ["SUCCESS", "SUCCESS"]
    assert dict(tree.blackboard) == dict(world) == {"x": 1}
    assert dict(subtree.scope) == {"y": 1}


def test_an_entry_that_is_not_there_cannot_be_deleted():
    """It is named."""
    with pytest.raises(KeyError, match="nothing named 'x' to delete"):
        del bt.SubTree(bt.Success()).scope["x"]


def test_the_name():
    """It is the given one, or that of the tree in XML, or that of the class."""
    assert bt.SubTree(bt.Success()).name == "SubTree"
    assert bt.SubTree(bt.Success(), tree_id="Door").name == "Door"
    assert bt.SubTree(bt.Success(), "front", tree_id="Door").name == "front"
