# SPDX-License-Identifier: Apache-2.0
"""Pickling and copying of trees and the depth for that, with errors that name the node at fault."""

from __future__ import annotations

import copy
import sys
from functools import partial
from types import FunctionType
from typing import TYPE_CHECKING, Any

from .blackboard import Key
from .errors import StructureError, shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .behaviour import Behaviour

_STRUCTURE = frozenset({"_around", "_children", "_owner", "_known", "_scope"})
_MORE_POWERFUL = frozenset({"cloudpickle", "dill"})


def deepest(root: Behaviour) -> tuple[int, Behaviour]:
    """Returns the number of levels below and including a root, and a node on the lowest level."""
    level = [root]
    depth = 0
    while level:
        depth += 1
        node = level[0]
        level = [child for node in level for child in node.children]
    return depth, node


def max_levels() -> int:
    """Returns the number of levels that pickle can handle, with six nested calls for each."""
    return sys.getrecursionlimit() // 8


def check_levels(root: Behaviour, owner: str) -> None:
    """Checks that recursive calls for each level stay within Python's recursion limit."""
    depth, lowest = deepest(root)
    if depth > max_levels():
        raise StructureError(
            f"{shortened(lowest.path)} is {depth} levels deep, and {owner} takes at most "
            f"{max_levels()}: use fewer, or raise sys.setrecursionlimit()"
        )


def check_picklable(root: Behaviour) -> None:
    """Checks that pickle can find all functions and classes that the nodes use by their names.

    The error of pickle itself does not say which node a lambda belongs to. Nothing is checked in
    programs that have imported cloudpickle or dill, which can pickle lambdas.

    Raises:
        pickle.PicklingError: Pickle would not find a function or class.
        StructureError: The tree has too many levels.
    """
    check_levels(root, "pickle")
    for path, reason in _failures(root, _check):
        if _MORE_POWERFUL.isdisjoint(name.rpartition(".")[2] for name in sys.modules):
            import pickle  # noqa: PLC0415 - takes milliseconds, which only this error needs

            raise pickle.PicklingError(f"{path} cannot be pickled: {reason}")


def deep_copy(node: Behaviour, memo: dict[int, Any]) -> Any:
    """Returns a deep copy of a node and the tree around it, except for nodes already in `memo`.

    Creates all new nodes before it copies attributes, so that deep trees cause no deep recursion.
    """
    top = node
    while top.parent is not None and id(top.parent) not in memo:
        top = top.parent
    twins = []
    for one in top.walk():
        if id(one) not in memo and type(one).__deepcopy__ is type(node).__deepcopy__:
            reduced: Any = one.__reduce_ex__(4)
            make, arguments, state, *_ = reduced
            memo[id(one)] = twin = make(*copy.deepcopy(arguments, memo))
            twins.append((twin, state))
    for twin, saved in twins:
        state = copy.deepcopy(saved, memo)
        if hasattr(twin, "__setstate__"):
            twin.__setstate__(state)
            continue
        own, slots = state if isinstance(state, tuple) else (state, None)
        if own:
            twin.__dict__.update(own)
        for name, value in (slots or {}).items():
            object.__setattr__(twin, name, value)
    return memo[id(node)]


def copy_error(root: Behaviour, error: TypeError) -> TypeError:
    """Returns the error for a failed deep copy, with the path of the node that cannot be copied."""
    for path, reason in _failures(root, copy.deepcopy):
        return TypeError(f"{path} cannot be copied: {reason}")
    return error


def _failures(root: Behaviour, try_out: Callable[[Any], object]) -> Iterator[tuple[str, str]]:
    """Calls `try_out` with all attributes of nodes; yields path and message of each failure."""
    for node in root.walk():
        for name, value in attributes(node):
            try:
                try_out(value)
            except TypeError as error:
                yield shortened(node.path), f"{name.lstrip('_')}: {error}"


def attributes(node: Behaviour) -> Iterator[tuple[str, Any]]:
    """Yields names and values of a node's attributes, except those that refer to other nodes."""
    slots = (slot for cls in type(node).__mro__ for slot in vars(cls).get("__slots__", ()))
    for name in (*slots, *getattr(node, "__dict__", ())):
        if name not in _STRUCTURE and hasattr(node, name):
            yield name, getattr(node, name)


def keys_of(node: Behaviour) -> Iterator[Key]:
    """Yields the keys in the attributes of a node, also in tuples, dictionaries and partials."""
    found = [value for _, value in attributes(node)]
    while found:
        value = found.pop()
        if isinstance(value, partial):
            value = (value.args, value.keywords)
        if isinstance(value, Key):
            yield value
        elif isinstance(value, (tuple, dict)):
            found.extend(value.values() if isinstance(value, dict) else value)


def _check(value: Any) -> None:
    """Raises a TypeError if a value is or contains a function or class unknown to pickle."""
    if isinstance(value, partial):
        value = (value.func, value.args, value.keywords)
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, (tuple, list)):
        for one in value:
            _check(one)
    elif isinstance(value, (FunctionType, type)):
        found: Any = sys.modules.get(value.__module__)
        for part in value.__qualname__.split("."):
            found = getattr(found, part, None)
        # Under the name of an `@action` stands its class.
        if found is not value and getattr(found, "function", None) is not value:
            raise TypeError(
                f"{value.__qualname__} is not found under that name in {value.__module__}; define "
                "it at the top of a module, with def or class"
            )
