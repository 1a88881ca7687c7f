# SPDX-License-Identifier: Apache-2.0
"""Parallel: which children count, in all forms of a tree."""

from __future__ import annotations

import pytest

import deepsim_btree as bt
from deepsim_btree import AGENT, Status, key

SCRIPTS = ("RS", "RF", "SS")


ANSWERS = {"R": Status.RUNNING, "S": Status.SUCCESS, "F": Status.FAILURE}


@bt.action
def follow(positions, child):
    positions[child] += 1
    return ANSWERS[SCRIPTS[child][positions[child] - 1]]


def parallel(positions, **options):
    leaves = [follow(positions, child) for child in range(3)]
    return bt.Parallel(leaves, success=2, failure=1, **options)


def test_children_that_finished_in_an_earlier_tick_count_at_once():
    """An eager node succeeds at child 0: with child 2, which finished before, it has two."""
    positions = [0, 0, 0]
    tree = bt.Tree(parallel(positions, eager=True))
    assert [tree.tick(), tree.tick()] == [Status.RUNNING, Status.SUCCESS]
    assert positions == [2, 1, 1]


def test_without_eager_all_are_ticked():
    """The success wins, wherever the failure is."""
    positions = [0, 0, 0]
    tree = bt.Tree(parallel(positions))
    assert [tree.tick(), tree.tick()] == [Status.RUNNING, Status.SUCCESS]
    assert positions == [2, 2, 1]


@pytest.mark.parametrize("max_failures", [3, -3, key("limit")])
def test_parallel_all_refuses_a_number_that_its_children_cannot_reach(max_failures):
    """It would never fail, or always; -2 of 2 children is 1 of them."""
    tree = bt.Tree(
        bt.ParallelAll([bt.Success(), bt.Failure()], max_failures=max_failures),
        blackboard={"limit": 3},
    )
    with pytest.raises(bt.TickError, match=r"ParallelAll: max_failures=-?3 does not fit its 2 ch"):
        tree.tick()
    told = [problem.message for problem in tree.validate()]
    assert len(told) == isinstance(max_failures, int)
    assert all("does not fit its 2 children" in message for message in told)
    assert bt.ParallelAll([bt.Success(), bt.Failure()], max_failures=-2).tick() is Status.FAILURE


def test_a_batch_counts_likewise():
    """For agents that are at different places."""
    np = pytest.importorskip("numpy")
    from deepsim_btree.batch import Batch  # noqa: PLC0415 - needs numpy

    positions = np.zeros((2, 3), int)

    @bt.action
    def follow_all(numbers, child):
        return np.array([follow(positions[n], child).tick() for n in numbers])

    root = bt.Parallel([follow_all(AGENT, n) for n in range(3)], success=2, failure=1, eager=True)
    batch = Batch(root, 2)
    assert batch.tick([1]).tolist() == [Status.RUNNING]
    assert batch.tick().tolist() == [Status.RUNNING, Status.SUCCESS]
    assert positions.tolist() == [[1, 1, 1], [2, 1, 1]]


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
