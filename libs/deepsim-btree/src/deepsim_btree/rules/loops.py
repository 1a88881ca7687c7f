# SPDX-License-Identifier: Apache-2.0
"""Loops over children, in all forms that a rule may use."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, NamedTuple

from .rule import NoRuleError, is_self

if TYPE_CHECKING:
    from collections.abc import Mapping


class Loop(NamedTuple):
    """A loop over children."""

    child: str
    """Name of the variable for the child."""
    position: str
    """Name of the variable for its position; empty if the loop has none."""
    order: Any
    """An expression for the order of the children; empty for the order in the tree."""
    start: ast.expr | None
    """The position at which the loop begins; None for the first child."""


def child_list(expression: ast.expr, orders: Mapping[str, Any]) -> Any:
    """Returns `Loop.order` for a list of children; None for any other expression.

    Args:
        expression: ``self._children``, a name for it, or ``[self._children[i] for i in order]``.
        orders: Orders of the local lists of children, by their names.
    """
    if isinstance(expression, ast.Attribute) and is_self(expression.value):
        return "" if expression.attr == "_children" else None
    if isinstance(expression, ast.Name):
        return orders.get(expression.id)
    if not isinstance(expression, ast.ListComp) or not isinstance(expression.elt, ast.Subscript):
        return None
    is_list = child_list(expression.elt.value, orders) == ""
    return expression.generators[0].iter if is_list else None


def loop_of(statement: ast.For, orders: Mapping[str, Any]) -> Loop:
    """Returns the parts of a loop.

    Raises:
        NoRuleError: The statement is not a loop over children.
    """
    target: Any = statement.target
    values: Any = statement.iter
    index, first = "", None
    if isinstance(values, ast.Call) and getattr(values.func, "id", "") == "enumerate":
        index, target = target.elts[0].id, target.elts[1]
        values, first = values.args[0], (values.args[1:] or [None])[0]
    start = None
    if isinstance(values, ast.Subscript) and isinstance(values.slice, ast.Slice):
        start, values = values.slice.lower, values.value
    order = child_list(values, orders)
    is_counted = not index or ast.dump(first or ast.Pass()) == ast.dump(start or ast.Pass())
    if order is None or not is_counted or not isinstance(target, ast.Name) or statement.orelse:
        raise NoRuleError(
            f"line {statement.lineno} of its update() has another loop than one over its children"
        )
    return Loop(target.id, index, order, start)
