# SPDX-License-Identifier: Apache-2.0
"""Which rule of a batch each kind of node has."""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING, Any, Callable

from deepsim_btree.composites.choosers import (
    ReactiveUtilitySelector,
    UtilitySelector,
    WeightedSelector,
)
from deepsim_btree.composites.conditional import Guard, IfThenElse, WhileDoElse
from deepsim_btree.composites.parallel import Parallel, ParallelAll
from deepsim_btree.composites.random_order import RandomComposite
from deepsim_btree.composites.serial import (
    ReactiveSelector,
    ReactiveSequence,
    Selector,
    Sequence,
)
from deepsim_btree.composites.stepwise import Stepwise
from deepsim_btree.composites.switch import Switch
from deepsim_btree.composites.try_catch import TryCatch
from deepsim_btree.decorators.counters import Limit, Repeater, Retry, RunOnce
from deepsim_btree.decorators.status_map import StatusMap
from deepsim_btree.decorators.subtree import SubTree
from deepsim_btree.decorators.timers import Cooldown, Delay, Service, Timeout
from deepsim_btree.errors import StructureError
from deepsim_btree.leaves.constant import Constant, Wait
from deepsim_btree.leaves.function import Action, Check

from . import composites, decorators, leaves, orders
from .own import BatchNode

if TYPE_CHECKING:
    from deepsim_btree.behaviour import Behaviour

    from .rule import Rule, Shared

RULES: dict[type[Behaviour], Callable[[Any, Shared, list[Rule]], Rule]] = {
    Action: leaves.ActionRule,
    Check: leaves.CheckRule,
    Constant: leaves.ConstantRule,
    Wait: leaves.WaitRule,
    Sequence: composites.MemoryRule,
    Selector: composites.MemoryRule,
    ReactiveSequence: composites.ReactiveRule,
    ReactiveSelector: composites.ReactiveRule,
    Parallel: composites.ParallelRule,
    ParallelAll: composites.ParallelAllRule,
    IfThenElse: composites.IfThenElseRule,
    WhileDoElse: composites.WhileDoElseRule,
    Switch: composites.SwitchRule,
    Stepwise: composites.StepwiseRule,
    TryCatch: composites.TryCatchRule,
    RandomComposite: orders.RandomRule,
    WeightedSelector: orders.WeightedRule,
    UtilitySelector: orders.UtilityRule,
    ReactiveUtilitySelector: orders.ReactiveUtilityRule,
    SubTree: decorators.PassRule,
    StatusMap: decorators.StatusMapRule,
    Limit: decorators.LimitRule,
    Repeater: decorators.RepeaterRule,
    Retry: decorators.RetryRule,
    RunOnce: decorators.RunOnceRule,
    Guard: decorators.GuardRule,
    Timeout: decorators.TimeoutRule,
    Delay: decorators.DelayRule,
    Cooldown: decorators.CooldownRule,
    Service: decorators.ServiceRule,
}
# Methods that do not change how a node is ticked.
_HARMLESS = frozenset({"__init__", "__init_subclass__", "__repr__", "problems", "update_many"})


def make_rules(root: Behaviour, shared: Shared) -> Rule:
    """Returns the rule of a root, with those of all nodes below.

    Raises:
        StructureError: A node has no rule.
    """
    made: dict[int, Rule] = {}
    for node in reversed(list(root.walk())):
        children = [made[id(child)] for child in node.children]
        made[id(node)] = _rule(node)(node, shared, children)
    return made[id(root)]


def _rule(node: Behaviour) -> Callable[[Any, Shared, list[Rule]], Rule]:
    """Returns the rule of the first class that has one, if no later class changes the node."""
    changed = ""
    for cls in type(node).__mro__:
        if "update_many" in vars(cls) and not changed:
            return BatchNode
        if cls in RULES and not changed:
            return RULES[cls]
        overridden = [name for name in vars(cls) if _changes(cls, name)]
        changed = changed or (f"{cls.__name__}.{overridden[0]}()" if overridden else "")
    raise StructureError(
        f"{node.path} has no form for many agents at once: give {type(node).__name__} a method "
        f"update_many(many, agents) that does what {changed} does, or use a node of the library"
    )


def _changes(cls: type, name: str) -> bool:
    """Returns whether a class overrides a method on which the tick of a node may depend."""
    is_method = isinstance(vars(cls)[name], FunctionType) and name not in _HARMLESS
    return is_method and any(name in vars(base) for base in cls.__mro__[1:-1])
