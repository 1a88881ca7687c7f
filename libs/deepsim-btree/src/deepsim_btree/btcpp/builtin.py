# SPDX-License-Identifier: Apache-2.0
"""The node classes of this library that files can name, and the tags that it refuses."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Mapping

from deepsim_btree.btcpp.nodes import (
    AsyncSelector,
    AsyncSequence,
    Loop,
    SequenceWithMemory,
    TryCatch,
)
from deepsim_btree.btcpp.script_nodes import Precondition, RunScript, ScriptCheck
from deepsim_btree.composites.conditional import IfThenElse, WhileDoElse
from deepsim_btree.composites.orders import RandomSelector, RandomSequence
from deepsim_btree.composites.parallel import (
    Parallel,
    ParallelAll,
    ParallelSelector,
    ParallelSequence,
)
from deepsim_btree.composites.serial import (
    ReactiveSelector,
    ReactiveSequence,
    Selector,
    Sequence,
)
from deepsim_btree.decorators.counters import Limit, Repeater, Retry, RunOnce
from deepsim_btree.decorators.status_map import (
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
from deepsim_btree.decorators.timers import Cooldown, Delay, Timeout
from deepsim_btree.decorators.updated import WasUpdated, WhenUpdated
from deepsim_btree.leaves.constant import Failure, Running, Success, Wait
from deepsim_btree.leaves.entries import DeleteEntry, SetEntry

from .node_types import NodeType, SwitchType, class_type

if TYPE_CHECKING:
    from deepsim_btree.behaviour import Behaviour

_CONTROL = (Sequence, Selector, ReactiveSequence, ReactiveSelector, Parallel, ParallelAll)
_BTCPP = (AsyncSequence, AsyncSelector, SequenceWithMemory, TryCatch, Loop)
_BRANCHES = (IfThenElse, WhileDoElse, ParallelSequence, ParallelSelector)
_RANDOM = (RandomSequence, RandomSelector)
_MAPS = (Inverter, Succeeder, SuccessIsFailure, UntilFail, Condition, RunningIsFailure)
_MORE_MAPS = (RunningIsSuccess, FailureIsSuccess, FailureIsRunning, SuccessIsRunning)
_DECORATORS = (Repeater, Retry, RunOnce, Limit, Timeout, Delay, Cooldown, WhenUpdated)
_LEAVES = (Success, Failure, Running, Wait, SetEntry, DeleteEntry, WasUpdated)
_SCRIPTS: tuple[Any, ...] = (RunScript, ScriptCheck, Precondition)
_CLASSES: tuple[type[Behaviour], ...] = (
    *_CONTROL,
    *_BTCPP,
    *_BRANCHES,
    *_RANDOM,
    *_MAPS,
    *_MORE_MAPS,
    *_DECORATORS,
    *_LEAVES,
    *_SCRIPTS,
)


def script_types(enums: Mapping[str, int]) -> dict[str, NodeType]:
    """Returns the types of nodes with scripts, by tag.

    Args:
        enums: Values of names for numbers in the scripts.
    """
    return {
        tag.name: class_type(tag, cls, partial(cls, enums=enums))
        for cls in _SCRIPTS
        for tag in cls.xml_tags
    }


_TAGS = [(tag, cls) for cls in _CLASSES for tag in cls.xml_tags]
# If several types fit a node, it is written with the first one.
CPP_TYPES: tuple[NodeType, ...] = (
    *(class_type(tag, cls, cls) for tag, cls in _TAGS if tag.in_btcpp),
    *(SwitchType(count) for count in range(2, 7)),
)
OWN_TYPES = tuple(class_type(tag, cls, cls) for tag, cls in _TAGS if not tag.in_btcpp)
BUILTIN_TYPES = {node_type.tag: node_type for node_type in (*CPP_TYPES, *OWN_TYPES)}

OF_VERSION_3 = 'it is of version 3: write <root BTCPP_format="3">'
UNSUPPORTED = {
    "TestNode": "tests use leaves written in Python",
    "SequenceStar": OF_VERSION_3,
    "ManualSelector": "it asks a person at a terminal",
    "ConsumeQueue": "use LoopInt, LoopBool, LoopDouble or LoopString",
    "SubTreePlus": OF_VERSION_3,
    **dict.fromkeys(
        (f"BlackboardCheck{kind}" for kind in ("Int", "Double", "Bool", "String")),
        "it is of version 3: use Precondition",
    ),
    "EntryUpdated": "it is called WasEntryUpdated",
    "RetryUntilSuccesful": OF_VERSION_3,
}
"""Tags of BehaviorTree.CPP that are not supported, with the reason or a replacement."""

SCRIPT_ATTRIBUTES = {
    "_failureIf": "failure_if",
    "_successIf": "success_if",
    "_skipIf": "skip_if",
    "_while": "while_true",
    "_onHalted": "on_halted",
    "_onFailure": "on_failure",
    "_onSuccess": "on_success",
    "_post": "post",
}
"""Attributes that every element may have, with the script names of `Conditions`."""
IGNORED_ATTRIBUTES = ("_description", "_uid", "_fullpath", "_fullPath")
