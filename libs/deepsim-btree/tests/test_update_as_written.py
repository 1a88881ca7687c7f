# SPDX-License-Identifier: Apache-2.0
"""The `update` of a control node means what Python says, for every kind of statement.

Python itself is the oracle: each method also runs on a plain object outside any tree.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import inspect
import itertools
import sys
import textwrap
from typing import Any

import pytest

import deepsim_btree as bt
from deepsim_btree import Status
from deepsim_btree.testing import Scripted

S, F, R = Status.SUCCESS, Status.FAILURE, Status.RUNNING
SCRIPTS = {"one": [S, R, S, F], "two": [F, S, R, S], "three": [R, S, F, S]}
SHARED: list[str] = []
COUNT = 0


class Child:
    """A stand-in for a node, with a name and answers."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.answers = itertools.cycle(SCRIPTS[name])


class Plain:
    """The part of a control node that the methods below use, without the library."""

    __slots__ = ("__weakref__", "children")

    def __init__(self) -> None:
        self.children = tuple(Child(name) for name in SCRIPTS)

    def tick_child(self, child: Child) -> Status:
        return next(child.answers)


class Case:
    """Methods of a control node, mixed into `Plain` and into `Composite`."""

    def begin(self) -> None:
        """Sets the attributes of a new node."""

    def first(self) -> Status:
        return self.tick_child(self.children[0])


class Swap(Case):
    def begin(self):
        self.now, self.later = 0, 1

    def update(self):
        status = self.tick_child(self.children[self.now])
        self.now, self.later = self.later, self.now
        return status


class LocalSwap(Case):
    def update(self):
        x, y = 1, 2
        x, y = y, x
        self.first()
        return S if (x, y) == (2, 1) else F


class Fibonacci(Case):
    def begin(self):
        self.a, self.b = 0, 1

    def update(self):
        self.a, self.b = self.b, self.a + self.b
        return self.first()


class SwapOfItems(Case):
    def begin(self):
        self.items = [1, 2, 3]

    def update(self):
        self.items[0], self.items[2] = self.items[2], self.items[0]
        return self.first()


class Chain(Case):
    def begin(self):
        self.numbers = itertools.count()

    def update(self):
        n = self.last = next(self.numbers)
        self.n = n
        return self.first()


class ChainOfLists(Case):
    def update(self):
        self.x = self.y = [0]
        self.x[0] = 5
        self.n = self.y[0]
        return self.first()


class ChainOfTicks(Case):
    def update(self):
        self.a = self.b = self.first()
        return self.a


class InPlace(Case):
    def begin(self):
        self.log = SHARED

    def update(self):
        for child in self.children:
            status = self.tick_child(child)
            self.log += [status.name]
        return S


class InPlaceByAlias(Case):
    def begin(self):
        self.stack = [7]

    def update(self):
        top = self.stack
        top += [8]
        return self.first()


class IndexOnce(Case):
    def begin(self):
        self.hits, self.numbers = [0] * 9, itertools.count()

    def update(self):
        self.hits[next(self.numbers)] += 1
        return self.first()


class ListsOfCalls(Case):
    def begin(self):
        self.numbers = itertools.count()

    def update(self):
        a, b = [next(self.numbers), next(self.numbers)]
        self.seen = a, b
        return self.first()


class Starred(Case):
    def update(self):
        first, *rest = self.children
        self.count = len(rest)
        return self.tick_child(first)


class ListTarget(Case):
    def update(self):
        [a, (b, c)] = 1, (2, 3)
        self.seen = a, b, c
        return self.first()


class OfIterators(Case):
    def update(self):
        x, y = iter([5, 6])
        self.seen = x, y
        return self.first()


class OfKeys(Case):
    def update(self):
        a, b = {5: "a", 6: "b"}
        self.seen = a, b
        return self.first()


class WrongCount(Case):
    def update(self):
        three = 1, 2, 3
        a, b = three
        return S if a < b else F


