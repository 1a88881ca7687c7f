# SPDX-License-Identifier: Apache-2.0
"""Faster `update` methods for a `Tree`, in which the ticks of children are written inline."""

from __future__ import annotations

import ast
from copy import deepcopy
from types import FunctionType
from typing import TYPE_CHECKING, Any

from deepsim_btree.status import Status

from .rule import NoRuleError, Rule, find_rule, has_one_child, is_self, is_tick

if TYPE_CHECKING:
    from collections.abc import Callable

# The code of `Parent.tick_child` without a method call, which takes as long as a leaf.
TICK = """
{child}.last_tick = {tick}
try:
    {child}.status = {answer} = {child}._entry()
except Exception as _error:
    {child}._fail(_error)
"""
CHECK = """
if {answer}.__class__ is not self.status.__class__:
    raise {child}._no_status({answer})
"""


def quick_update(cls: type[Any]) -> Callable[[Any], Status]:
    """Returns a faster form of the `update` of a class of control nodes.

    Without source code, as in a frozen program, returns `update` itself.
    """
    update: Any = cls.update
    try:
        rule = find_rule(cls)
    except NoRuleError:
        return update  # type: ignore[no-any-return]
    statements = [_Shorter(cls).visit(statement) for statement in deepcopy(rule.statements)]
    module = ast.parse("def update(self): pass")
    definition: Any = module.body[0]
    definition.body = _written_out(statements, rule)
    if any(isinstance(statement, ast.For) for statement in statements):
        definition.body[:0] = _parsed("_tick = self.last_tick")
    ast.fix_missing_locations(definition)
    quick = FunctionType(compile(module, rule.filename, "exec").co_consts[0], rule.names)
    quick.__qualname__, quick.__doc__ = update.__qualname__, update.__doc__
    return quick


class _Shorter(ast.NodeTransformer):
    """Replaces `Decorator.child`, and loops that begin at the first child, with faster code."""

    def __init__(self, cls: type[Any]) -> None:
        self._has_child = has_one_child(cls)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        is_child = self._has_child and node.attr == "child" and is_self(node.value)
        if not is_child or isinstance(node.ctx, ast.Store):
            return self.generic_visit(node)
        first: Any = _parsed("self._children[0]", node)[0]
        return first.value  # type: ignore[no-any-return]

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if getattr(node.func, "id", "") == "enumerate" and isinstance(node.args[0], ast.Subscript):
            children = node.args[0]
            start = getattr(children.slice, "lower", None)
            if isinstance(start, ast.Name):  # no copy of the whole list
                node.args[0] = ast.IfExp(start, children, children.value)
        return node


def _written_out(
    statements: list[ast.stmt], rule: Rule, tick: str = "self.last_tick"
) -> list[ast.stmt]:
    """Returns statements with inline code in place of all ticks of children."""
    found: list[ast.stmt] = []
    for number, statement in enumerate(statements):
        if isinstance(statement, (ast.If, ast.For)):
            inner = "_tick" if isinstance(statement, ast.For) else tick
            statement.body = _written_out(statement.body, rule, inner)
            statement.orelse = _written_out(statement.orelse, rule, inner)
        if isinstance(statement, ast.Assign) and is_tick(statement.value):
            found += _tick(statement, statements[number + 1 :], rule, tick)
        else:
            found.append(statement)
    return found


def _tick(statement: Any, following: list[ast.stmt], rule: Rule, tick: str) -> list[ast.stmt]:
    (child,) = statement.value.args
    answer = statement.targets[0].id
    found: list[ast.stmt] = []
    if isinstance(child, ast.Name):
        name = child.id
    else:
        name = "_child"
        found.append(ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], child), statement))
    found += _parsed(TICK.format(child=name, answer=answer, tick=tick), statement)
    check = _parsed(CHECK.format(child=name, answer=answer), statement)
    if following and _is_status_test(following[0], answer, rule):
        # An answer that equals the status in the test needs no check.
        test: Any = following[0]
        test.body[:0] = check
    else:
        found += check
    return found


def _is_status_test(statement: ast.stmt, answer: str, rule: Rule) -> bool:
    """Returns whether a statement is ``if answer is not SUCCESS:`` without an else."""
    if not isinstance(statement, ast.If) or statement.orelse:
        return False
    test = statement.test
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.IsNot):
        return False
    left, right = test.left, test.comparators[0]
    return (
        isinstance(left, ast.Name)
        and left.id == answer
        and isinstance(right, ast.Name)
        and (right.id == "go_on" or isinstance(rule.names.get(right.id), Status))
    )


def _parsed(text: str, origin: ast.AST | None = None) -> list[ast.stmt]:
    """Parses a text into statements with the line number of `origin`."""
    statements = ast.parse(text).body
    if origin is not None:
        for statement in statements:
            for node in ast.walk(statement):
                ast.copy_location(node, origin)
    return statements
