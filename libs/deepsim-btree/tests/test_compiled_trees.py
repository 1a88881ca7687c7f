# SPDX-License-Identifier: Apache-2.0
"""Trees that were compiled do all that they did before, sooner."""

from __future__ import annotations

import copy
import pickle
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deepsim_btree as bt
from deepsim_btree import Status, key
from deepsim_btree.view.profile import Profile

RUNNING, SUCCESS, FAILURE = Status.RUNNING, Status.SUCCESS, Status.FAILURE
COMPOSITES = ["Sequence", "Selector", "ReactiveSequence", "ReactiveSelector", "AsyncSequence"]
COMPOSITES += ["SequenceWithMemory", "RandomSequence", "ParallelAll"]
CALLS = st.lists(st.sampled_from(["tick"] * 5 + ["halt"]), min_size=1, max_size=12)


@pytest.fixture(scope="session")
def raising(specs):
    """Specs of trees whose leaves raise exceptions, too."""
    return specs("SFRRIE", COMPOSITES)


@settings(max_examples=300, deadline=None)
@given(data=st.data(), calls=CALLS)
def test_it_does_what_its_nodes_do(raising, build, tick_quietly, state, data, calls):
    """Answers, errors, hooks and what every node shows are the same after each tick and halt."""
    spec = data.draw(raising)
    logs = [], []
    plain, compiled = (bt.Tree(build(spec, log)) for log in logs)
    compiled.compile()
    for call in calls:
        if call == "halt":
            plain.halt()
            compiled.halt()
        else:
            assert tick_quietly(compiled) == tick_quietly(plain)
        assert logs[0] == logs[1]
        assert state(compiled) == state(plain)


def act(robot: list[Status]) -> Status:
    return robot.pop(0)


def ask(robot: list[Status]) -> bool:
    return robot.pop(0) is SUCCESS


def test_leaves_of_functions():
    """An Action, a Check, a constant, a key and named arguments, with and without hooks above."""
    root = bt.Sequence(
        [
            bt.Check(ask, robot := [SUCCESS] * 9),
            bt.Success(),
            bt.Action(act, robot),
            bt.Action(act, key("robot")),
            bt.Inverter(bt.Check(ask, robot=[FAILURE])),
            bt.TryCatch([bt.Running(), bt.Success()]),
        ]
    )
    tree = bt.Tree(root, blackboard={"robot": robot})
    tree.compile()
    assert tree.tick() is RUNNING
    assert len(robot) == 6
    assert [node.status.name[0] for node in root.children] == list("SSSSSR")


def test_settings_can_still_be_changed():
    """Those of a Limit, a Repeater, a Condition, a Parallel and a Timeout, between two ticks."""
    now = 0.0
    root = bt.Sequence(
        [
            limit := bt.Limit(bt.Success(), tick_limit=3),
            repeater := bt.Repeater(bt.Success(), repeat=1),
            expected := bt.UntilFail(bt.Failure()),
            parallel := bt.Parallel([bt.Success(), bt.Failure(), bt.Success()], failure=2),
            timeout := bt.Timeout(bt.Success(), seconds=5.0),
        ]
    )
    tree = bt.Tree(root, clock=lambda: now, blackboard={"n": 2, "seconds": 0.0})
    tree.compile()
    parallel.success = 2
    assert tree.tick() is SUCCESS
    timeout.seconds = key("seconds")
    assert tree.tick() is FAILURE
    parallel.failure = 1
    parallel.success = 3
    assert (tree.tick(), root.tip().name) == (FAILURE, "Failure")
    expected.answers = (FAILURE,) * 5
    assert (tree.tick(), expected.status) == (FAILURE, FAILURE)
    repeater.repeat = key("n")
    assert tree.tick() is RUNNING
    repeater.repeat = -1
    assert [tree.tick() for _ in range(4)] == [RUNNING] * 4
    tree.halt()
    limit.tick_limit = 0
    assert (tree.tick(), limit.status) == (FAILURE, FAILURE)


STEP = 1


