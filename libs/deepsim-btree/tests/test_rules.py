# SPDX-License-Identifier: Apache-2.0
"""The rule of a control node, its `update`, runs as it is written in every form of a tree."""

from __future__ import annotations

import random
import re
import subprocess
import sys
import zipfile
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deepsim_btree as bt
from deepsim_btree import AGENT, Status

SUCCESS, FAILURE, RUNNING = Status.SUCCESS, Status.FAILURE, Status.RUNNING
CODES = {status.name[0]: status for status in list(Status)[:4]}


class Majority(bt.Composite):
    """Ticks all children at each tick; follows what most of them answer."""

    def update(self) -> Status:
        yes = no = 0
        for child in self._children:
            status = self.tick_child(child)
            if status is SUCCESS:
                yes += 1
            elif status is not RUNNING:
                no += 1
        for child in self._children:
            child.halt()
        if yes == no:
            return RUNNING
        return SUCCESS if yes > no else FAILURE


class Debounce(bt.Decorator):
    """Succeeds once its child has succeeded so many times one after another."""

    def __init__(self, child: bt.Behaviour, times: int) -> None:
        super().__init__(child)
        self.times = times
        self._streak = 0

    def update(self) -> Status:
        if self.status is not RUNNING:
            self._streak = 0
        status = self.tick_child(self.child)
        self._streak = self._streak + 1 if status is SUCCESS else 0
        if self._streak < self.times:
            return RUNNING
        return SUCCESS


class Alternate(bt.Composite):
    """Runs a child to its end, and the next one in the next run; remembers whose turn it is."""

    def __init__(self, children: list[bt.Behaviour]) -> None:
        super().__init__(children)
        self._turn = 0

    def update(self) -> Status:
        for position, child in enumerate(self._children):
            if position == self._turn:
                status = self.tick_child(child)
                if status is not RUNNING:
                    self._turn = (self._turn + 1) % len(self._children)
                return status
        return FAILURE

    def reset(self) -> None:
        super().reset()
        self._turn = 0


class Watch(bt.Composite):
    """Runs the last child for as long as no other one fails; looks at what was RUNNING before."""

    def update(self) -> Status:
        failed = 0
        for child in self._children:
            was_running = child.status is RUNNING
            status = self.tick_child(child)
            if status is Status.INVALID or (status is FAILURE and not was_running):
                failed += 1
        if failed > 1:
            for child in self._children:
                child.halt()
            return FAILURE
        for child in self._children:
            if child.status is RUNNING:
                return RUNNING
        return SUCCESS


class Actor:
    """Answers the letters of its scripts in turn, and writes them down."""

    def __init__(self, scripts: list[str]) -> None:
        self.scripts = scripts
        self.log: list[tuple[int, str]] = []

    def act(self, leaf: int) -> Status:
        done = sum(number == leaf for number, _ in self.log)
        letter = self.scripts[leaf][done % len(self.scripts[leaf])]
        self.log.append((leaf, letter))
        return CODES[letter]


def act(actor: Actor, leaf: int) -> Status:
    return actor.act(leaf)


NODES = {
    "Majority": lambda leaves: Majority(leaves),
    "Debounce": lambda leaves: bt.Sequence([Debounce(leaves[0], 2), *leaves[1:]]),
    "Alternate": lambda leaves: Alternate([leaves[0], bt.Sequence(leaves[1:])]),
    "Watch": lambda leaves: Watch([bt.Retry(leaves[0], attempts=2), *leaves[1:]]),
    "nested": lambda leaves: Alternate([Debounce(Majority(leaves[:2]), 2), Watch(leaves[2:])]),
}
SCRIPTS = st.lists(st.text("SFRI", min_size=1, max_size=5), min_size=4, max_size=4)


@pytest.mark.parametrize("make", NODES.values(), ids=NODES)
@settings(max_examples=15, deadline=None)
@given(scripts=SCRIPTS, other=SCRIPTS)
def test_own_control_nodes_run_in_every_form(make, scripts, other):
    """A tree, an agent of a template and an agent of a batch do the same, halts included."""
    numpy = pytest.importorskip("numpy")
    from deepsim_btree.batch import Batch  # noqa: PLC0415 - needs numpy

    actors = [Actor(scripts), Actor(other)]

    def many(numbers, leaf):
        return numpy.array([actors[number].act(leaf) for number in numbers.tolist()])

    expected = [Actor(scripts), Actor(other)]
    trees = [bt.Tree(make([bt.Action(act, a, n) for n in range(4)])) for a in expected]
    alone = [Actor(scripts), Actor(other)]
    agents = bt.Template(make([bt.Action(act, AGENT, n) for n in range(4)])).spawn_all(alone)
    batch = Batch(make([bt.Action(many, AGENT, n, name="act") for n in range(4)]), 2)
    for tick in range(12):
        if tick == 7:
            trees[0].halt()
            agents[0].halt()
            batch.halt([0])
        answers = [tree.tick() for tree in trees]
        assert [agent.tick() for agent in agents] == answers
        assert batch.tick().tolist() == answers
        assert [actor.log for actor in alone] == [actor.log for actor in expected]
        assert [actor.log for actor in actors] == [actor.log for actor in expected]


