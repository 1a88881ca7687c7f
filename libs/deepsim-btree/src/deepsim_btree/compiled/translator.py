# SPDX-License-Identifier: Apache-2.0
"""The base of all translations of rules: children, expressions and calls."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, Union

from deepsim_btree.blackboard.key import Key
from deepsim_btree.composites.random_order import RandomComposite
from deepsim_btree.errors import StructureError
from deepsim_btree.leaves.function import truth
from deepsim_btree.rules.expressions import OPERATORS, PURE, UnknownError, index_of
from deepsim_btree.rules.flow import never_skipped
from deepsim_btree.rules.loops import child_list
from deepsim_btree.rules.rule import NoRuleError, find_rule, has_one_child, is_self, method_call
from deepsim_btree.status import SKIPPED

if TYPE_CHECKING:
    from deepsim_btree.behaviour import Behaviour
    from deepsim_btree.rules.flow import Answers, Flow

At = TypeVar("At")
Child = Union[int, str]
"""The position of a child, or an expression for it."""


class Translator(ABC, Generic[At]):
    """The base of translators of the rule of one node to other code.

    Tests that the attributes of the node decide are left out. `At` is the type of the argument `at`
    that methods pass on, such as the group of agents for which code is written.

    Args:
        node: The node.

    Raises:
        NoRuleError: The source of the rule is not available.
    """

    AND: ClassVar[str]
    OR: ClassVar[str]
    HAS_SKIPPED: ClassVar[bool] = False
    """Whether nodes may answer SKIPPED."""
    SIGNS: ClassVar[dict[str, str]] = {}
    """Replacements for the signs of some operators."""

    def __init__(self, node: Behaviour) -> None:
        self.node = node
        self.rule = find_rule(type(node))
        statements = self.rule.statements
        self.statements = statements if self.HAS_SKIPPED else never_skipped(statements)
        self.places: dict[str, Child] = {}  # by the names that loops give to children
        self.orders: dict[str, Any] = {}  # by the names of lists of children

    @abstractmethod
    def literal(self, value: Any) -> str:
        """Returns an expression for a constant."""

    @abstractmethod
    def local(self, name: ast.Name, at: At) -> str:
        """Returns an expression for a local variable."""

    @abstractmethod
    def state(self, attribute: str, at: At) -> str:
        """Returns an expression for an attribute of the node that the rule writes."""

    @abstractmethod
    def status_of(self, child: int, at: At) -> str:
        """Returns an expression for the status of a child."""

    @abstractmethod
    def now(self) -> str:
        """Returns an expression for the time."""

    @abstractmethod
    def choice(self, test: str, yes: str, no: str) -> str:
        """Returns an expression for ``yes if test else no``."""

    @abstractmethod
    def users(self, name: str, at: At, *, is_condition: bool) -> str:
        """Returns a call of the user function in an attribute of the node."""

    @abstractmethod
    def draw(self, at: At) -> str:
        """Returns a call that draws an order of the children."""

    @abstractmethod
    def pure(self, function: Any, arguments: list[str]) -> str:
        """Returns a call of a pure function."""

    def check_answers(self, answers: Answers) -> None:
        """Checks the possible answers of the node.

        Raises:
            StructureError: One is SKIPPED, which trees for many agents do not support.
        """
        if SKIPPED in answers:
            raise StructureError(
                f"{self.node.path} answers SKIPPED, which no tree for many agents has"
            )

    def child(self, child: Any, flow: Flow, at: At) -> Child:
        """Returns the child that an expression refers to.

        Raises:
            NoRuleError: It does not refer to a child.
        """
        if isinstance(child, ast.Name) and child.id in self.places:
            return self.places[child.id]
        is_own = isinstance(child, ast.Attribute) and is_self(child.value)
        if is_own and child.attr == "child" and has_one_child(type(self.node)):
            return 0
        order = child_list(getattr(child, "value", child), self.orders)
        if not isinstance(child, ast.Subscript) or order != "":
            raise untranslatable(child)
        try:
            position: int = flow.value(index_of(child))
            return range(len(self.node.children))[position]
        except UnknownError:
            return self.text(index_of(child), flow, at)

    def text(self, e: ast.expr, flow: Flow, at: At) -> str:
        """Returns the translation of an expression.

        Raises:
            NoRuleError: The expression uses more of Python than can be translated.
        """

        def text(part: ast.expr) -> str:
            return self.text(part, flow, at)

        try:
            return self.literal(flow.constant(e))
        except UnknownError:
            pass
        if isinstance(e, ast.Name):
            term = flow.term(e.id)
            return self.local(e, at) if term is None else text(term)
        if isinstance(e, ast.Attribute):
            return self._attribute(e, at)
        if isinstance(e, ast.BoolOp):
            is_and = isinstance(e.op, ast.And)
            parts = [text(part) for part in e.values if flow.decide(part) is not is_and]
            joined = f" {self.AND if is_and else self.OR} ".join(parts)
            return joined if len(parts) == 1 else f"({joined})"
        if isinstance(e, ast.Compare) and len(e.ops) == 1:
            return self._binary(e.ops[0], text(e.left), text(e.comparators[0]))
        if isinstance(e, ast.BinOp):
            return self._binary(e.op, text(e.left), text(e.right))
        if isinstance(e, ast.UnaryOp):
            sign = OPERATORS[type(e.op)][0]
            return f"({self.SIGNS.get(sign, sign)} ({text(e.operand)}))"
        if isinstance(e, ast.IfExp):
            decided = flow.decide(e.test)
            if decided is None:
                return self.choice(text(e.test), text(e.body), text(e.orelse))
            return text(e.body if decided else e.orelse)
        if isinstance(e, ast.Subscript):
            return self.looked_up(flow.value(e.value), index_of(e), flow, at)
        if isinstance(e, ast.Call) and not e.keywords:
            return self._call(e, flow, at)
        raise untranslatable(e)

    def looked_up(self, table: Any, index: ast.expr, flow: Flow, at: At) -> str:
        """Returns an expression for an element of a constant."""
        return f"{self.literal(table)}[{self.text(index, flow, at)}]"

    def _binary(self, operator: Any, left: str, right: str) -> str:
        sign = OPERATORS[type(operator)][0]
        return f"({left} {self.SIGNS.get(sign, sign)} {right})"

    def _attribute(self, e: ast.Attribute, at: At) -> str:
        if is_self(e.value) and (e.attr in self.rule.state or e.attr == "status"):
            return self.state(e.attr, at)
        if e.attr == "status" and isinstance(e.value, ast.Name):
            child = self.places.get(e.value.id)
            if isinstance(child, int):
                return self.status_of(child, at)
        if e.attr == "now" and isinstance(e.value, ast.Attribute) and e.value.attr == "tree":
            return self.now()
        raise untranslatable(e)

    def _call(self, e: ast.Call, flow: Flow, at: At) -> str:
        name = method_call(e)
        if name and not isinstance(getattr(type(self.node), name, None), FunctionType):
            return self.users(name, at, is_condition=False)
        if name == "draw_order" and isinstance(self.node, RandomComposite):
            return self.draw(at)
        if isinstance(e.func, ast.Attribute) and not is_self(e.func.value):
            self._refuse_keys(e.func.value, flow)
            raise untranslatable(e)
        function = flow.value(e.func)
        if function is truth and method_call(e.args[0]):
            return self.users(method_call(e.args[0]), at, is_condition=True)
        if function in PURE or getattr(function, "is_pure", False):
            return self.pure(function, [self.text(argument, flow, at) for argument in e.args])
        raise untranslatable(e)

    def _refuse_keys(self, owner: ast.expr, flow: Flow) -> None:
        try:
            is_key = isinstance(flow.value(owner), Key)
        except UnknownError:
            return
        if is_key:
            raise StructureError(
                f"{self.node.path} reads a blackboard: give it a function of AGENT"
            )


def untranslatable(part: Any) -> NoRuleError:
    """Returns an error about a part of a rule that cannot be translated."""
    kind = type(part).__name__
    return NoRuleError(f"line {part.lineno} of its update() has a {kind} that has no such form")


def variable(target: Any) -> str:
    """Returns the name in a `Flow` of the variable that a statement writes."""
    return target.id if isinstance(target, ast.Name) else f"self.{target.attr}"
