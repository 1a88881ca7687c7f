# SPDX-License-Identifier: Apache-2.0
"""Random trees do in py_trees itself what they do here, where the two libraries agree."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deepsim_btree as bt
from deepsim_btree import Status

py_trees = pytest.importorskip("py_trees")
composites, decorators = py_trees.composites, py_trees.decorators
LETTERS = {"R": Status.RUNNING, "S": Status.SUCCESS, "F": Status.FAILURE}
ALL = py_trees.common.ParallelPolicy.SuccessOnAll(synchronise=True)

# By kind, the constructors there and here.
SERIAL = {
    "Sequence": (lambda c: composites.Sequence("s", True, c), bt.Sequence),
    "Selector": (lambda c: composites.Selector("s", True, c), bt.Selector),
    "ReactiveSequence": (lambda c: composites.Sequence("s", False, c), bt.ReactiveSequence),
    "ReactiveSelector": (lambda c: composites.Selector("s", False, c), bt.ReactiveSelector),
    "ParallelSequence": (lambda c: composites.Parallel("s", ALL, c), bt.ParallelSequence),
}
NAMES = ["Inverter", "RunningIsFailure", "FailureIsSuccess", "FailureIsRunning"]
NAMES += ["SuccessIsFailure", "SuccessIsRunning"]
SINGLE = {
    name: (lambda c, name=name: getattr(decorators, name)("d", c), getattr(bt, name))
    for name in NAMES
}
SINGLE["Repeat"] = (
    lambda c: decorators.Repeat("d", c, 2),
    lambda c: bt.Repeater(c, repeat=2, on_failure="abort"),
)
SINGLE["Retry"] = (lambda c: decorators.Retry("d", c, 2), lambda c: bt.Retry(c, attempts=2))


class TheirLeaf(py_trees.behaviour.Behaviour):
    """Answers the letters of a script in turn, and notes its answers and halts."""

    def __init__(self, name: str, script: str, log: list[str]) -> None:
        super().__init__(name)
        self.letters, self.log = itertools.cycle(script), log

    def update(self):
        letter = next(self.letters)
        self.log.append(self.name + letter)
        return py_trees.common.Status[LETTERS[letter].name]

    def terminate(self, new_status) -> None:
        # py_trees terminates nodes that do not run, too.
        is_halt = new_status is py_trees.common.Status.INVALID
        if is_halt and self.status is py_trees.common.Status.RUNNING:
            self.log.append(self.name + "x")


def deeper(children):
    return st.one_of(
        st.tuples(st.sampled_from(sorted(SERIAL)), st.lists(children, min_size=1, max_size=4)),
        st.tuples(st.sampled_from(sorted(SINGLE)), children),
    )


SPECS = st.recursive(st.text("RSF", min_size=1, max_size=4), deeper, max_leaves=12)


def build(spec, side: int, leaf):
    """Make the tree of a spec for one side: 0 is there, 1 is here."""
    if isinstance(spec, str):
        return leaf(spec)
    kind, below = spec
    if kind in SERIAL:
        return SERIAL[kind][side]([build(child, side, leaf) for child in below])
    return SINGLE[kind][side](build(below, side, leaf))


@settings(max_examples=300, deadline=None)
@given(spec=SPECS, ticks=st.integers(1, 12))
def test_random_trees_do_what_py_trees_does(scripted_class, spec, ticks):
    """The same answers of the root, leaves ticked in the same order, the same leaves halted."""
    theirs: list[str] = []
    ours: list[tuple[str, str]] = []
    names = itertools.count()
    their_root = build(spec, 0, lambda script: TheirLeaf(f"{next(names)}", script, theirs))
    names = itertools.count()
    root = build(spec, 1, lambda script: scripted_class(script, f"{next(names)}", log=ours))
    tree = bt.Tree(root)
    for _ in range(ticks):
        their_root.tick_once()
        assert tree.tick().name == their_root.status.name
        ticked = [name + event for name, event in ours if event in LETTERS]
        halted = [name + "x" for name, event in ours if event == "end I"]
        assert ticked == [event for event in theirs if event[-1] != "x"]
        assert sorted(halted) == sorted(event for event in theirs if event[-1] == "x")
