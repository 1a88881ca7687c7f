# SPDX-License-Identifier: Apache-2.0
"""Facts about variables at one place in a rule, for a node of a tree that runs for many agents."""

from __future__ import annotations

import ast
import builtins
from copy import deepcopy
from typing import TYPE_CHECKING, Any, FrozenSet

from deepsim_btree.status import FAILURE, INVALID, RUNNING, SUCCESS, Status

from .expressions import UnknownError, evaluate
from .rule import is_self

if TYPE_CHECKING:
    from collections.abc import Callable

    from deepsim_btree.behaviour import Behaviour

    from .rule import Rule

NO_STATUS = object()
"""Stands for any value other than a Status that a leaf may wrongly return."""

Answers = FrozenSet[Any]
CHECKED: Answers = frozenset({INVALID, RUNNING, SUCCESS, FAILURE})
"""Possible answers of a node in a tree for many agents."""
UNCHECKED: Answers = CHECKED | {NO_STATUS}


class _NeverSkipped(ast.NodeTransformer):
    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        right = node.comparators[0]
        if isinstance(node.left, ast.Attribute) and getattr(right, "id", "") == "SKIPPED":
            answer = ast.Constant(isinstance(node.ops[0], ast.IsNot), kind=None)
            return ast.copy_location(answer, node)
        return node


def never_skipped(statements: list[ast.stmt]) -> list[ast.stmt]:
    """Removes tests for SKIPPED, which no child answers in trees for many agents."""
    return [_NeverSkipped().visit(deepcopy(statement)) for statement in statements]


