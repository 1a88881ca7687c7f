# SPDX-License-Identifier: Apache-2.0
"""Which node of a batch does what which node of a tree does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable

from deepsim_btree.conditional import IfThenElse, WhileDoElse
from deepsim_btree.counters import Limit, Repeater, Retry, RunOnce
from deepsim_btree.function_leaves import Action, Check
from deepsim_btree.guard import Guard
from deepsim_btree.leaves import Constant
from deepsim_btree.memory import MemoryComposite
from deepsim_btree.parallel import Parallel
from deepsim_btree.random_order import RandomComposite
from deepsim_btree.reactive import ReactiveComposite
from deepsim_btree.status_map import StatusMap
from deepsim_btree.subtree import SubTree
from deepsim_btree.switch import Switch
from deepsim_btree.timers import Cooldown, Delay, Timeout
from deepsim_btree.wait import Wait

from . import branches, decorators, leaves, parallel, serial, timers

if TYPE_CHECKING:
    from .node import Node
    from .team import Team

# By `update`, which is what a class inherits when it only chooses other data, as Sequence does.
KINDS: dict[Callable[..., Any], Callable[[Any, Team], Node]] = {
    Action.update: leaves.ActionNode,
    Check.update: leaves.CheckNode,
    Constant.update: leaves.ConstantNode,
    Cooldown.update: timers.CooldownNode,
    Delay.update: timers.DelayNode,
    Guard.update: decorators.GuardNode,
    IfThenElse.update: branches.IfThenElseNode,
    Limit.update: decorators.LimitNode,
    MemoryComposite.update: serial.MemoryNode,
    Parallel.update: parallel.ParallelNode,
    RandomComposite.update: serial.RandomNode,
    ReactiveComposite.update: serial.ReactiveNode,
    Repeater.update: decorators.RepeaterNode,
    Retry.update: decorators.RetryNode,
    RunOnce.update: decorators.RunOnceNode,
    StatusMap.update: decorators.StatusMapNode,
    SubTree.update: decorators.PassNode,
    Switch.update: branches.SwitchNode,
    Timeout.update: timers.TimeoutNode,
    Wait.update: timers.WaitNode,
    WhileDoElse.update: branches.WhileDoElseNode,
}
