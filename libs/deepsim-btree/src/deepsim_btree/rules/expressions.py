# SPDX-License-Identifier: Apache-2.0
"""Evaluation of those expressions in a rule that do not depend on the run of the tree."""

from __future__ import annotations

import ast
import operator
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    Function = TypeVar("Function", bound=Callable[..., Any])


class UnknownError(Exception):
    """Raised for a value that depends on the run of the tree."""


def pure(function: Function) -> Function:
    """Marks a function whose result depends only on its arguments and on constant attributes."""
    function.is_pure = True  # type: ignore[attr-defined]
    return function


def query(method: Function) -> Function:
    """Marks a method without arguments or side effects, which the rules of a `Tree` may call."""
    method.is_query = True  # type: ignore[attr-defined]
    return method


def rule_part(method: Function) -> Function:
    """Marks a method that may be the last call of an `update`; its body is inserted there."""
    method.is_rule_part = True  # type: ignore[attr-defined]
    return method


PURE = (abs, bool, float, int, isinstance, len, max, min)

OPERATORS: dict[type, tuple[str, Callable[..., Any]]] = {
    ast.Is: ("is", operator.is_),
    ast.IsNot: ("is not", operator.is_not),
    ast.Eq: ("==", operator.eq),
    ast.NotEq: ("!=", operator.ne),
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.Mult: ("*", operator.mul),
    ast.Div: ("/", operator.truediv),
    ast.FloorDiv: ("//", operator.floordiv),
    ast.Mod: ("%", operator.mod),
    ast.Not: ("not", operator.not_),
    ast.USub: ("-", operator.neg),
}


def evaluate(expression: ast.expr, look: Callable[[ast.expr], Any]) -> Any:
    """Returns the value of an expression.

    Args:
        expression: The expression.
        look: Returns the value of a name or an attribute, or raises UnknownError.

    Raises:
        UnknownError: The value depends on the run.
    """

    def value(part: ast.expr) -> Any:
        return evaluate(part, look)

    if isinstance(expression, ast.Constant):
        return expression.value
    if isinstance(expression, (ast.Name, ast.Attribute)):
        return look(expression)
    if isinstance(expression, ast.BoolOp):
        return _bool_op(expression, value)
    if isinstance(expression, ast.Compare) and len(expression.ops) == 1:
        _, compare = OPERATORS[type(expression.ops[0])]
        return compare(value(expression.left), value(expression.comparators[0]))
    if isinstance(expression, ast.BinOp):
        _, operate = OPERATORS[type(expression.op)]
        return operate(value(expression.left), value(expression.right))
    if isinstance(expression, ast.UnaryOp):
        return OPERATORS[type(expression.op)][1](value(expression.operand))
    if isinstance(expression, ast.IfExp):
        return value(expression.body if value(expression.test) else expression.orelse)
    if isinstance(expression, ast.Subscript):
        return value(expression.value)[value(index_of(expression))]
    if isinstance(expression, ast.Call) and not expression.keywords:
        function = value(expression.func)
        if function in PURE or getattr(function, "is_pure", False):
            return function(*map(value, expression.args))
    raise UnknownError


def index_of(expression: ast.Subscript) -> ast.expr:
    """Returns the index expression, which Python 3.8 wraps in another node."""
    index: Any = expression.slice
    return index.value if type(index).__name__ == "Index" else index  # type: ignore[no-any-return]


def _bool_op(expression: ast.BoolOp, value: Callable[[ast.expr], Any]) -> Any:
    """Returns the value of an "and" or an "or"; one known part may decide it."""
    decides = isinstance(expression.op, ast.Or)
    is_known = True
    found: Any = not decides
    for part in expression.values:
        try:
            found = value(part)
        except UnknownError:
            is_known = False
        else:
            if bool(found) is decides:
                return found
    if is_known:
        return found
    raise UnknownError