class Debounce(bt.Decorator):
    """Succeeds after some successes; with a hook, a switch and a global number."""

    def __init__(self, child: bt.Behaviour, times: int) -> None:
        super().__init__(child)
        self.times = times
        self.ends = 0
        self._streak = 0

    def update(self) -> Status:
        if self.status is not RUNNING:
            self._streak = 0
        status = self.tick_child(self.child)
        self._streak = self._streak + 1 if status is SUCCESS else 0
        return SUCCESS if self._streak >= self.times else RUNNING

    def terminate(self, new_status: Status) -> None:
        self.ends += 1


class Counted(Debounce):
    def update(self) -> Status:
        status = self.tick_child(self.child)
        self._streak += STEP
        return status


def test_control_nodes_of_your_own(monkeypatch):
    """Hooks are called, attributes may change, and a global variable is read at each tick."""
    root = bt.Sequence([Counted(bt.Success(), 0), Debounce(bt.Inverter(bt.Failure()), 3)])
    counted, debounce = root.children
    tree = bt.Tree(root)
    tree.compile()
    assert [tree.tick() for _ in range(3)] == [RUNNING, RUNNING, SUCCESS]
    debounce.times = 1
    monkeypatch.setattr(sys.modules[__name__], "STEP", 10)
    assert tree.tick() is SUCCESS
    assert (debounce.ends, counted.ends, counted._streak) == (2, 2, 11)


class Short(bt.Decorator):
    """Has an attribute that is called as constants of the text are."""

    k1 = c1 = True

    def update(self) -> Status:
        status = self.tick_child(self.child)
        if self.k1 and self.c1:
            return status
        return FAILURE


def test_attributes_with_names_of_constants():
    """In one function of many nodes they are not taken for constants that it uses often."""
    tree = bt.Tree(bt.Sequence([Short(bt.Success()) for _ in range(9)]))
    tree.compile()
    assert tree.tick() is SUCCESS


def test_large_numbers():
    """Numbers that Python does not write as text can be arguments."""
    tree = bt.Tree(bt.Check(bool, 10**5000))
    tree.compile()
    assert tree.tick() is SUCCESS


def test_nodes_that_answer_skipped():
    """Composites go on with the next child."""
    root = bt.Sequence(
        [
            bt.RunOnce(bt.Success(), then_skip=True),
            bt.Parallel([bt.RunOnce(bt.Success(), then_skip=True), bt.Success()]),
            bt.ReactiveSequence([bt.Inverter(bt.RunOnce(bt.Failure(), then_skip=True))]),
        ]
    )
    tree = bt.Tree(root)
    tree.compile()
    assert [tree.tick(), tree.tick()] == [SUCCESS, SUCCESS]
    assert [node.status.name for node in root.children] == ["SKIPPED", "SUCCESS", "SKIPPED"]


def test_more_children_than_are_written_out():
    """A node with very many runs as before, and so does what is below it."""

    class NeverTicked(bt.Sequence):
        """Its faster form is made at the first tick, but only once."""

    node = NeverTicked([bt.Success() for _ in range(100)])
    tree = bt.Tree(node)
    tree.compile()
    assert [tree.tick(), tree.tick()] == [SUCCESS, SUCCESS]
    assert tree._program.tick.__globals__["u0"].__func__ is NeverTicked._entry
    root = bt.Selector([bt.Sequence([bt.Inverter(bt.Failure()) for _ in range(200)])])
    tree = bt.Tree(root)
    tree.compile()
    assert tree.tick() is SUCCESS
    assert root.children[0].children[199].last_tick == 1


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))])
def test_copies_go_on(duplicate):
    """In the middle of a run, too; they can be compiled themselves."""
    tree = bt.Tree(bt.Sequence([bt.Success(), bt.Repeater(bt.Success(), repeat=3)]))
    tree.compile()
    tree.tick()
    twin = duplicate(tree)
    twin.tick()
    twin.compile()
    assert [twin.tick(), tree.tick(), tree.tick()] == [SUCCESS, RUNNING, SUCCESS]


