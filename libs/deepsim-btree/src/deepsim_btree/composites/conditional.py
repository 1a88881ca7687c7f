# SPDX-License-Identifier: Apache-2.0
"""IfThenElse, WhileDoElse, Switch and Guard: a condition or a value decides what runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from deepsim_btree.arguments import read_number
from deepsim_btree.behaviour import Behaviour
from deepsim_btree.blackboard import Key
from deepsim_btree.leaves.function import truth
from deepsim_btree.parent import Decorator, Parent
from deepsim_btree.status import FAILURE, INVALID, RUNNING, SUCCESS, Status
from deepsim_btree.tag import Tag


class Conditional(Parent):
    """The base of nodes with a condition and one or two branches."""

    __slots__ = ("_branch",)

    def __init__(
        self,
        condition: Behaviour,
        then: Behaviour,
        otherwise: Behaviour | None = None,
        name: str | None = None,
    ) -> None:
        branches = (then,) if otherwise is None else (then, otherwise)
        super().__init__((condition, *branches), name)
        self._branch = 0  # of the run; 0 before the condition has answered

    def _run(self, branch: int) -> Status:
        if branch == len(self._children):  # no `otherwise`
            return FAILURE
        status = self.tick_child(self._children[branch])
        return FAILURE if status is INVALID else status


class IfThenElse(Conditional):
    """Tests a condition once per run, then runs one branch to its end.

    >>> from deepsim_btree import Check, Running, Success, Tree
    >>> battery = [0.1]
    >>> is_low = Check(lambda: battery[0] < 0.2)
    >>> tree = Tree(IfThenElse(is_low, Running("charge"), Success("work")))
    >>> tree.tick().name
    'RUNNING'
    >>> battery[0] = 0.9  # not tested again while a branch is RUNNING
    >>> tree.tick().name
    'RUNNING'

    Args:
        condition: The node to test, ticked until it is not RUNNING; SUCCESS means yes, FAILURE and
            INVALID mean no.
        then: The node that runs after a yes.
        otherwise: The node that runs after a no; if None, a no makes this node fail.
    """

    __slots__ = ()
    xml_tags = (Tag("IfThenElse", hidden=("condition", "then", "otherwise")),)

    def update(self) -> Status:
        if self.status is not RUNNING:
            self._branch = 0
        if self._branch == 0:
            status = self.tick_child(self._children[0])
            if status is RUNNING:
                return RUNNING
            self._branch = 1 if status is SUCCESS else 2
        return self._run(self._branch)


class WhileDoElse(Conditional):
    """Tests a condition at every tick, runs one branch accordingly and halts the other one.

    While the condition itself is RUNNING, no branch is ticked or halted.

    >>> from deepsim_btree import Check, Running, Success, Tree
    >>> battery = [0.1]
    >>> is_low = Check(lambda: battery[0] < 0.2)
    >>> tree = Tree(WhileDoElse(is_low, Running("charge"), Success("work")))
    >>> tree.tick().name
    'RUNNING'
    >>> battery[0] = 0.9
    >>> tree.tick().name
    'SUCCESS'

    Args:
        condition: The node to test; SUCCESS means yes, FAILURE and INVALID mean no.
        then: The node that runs while the answer is yes.
        otherwise: The node that runs while the answer is no; if None, a no makes this node fail.
    """

    __slots__ = ()
    xml_tags = (Tag("WhileDoElse", hidden=("condition", "then", "otherwise")),)

    def update(self) -> Status:
        status = self.tick_child(self._children[0])
        if status is RUNNING:
            return RUNNING
        chosen = 1 if status is SUCCESS else 2
        for branch, child in enumerate(self._children[1:], 1):
            if branch != chosen:
                child.halt()
        return self._run(chosen)


class Guard(Decorator):
    """Ticks its child while a condition holds; otherwise halts it and fails.

    It answers like a `ReactiveSequence` of a `Check` and the child.

    >>> from deepsim_btree import Running, Tree
    >>> battery = [0.9]
    >>> tree = Tree(Guard(Running("drive"), condition=lambda: battery[0] > 0.2))
    >>> tree.tick().name
    'RUNNING'
    >>> battery[0] = 0.1
    >>> tree.tick().name, tree.root.child.status.name
    ('FAILURE', 'INVALID')

    Args:
        condition: Called without arguments at each tick, before the child; returns True or False.

    Raises:
        TypeError: `condition` is not callable.
    """

    __slots__ = ("condition",)

    def __init__(
        self, child: Behaviour, name: str | None = None, *, condition: Callable[[], bool]
    ) -> None:
        super().__init__(child, name)
        if not callable(condition):
            raise TypeError(f"condition must be callable, got {condition!r}")
        self.condition = condition

    def update(self) -> Status:
        if truth(self.condition()):
            return self.tick_child(self.child)
        self.child.halt()
        return FAILURE


class Switch(Parent):
    """Runs the child whose case equals a value that is read at every tick.

    When the value changes while a child is RUNNING, that child is halted. A case that is a text
    stands for all values with this text. A number and its text are the same case, as in
    BehaviorTree.CPP: 2 and ``"2"`` stand for 2, 2.0 and ``"2"``. True is written both ways,
    ``"True"`` and ``"true"``.

    >>> from deepsim_btree import Running, Success, Tree, key
    >>> cases = {"idle": Success("rest"), "work": Running("drive")}
    >>> tree = Tree(Switch(cases, on=key("mode")), blackboard={"mode": "work"})
    >>> tree.tick().name
    'RUNNING'
    >>> tree.blackboard["mode"] = "idle"
    >>> tree.tick().name
    'SUCCESS'

    Args:
        cases: The nodes, by the values for which they run.
        default: The node for all other values; if None, they make this node fail.
        on: Source of the value: a function without arguments, or the `key` of an entry.

    Raises:
        TypeError: `on` is neither.
    """

    __slots__ = ("_cases", "_positions", "on")

    def __init__(
        self,
        cases: Mapping[object, Behaviour],
        default: Behaviour | None = None,
        name: str | None = None,
        *,
        on: Callable[[], object] | Key,
    ) -> None:
        if not isinstance(on, Key) and not callable(on):
            raise TypeError(f'on must be a function or a key such as key("mode"), got {on!r}')
        super().__init__((*cases.values(), *(() if default is None else (default,))), name)
        self._cases = tuple(cases)
        self._positions: dict[object, int] = {}
        for position, case in enumerate(cases):
            self._positions.setdefault(case_key(case), position)
        self.on = on

    @property
    def cases(self) -> tuple[object, ...]:
        """The values that have a child of their own, in the order of the children."""
        return self._cases

    def update(self) -> Status:
        value = self.on.read(self) if isinstance(self.on, Key) else self.on()
        chosen = self.choose(value)
        for position, child in enumerate(self._children):
            if position != chosen:
                child.halt()
        if chosen == len(self._children):  # no default
            return FAILURE
        status = self.tick_child(self._children[chosen])
        return FAILURE if status is INVALID else status

    def choose(self, value: object) -> int:
        """Returns the position of the child for `value`, or of the default if no case fits."""
        if value.__class__ is str or value.__class__ is int:  # a quick way for most values
            return self._positions.get(case_key(value), len(self._cases))
        forms = _forms(value)
        for key, position in self._positions.items():
            if key in forms:
                return position
        return len(self._cases)


def case_key(case: object) -> object:
    """Returns the key by which a case is found: for the text of a number, the number."""
    if isinstance(case, str):
        number = read_number(case)
        if number is not None:
            return number
    return case


def _forms(value: object) -> tuple[object, ...]:
    text = str(value)
    if isinstance(value, bool):
        return value, text, text.lower()  # files write true and false
    number = None if isinstance(value, (int, float)) else read_number(text)
    return (value, text) if number is None else (value, text, number)
