# SPDX-License-Identifier: Apache-2.0
"""Behaviour trees for robots and games, without dependencies.

At each tick, a tree of nodes decides what to do: leaves act and test conditions, decorators modify
their only child, and composites choose among several children. ``Tree(root).tick()`` runs one tick.
The page docs/truth-tables.md shows the answers of every node. ``deepsim_btree.trace`` records the
ticks of a tree and ``deepsim_btree.xml`` reads and writes files; import these two modules
explicitly.
"""

from .behaviour import Behaviour
from .blackboard import Blackboard, Key, key
from .btcpp.nodes import AsyncSelector, AsyncSequence, Loop, SequenceWithMemory, TryCatch
from .composites.conditional import Guard, IfThenElse, Switch, WhileDoElse
from .composites.orders import (
    RandomSelector,
    RandomSequence,
    ReactiveUtilitySelector,
    UtilitySelector,
    WeightedSelector,
)
from .composites.parallel import Parallel, ParallelAll, ParallelSelector, ParallelSequence
from .composites.serial import ReactiveSelector, ReactiveSequence, Selector, Sequence
from .decorators.counters import Limit, Repeater, Retry, RunOnce
from .decorators.status_map import (
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
from .decorators.subtree import SubTree
from .decorators.timers import Cooldown, Delay, Service, Timeout
from .decorators.updated import WasUpdated, WhenUpdated
from .errors import BtreeError, BusyError, Problem, StructureError, TickError, XmlError
from .leaves.function import AGENT, Action, Check
from .leaves.plain import DeleteEntry, Failure, Running, SetEntry, Success, Wait
from .leaves.ports import InOut, Input, Output, PortLeaf
from .leaves.routine import Background, InThread, Routine, action, condition, next_tick
from .parent import Composite, Decorator
from .snapshot import render_dot, render_mermaid, render_text
from .status import Status
from .tree import Tree

__version__ = "0.5.2"

__all__ = [
    "AGENT",
    "Action",
    "AsyncSelector",
    "AsyncSequence",
    "Background",
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
    "DeleteEntry",
    "Failure",
    "FailureIsRunning",
    "FailureIsSuccess",
    "Guard",
    "IfThenElse",
    "InOut",
    "InThread",
    "Input",
    "Inverter",
    "Key",
    "Limit",
    "Loop",
    "Output",
    "Parallel",
    "ParallelAll",
    "ParallelSelector",
    "ParallelSequence",
    "PortLeaf",
    "Problem",
    "RandomSelector",
    "RandomSequence",
    "ReactiveSelector",
    "ReactiveSequence",
    "ReactiveUtilitySelector",
    "Repeater",
    "Retry",
    "Routine",
    "RunOnce",
    "Running",
    "RunningIsFailure",
    "RunningIsSuccess",
    "Selector",
    "Sequence",
    "SequenceWithMemory",
    "Service",
    "SetEntry",
    "Status",
    "StructureError",
    "SubTree",
    "Succeeder",
    "Success",
    "SuccessIsFailure",
    "SuccessIsRunning",
    "Switch",
    "TickError",
    "Timeout",
    "Tree",
    "TryCatch",
    "UntilFail",
    "UtilitySelector",
    "Wait",
    "WasUpdated",
    "WeightedSelector",
    "WhenUpdated",
    "WhileDoElse",
    "XmlError",
    "action",
    "condition",
    "key",
    "next_tick",
    "render_dot",
    "render_mermaid",
    "render_text",
]
