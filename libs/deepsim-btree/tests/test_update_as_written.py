# SPDX-License-Identifier: Apache-2.0
"""The `update` of a control node means what Python says, for every kind of statement.

Python itself is the oracle: each method also runs on a plain object outside any tree.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import functools
import inspect
import itertools
import sys
import textwrap
from types import SimpleNamespace
from typing import Any

import pytest

import deepsim_btree as bt
from deepsim_btree import Status
from deepsim_btree.testing import Scripted

S, F, R = Status.SUCCESS, Status.FAILURE, Status.RUNNING
ANSWERS = {"S": S, "F": F, "R": R}
SCRIPTS = {"one": "SRSF", "two": "FSRS", "three": "RSFS"}
SHARED: list[str] = []
COUNT = 0


class Plain:
    """The part of a control node that the methods below use, without the library."""

    __slots__ = ("__dict__", "children")

    def __init__(self) -> None:
        self.children = tuple(
            SimpleNamespace(name=name, letters=itertools.cycle(script))
            for name, script in SCRIPTS.items()
        )

    def tick_child(self, child: Any) -> Status:
        return ANSWERS[next(child.letters)]


class Case:
    """Attributes and helpers of the methods below, mixed into `Plain` and into `Composite`."""

    def begin(self) -> None:
        self.now, self.later = 0, 1
        self.a, self.b, self.i, self.j, self.count = 0, 1, 0, 0, 0
        self.items, self.hits, self.stack, self.steps = [1, 2, 3], [0] * 9, [7], []
        self.numbers, self.log = itertools.count(), SHARED

    def first(self) -> Status:
        return self.tick_child(self.children[0])

    def bump(self) -> bool:
        self.count += 1
        return True

    def answers(self):
        for child in self.children:
            yield self.tick_child(child)

    @contextlib.contextmanager
    def noting(self, *names):
        self.steps.append(("in", *names))
        yield names
        self.steps.append(("out", *names))


class Updates:
    """Each method is the `update` of one control node."""

    def tuples(self):
        self.now, self.later = self.later, self.now
        self.a, self.b = self.b, self.a + self.b
        self.i, self.j = self.j + 1, self.i
        self.items[0], self.items[2] = self.items[2], self.items[0]
        x, y = 1, 2
        x, y = y, x
        [a, (b, c)] = 1, (2, 3)
        first, *rest = self.children
        self.seen = x, y, a, b, c, len(rest)
        return self.tick_child(first)

    def iterables(self):
        x, y = iter([5, 6])
        a, b = {5: "a", 6: "b"}
        c, d = (1, 1) if next(self.numbers) % 2 else (2, 2)
        e, f = [next(self.numbers), next(self.numbers)]
        self.seen = x, y, a, b, c, d, e, f
        return self.first()

    def wrong_count(self):
        three = 1, 2, 3
        a, b = three
        return S if a < b else F

    def chains(self):
        n = self.last = next(self.numbers)
        self.x = self.y = [0]
        self.x[0] = n + 5
        self.n = self.y[0]
        self.a = self.b = self.first()
        return self.a

    def in_place(self):
        top = self.stack
        top += [8]
        self.hits[next(self.numbers)] += 1
        for child in self.children:
            status = self.tick_child(child)
            self.log += [status.name]
        return S

    def reserved_and_mangled_names(self):
        _tick, _values, _answer = 3, (9, 9), 7
        self.__z = self.seen = 4
        self.__z += self.seen
        for child in self.children:
            self.tick_child(child)
        a, b = divmod(7, 2)
        self.seen = _tick, _values, _answer, a, b
        return S

    def order(self):
        a, b = self.tick_child(self.children[1]), self.first()
        self.seen = a, b
        return b

    def conditions(self):
        if self.bump() and self.first() is S and self.tick_child(self.children[1]) is S:
            return S
        return F

    def for_else(self):
        for child in self.children:
            status = self.tick_child(child)
            if status is R:
                continue
            if status is F:
                break
        else:
            return S
        return F

    def while_else(self):
        n = 0
        while n < 2:
            a, b = n, n + 1
            a, b = b, a
            n = a
        else:
            self.seen = a, b
        return self.first()

    def try_else_finally(self):
        try:
            self.steps.append(self.first().name)
            {}["x"]
        except KeyError as error:
            self.steps.append(error.args)
        else:
            self.steps.append("never")
        finally:
            self.steps += ["end"]
        return S

    def raising(self):
        has_ended = self.first() is not R
        assert has_ended, "the child is RUNNING"
        raise LookupError("lost") from None

    def names(self):
        import math as m  # noqa: PLC0415
        from math import pi, tau  # noqa: PLC0415

        global COUNT
        COUNT += 1
        self.steps = steps = [m.floor(pi), tau / pi, COUNT]
        del steps[0], self.steps
        self.left = steps
        del steps
        status: Status
        status = self.first()
        self.seen: Status = status
        return status

    def nested(self):
        count, k = 0, 2
        late = lambda: k  # noqa: E731
        k, j = 5, k

        def good(child):
            nonlocal count
            count += 1
            return self.tick_child(child) is not F

        class Local:
            limit = 2
            pass  # noqa: PIE790

        answer = S if sum(map(good, self.children)) >= Local.limit else F
        self.seen = count, late(), j
        return answer

    def comprehensions(self):
        if (status := self.first()) is S:
            self.seen = status
        answers = {child.name: self.tick_child(child) for child in self.children}
        self.good = [name for name, answer in answers.items() if answer is S]
        return S if {*answers.values()} == {S} else F

    def asynchronous(self):
        async def numbers(count=1):
            for n in range(count):
                yield n

        async def work():
            async with contextlib.asynccontextmanager(numbers)() as zero:
                async for n in numbers(3):
                    self.seen = zero, n
            return self.first()

        return asyncio.run(work())

    def with_statement(self):
        with self.noting("a") as (a,), self.noting(a, "b"):
            return self.first()

    def generators(self):
        self.seen = next(self.answers())
        return self.seen


def counting(method):
    @functools.wraps(method)
    def wrapper(self):
        self.calls = getattr(self, "calls", 0) + 1
        return method(self)

    return wrapper


class Overridden(Case):
    def tick_child(self, child):
        self.steps.append(child.name)
        return super().tick_child(child)

    @counting
    def update(self):
        return S if all(self.tick_child(child) is S for child in self.children) else F


class WithSuper(Overridden):
    def update(self):
        self.before = list(self.steps)
        return super().update()


NEW_FORMS = {
    (3, 10): """
        match [self.first(), self.tick_child(self.children[1])]:
            case [Status.SUCCESS, second]:
                self.seen = second
                return S
            case [first, *_]:
                return first
        """,
    (3, 11): """
        try:
            raise ExceptionGroup("both", [KeyError(self.first().name), ValueError()])
        except* KeyError as group:
            self.seen = group.exceptions[0].args
        except* ValueError:
            self.second = self.tick_child(self.children[1])
        return S
        """,
    (3, 12): """
        type Answer = Status
        self.seen = Answer.__name__
        return self.first()
        """,
}


def case(update: Any) -> type:
    return type("Case", (Case,), {"update": update})


METHODS = {name: update for name, update in vars(Updates).items() if inspect.isfunction(update)}
CASES = {name: case(update) for name, update in METHODS.items()}
CASES.update(overridden=Overridden, with_super=WithSuper)
TEXTS = {
    version: "def update(self):\n" + textwrap.indent(textwrap.dedent(text), " " * 4)
    for version, text in NEW_FORMS.items()
    if sys.version_info >= version
}


def new_case(text: str) -> type:
    names: dict[str, Any] = dict(globals())
    exec(text, names)
    return case(names["update"])


def run(node: Any, tick: Any) -> list[object]:
    """Return the answers or errors of some ticks, and the attributes after each."""
    global COUNT
    COUNT = 0
    SHARED.clear()
    node.begin()
    found: list[object] = []
    for _ in range(4):
        try:
            found.append(tick())
        except Exception as error:
            cause = error.__cause__ if isinstance(error, bt.TickError) else error
            found.append((type(cause), str(cause)))
        attributes = {name: str(value) for name, value in vars(node).items()}
        found.append((attributes, list(SHARED), COUNT))
    return found


CASES.update({str(version): new_case(text) for version, text in TEXTS.items()})


@pytest.mark.parametrize("methods", CASES.values(), ids=CASES)
def test_update_runs_as_it_is_written(methods):
    """Answers, errors and attributes are those of the method outside a tree."""

    class PlainNode(methods, Plain):
        pass

    class TreeNode(methods, bt.Composite):
        pass

    node, plain = TreeNode([Scripted(s, name) for name, s in SCRIPTS.items()]), PlainNode()
    assert run(node, bt.Tree(node).tick) == run(plain, plain.update)


def test_every_statement_of_the_grammar_is_in_a_method():
    """The methods above hold each kind of statement that this Python knows."""
    texts = [inspect.getsource(Updates), *TEXTS.values()]
    nodes = [node for text in texts for node in ast.walk(ast.parse(text))]
    held = {type(node) for node in nodes}
    targets = {type(t) for node in nodes if isinstance(node, ast.Assign) for t in node.targets}
    assert {kind.__name__ for kind in ast.stmt.__subclasses__() if kind not in held} == set()
    assert {ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.List} <= targets
    assert ast.Starred in held


def test_an_overridden_tick_child_is_called_for_each_child():
    """Also by the control nodes of the library."""

    class Logged(bt.Sequence):
        def __init__(self, children):
            super().__init__(children)
            self.ticked = []

        def tick_child(self, child):
            self.ticked.append(child.name)
            return super().tick_child(child)

    node = Logged([bt.Success("a"), bt.Success("b"), bt.Failure("c"), bt.Success("d")])
    assert bt.Tree(node).tick() is F
    assert node.ticked == ["a", "b", "c"]


def test_update_can_be_replaced_between_two_ticks():
    """The method of the class at the time of the tick runs."""

    class Replaced(bt.Composite):
        def update(self):
            return S

    tree = bt.Tree(Replaced([bt.Success()]))
    answers = [tree.tick()]
    Replaced.update = lambda self: F
    assert [*answers, tree.tick()] == [S, F]
