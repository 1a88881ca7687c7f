# SPDX-License-Identifier: Apache-2.0
"""The source code of a rule in a form that is easy to translate."""

from __future__ import annotations

import ast
import linecache
from collections import Counter
from copy import deepcopy
from functools import lru_cache
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

from .expressions import index_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class NoRuleError(Exception):
    """Raised if a method cannot be translated; the message gives the reason."""


class Rule(NamedTuple):
    """The `update` of a class of nodes, as a syntax tree."""

    statements: list[ast.stmt]
    """The body, with one assignment per statement; children are ticked in assignments only."""
    names: dict[str, Any]
    """Values of the global names."""
    state: frozenset[str]
    """The attributes of the node that the rule writes."""
    local_names: Mapping[str, int]
    """Number of assignments to each local name."""
    filename: str
    """Path of the source file."""

    def mentions(self, owner_is_self: bool, attribute: str) -> bool:
        """Returns whether the rule reads an attribute, of its node or else of other objects."""
        return any(
            isinstance(node, ast.Attribute)
            and node.attr == attribute
            and isinstance(node.ctx, ast.Load)
            and is_self(node.value) is owner_is_self
            for statement in self.statements
            for node in ast.walk(statement)
        )


def find_rule(cls: type[Any]) -> Rule:
    """Returns the rule of a class of nodes.

    Raises:
        NoRuleError: `update` is not written in Python, its source is not available, or it uses
            something that cannot be translated.
    """
    if "_rule" not in vars(cls):
        cls._rule = _read_rule(cls)
    rule: Rule = cls._rule
    return rule


