# SPDX-License-Identifier: Apache-2.0
"""Which function writes the body for which kind of node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable

from deepsim_btree.conditional import IfThenElse, WhileDoElse
from deepsim_btree.counters import Limit, Repeater, Retry, RunOnce
from deepsim_btree.guard import Guard
from deepsim_btree.memory import MemoryComposite
from deepsim_btree.parallel import Parallel
from deepsim_btree.random_order import RandomComposite
from deepsim_btree.reactive import ReactiveComposite
from deepsim_btree.status_map import StatusMap
from deepsim_btree.subtree import SubTree
from deepsim_btree.switch import Switch
from deepsim_btree.timers import Cooldown, Delay, Timeout
from deepsim_btree.wait import Wait

from . import branches, composites, decorators, timers

if TYPE_CHECKING:
    from .compiler import Compiler

# By `update`, which is what a class inherits when it only chooses other data, as Sequence does.
BODIES: dict[Callable[..., Any], Callable[[Compiler, Any], str]] = {
    Cooldown.update: timers.cooldown,
    Delay.update: timers.delay,
    Guard.update: decorators.guard,
    IfThenElse.update: branches.if_then_else,
    Limit.update: decorators.limit,
    MemoryComposite.update: composites.memory,
    Parallel.update: composites.parallel,
    RandomComposite.update: composites.random_order,
    ReactiveComposite.update: composites.reactive,
    Repeater.update: decorators.repeater,
    Retry.update: decorators.retry,
    RunOnce.update: decorators.run_once,
    StatusMap.update: decorators.status_map,
    SubTree.update: branches.sub_tree,
    Switch.update: branches.switch,
    Timeout.update: timers.timeout,
    Wait.update: timers.wait,
    WhileDoElse.update: branches.while_do_else,
}
