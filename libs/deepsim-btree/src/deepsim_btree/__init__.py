# SPDX-License-Identifier: Apache-2.0
"""Behaviour trees for robots and games, without dependencies.

A tree of nodes decides at each tick what to do: leaves act and ask, decorators change what one
child does, composites choose among several. ``Tree(root).tick()`` runs it. What every node
answers, tick by tick, is on the page docs/truth-tables.md. ``deepsim_btree.trace`` records what a
tree does and ``deepsim_btree.xml`` reads and writes files; both are imported only when asked for.
"""

from .background import Background, InThread
from .behaviour import Behaviour
from .blackboard import Blackboard
from .choosers import ReactiveUtilitySelector, UtilitySelector, WeightedSelector
from .composite import Composite
from .conditional import IfThenElse, WhileDoElse
from .counters import Limit, Repeater, Retry, RunOnce
from .decorator import Decorator
from .entries import DeleteEntry, SetEntry
from .errors import BtreeError, BusyError, StructureError, TickError, XmlError
from .function_leaves import Action, Check
from .guard import Guard
from .key import key
from .leaf_classes import action, condition
from .leaves import Failure, Running, Success
from .light_tree import LightTree
from .loop import Loop
from .memory import Selector, Sequence
from .parallel import Parallel, ParallelAll, ParallelSelector, ParallelSequence
from .placeholder import AGENT
from .ports import InOut, Input, Output, PortLeaf
from .problem import Problem
from .random_order import RandomSelector, RandomSequence
from .reactive import ReactiveSelector, ReactiveSequence
from .render import render_dot, render_mermaid, render_text
from .routine import Routine, next_tick
from .service import Service
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
from .stepwise import AsyncSelector, AsyncSequence, SequenceWithMemory
from .subtree import SubTree
from .switch import Switch
from .template import Template
from .timers import Cooldown, Delay, Timeout
from .tree import Tree
from .try_catch import TryCatch
from .updated import WasUpdated, WhenUpdated
from .wait import Wait

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
    "LightTree",
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
    "Template",
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