class OneTest(Case):
    def begin(self):
        self.numbers = itertools.count()

    def update(self):
        a, b = (1, 1) if next(self.numbers) % 2 else (2, 2)
        self.seen = a, b
        return self.first()


class FromEachOther(Case):
    def begin(self):
        self.i = self.j = 0

    def update(self):
        self.i, self.j = self.j + 1, self.i
        return self.first()


class ReservedNames(Case):
    def update(self):
        _tick, _values, _answer = 3, (9, 9), 7
        for child in self.children:
            self.tick_child(child)
        a, b = divmod(7, 2)
        self.seen = _tick, _values, _answer, a, b
        return S


class Overridden(Case):
    def begin(self):
        self.ticked = []

    def tick_child(self, child):
        self.ticked.append(child.name)
        return super().tick_child(child)

    def update(self):
        return S if all(self.tick_child(child) is S for child in self.children) else F


class Order(Case):
    def update(self):
        a, b = self.tick_child(self.children[1]), self.first()
        self.seen = a, b
        return b


class BothTicks(Case):
    def update(self):
        return S if self.first() is S and self.tick_child(self.children[1]) is S else F


class SideEffectFirst(Case):
    def begin(self):
        self.count = 0

    def bump(self):
        self.count += 1
        return True

    def update(self):
        if self.bump() and self.first() is S:
            return S
        return F


class Mangled(Case):
    def begin(self):
        self.__z = 4

    def update(self):
        self.seen = self.__z
        self.__z = 5
        return self.first()


class WithSuper(Swap):
    def update(self):
        self.before = self.now
        return super().update()


def counting(method):
    def wrapper(self):
        self.calls = getattr(self, "calls", 0) + 1
        return method(self)

    return wrapper


class Decorated(Case):
    @counting
    def update(self):
        return self.first()


class ForElse(Case):
    def update(self):
        for child in self.children:
            status = self.tick_child(child)
            if status is R:
                continue
            if status is F:
                break
        else:
            return S
        return F


class WhileElse(Case):
    def update(self):
        n = 0
        while n < 2:
            a, b = n, n + 1
            a, b = b, a
            n = a
        else:
            self.seen = a, b
        return self.first()


class TryElseFinally(Case):
    def begin(self):
        self.steps = []

    def update(self):
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


class Raising(Case):
    def update(self):
        self.first()
        raise LookupError("lost") from None


class Asserting(Case):
    def update(self):
        has_ended = self.first() is not R
        assert has_ended, "the child is RUNNING"
        return S


class WithStatement(Case):
    def begin(self):
        self.steps = []

    @contextlib.contextmanager
    def noting(self, *names):
        self.steps.append(("in", *names))
        yield names
        self.steps.append(("out", *names))

    def update(self):
        with self.noting("a") as (a,), self.noting(a, "b"):
            return self.first()


class Deleting(Case):
    def update(self):
        self.steps = steps = [1, 2, 3]
        del steps[0], self.steps
        self.left = steps
        del steps
        return self.first()


class Importing(Case):
    def update(self):
        import math as m  # noqa: PLC0415
        from math import pi, tau  # noqa: PLC0415

        self.seen = m.floor(pi), tau / pi
        return self.first()


class Annotated(Case):
    def update(self):
        status: Status
        status = self.first()
        self.seen: Status = status
        return status


class GlobalCount(Case):
    def update(self):
        global COUNT
        COUNT += 1
        self.seen = COUNT
        return self.first()


class Nested(Case):
    def update(self):
        count = 0

        def good(child):
            nonlocal count
            count += 1
            return self.tick_child(child) is not F

        class Local:
            limit = 2
            pass  # noqa: PIE790

        answer = S if sum(map(good, self.children)) >= Local.limit else F
        self.seen = count
        return answer


class LateBinding(Case):
    def update(self):
        k = 2
        late = lambda: k  # noqa: E731
        k, j = 5, k
        self.seen = late(), j
        return self.first()


