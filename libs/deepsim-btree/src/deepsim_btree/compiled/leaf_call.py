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

    from .branch_compiler import Begun
    from .template_compiler import TemplateCompiler


CHECK = "(SUCCESS if (v := {}) is True else FAILURE if v is False else answer(v))"
"""Inline expression of a `Check`, in place of a method call."""


def leaf_call(compiler: TemplateCompiler, leaf: Behaviour, begun: Begun) -> tuple[str, Answers]:
    """Returns an expression that ticks a leaf for the agent ``a``, and its possible answers.

    The function of a plain `Action` or `Check` is called directly, with the agent in place of
    AGENT. Any other leaf may have state, so each agent gets a copy of it. Branches whose control
    node cannot be compiled are copied likewise.
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
    return f"{tick}({compiler.own_slot(leaf, begun)})", CHECKED


def has_keys(leaf: FunctionLeaf) -> bool:
    """Returns whether an argument of a leaf's function is a key."""
    return any(isinstance(value, Key) for value in (*leaf.args, *leaf.kwargs.values()))


def condition_call(compiler: TemplateCompiler, function: Callable[[], Any]) -> str:
    """Returns a call of a control node's function, which may be a partial with AGENT."""
    if isinstance(function, partial):
        return function_call(compiler, function.func, function.args, function.keywords)
    return function_call(compiler, function, (), {})


def function_call(
    compiler: TemplateCompiler,
    function: Callable[..., Any],
    args: Iterable[object],
    kwargs: Mapping[str, object],
) -> str:
    """Returns an expression that calls a function, with the agent in place of AGENT."""
    if kwargs and not any(value is AGENT for value in kwargs.values()):
        function, kwargs = partial(function, **kwargs), {}
    values = ["a" if value is AGENT else compiler.argument(value) for value in args]
    if kwargs:
        pairs = [
            f"{compiler.constant(name)}: {'a' if value is AGENT else compiler.constant(value)}"
            for name, value in kwargs.items()
        ]
        values.append(f"**{{{', '.join(pairs)}}}")
    return f"{compiler.constant(function)}({', '.join(values)})"
