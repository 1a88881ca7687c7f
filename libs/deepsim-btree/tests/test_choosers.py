# SPDX-License-Identifier: Apache-2.0
"""Selectors that try their children by weight or by utility."""

from __future__ import annotations

import copy
import itertools
import math

import pytest

import deepsim_btree as bt
from deepsim_btree import Status
from deepsim_btree.testing import Scripted, play


def weighted(leaf, weights, **settings):
    """Returns a tree whose children are called a, b, ... and fail."""
    children = [leaf("F", name) for name, _ in zip("abcdefgh", weights)]
    return bt.Tree(bt.WeightedSelector(children, weights=weights, **settings))


def tried(log):
    """Returns the names of the children in the order in which they ran."""
    return "".join(name for name, event in log if event == "start")


def test_orders_are_as_probable_as_the_weights_say(leaf, log):
    """All orders of three children come, in proportion to products of their shares."""
    weights, runs = {"a": 1, "b": 2.5, "c": 4}, 4000
    tree = weighted(leaf, list(weights.values()))
    for _ in range(runs):
        assert tree.tick() is Status.FAILURE
    names = tried(log)
    found = [names[at : at + 3] for at in range(0, len(names), 3)]
    for order in map("".join, itertools.permutations(weights)):
        first, second, third = (weights[name] for name in order)
        share = first / 7.5 * second / (second + third)
        deviation = math.sqrt(share * (1 - share) / runs)
        assert abs(found.count(order) / runs - share) < 4 * deviation


def test_orders_are_the_same_everywhere(leaf, log):
    """A seed gives the same order on every machine and version of Python."""
    tree = weighted(leaf, [1, 2, 3, 4], seed=7)
    for _ in range(4):
        tree.tick()
    assert tried(log) == "cdbabdacdacbbcda"
    log.clear()
    tree.reset()
    tree.tick()
    assert tried(log) == "cdba"


def test_a_run_keeps_its_order():
    """A child that is RUNNING goes on; it is drawn anew after the run, and copies draw the same."""
    children = [Scripted("RRS", "a"), Scripted("RRF", "b")]
    tree = bt.Tree(bt.WeightedSelector(children, weights=[1, 1]), seed=3)
    twin = copy.deepcopy(tree)
    for _ in range(30):
        assert tree.tick() is twin.tick()
    assert tree.root.children[0].log == twin.root.children[0].log
    starts = sum(child.log.count("start") for child in tree.root.children)
    assert starts >= 10


@pytest.mark.parametrize("cls", [bt.UtilitySelector, bt.ReactiveUtilitySelector])
def test_the_best_is_tried_first(leaf, log, cls):
    """Then the next best; of equal ones the earlier. Functions, keys and numbers are utilities."""
    children = [leaf("F", name) for name in "abcd"]
    root = cls(children, utilities=[0.5, lambda: 0.7, bt.key("thirst"), 0.5])
    tree = bt.Tree(root, blackboard={"thirst": 0.9})
    play(tree, "F")
    assert tried(log) == "cbad"
    tree.blackboard["thirst"] = -1
    play(tree, "F")
    assert tried(log)[4:] == "badc"


def test_a_run_goes_on_though_another_is_better_now():
    """Utilities count at the start of the run; the reactive one asks at every tick."""
    for cls, ends in ((bt.UtilitySelector, "RRRS"), (bt.ReactiveUtilitySelector, "RRRR")):
        eat, sleep = Scripted("RRRS", "eat"), Scripted("R", "sleep")
        tree = bt.Tree(cls([eat, sleep], utilities=[bt.key("hunger"), 0.5]))
        tree.blackboard["hunger"] = 0.8
        play(tree, ends[:2])
        tree.blackboard["hunger"] = 0.2
        play(tree, ends[2:])
        is_halted = eat.log[-1] == "end I"
        assert is_halted == (cls is bt.ReactiveUtilitySelector)
        assert ("start" in sleep.log) == is_halted


def test_a_margin_keeps_the_one_that_runs():
    """Another one takes over when it is better by the margin, not at equal utilities."""
    children = [Scripted("R", "a"), Scripted("R", "b")]
    utilities = [bt.key("a"), bt.key("b")]
    root = bt.ReactiveUtilitySelector(children, utilities=utilities, margin=0.25)
    tree = bt.Tree(root, blackboard={"a": 0.0, "b": 0.5})
    tips = []
    for a in (0.25, 0.5, 0.75, 0.76, 0.75, 0.25, 0.24):
        tree.blackboard["a"] = a
        tree.tick()
        tips.append(tree.root.tip().name)
    assert "".join(tips) == "bbbaaab"


def test_a_better_child_that_fails_does_not_take_over():
    """The one that is RUNNING goes on then; one that succeeds ends it."""
    better, running = Scripted("FFS", "better"), Scripted("R", "running")
    tree = bt.Tree(bt.ReactiveUtilitySelector([better, running], utilities=[2, 1]))
    play(tree, "RRS")
    assert running.log == ["start", "R", "R", "end I"]


@pytest.mark.parametrize("cls", [bt.UtilitySelector, bt.ReactiveUtilitySelector])
def test_wrong_utilities(cls):
    """NaN is refused when it comes, and a missing one is found before the first tick."""
    tree = bt.Tree(cls([bt.Success("a")], "root", utilities=[math.nan]))
    with pytest.raises(bt.TickError, match="node root: ValueError: the utility of a is NaN"):
        tree.tick()
    root = cls([bt.Success()], "root", utilities=[1])
    root.add_child(bt.Failure())
    problems = [str(problem) for problem in bt.Tree(root).validate()]
    assert "root: utilities must be one for each of 2 children, got 1" in problems


@pytest.mark.parametrize("cls", [bt.UtilitySelector, bt.ReactiveUtilitySelector])
@pytest.mark.parametrize("case", ["FF F", "IF F", "KF F", "KK K", "KS S", " F"])
def test_answers(cls, case):
    """As of a selector."""
    scripts, answer = case.split(" ")
    root = cls([Scripted(letter) for letter in scripts], utilities=[1] * len(scripts))
    play(bt.Tree(root), answer)
