# SPDX-License-Identifier: Apache-2.0
"""Switch: a value decides which child runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from deepsim_btree.arguments import read_number
from deepsim_btree.behaviour import Behaviour
from deepsim_btree.blackboard.key import Key
from deepsim_btree.parent import Parent
from deepsim_btree.status import FAILURE, INVALID, Status


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
        """Reads the value, ticks the child for it and halts the others."""
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
    """Returns the keys that fit a value: itself, its texts, and the number in its text."""
    text = str(value)
    if isinstance(value, bool):
        return value, text, text.lower()  # files write true and false
    number = None if isinstance(value, (int, float)) else read_number(text)
    return (value, text) if number is None else (value, text, number)
