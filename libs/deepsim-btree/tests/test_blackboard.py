# SPDX-License-Identifier: Apache-2.0
"""The blackboard: a mapping with a parent to fall back on."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

import deepsim_btree as bt
from deepsim_btree import key

VALUES = st.dictionaries(st.text("abc", max_size=2), st.integers())


@given(parent=VALUES, values=VALUES)
def test_it_reads_like_the_merged_dict(parent, values):
    """Reading sees the parent's names below its own ones."""
    board = bt.Blackboard(values, parent=bt.Blackboard(parent))
    merged = {**parent, **values}
    assert dict(board) == merged
    assert len(board) == len(merged)
    assert all(name in board for name in merged)
    assert repr(bt.Blackboard(values)) == f"Blackboard({values!r})"


def test_writing_is_local():
    """Neither writing nor deleting reaches the parent."""
    parent = bt.Blackboard({"goal": 1})
    board = bt.Blackboard(parent=parent)
    board["goal"] = 2
    assert (board["goal"], parent["goal"], board.parent) == (2, 1, parent)
    del board["goal"]
    assert board["goal"] == 1
    with pytest.raises(KeyError, match="nothing named 'goal' to delete on this blackboard itself"):
        del board["goal"]


@given(parent=VALUES, values=VALUES, name=st.text("abc", max_size=2))
def test_taking_an_entry_is_local_too(parent, values, name):
    """What pop, popitem and clear find is on this blackboard itself; the parent keeps its own."""
    above = bt.Blackboard(parent)
    board = bt.Blackboard(values, parent=above)
    assert board.pop(name, "none") == values.get(name, "none")
    taken = dict(board.popitem() for _ in range(len(set(values) - {name})))
    assert taken == {key: value for key, value in values.items() if key != name}
    with pytest.raises(KeyError, match="nothing to delete on this blackboard itself"):
        board.popitem()
    with pytest.raises(KeyError, match=f"nothing named '{name}' to delete on this blackboard"):
        board.pop(name)
    board.update(values)
    board.clear()
    assert dict(board) == dict(above) == parent


def test_missing_names_are_told():
    """The error names what is missing; get() has a default."""
    board = bt.Blackboard(parent=bt.Blackboard())
    with pytest.raises(KeyError, match="nothing named 'goal' on the blackboard"):
        _ = board["goal"]
    assert board.get("goal", 3) == 3
    assert "goal" not in board


def test_trees_do_not_share():
    """Each tree has a blackboard of its own; one that was made before is used as it is."""
    values = {"x": 1}
    first, second = (bt.Tree(bt.Success(), blackboard=values) for _ in range(2))
    first.blackboard["x"] = 2
    assert (second.blackboard["x"], values) == (1, {"x": 1})
    assert bt.Tree(bt.Success()).blackboard == {}
    board = bt.Blackboard()
    assert bt.Tree(bt.Success(), blackboard=board).blackboard is board


class Writer(bt.PortLeaf):
    out = bt.Output(int)
    text = bt.Input(str)

    def update(self):
        self.out = len(self.text)
        return bt.Status.SUCCESS


def test_a_node_that_moves_finds_its_new_blackboard():
    """What it found out about the old one is forgotten, also by nodes below and in copies."""
    first, second = Writer(text=key("in"), out=key("size")), Writer(text="abc", out=key("size"))
    branch = bt.Sequence([first, second])
    inner = bt.SubTree(bt.Sequence([branch]), remap={"in": "word"})
    tree = bt.Tree(bt.Sequence([inner, other := bt.SubTree(bt.Sequence([bt.Success()]))]))
    tree.blackboard["word"] = "a"
    other.scope["in"] = "bb"
    tree.tick()
    twin = copy.deepcopy(tree)
    assert dict(inner.scope) == {"size": 3, "in": "a"}
    inner.child.remove_child(branch)
    other.child.add_child(branch)
    branch.remove_child(second)
    tree.tick()
    assert (dict(inner.scope)["size"], dict(other.scope)) == (3, {"in": "bb", "size": 2})
    other.scope["in"] = "cccc"
    twin.blackboard["word"] = "dddddd"
    twin.tick()
    assert other.scope["size"] == 2
    tree.tick()
    assert (other.scope["size"], first.blackboard is other.scope) == (4, True)
    twin_first = twin.root.children[0].child.children[0].children[0]
    assert twin_first.blackboard["in"] == "dddddd"


