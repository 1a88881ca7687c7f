# SPDX-License-Identifier: Apache-2.0
"""Compiles a tree to functions: one for each control node that is not inlined in another."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar

from deepsim_btree.rules.rule import NoRuleError

from .runtime import RUNTIME

if TYPE_CHECKING:
    from deepsim_btree.behaviour import Behaviour

PartT = TypeVar("PartT")
ControlT = TypeVar("ControlT")


class Begun(NamedTuple):
    """A branch whose inner nodes are compiled before its top node."""

    number: int
    """Position of its node among all nodes."""
    lengths: tuple[int, ...]
    """Lengths of all lists before it."""
    reason: str | None
    """Why its node has no function, "" for a leaf; None if it may have one."""
    children: tuple[Behaviour, ...]
    """The nodes below, which are compiled before it."""


class BranchCompiler(ABC, Generic[ControlT, PartT]):
    """Compiles a tree, children first, without recursion: no tree is too deep.

    Args:
        root: The node at the top.
        names: Names that the functions use besides those of `RUNTIME`.
    """

    UNTRANSLATABLE: ClassVar[type[Exception]] = NoRuleError
    """Errors for which a node and all nodes below it stay uncompiled."""

    def __init__(self, root: Behaviour, names: dict[str, Any]) -> None:
        self._root = root
        self._nodes: list[Behaviour] = []
        self._functions: list[str] = []
        self._lists: list[list[Any]] = [self._functions]  # cut back where a function fails
        self._names: dict[str, Any] = {**RUNTIME, **names}
        self._constants: dict[int, str] = {}

    @abstractmethod
    def _check(self, node: Behaviour) -> None:
        """Checks a node before those below it are compiled.

        Raises:
            NoRuleError: The node cannot be compiled.
        """

    @abstractmethod
    def _control(self, node: Any, begun: Begun, parts: list[PartT]) -> ControlT:
        """Compiles a node, given its compiled children.

        Raises:
            NoRuleError: Its rule uses more of Python than can be translated.
        """

    @abstractmethod
    def _part(self, node: Behaviour, begun: Begun, control: ControlT | None) -> PartT:
        """Returns the code with which the parent of a node ticks it."""

    def constant(self, value: object) -> str:
        """Returns a name for a value, always the same one."""
        # The value is kept with its name, so that no later value can have the same id.
        if id(value) not in self._constants:
            self._constants[id(value)] = name = f"k{len(self._names)}"
            self._names[name] = value
        return self._constants[id(value)]

    def argument(self, value: object) -> str:
        """Returns an expression for a value: its text if that is faster, or its name."""
        # Python refuses to write out ints of thousands of digits.
        if isinstance(value, int) and type(value) in (int, bool) and abs(value) < 2**63:
            return repr(value)
        return self.constant(value)

    def _branch(self) -> PartT:
        """Compiles all nodes and returns the code that ticks the root."""
        waiting: list[tuple[Behaviour, Begun | None]] = [(self._root, None)]
        parts: list[PartT] = []
        while waiting:
            node, begun = waiting.pop()
            if begun is None:
                begun = self._begin(node)
                waiting.append((node, begun))
                waiting += [(child, None) for child in reversed(begun.children)]
            else:
                first = len(parts) - len(begun.children)
                parts[first:] = [self._end(node, begun, parts[first:])]
        return parts[0]

    def _begin(self, node: Behaviour) -> Begun:
        number, lengths = len(self._nodes), tuple(map(len, self._lists))
        self._nodes.append(node)
        try:
            self._check(node)
        except NoRuleError as error:
            return Begun(number, lengths, str(error), ())
        return Begun(number, lengths, None, node.children)

    def _end(self, node: Behaviour, begun: Begun, parts: list[PartT]) -> PartT:
        control = None
        if begun.reason is None:
            try:
                control = self._control(node, begun, parts)
            except self.UNTRANSLATABLE as error:
                begun = begun._replace(reason=str(error))
                del self._nodes[begun.number + 1 :]
                for one, length in zip(self._lists, begun.lengths):
                    del one[length:]
        return self._part(node, begun, control)

    def _execute(self, source: str, filename: str) -> dict[str, Any]:
        """Runs the text of the functions and returns its names."""
        # The text has only generated words and numbers; user values have names in it.
        exec(compile(source, filename, "exec"), self._names)
        return self._names