def slow(cls: type[bt.Behaviour]) -> type[bt.Behaviour]:
    """Return a class with a hook, of which `update` runs as it is written."""
    return type(f"Slow{cls.__name__}", (cls,), {"__slots__": (), "initialize": lambda self: None})


LIBRARY = {
    "Sequence": lambda kind, leaves: kind(bt.Sequence)(leaves),
    "Selector": lambda kind, leaves: kind(bt.Selector)(leaves),
    "ReactiveSequence": lambda kind, leaves: kind(bt.ReactiveSequence)(leaves),
    "RandomSelector": lambda kind, leaves: kind(bt.RandomSelector)(leaves, seed=3),
    "Parallel": lambda kind, leaves: kind(bt.Parallel)(leaves, success=2, failure=2),
    "ParallelAll": lambda kind, leaves: kind(bt.ParallelAll)(leaves, max_failures=2),
    "IfThenElse": lambda kind, leaves: kind(bt.IfThenElse)(*leaves[:3]),
    "WhileDoElse": lambda kind, leaves: kind(bt.WhileDoElse)(*leaves[:3]),
    "Retry": lambda kind, leaves: kind(bt.Retry)(bt.Sequence(leaves), attempts=3),
    "UntilFail": lambda kind, leaves: kind(bt.UntilFail)(bt.Sequence(leaves)),
    "TryCatch": lambda kind, leaves: kind(bt.TryCatch)(leaves),
    "AsyncSequence": lambda kind, leaves: kind(bt.AsyncSequence)(leaves),
}


@pytest.mark.parametrize("make", LIBRARY.values(), ids=LIBRARY)
@settings(max_examples=15, deadline=None)
@given(scripts=SCRIPTS)
def test_the_fast_form_of_a_rule_does_what_the_rule_says(make, scripts):
    """A class without hooks runs a form in which the ticks of children are written out."""
    actors = [Actor(scripts), Actor(scripts)]
    trees = [
        bt.Tree(make(kind, [bt.Action(act, actor, n, name="act") for n in range(4)]))
        for kind, actor in zip((lambda cls: cls, slow), actors)
    ]
    for _ in range(10):
        assert trees[0].tick() is trees[1].tick()
        assert actors[0].log == actors[1].log


LIMIT = 1


class Careful(bt.Composite):
    """Has a child that is an attribute, unlike that of a decorator."""

    def __init__(self, children: list[bt.Behaviour]) -> None:
        super().__init__(children)
        self.child = children[1]
        self.first = 0


class TicksItsOwnChild(Careful):
    def update(self) -> Status:
        return self.tick_child(self.child)


class ChangesACopy(Careful):
    def update(self) -> Status:
        first = self.first
        children = self._children[first:]
        children.append(children.pop(0))
        return self.tick_child(self._children[-1])


class HasAPrivateName(Careful):
    def __init__(self, children: list[bt.Behaviour]) -> None:
        super().__init__(children)
        self.__place = 1

    def update(self) -> Status:
        return self.tick_child(self._children[self.__place])


class CallsItsBase(TicksItsOwnChild):
    def update(self) -> Status:
        return super().update()


class ReadsAGlobal(Careful):
    def update(self) -> Status:
        return self.tick_child(self._children[LIMIT])


class TicksInOtherPlaces(Careful):
    def update(self) -> Status:
        statuses = [self.tick_child(child) for child in self._children]
        while statuses:
            status = statuses.pop()
            if status is SUCCESS and self.tick_child(self._children[1]) is SUCCESS:
                return SUCCESS
        return FAILURE


def around(place: int) -> type[bt.Composite]:
    class UsesAVariableAround(Careful):
        def update(self) -> Status:
            return self.tick_child(self._children[place])

    return UsesAVariableAround


