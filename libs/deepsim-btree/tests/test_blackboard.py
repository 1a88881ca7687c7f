# SPDX-License-Identifier: Apache-2.0
"""The blackboard: a mapping with a parent to fall back on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import deepsim_btree as bt

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


def test_an_entry_of_the_parent_cannot_be_deleted():
    """DeleteEntry succeeds: there is nothing to delete."""
    world = bt.Blackboard({"goal": 1})
    tree = bt.Tree(bt.DeleteEntry("goal"), blackboard=bt.Blackboard({"goal": 2}, parent=world))
    assert [tree.tick().name, tree.tick().name] == ["SUCCESS", "SUCCESS"]
    assert dict(tree.blackboard) == dict(world) == {"goal": 1}


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


def test_nodes_reach_it():
    """Every node reads and writes the blackboard of its tree."""

    class Count(bt.Behaviour):
        def update(self):
            self.blackboard["count"] = self.blackboard.get("count", 0) + 1
            return bt.Status.SUCCESS

    tree = bt.Tree(bt.Sequence([Count(), bt.Inverter(Count())]))
    tree.tick()
    assert tree.blackboard["count"] == 2
