# SPDX-License-Identifier: Apache-2.0
"""Which rule of a batch each kind of node has."""

from __future__ import annotations

from functools import partial
from types import FunctionType
from typing import Any, Callable, Iterator

from deepsim_btree.behaviour import Behaviour
from deepsim_btree.blackboard import Key
from deepsim_btree.btcpp.nodes import Stepwise, TryCatch
from deepsim_btree.composites import orders, serial
from deepsim_btree.composites.conditional import Guard, IfThenElse, Switch, WhileDoElse
from deepsim_btree.composites.parallel import Parallel, ParallelAll
from deepsim_btree.decorators import counters, timers
from deepsim_btree.decorators.status_map import StatusMap
from deepsim_btree.decorators.subtree import SubTree
from deepsim_btree.errors import StructureError
from deepsim_btree.leaves.constant import Constant, Wait
from deepsim_btree.leaves.function import Action, Check
from deepsim_btree.pickling import attributes
from deepsim_btree.status import SKIPPED

from . import composites, single
from .branch import FAILURE, RUNNING, Agents, BatchNode, Branch, Codes, Shared

RULES: dict[type[Behaviour], Callable[[Any, Branch, Agents], Codes]] = {
    Action: single.tick_action,
    Check: single.tick_check,
    Constant: single.tick_constant,
    Wait: single.tick_wait,
    serial.Sequence: composites.tick_in_turn,
    serial.Selector: composites.tick_in_turn,
    serial.ReactiveSequence: composites.tick_from_first,
    serial.ReactiveSelector: composites.tick_from_first,
    Parallel: composites.tick_parallel,
    ParallelAll: composites.tick_parallel_all,
    IfThenElse: composites.tick_if_then_else,
    WhileDoElse: composites.tick_while_do_else,
    Switch: composites.tick_switch,
    Stepwise: composites.tick_stepwise,
    TryCatch: composites.tick_try_catch,
    orders.RandomComposite: partial(composites.tick_ordered, decide=composites.random_orders),
    orders.WeightedSelector: partial(composites.tick_ordered, decide=composites.weighted_orders),
    orders.UtilitySelector: partial(composites.tick_ordered, decide=composites.utility_orders),
    orders.ReactiveUtilitySelector: composites.tick_reactive_utility,
    SubTree: single.tick_subtree,
    StatusMap: single.tick_status_map,
    counters.Limit: single.tick_limit,
    counters.Repeater: single.tick_repeater,
    counters.Retry: single.tick_retry,
    counters.RunOnce: single.tick_run_once,
    Guard: single.tick_guard,
    timers.Timeout: partial(single.tick_timed, early=True, otherwise=FAILURE),
    timers.Delay: partial(single.tick_timed, early=False, otherwise=RUNNING),
    timers.Cooldown: single.tick_cooldown,
    timers.Service: single.tick_service,
}
# These keep nothing about a run, apart from a reactive node about children that do.
_STATELESS: tuple[Any, ...] = (
    Action,
    Check,
    Constant,
    WhileDoElse,
    Switch,
    Guard,
    serial.ReactiveSequence,
)
_STATELESS += (serial.ReactiveSelector, StatusMap, SubTree, counters.RunOnce)
# Methods that do not change how a node is ticked.
_HARMLESS = frozenset({"__init__", "__init_subclass__", "__repr__", "problems", "update_many"})


def make_branch(root: Behaviour, shared: Shared) -> Branch:
    """Returns a root and all nodes below it for many agents, or raises StructureError."""
    made: dict[int, Branch] = {}
    for node in reversed(list(root.walk())):
        children = [made[id(child)] for child in node.children]
        made[id(node)] = _branch(node, shared, children)
    return made[id(root)]


def _branch(node: Behaviour, shared: Shared, children: list[Branch]) -> Branch:
    if any(_has_key(value) for _, value in attributes(node)):
        raise StructureError(
            f"{node.path} reads a blackboard, which the agents of a Batch lack: give a number or a "
            "function of AGENT"
        )
    for reason in _reasons(node):
        raise StructureError(f"{node.path} {reason}, which a Batch does not know")
    changed = ""
    for cls in type(node).__mro__:  # up to the first class that has a rule
        if "update_many" in vars(cls) and not changed:
            return BatchNode(node, shared, children)
        if cls in RULES and not changed:
            return Branch(node, shared, children, RULES[cls], isinstance(node, _STATELESS))
        overridden = [name for name in vars(cls) if _changes(cls, name)]
        changed = changed or (f"{cls.__name__}.{overridden[0]}()" if overridden else "")
    raise StructureError(
        f"{node.path} has no form for many agents at once: give {type(node).__name__} a method "
        f"update_many(many, agents) that does what {changed} does, or use a node of the library"
    )


def _has_key(value: object) -> bool:
    if isinstance(value, Key):
        return True
    if isinstance(value, partial):
        value = (value.args, value.keywords)
    if isinstance(value, dict):
        value = tuple(value.values())
    return isinstance(value, tuple) and any(map(_has_key, value))


def _reasons(node: Any) -> Iterator[str]:
    """Yields what a batch cannot do in the settings of a node of the library."""
    if isinstance(node, StatusMap) and SKIPPED in node.answers[:SKIPPED]:
        yield "answers SKIPPED"
    if isinstance(node, counters.RunOnce) and node.then_skip:
        yield "answers SKIPPED"
    if isinstance(node, TryCatch) and node.catch_on_halt:
        yield "has catch_on_halt"
    if isinstance(node, Parallel):
        node.thresholds()  # raises a StructureError if its children do not suffice
    if isinstance(node, ParallelAll):
        node.threshold()
    for name in ("weights", "utilities"):
        count = len(getattr(node, name, node.children))
        if count != len(node.children):
            yield f"has {count} {name} for {len(node.children)} children"


def _changes(cls: type, name: str) -> bool:
    """Returns whether a class overrides a method on which the tick of a node may depend."""
    is_method = isinstance(vars(cls)[name], FunctionType) and name not in _HARMLESS
    return is_method and any(name in vars(base) for base in cls.__mro__[1:-1])