OWN = [TicksItsOwnChild, ChangesACopy, HasAPrivateName, CallsItsBase, ReadsAGlobal]
OWN += [TicksInOtherPlaces, around(1)]


@pytest.mark.parametrize("cls", OWN, ids=lambda cls: cls.__name__)
def test_any_python_is_a_rule_in_a_tree(cls, monkeypatch):
    """A rule means in its faster form what it means as it is written."""
    tree = bt.Tree(cls([bt.Failure(), bt.Success()]))
    assert [tree.tick() for _ in range(3)] == [SUCCESS] * 3
    monkeypatch.setattr(sys.modules[__name__], "LIMIT", 0)
    assert tree.tick() is (FAILURE if cls is ReadsAGlobal else SUCCESS)


class Late(bt.Decorator):
    """Compares what its child answered with a number that it has changed since."""

    def __init__(self, child: bt.Behaviour) -> None:
        super().__init__(child)
        self._ticks = 0

    def update(self) -> Status:
        status = self.tick_child(self.child)
        is_early = status is SUCCESS and self._ticks < 2
        self._ticks += 1
        return RUNNING if is_early else status


def test_a_value_is_that_of_its_line():
    """What was computed before a change is not computed again after it."""
    tree = bt.Tree(Late(bt.Success()))
    agent = bt.Template(Late(bt.Action(act, AGENT, 0))).spawn(Actor(["S"]))
    for expected in (RUNNING, RUNNING, SUCCESS):
        assert tree.tick() is agent.tick() is expected


def has_loop(self) -> Status:
    while True:
        return self.tick_child(self.child)


def has_condition(self) -> Status:
    return self.tick_child(self.child) if random.random() < 2 else FAILURE


def has_no_end(self) -> Status:  # noqa: RET503 - that is what is wrong with it
    if self.tick_child(self.child) is SUCCESS:
        return SUCCESS
    self.child.halt()


def answers_skipped(self) -> Status:
    self.tick_child(self.child)
    return Status.SKIPPED


@pytest.mark.parametrize(
    ("update", "message"),
    [
        (has_loop, r"line \d+ of its update\(\) has a While"),
        (has_condition, r"line \d+ of its update\(\) has a Call"),
        (has_no_end, r"its update\(\) does not always return a Status"),
        (bt.Inverter.__repr__, r"line \d+"),
        (partial(has_loop), "update is not a method written in Python"),
    ],
)
def test_a_rule_that_cannot_be_translated_runs_nevertheless(update, message):
    """As in a tree, for each agent of a template, which knows the reason."""
    own = type("Own", (bt.Decorator,), {"update": update})
    template = bt.Template(bt.Inverter(own(bt.Action(act, AGENT, 0), "own")))
    (copied,) = template.program.own
    assert copied.path == "Inverter/own"
    assert re.search(message, copied.reason)
    if update is has_condition:
        agents = template.spawn_all([Actor(["SF"]), Actor(["F"])])
        assert [agent.tick() for agent in agents] == [FAILURE, SUCCESS]
        assert [agent.tick() for agent in agents] == [SUCCESS, SUCCESS]


def test_a_rule_that_answers_skipped():
    """No tree for many agents has that."""
    own = type("Own", (bt.Decorator,), {"update": answers_skipped})
    with pytest.raises(bt.StructureError, match="own answers SKIPPED, which no tree for many"):
        bt.Template(own(bt.Action(list, name="leaf"), "own"))


def test_a_rule_without_source_runs_in_a_tree():
    """As in a frozen program; a template knows that the source is not available."""
    names = {"bt": bt}
    text = "class Own(bt.Decorator):\n def update(self):\n  return self.tick_child(self.child)\n"
    exec(text, names)
    assert bt.Tree(names["Own"](bt.Success())).tick() is SUCCESS
    template = bt.Template(names["Own"](bt.Success()))
    assert re.match(r"the source of .*update is not available", template.program.own[0].reason)
    assert template.spawn(None).tick() is SUCCESS


def test_rules_are_found_in_a_zip_archive(tmp_path):
    """The package need not be unpacked."""
    package = Path(bt.__file__).parent
    archive = tmp_path / "library.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for path in package.rglob("*.py"):
            file.write(path, path.relative_to(package.parent))
    program = f"import sys; sys.path.insert(0, {str(archive)!r})\n" + (
        "import deepsim_btree as bt\n"
        "root = bt.Sequence([bt.Retry(bt.Success(), attempts=2), bt.Failure()])\n"
        "print('library.zip' in bt.__file__, bt.Template(root).spawn(None).tick().name)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["True", "FAILURE"]
