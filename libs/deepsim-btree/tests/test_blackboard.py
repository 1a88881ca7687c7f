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