def test_a_copy_of_a_leaf_does_not_write_into_the_tree_of_the_original():
    """It has a blackboard as soon as it has a tree of its own."""
    tree = bt.Tree(bt.Sequence([Writer(text="ab", out=key("size"))]))
    tree.tick()
    leaf = tree.root.children[0].copy()
    leaf2 = bt.Tree(leaf, blackboard=bt.Blackboard())
    tree.blackboard["size"] = 0
    leaf2.tick()
    assert (tree.blackboard["size"], leaf2.blackboard["size"]) == (0, 2)


def test_reset_of_a_subtree_and_a_change_of_autoremap_reach_the_leaves():
    """They see the entries as they are after that."""
    leaf = Writer(text=key("in"), out=key("size"))
    subtree = bt.SubTree(leaf, values={"in": "a"})
    tree = bt.Tree(subtree, blackboard={"in": "outside"})
    tree.tick()
    subtree.scope["in"] = "changed"
    tree.reset()
    tree.tick()
    assert subtree.scope["size"] == 1
    subtree.autoremap = True
    tree.tick()
    assert tree.blackboard["size"] == 1


def test_a_subtree_that_moves_finds_what_is_outside_anew():
    """Its own blackboard forgets where it found remapped and shared entries."""
    seen = []

    class Look(bt.Behaviour):
        def update(self):
            seen.append((self.blackboard["a"], self.blackboard["b"]))
            self.blackboard["b"] = "seen"
            return bt.Status.SUCCESS

    inner = bt.SubTree(bt.SubTree(Look(), autoremap=True), remap={"a": "x"}, values={"b": 0})
    shared = bt.SubTree(bt.Sequence([bt.SubTree(Look(), autoremap=True)]), autoremap=True)
    left = bt.SubTree(bt.Sequence([inner, shared]), values={"x": 1, "a": 2, "b": 3})
    right = bt.SubTree(bt.Sequence([bt.Success()]), values={"x": 4, "a": 5, "b": 6})
    tree = bt.Tree(bt.Sequence([left, right]))
    tree.tick()
    for branch in (inner, shared):
        left.child.remove_child(branch)
        right.child.add_child(branch)
    left.child.add_child(bt.Success())
    tree.tick()
    assert seen == [(1, 0), (2, 3), (4, "seen"), (5, 6)]
    assert (left.scope["b"], right.scope["b"]) == ("seen", "seen")


def test_entries_can_be_taken_out_while_they_are_walked():
    """Looking at a subtree may make an entry outside, and clearing one deletes what it shares."""
    subtree = bt.SubTree(bt.Success(), remap={"a": "x"}, values={"own": 1})
    tree = bt.Tree(subtree, blackboard={"a": 1, "b": 2})
    assert [name for name in tree.blackboard if name in subtree.scope] == []
    tree.blackboard["x"] = 3
    assert sorted(subtree.scope) == ["a", "own"]
    for name in tree.blackboard:
        del tree.blackboard[name]
    assert (dict(tree.blackboard), dict(subtree.scope)) == ({}, {"own": 1})
    tree.blackboard["x"] = 3
    subtree.scope.clear()
    assert (dict(tree.blackboard), dict(subtree.scope)) == ({}, {})
    tree.reset()
    assert dict(subtree.scope) == {"own": 1}


def test_remapped_and_private_entries_of_a_subtree_without_a_tree():
    """A private one is there; for one outside there must be an outside."""
    subtree = bt.SubTree(bt.Success(), remap={"in": "x"}, values={"own": 1})
    assert subtree.scope["own"] == 1
    with pytest.raises(bt.StructureError, match="is in no Tree"):
        _ = subtree.scope["in"]
    tree = bt.Tree(subtree, blackboard={"x": 2})
    assert subtree.scope["in"] == 2
    subtree.scope["in"] = 3
    assert (tree.blackboard["x"], "in" in subtree.scope) == (3, True)
    del subtree.scope["in"]
    assert ("x" in tree.blackboard, "in" in subtree.scope) == (False, False)


def test_an_entry_of_the_parent_is_read_until_there_is_one_of_its_own():
    """And again when that is deleted."""
    board = bt.Blackboard(parent=bt.Blackboard({"in": "parent"}))
    tree = bt.Tree(Writer(text=key("in"), out=key("size")), blackboard=board)
    tree.tick()
    sizes = [board["size"]]
    board["in"] = "own"
    tree.tick()
    sizes.append(board["size"])
    del board["in"]
    tree.tick()
    assert [*sizes, board["size"]] == [6, 3, 6]
