# SPDX-License-Identifier: Apache-2.0
"""Behaviour trees for robots and games, without dependencies.

A tree of nodes decides at each tick what to do: leaves act and ask, decorators change what one
child does, composites choose among several. ``Tree(root).tick()`` runs it. What every node
answers, tick by tick, is on the page docs/truth-tables.md.
"""

from .behaviour import Behaviour
from .blackboard import Blackboard
from .composite import Composite
from .counters import Limit, Repeater, Retry, RunOnce
from .decorator import Decorator
from .errors import BtreeError, BusyError, StructureError, TickError
from .function_leaves import Action, Check, action, condition
from .guard import Guard
from .leaves import Failure, Running, Success
from .memory import Selector, Sequence
from .parallel import Parallel, ParallelSelector, ParallelSequence
from .random_order import RandomSelector, RandomSequence
from .reactive import ReactiveSelector, ReactiveSequence
from .render import render_dot, render_mermaid, render_text
from .status import Status
from .status_map import (
    Condition,
    FailureIsRunning,
    FailureIsSuccess,
    Inverter,
    RunningIsFailure,
    RunningIsSuccess,
    Succeeder,
    SuccessIsFailure,
    SuccessIsRunning,
    UntilFail,
)
from .timers import Cooldown, Delay, Timeout
from .tree import Problem, Tree

__all__ = [
    "Action",
    "Behaviour",
    "Blackboard",
    "BtreeError",
    "BusyError",
    "Check",
    "Composite",
    "Condition",
    "Cooldown",
    "Decorator",
    "Delay",
    "Failure",
    "FailureIsRunning",
    "FailureIsSuccess",
    "Guard",
    "Inverter",
    "Limit",
    "Parallel",
    "ParallelSelector",
    "ParallelSequence",
    "Problem",
    "RandomSelector",
    "RandomSequence",
    "ReactiveSelector",
    "ReactiveSequence",
    "Repeater",
    "Retry",
    "RunOnce",
    "Running",
    "RunningIsFailure",
    "RunningIsSuccess",
    "Selector",
    "Sequence",
    "Status",
    "StructureError",
    "Succeeder",
    "Success",
    "SuccessIsFailure",
    "SuccessIsRunning",
    "TickError",
    "Timeout",
    "Tree",
    "UntilFail",
    "action",
    "condition",
    "render_dot",
    "render_mermaid",
    "render_text",
]