class Flow:
    """The facts that are known at one place of a rule.

    Args:
        node: The node of the rule; its attributes are constants, except those in `Rule.state`.
        rule: The rule.
        read: Returns an attribute of the node, or raises UnknownError.
        anything: The possible answers if nothing is known.

    Attributes:
        known: Values of local names and, with ``self.`` in front, of attributes.
        answers: Possible values of each local name that holds a status.
    """

    def __init__(
        self,
        node: Behaviour,
        rule: Rule,
        read: Callable[[Behaviour, str], Any] = getattr,
        anything: Answers = CHECKED,
    ) -> None:
        self._node = node
        self._rule = rule
        self._read = read
        self._anything = anything
        self.known: dict[str, Any] = {}
        self.answers: dict[str, Answers] = {}
        self._terms: dict[str, ast.expr] = {}

    def copy(self) -> Flow:
        """Returns a copy."""
        twin = Flow(self._node, self._rule, self._read, self._anything)
        twin.known, twin.answers = dict(self.known), dict(self.answers)
        twin._terms = dict(self._terms)
        return twin

    def assign(self, name: str, value: ast.expr | Answers) -> None:
        """Records an assignment: of an expression, or of an answer, as its possible values."""
        if isinstance(value, frozenset):
            self.forget(name)
            self.narrow(name, value)
            return
        try:
            known = self.value(value)
        except UnknownError:
            outcomes = self.outcomes(value)
            self.forget(name)
            is_term = all(one is not UnknownError for one in outcomes.values())
            if is_term and not _mentions(value, name):
                self._terms[name] = value
        else:
            self.forget(name)
            self.known[name] = known
            if isinstance(known, Status):
                self.answers[name] = frozenset({known})

    def narrow(self, name: str, answers: Answers) -> None:
        """Records the only values that a status may have."""
        self.answers[name] = answers
        if len(answers) == 1 and NO_STATUS not in answers:
            (self.known[name],) = answers

    def term(self, name: str) -> ast.expr | None:
        """Returns the expression that a variable was computed from, if it contains a status."""
        return self._terms.get(name)

    def forget(self, name: str) -> None:
        """Forgets a variable and all variables that were computed from it."""
        self.known.pop(name, None)
        self.answers.pop(name, None)
        self._terms.pop(name, None)
        for other, term in list(self._terms.items()):
            if _mentions(term, name):
                del self._terms[other]

    def value(self, expression: ast.expr) -> Any:
        """Returns the value of an expression.

        Raises:
            UnknownError: The value depends on the run.
        """
        return evaluate(expression, self._look)

    def outcomes(self, expression: ast.expr) -> dict[Any, Any]:
        """Returns the value of an expression for each value of its only status, or UnknownError."""
        name = self._status_in(expression)
        if name is None:
            try:
                return {None: self.value(expression)}
            except UnknownError:
                return {None: UnknownError}
        found = {}
        for answer in self.answers[name]:
            given = self.copy()
            given.known[name] = answer
            try:
                found[answer] = given.value(expression)
            except UnknownError:
                found[answer] = UnknownError
            except (TypeError, IndexError):
                found[answer] = NO_STATUS
        return found

    def possible(self, expression: ast.expr) -> Answers:
        """Returns the statuses that the value of an expression may be."""
        if isinstance(expression, ast.IfExp) and self.decide(expression.test) is None:
            yes, no = self.split(expression.test)
            some = frozenset() if yes is None else yes.possible(expression.body)
            return some | (frozenset() if no is None else no.possible(expression.orelse))
        found: set[Any] = set()
        for value in self.outcomes(expression).values():
            found |= self._anything if value is UnknownError else {value}
        return frozenset(found)

    def unchecked(self, expression: ast.expr) -> str | None:
        """Returns the name of the status to check before the use of an expression, or None."""
        name = self._status_in(expression)
        if name is None or NO_STATUS not in self.answers[name]:
            return None
        return name if self.outcomes(expression)[NO_STATUS] is NO_STATUS else None

    def unresolved(self) -> list[str]:
        """Returns the names of all statuses that must still be checked."""
        return [name for name, answers in self.answers.items() if NO_STATUS in answers]

    def split(self, test: ast.expr) -> tuple[Flow | None, Flow | None]:
        """Returns the facts if a test is true and if it is false; None for an impossible case."""
        name = self._status_in(test)
        outcomes = self.outcomes(test)
        flows: list[Flow | None] = []
        for wanted in (True, False):
            fitting = [
                a for a, value in outcomes.items() if value is UnknownError or bool(value) is wanted
            ]
            flow = self.copy() if fitting else None
            if flow is not None and name is not None:
                flow.narrow(name, frozenset(fitting))
            flows.append(flow)
        return flows[0], flows[1]

    def is_other_than_running(self, test: ast.expr, name: str) -> bool:
        """Returns whether a test is true exactly if a status is not RUNNING."""
        self.assign(name, UNCHECKED)
        return all((value is False) is (a is RUNNING) for a, value in self.outcomes(test).items())

    def decide(self, test: ast.expr) -> bool | None:
        """Returns the value of a test, or None if it is unknown."""
        try:
            return bool(self.constant(test))
        except UnknownError:
            return None

    def constant(self, expression: ast.expr) -> Any:
        """Returns the value of an expression if it is the same for all possible statuses.

        Raises:
            UnknownError: The value depends on the run.
        """
        value, *others = self.outcomes(expression).values()
        if value is UnknownError or any(other is not value for other in others):
            raise UnknownError
        return value

    def joined(self, other: Flow | None) -> Flow:
        """Returns the facts that are true in both."""
        if other is None:
            return self
        both = self.copy()
        both.known = {
            name: value
            for name, value in self.known.items()
            if name in other.known and other.known[name] is value
        }
        both.answers = {
            name: answers | other.answers[name]
            for name, answers in self.answers.items()
            if name in other.answers
        }
        both._terms = {n: t for n, t in self._terms.items() if other._terms.get(n) is t}
        return both

    def _status_in(self, expression: ast.expr) -> str | None:
        """Returns the only name with several possible statuses in an expression, or None."""
        names = set()
        for node in ast.walk(expression):
            if isinstance(node, ast.Name):
                if node.id in self._terms:
                    inner = self._status_in(self._terms[node.id])
                    names |= {inner} if inner else set()
                elif len(self.answers.get(node.id, ())) > 1:
                    names.add(node.id)
        return names.pop() if len(names) == 1 else None

    def _look(self, expression: ast.expr) -> Any:
        if isinstance(expression, ast.Name):
            return self._name(expression.id)
        assert isinstance(expression, ast.Attribute)
        name = expression.attr
        if not is_self(expression.value):
            owner = self.value(expression.value)
            if owner is Status:
                return getattr(owner, name)
            raise UnknownError
        if f"self.{name}" in self.known:
            return self.known[f"self.{name}"]
        kind = getattr(type(self._node), name, None)
        if name in self._rule.state or name in ("status", "last_tick"):
            raise UnknownError
        if isinstance(kind, property):
            raise UnknownError
        return self._read(self._node, name)

    def _name(self, name: str) -> Any:
        if name in self.known:
            return self.known[name]
        if name in self._terms:
            return self.value(self._terms[name])
        if name == "self":
            return self._node
        if name in self._rule.local_names:
            raise UnknownError
        if name in self._rule.names:
            return self._rule.names[name]
        if hasattr(builtins, name):
            return getattr(builtins, name)
        raise UnknownError


def _mentions(expression: ast.expr, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(expression))
