# SPDX-License-Identifier: Apache-2.0
"""Thresholds of Parallel and ParallelAll that the children cannot reach."""

from __future__ import annotations

import pytest

import deepsim_btree as bt
from deepsim_btree import Status, key


@pytest.mark.parametrize("max_failures", [3, -3, key("limit")])
def test_parallel_all_refuses_a_number_that_its_children_cannot_reach(max_failures):
    """It would never fail, or always; -2 of 2 children is 1 of them."""
    root = bt.ParallelAll([bt.Success(), bt.Failure()], max_failures=max_failures)
    tree = bt.Tree(root, blackboard={"limit": 3})
    with pytest.raises(bt.TickError, match=r"ParallelAll: max_failures=-?3 does not fit its 2 ch"):
        tree.tick()
    told = [problem.message for problem in tree.validate()]
    assert len(told) == isinstance(max_failures, int)
    assert all("does not fit its 2 children" in message for message in told)
    assert bt.ParallelAll([bt.Success(), bt.Failure()], max_failures=-2).tick() is Status.FAILURE


@pytest.mark.parametrize("options", [{"success": 3}, {"success": -3}, {"failure": 3}])
def test_thresholds_that_two_children_cannot_reach(options):
    """A tree and a batch refuse them; before that, children can still be added."""
    name = next(iter(options))
    message = f"many: {name}={options[name]} does not fit its 2 children"
    root = bt.Parallel([bt.Success("a"), bt.Running("b")], "many", **options)
    with pytest.raises(bt.TickError, match=message):
        bt.Tree(root.copy()).tick()
    batches = pytest.importorskip("deepsim_btree.batch")
    with pytest.raises(bt.StructureError, match=message):
        batches.Batch(root, 2)
    root.add_child(bt.Success("c"))
    assert bt.Tree(root).tick() in (Status.RUNNING, Status.SUCCESS)


@pytest.mark.parametrize(("letters", "answer"), [("FRR", "RUNNING"), ("FFR", "FAILURE")])
def test_a_negative_number_of_failures_counts_from_all(leaf, letters, answer):
    """Of three children -2 is two."""
    root = bt.Parallel([leaf(letter) for letter in letters], success=1, failure=-2)
    assert bt.Tree(root).tick().name == answer
