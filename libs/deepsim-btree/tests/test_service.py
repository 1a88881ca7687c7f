# SPDX-License-Identifier: Apache-2.0
"""A node that runs every few seconds beside a branch."""

from __future__ import annotations

import pytest

import deepsim_btree as bt
from deepsim_btree.testing import Scripted, play


def make(branch, service, times, **settings):
    """A tree on a clock, and its two leaves."""
    clock = iter(times)
    leaves = Scripted(branch, "branch"), Scripted(service, "service")
    tree = bt.Tree(bt.Service(*leaves, **settings), clock=lambda: next(clock))
    return (tree, *leaves)


def starts(tree, service, count):
    """The times at which the service begins a run."""
    times = []
    for _ in range(count):
        before = service.log.count("start")
        tree.tick()
        if service.log.count("start") > before:
            times.append(tree.now)
    return times


@pytest.mark.parametrize(
    ("times", "seconds", "expected"),
    [
        ([0, 1, 2, 3, 4, 5, 6], 2, [0, 2, 4, 6]),
        ([0, 2, 4, 6, 8, 10, 12], 5, [0, 6, 10]),  # 5 s apart on average
        ([3, 4, 20, 21, 22, 24, 25], 2, [3, 20, 22, 24]),  # what was missed is left out
        ([0, 1, 2, 3, 4, 5, 6], 0, [0, 1, 2, 3, 4, 5, 6]),
    ],
)
def test_it_runs_every_so_many_seconds(times, seconds, expected):
    """At the start, and from then on by the clock of the tree."""
    tree, _, service = make("R", "S", times, seconds=seconds)
    assert starts(tree, service, len(times)) == expected


def test_its_answer_does_not_matter():
    """It fails and is INVALID, and the node answers as its branch; each run begins with it."""
    tree, _, service = make("RS RF".replace(" ", ""), "FI", range(9), seconds=10)
    play(tree, "RSRF")
    assert service.log == ["start", "F", "end F", "start", "I", "end I"]


def test_a_service_that_takes_its_time():
    """It is ticked until it is done, misses its next start meanwhile, and ends with the branch."""
    tree, _, service = make("RRRRRS", "RRRRS", range(9), seconds=2)
    play(tree, "RRRRRS")
    assert service.log == ["start", *"RRRRS", "end S"]
    tree, _, service = make("RS", "R", range(9), seconds=2)
    play(tree, "RS")
    assert service.log == ["start", *"RR", "end I"]


def test_a_halt_reaches_both():
    """Branch and service end with the node."""
    tree, branch, service = make("R", "R", range(9), seconds=2)
    play(tree, "R")
    tree.halt()
    assert branch.log[-1] == service.log[-1] == "end I"


def test_a_key():
    """The time may be on the blackboard."""
    tree, _, service = make("R", "S", range(9), seconds=bt.key("period"))
    tree.blackboard["period"] = 3
    assert starts(tree, service, 8) == [0, 3, 6]
    problems = bt.Tree(bt.Service(bt.Running(), bt.Success(), seconds=1)).validate()
    (problem,) = problems
    assert str(problem) == "Service: Service needs a clock: Tree(root, clock=...)"
