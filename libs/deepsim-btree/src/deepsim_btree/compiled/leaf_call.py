# SPDX-License-Identifier: Apache-2.0
"""Calls of leaves in generated functions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from deepsim_btree.blackboard.key import Key
from deepsim_btree.leaves.constant import Constant
from deepsim_btree.leaves.function import Action, Check, FunctionLeaf
from deepsim_btree.placeholder import AGENT
from deepsim_btree.rules.flow import CHECKED, UNCHECKED
from deepsim_btree.status import FAILURE, SUCCESS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from deepsim_btree.behaviour import Behaviour
    from deepsim_btree.rules.flow import Answers

    from .compiler import Compiler


CHECK = "(SUCCESS if (v := {}) is True else FAILURE if v is False else answer(v))"
"""The expression of a `Check`, without the call of a method."""


def leaf_call(compiler: Compiler, leaf: Behaviour) -> tuple[str, Answers]:
    """Returns an expression that ticks a leaf for the agent ``a``, and what that may give.

    The function of a plain `Action` or `Check` is called directly, with the agent in place of
    AGENT. Every other leaf keeps its own state: each agent has a copy of it, and of every branch
    whose control node has no compiled form.
    """
    update = type(leaf).update
    if not leaf.has_hooks:
        if isinstance(leaf, Constant) and update is Constant.update:
            return leaf.answer.name, frozenset({leaf.answer})
        if isinstance(leaf, FunctionLeaf) and not has_keys(leaf):
            call = function_call(compiler, leaf.function, leaf.args, leaf.kwargs)
            if update is Action.update:
                return call, UNCHECKED
            if update is Check.update:
                return CHECK.format(call), frozenset({SUCCESS, FAILURE})
    tick = "tick_node" if leaf.parent else "tick_all"
    return f"{tick}({compiler.own_slot(leaf)})", CHECKED


def has_keys(leaf: FunctionLeaf) -> bool:
    """Returns whether a leaf looks up entries of a blackboard for its function."""
    return any(isinstance(value, Key) for value in (*leaf.args, *leaf.kwargs.values()))


def condition_call(compiler: Compiler, function: Callable[[], Any]) -> str:
    """Returns a call of a function of a control node, maybe of a partial with AGENT."""
    if isinstance(function, partial):
        return function_call(compiler, function.func, function.args, function.keywords)
    return function_call(compiler, function, (), {})


def function_call(
    compiler: Compiler,
    function: Callable[..., Any],
    args: Iterable[object],
    kwargs: Mapping[str, object],
) -> str:
    """Returns an expression that calls a function, with the agent in place of AGENT."""
    if kwargs and not any(value is AGENT for value in kwargs.values()):
        function, kwargs = partial(function, **kwargs), {}
    values = ["a" if value is AGENT else compiler.constant(value) for value in args]
    if kwargs:
        pairs = [
            f"{compiler.constant(name)}: {'a' if value is AGENT else compiler.constant(value)}"
            for name, value in kwargs.items()
        ]
        values.append(f"**{{{', '.join(pairs)}}}")
    return f"{compiler.constant(function)}({', '.join(values)})"
