# SPDX-License-Identifier: Apache-2.0
"""Random composites: fair, repeatable and independent of each other."""

from __future__ import annotations

from collections import Counter

import pytest

import deepsim_btree as bt

NODES = [(bt.RandomSequence, "S"), (bt.RandomSelector, "F")]


def orders(tree: bt.Tree, log: list[tuple[str, str]], runs: int) -> list[str]:
    """Tick a tree of leaves that finish at once; return in which order they ran each time."""
    result = []
    for _ in range(runs):
        del log[:]
        tree.tick()
        result.append("".join(who for who, event in log if event == "start"))
    return result


@pytest.mark.parametrize(("cls", "letter"), NODES)
def test_every_order_is_as_likely(leaf, log, cls, letter):
    """Over 3000 runs each of the 6 orders of 3 children comes up about 500 times."""
    tree = bt.Tree(cls([leaf(letter, name) for name in "abc"]))
    counts = Counter(orders(tree, log, 3000))
    assert len(counts) == 6
    # The standard deviation of a binomial count is 20.4; this is 5 of them.
    assert all(abs(count - 500) < 102 for count in counts.values())


def test_nodes_draw_from_streams_of_their_own(leaf, log):
    """A second random node in the tree changes nothing for the first."""
    alone = bt.RandomSequence([leaf("S", name) for name in "abcd"], "first")
    expected = orders(bt.Tree(bt.Sequence([alone]), seed=5), log, 10)
    first = bt.RandomSequence([leaf("S", name) for name in "abcd"], "first")
    second = bt.RandomSequence([leaf("S", name) for name in "wxyz"], "second")
    both = orders(bt.Tree(bt.Sequence([first, second]), seed=5), log, 10)
    assert [order[:4] for order in both] == expected
    assert [order[4:] for order in both] != [order.translate({97: "w"}) for order in expected]
    assert len(set(expected)) > 3


def test_same_names_do_not_mean_same_orders(leaf, log):
    """Siblings with the same name have different paths, so different streams."""
    nodes = [bt.RandomSequence([leaf("S", name) for name in "abcd"]) for _ in range(2)]
    both = orders(bt.Tree(bt.Sequence(nodes)), log, 10)
    assert [order[:4] for order in both] != [order[4:] for order in both]


def test_a_seed_of_its_own_wins(leaf, log):
    """With its own seed a node does the same in every tree, at every place."""

    def node():
        return bt.RandomSequence([leaf("S", name) for name in "abcd"], seed=7)

    trees = [bt.Tree(node(), seed=1), bt.Tree(bt.Inverter(node()), seed=2), bt.Tree(node())]
    traces = [orders(tree, log, 10) for tree in trees]
    assert traces[0] == traces[1] == traces[2]
    assert len(set(traces[0])) > 3