def test_it_can_be_edited():
    """New nodes are ticked, and those that were removed are not."""
    root = bt.Sequence([bt.Success("first")])
    tree = bt.Tree(root)
    tree.compile()
    tree.tick()
    root.add_child(bt.Failure("last"))
    assert (tree.tick(), root.children[1].last_tick) == (FAILURE, 2)
    tree.compile()
    root.remove_child(root.children[1])
    assert tree.tick() is SUCCESS


class Nothing(bt.Behaviour):
    """Forgets to return a status; with a hook it is ticked in another way."""

    def update(self) -> Status:
        return None  # type: ignore[return-value]


class NothingHooked(Nothing):
    def terminate(self, new_status: Status) -> None:
        """Does nothing."""


@pytest.mark.parametrize("cls", [Nothing, NothingHooked])
@pytest.mark.parametrize("around", [lambda n: n, bt.Inverter, lambda n: bt.ReactiveSelector([n])])
def test_answers_that_are_no_status(cls, around):
    """The error names the leaf, also where that is the root."""
    tree = bt.Tree(around(cls("lost")))
    tree.compile()
    with pytest.raises(bt.TickError, match=r"lost: update\(\) must return a Status, got None"):
        tree.tick()
    assert all(node.status is Status.INVALID for node in tree.root.walk())


class Hooked(bt.Inverter):
    """Has a hook."""

    def initialize(self) -> None:
        """Does nothing."""


class Forgetful(bt.Behaviour):
    """Returns no status at its second tick; keeps how its runs ended."""

    ends = ()

    def initialize(self) -> None:
        self.ticks = 0

    def update(self) -> Status:
        self.ticks += 1
        return RUNNING if self.ticks == 1 else None  # type: ignore[return-value]

    def terminate(self, new_status: Status) -> None:
        self.ends += (new_status,)


@pytest.mark.parametrize("is_compiled", [False, True])
def test_a_running_child_without_an_answer(is_compiled):
    """Its run ends when the tree is halted, as after an exception."""
    leaf = Forgetful("lost")
    tree = bt.Tree(bt.Parallel([leaf, bt.Repeater(bt.Success(), repeat=-1)]))
    if is_compiled:
        tree.compile()
    assert tree.tick() is RUNNING
    with pytest.raises(bt.TickError, match=r"lost: update\(\) must return a Status, got None"):
        tree.tick()
    assert leaf.ends == (Status.INVALID,)
    assert tree.tick() is RUNNING


def test_errors_of_control_nodes():
    """That of the rule itself names its node, not the one above."""
    guard = bt.Guard(bt.Success(), "guard", condition=lambda: None)
    tree = bt.Tree(bt.Sequence([bt.Parallel([guard])], "root"))
    tree.compile()
    with pytest.raises(bt.TickError, match="root/Parallel/guard: TypeError: a condition must"):
        tree.tick()


@pytest.mark.parametrize("cls", [bt.Inverter, bt.RunOnce, Hooked, bt.Sequence])
def test_chains(cls):
    """More levels than Python takes loops within loops, as a tree and as a template."""

    def chain(leaf: bt.Behaviour) -> bt.Behaviour:
        for _ in range(40):
            leaf = cls(leaf) if issubclass(cls, bt.Decorator) else cls([leaf])
        return leaf

    tree = bt.Tree(chain(bt.Running()))
    tree.compile()
    template = bt.Template(chain(bt.Action(lambda _: RUNNING, bt.AGENT)))
    assert tree.tick() is RUNNING
    assert template.spawn(None).tick() is RUNNING


def test_wrong_moments():
    """Not inside a tick."""
    tree = bt.Tree(bt.Sequence([bt.Action(lambda: tree.compile())]))
    with pytest.raises(bt.TickError, match="inside a tick or a halt and cannot be compiled"):
        tree.tick()


def test_it_is_measured():
    """Nodes are measured by a viewer as in other trees; after that it is as fast as before."""
    tree = bt.Tree(bt.Sequence([bt.Success(), bt.Running()]))
    tree.compile()
    profile = Profile(tree)
    profile.update()
    tree.tick()
    profile.update()
    tree.tick()
    assert [ticks for ticks, _ in profile.spent()] == [2, 1, 2]
    profile.stop()
    assert tree._program is not None
