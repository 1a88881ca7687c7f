# SPDX-License-Identifier: Apache-2.0
"""Trees of many levels run in every form, or are refused by an error that names a node."""

from __future__ import annotations

import copy
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

import deepsim_btree as bt
from deepsim_btree import Status

pytestmark = pytest.mark.slow

SUCCESS, FAILURE = Status.SUCCESS, Status.FAILURE
MOST = sys.getrecursionlimit() // 8
# Python 3.8 may abort after a RecursionError.
catches_recursion = pytest.mark.skipif(sys.version_info < (3, 9), reason="of Python 3.8")


def deep(levels: int, kind: type = bt.Inverter, leaf: bt.Behaviour | None = None) -> bt.Behaviour:
    """Returns a node with so many levels below it, the last one a leaf."""
    node = leaf or bt.Success("lowest")
    for _ in range(levels):
        node = kind(node) if issubclass(kind, bt.Decorator) else kind([node])
    return node


@pytest.mark.parametrize("kind", [bt.Inverter, bt.Sequence, bt.ReactiveSelector, bt.SubTree])
def test_240_levels(kind):
    """As a Tree and as a copy."""
    tree = bt.Tree(deep(240, kind))
    twin, other = copy.deepcopy(tree), bt.Tree(tree.root.copy())
    assert [one.tick() for one in (tree, twin, other)] == [SUCCESS] * 3


@catches_recursion
def test_1200_levels():
    """More levels than Python's recursion limit allows are an error that names a node."""
    tree = bt.Tree(deep(1200))
    with pytest.raises(bt.TickError, match=r"/Invert\.\.\..*levels\): RecursionError") as raised:
        tree.tick()
    assert len(str(raised.value)) < 1000
    assert tree.status is Status.INVALID


def test_most_levels_of_pickle_and_batch():
    """As many as are said to be right are right."""
    batches = pytest.importorskip("deepsim_btree.batch")

    def use() -> list[object]:
        levels = MOST - 1
        tree = bt.Tree(deep(levels))
        assert tree.validate() == []
        batch = batches.Batch(deep(levels), 1)
        batch, tree, other = (copy.deepcopy(batch), *pickle.loads(pickle.dumps((tree, batch))))
        return [tree.tick(), *batch.tick(), *other.tick()]

    with ThreadPoolExecutor(1) as fresh_stack:  # pytest itself takes a part of the other one
        assert fresh_stack.submit(use).result() == [SUCCESS if MOST % 2 else FAILURE] * 3


def test_too_many_levels_are_refused():
    """By pickle and a Batch; the message is short and has the depth."""
    batches = pytest.importorskip("deepsim_btree.batch")

    tree = bt.Tree(deep(MOST))
    (problem,) = tree.validate()
    assert f"{MOST + 1} levels deep" in problem.message
    assert problem.path.endswith("Inverter/lowest")
    calls = {"pickle": lambda: pickle.dumps(tree), "a Batch": lambda: batches.Batch(deep(MOST), 2)}
    for owner, call in calls.items():
        reason = rf"Inverter/lowest.* is {MOST + 1} levels deep, and {owner} takes at"
        with pytest.raises(bt.StructureError, match=reason) as refused:
            call()
        assert len(str(refused.value)) < 1000