class Comprehensions(Case):
    def update(self):
        answers = {child.name: self.tick_child(child) for child in self.children}
        self.seen = [name for name, answer in answers.items() if answer is S]
        return S if {*answers.values()} == {S} else F


class Walrus(Case):
    def update(self):
        if (status := self.first()) is S:
            self.seen = status
        return status


class Generators(Case):
    def answers(self):
        for child in self.children:
            yield self.tick_child(child)

    def update(self):
        self.seen = next(self.answers())
        return self.seen


class Asynchronous(Case):
    def update(self):
        class Both:
            async def __aenter__(self):
                return self

            async def __aexit__(self, *error):
                return False

            async def __aiter__(self):
                for n in range(3):
                    yield n

        async def work():
            async with Both() as both:
                async for n in both:
                    self.seen = n
            return self.first()

        return asyncio.run(work())


NEW_FORMS = [
    (
        (3, 10),
        """
        match [self.first(), self.tick_child(self.children[1])]:
            case [Status.SUCCESS, second]:
                self.seen = second
                return S
            case [first, *_]:
                return first
        """,
    ),
    (
        (3, 11),
        """
        try:
            raise ExceptionGroup("both", [KeyError(self.first().name), ValueError()])
        except* KeyError as group:
            self.seen = group.exceptions[0].args
        except* ValueError:
            self.second = self.tick_child(self.children[1])
        return S
        """,
    ),
    (
        (3, 12),
        """
        type Answer = Status
        self.seen = Answer.__name__
        return self.first()
        """,
    ),
]
NEW = {
    version: "class New(Case):\n    def update(self):\n" + textwrap.indent(text, " " * 8)
    for version, text in NEW_FORMS
}


def new_case(version: tuple[int, int]) -> Any:
    if sys.version_info < version:
        pytest.skip(f"a statement of Python {version}")
    names: dict[str, Any] = dict(globals())
    exec(NEW[version], names)
    return names["New"]


def seen(node: Any) -> dict[str, Any]:
    """Return what the methods of a case have stored in a node."""
    return {name: str(value) for name, value in vars(node).items()}


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
        found.append((seen(node), list(SHARED), COUNT))
    return found


def compare(case: Any) -> None:
    class PlainNode(case, Plain):
        pass

    class TreeNode(case, bt.Composite):
        pass

    letters = {name: "".join(s.name[0] for s in script) for name, script in SCRIPTS.items()}
    node = TreeNode([Scripted(script, name) for name, script in letters.items()])
    plain = PlainNode()
    # Names mangled by the class that defines them are the same in both.
    assert run(node, bt.Tree(node).tick) == run(plain, plain.update)


CASES = [
    value
    for value in list(globals().values())
    if isinstance(value, type) and issubclass(value, Case) and value is not Case
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_update_runs_as_it_is_written(case):
    """Answers, errors and attributes are those of the method outside a tree."""
    compare(case)


@pytest.mark.parametrize("version", NEW, ids=str)
def test_statements_of_later_pythons(version):
    """The same for statements that some supported Pythons do not have."""
    compare(new_case(version))


def test_every_statement_of_the_grammar_is_in_a_method():
    """The methods above hold each kind of statement that this Python knows."""
    texts = [inspect.getsource(case) for case in (*CASES, Nested)]
    texts += [text for version, text in NEW.items() if sys.version_info >= version]
    nodes = [node for text in texts for node in ast.walk(ast.parse(textwrap.dedent(text)))]
    held = {type(node) for node in nodes}
    targets = [t for node in nodes if isinstance(node, ast.Assign) for t in node.targets]
    assert {kind.__name__ for kind in ast.stmt.__subclasses__() if kind not in held} == set()
    assert {type(target) for target in targets} >= {
        ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.List
    }  # fmt: skip
    assert any(isinstance(node, ast.Starred) for node in nodes)


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
