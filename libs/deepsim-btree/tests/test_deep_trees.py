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
from deepsim_btree.xml import read_xml, write_xml

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


def succeed(_agent: object) -> Status:
    return SUCCESS


def deep_for_agents(levels: int, kind: type = bt.Inverter) -> bt.Behaviour:
    return deep(levels, kind, bt.Action(succeed, bt.AGENT, name="lowest"))


@pytest.mark.parametrize("kind", [bt.Inverter, bt.Sequence, bt.ReactiveSelector, bt.SubTree])
def test_240_levels(kind):
    """As a Tree, a compiled one, a copy, and as a Template."""
    tree = bt.Tree(deep(240, kind))
    compiled, twin = copy.deepcopy(tree), bt.Tree(tree.root.copy())
    compiled.compile()
    template = bt.Template(deep_for_agents(240, kind))
    agents = [template.spawn(None), bt.Template(template.root).spawn(None)]
    assert [one.tick() for one in (tree, compiled, twin, *agents)] == [SUCCESS] * 5


def test_copies_of_branches_may_be_deep():
    """An agent gets a copy of a branch whose rules have no other form."""
    branch = deep(240, bt.Inverter, bt.Action(lambda: SUCCESS, name="lowest"))
    board = bt.SetEntry("goal", 3)
    template = bt.Template(bt.SubTree(bt.Sequence([board, branch])))
    assert template.spawn(None).tick() is SUCCESS


@catches_recursion
def test_1200_levels():
    """Compiling takes no call for each level; what does says which node is how deep."""
    deep_tree = bt.Tree(deep(1200))
    with pytest.raises(bt.TickError, match=r"/Invert\.\.\..*levels\): RecursionError") as raised:
        deep_tree.tick()
    assert len(str(raised.value)) < 1000
    assert deep_tree.status is Status.INVALID
    twin = copy.deepcopy(deep_tree)
    twin.compile()
    template = bt.Template(deep_for_agents(1200))
    assert (twin.tick(), template.spawn(None).tick()) == (SUCCESS, SUCCESS)


def test_most_levels_of_pickle_and_batch():
    """As many as are said to be right are right."""
    batches = pytest.importorskip("deepsim_btree.batch")

    def use() -> list[object]:
        levels = MOST - 1
        tree = bt.Tree(deep(levels))
        assert tree.validate() == []
        template = bt.Template(deep_for_agents(levels))
        batch = batches.Batch(deep_for_agents(levels), 1)
        copies = (copy.deepcopy(batch), *pickle.loads(pickle.dumps((tree, template, batch))))
        batch, tree, template, other = copies
        return [tree.tick(), template.spawn(None).tick(), *batch.tick(), *other.tick()]

    with ThreadPoolExecutor(1) as fresh_stack:  # pytest itself takes a part of the other one
        assert fresh_stack.submit(use).result() == [SUCCESS if MOST % 2 else FAILURE] * 4


def test_too_many_levels_are_refused():
    """By pickle, a Batch and XML; the message is short and has the depth."""
    batches = pytest.importorskip("deepsim_btree.batch")

    tree, template = bt.Tree(deep(MOST)), bt.Template(deep(MOST))
    (problem,) = tree.validate()
    assert f"{MOST + 1} levels deep" in problem.message
    assert problem.path.endswith("Inverter/lowest")
    calls = {
        "pickle": lambda: pickle.dumps(tree),
        "pickle ": lambda: pickle.dumps(template),
        "a Batch": lambda: batches.Batch(deep(MOST), 2),
    }
    for owner, call in calls.items():
        reason = rf"Inverter/lowest.* is {MOST + 1} levels deep, and {owner.strip()} takes at"
        with pytest.raises(bt.StructureError, match=reason) as refused:
            call()
        assert len(str(refused.value)) < 1000


def test_levels_of_xml():
    """A document of as many levels as can be read is written; deeper ones are refused."""
    text = write_xml(deep(197))
    assert bt.Tree(read_xml(text)).tick() is FAILURE
    with pytest.raises(bt.XmlError, match=r"Inverter/.*more than 200 levels cannot be read"):
        write_xml(deep(198))
    deeper = text.replace("<AlwaysSuccess", "<Inverter><Inverter><Inverter><AlwaysSuccess")
    with pytest.raises(bt.XmlError, match=r"<text>:20.: elements are nested more than 200 levels"):
        read_xml(deeper)