def _read_rule(cls: type) -> Rule:
    update = getattr(cls, "update", None)
    if not isinstance(update, FunctionType):
        raise NoRuleError(f"{cls.__name__}.update is not a method written in Python")
    statements, names = _statements(cls, update)
    for statement in statements:
        ast.fix_missing_locations(statement)
    state = frozenset(
        node.attr
        for statement in statements
        for node in ast.walk(statement)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        if is_self(node.value)
    )
    local_names = Counter(
        node.id
        for statement in statements
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    return Rule(statements, names, state, local_names, update.__code__.co_filename)


def is_self(expression: ast.expr) -> bool:
    """Returns whether an expression is ``self``."""
    return isinstance(expression, ast.Name) and expression.id == "self"


def is_tick(expression: ast.expr | None) -> bool:
    """Returns whether an expression is ``self.tick_child(...)``."""
    return method_call(expression) == "tick_child"


def method_call(expression: ast.expr | None) -> str:
    """Returns the name of the method of ``self`` that an expression calls; "" for anything else."""
    if isinstance(expression, ast.Call) and isinstance(expression.func, ast.Attribute):
        return expression.func.attr if is_self(expression.func.value) else ""
    return ""


def has_one_child(cls: type[Any]) -> bool:
    """Returns whether ``self.child`` means `Decorator.child` in the methods of a class."""
    getter = getattr(getattr(cls, "child", None), "fget", None)
    return getattr(getter, "__module__", "") == "deepsim_btree.decorators.decorator"


def _definition(method: FunctionType) -> ast.FunctionDef:
    """Returns the syntax tree of a method.

    Raises:
        NoRuleError: The source is not available, or the method depends on code outside of it.
    """
    code = method.__code__
    # Lets linecache ask the loader of the module, which can also read zip archives.
    linecache.lazycache(code.co_filename, method.__globals__)
    for node in ast.walk(_module(code.co_filename)):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            if first == code.co_firstlineno and _is_source(node, code):
                break
    else:
        raise NoRuleError(f"the source of {method.__qualname__} is not available")
    names = [argument.arg for argument in node.args.args]
    if code.co_freevars or node.args.defaults or not names or names[0] != "self":
        raise NoRuleError(f"{method.__qualname__} uses super() or variables around its class")
    used = [getattr(part, "attr", getattr(part, "id", "")) for part in ast.walk(node)]
    if any(name.startswith("__") and not name.endswith("__") for name in used):
        raise NoRuleError(f"{method.__qualname__} uses private names with two underscores")
    return node


def _is_source(node: ast.FunctionDef, code: CodeType) -> bool:
    """Returns whether a syntax tree matches code; the file may have changed since its import."""
    module = compile(ast.Module([node], []), code.co_filename, "exec")
    found = [const for const in module.co_consts if getattr(const, "co_name", "") == node.name]
    return [_contents(one) for one in found] == [_contents(code)]


def _contents(code: CodeType) -> tuple[object, ...]:
    """Returns names and constants; instructions also depend on the imports of the module."""
    constants = [const for const in code.co_consts if not isinstance(const, CodeType)]
    # Before Python 3.11 the constants contain qualified names of comprehensions.
    return (
        code.co_names,
        code.co_varnames,
        [repr(c) for c in constants if "<locals>" not in repr(c)],
    )


@lru_cache(maxsize=8)
def _module(filename: str) -> ast.Module:
    return ast.parse("".join(linecache.getlines(filename)))


def _statements(cls: type, method: FunctionType) -> tuple[list[ast.stmt], dict[str, Any]]:
    """Returns the simplified statements of a method and its global names.

    If the method ends with a call of a `rule_part`, the statements of that method replace the call.
    """
    body = _definition(method).body
    last = body[-1]
    part: Any = getattr(cls, method_call(getattr(last, "value", None)) or "-", None)
    if not isinstance(last, ast.Return) or not getattr(part, "is_rule_part", False):
        return [one for statement in body for one in _simple(statement)], method.__globals__
    statements = [one for statement in body[:-1] for one in _simple(statement)]
    parameters = _definition(part).args.args[1:]
    call: Any = last.value
    for parameter, argument in zip(parameters, call.args):
        statements.append(_assign(ast.Name(parameter.arg, ast.Store()), argument, last))
    inner, names = _statements(cls, part)
    for statement in inner:
        for node in ast.walk(statement):
            if hasattr(node, "lineno"):  # a line number of another file
                ast.copy_location(node, last)
    return statements + inner, {**names, **method.__globals__}


def _simple(statement: ast.stmt) -> Iterator[ast.stmt]:
    """Yields the simpler statements that replace a statement."""
    if isinstance(statement, (ast.If, ast.For)):
        twin: Any = type(statement)(**dict(ast.iter_fields(statement)))
        ast.copy_location(twin, statement)
        if isinstance(statement, ast.If):
            hoisted, twin.test = _hoisted(statement.test)
            yield from hoisted
        twin.body = [part for one in statement.body for part in _simple(one)]
        twin.orelse = [part for one in statement.orelse for part in _simple(one)]
        yield twin
    elif isinstance(statement, ast.Assign):
        for target in statement.targets:
            yield from _assignments(target, statement.value, statement)
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        yield from _assignments(statement.target, statement.value, statement)
    elif isinstance(statement, ast.AugAssign):
        read = deepcopy(statement.target)
        read.ctx = ast.Load()
        yield _assign(statement.target, ast.BinOp(read, statement.op, statement.value), statement)
    elif isinstance(statement, ast.Return) and statement.value is not None:
        hoisted, value = _hoisted(statement.value)
        yield from hoisted
        yield ast.copy_location(ast.Return(value), statement)
    elif isinstance(statement, ast.Expr) and is_tick(statement.value):
        yield _assign(ast.Name("_answer", ast.Store()), statement.value, statement)
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return  # a docstring
    elif not isinstance(statement, ast.Pass):
        yield statement


def _assignments(target: Any, value: ast.expr, origin: ast.stmt) -> Iterator[ast.stmt]:
    """Yields assignments: one per element of a tuple, and a separate one for each tick."""
    if isinstance(target, ast.Tuple):
        if isinstance(value, ast.Call):  # called once for all elements
            yield _assign(ast.Name("_values", ast.Store()), value, origin)
            value = ast.copy_location(ast.Name("_values", ast.Load()), value)
        for number, one in enumerate(target.elts):
            yield from _assignments(one, _element(value, number), origin)
        return
    hoisted: list[ast.stmt] = []
    if not is_tick(value):
        hoisted, value = _hoisted(value)
    yield from hoisted
    yield _assign(target, value, origin)


def _element(value: ast.expr, number: int) -> ast.expr:
    if isinstance(value, ast.Tuple):
        return value.elts[number]
    if isinstance(value, ast.IfExp):
        return ast.IfExp(value.test, _element(value.body, number), _element(value.orelse, number))
    element: Any = ast.parse(f"_[{number}]", mode="eval").body
    return ast.copy_location(ast.Subscript(value, element.slice, ast.Load()), value)


def _assign(target: ast.expr, value: ast.expr, origin: ast.stmt) -> ast.stmt:
    statement = ast.Assign([target], value, type_comment=None)
    return ast.fix_missing_locations(ast.copy_location(statement, origin))


def _hoisted(value: ast.expr) -> tuple[list[ast.stmt], ast.expr]:
    """Returns an assignment for a tick in an expression, if any, and the rest of the expression.

    Only a tick that is evaluated first in every case is moved.
    """
    first: Any = value
    while not is_tick(first):
        if isinstance(first, ast.Subscript):
            first = index_of(first)
        elif isinstance(first, ast.Compare):
            first = first.left
        else:
            return [], value
    name = ast.copy_location(ast.Name("_answer", ast.Load()), value)
    statement = _assign(
        ast.Name("_answer", ast.Store()), first, ast.copy_location(ast.Pass(), value)
    )
    return [statement], _Replace(first, name).visit(deepcopy(value, {id(first): first}))


class _Replace(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self._old, self._new = old, new

    def visit(self, node: ast.AST) -> Any:
        return self._new if node is self._old else super().visit(node)
