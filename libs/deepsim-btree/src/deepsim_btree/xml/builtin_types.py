# SPDX-License-Identifier: Apache-2.0
"""The built-in tags: those of BehaviorTree.CPP, then those that only this library has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Mapping

from deepsim_btree.blackboard.key import Key
from deepsim_btree.composites.conditional import IfThenElse, WhileDoElse
from deepsim_btree.composites.parallel import (
    Parallel,
    ParallelAll,
    ParallelSelector,
    ParallelSequence,
)
from deepsim_btree.composites.random_order import RandomSelector, RandomSequence
from deepsim_btree.composites.serial import ReactiveSelector, ReactiveSequence, Selector, Sequence
from deepsim_btree.composites.stepwise import AsyncSelector, AsyncSequence, SequenceWithMemory
from deepsim_btree.composites.switch import Switch, case_key
from deepsim_btree.composites.try_catch import TryCatch
from deepsim_btree.decorators.counters import Limit, Repeater, Retry, RunOnce
from deepsim_btree.decorators.loop import Loop
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
from deepsim_btree.script import Precondition, RunScript, ScriptCheck
from deepsim_btree.status import FAILURE, RUNNING, SKIPPED, SUCCESS, Status

from .node_type import MISSING, Attribute, NodeType
from .texts import EntryName, EntryValue, Milliseconds, OutputEntry, QueueKey, split, to_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deepsim_btree.behaviour import Behaviour


class BuiltinType(NodeType):
    """The tag for a node class of this library.

    Args:
        tag: The tag.
        cls: Class of the nodes.
        attributes: Attributes that the elements can have besides ``name``.
        fixed: Constructor arguments that are the same for all nodes with this tag.
        constant: Required attributes, with the only text that is supported.
        read: Returns a constructor argument of a node by its name; getattr if None.
    """

    def __init__(
        self,
        tag: str,
        cls: type[Behaviour],
        attributes: Iterable[Attribute] = (),
        *,
        fixed: Mapping[str, Any] | None = None,
        constant: Mapping[str, str] | None = None,
        read: Callable[[Any, str], Any] | None = None,
    ) -> None:
        super().__init__(tag, cls, attributes)
        self.constant.update(constant or {})
        self._fixed = dict(fixed or {})
        self._read = read or getattr

    def build(self, values: dict[str, Any], children: list[Behaviour]) -> Behaviour:
        """Returns a new node with children and with attribute values by attribute name."""
        named = {
            attribute.argument or name: values.get(name, attribute.default)
            for name, attribute in self.attributes.items()
        }
        cls: Callable[..., Behaviour] = self.cls
        return cls(*self.arguments(children), **named, **self._fixed)

    def fits(self, node: Behaviour) -> bool:
        """Returns whether a node can be written with this tag."""
        return type(node) is self.cls and all(
            self._read(node, argument) == value for argument, value in self._fixed.items()
        )

    def values(self, node: Behaviour) -> dict[str, Any]:
        """Returns the attribute values of a node by attribute name."""
        return {
            name: self._read(node, attribute.argument or name)
            for name, attribute in self.attributes.items()
        }


class SwitchType(NodeType):
    """The tag for a `Switch` on a blackboard entry, with `count` cases and a default."""

    def __init__(self, count: int) -> None:
        cases = (Attribute(f"case_{number + 1}") for number in range(count))
        variable = Attribute("variable", takes_key=True)
        super().__init__(f"Switch{count}", Switch, (variable, *cases))
        self._count = count

    def children_problem(self, count: int) -> str | None:
        """Returns the problem with the number of children, or None if it is allowed."""
        if count == self._count + 1:
            return None
        return f"needs {self._count + 1} children, the last one for all other values"

    def build(self, values: dict[str, Any], children: list[Behaviour]) -> Behaviour:
        """Returns a new node with children and with attribute values by attribute name."""
        variable, *cases = (values[name] for name in self.attributes)
        if not isinstance(variable, Key):
            raise ValueError(f"variable must be an entry such as {{mode}}, got {variable!r}")
        if len(set(cases)) < len(cases):
            raise ValueError(f"the cases must differ, got {', '.join(cases)}")
        return Switch(dict(zip(cases, children)), children[-1], on=variable)

    def fits(self, node: Behaviour) -> bool:
        """Returns whether a node can be written with this tag."""
        if type(node) is not Switch or not isinstance(node.on, Key):
            return False
        return len(node.cases) == self._count  # if it has no default, the writer adds one

    def values(self, node: Behaviour) -> dict[str, Any]:
        """Returns the attribute values of a node by attribute name."""
        assert isinstance(node, Switch), "fits() comes first"
        cases = [_case_text(case) for case in node.cases]
        if len(set(cases)) < len(cases):
            raise TypeError(f"two of its cases have one text: {', '.join(cases)}")
        return dict(zip(self.attributes, (node.on, *cases)))


def _case_text(case: object) -> str:
    """Returns the text of a `Switch` case, which must match the same values."""
    text = str(case)
    if case_key(text) != case_key(case):
        raise TypeError(f"the case {case!r} would be read as something else: use a text or number")
    return text


def _seconds(name: str) -> tuple[Attribute, ...]:
    return (Attribute(name, Milliseconds, MISSING, "seconds", takes_key=True),)


def _read_condition(node: Any, argument: str) -> Status:
    """Returns a constructor argument of Condition, which keeps only a table of answers."""
    position = node.answers.index(SUCCESS)
    others = {answer for code, answer in enumerate(node.answers) if code != position}
    answer: Status = others.pop() if argument == "otherwise" else Status(position)
    return answer


def _read_until_fail(node: Any, _: str) -> Status:
    """Returns `on_end` of UntilFail, which keeps only a table of answers."""
    answer: Status = node.answers[FAILURE]
    return answer


class LoopType(BuiltinType):
    """The tag for a `Loop` over elements of one class, separated by semicolons in the file."""

    def __init__(self, tag: str, element: type) -> None:
        attributes = (
            Attribute("queue", takes_key=True),
            Attribute("value", OutputEntry, None, "entry"),
            Attribute("if_empty", Status, SUCCESS),
        )
        super().__init__(tag, Loop, attributes)
        self._element = element

    def build(self, values: dict[str, Any], children: list[Behaviour]) -> Behaviour:
        """Returns a new node with children and with attribute values by attribute name."""
        text = values["queue"]
        is_key = isinstance(text, Key)
        queue = QueueKey.of(text.name, self._element) if is_key else split(text, self._element)
        return super().build({**values, "queue": queue}, children)

    def fits(self, node: Behaviour) -> bool:
        """Returns whether a node can be written with this tag."""
        if not isinstance(node, Loop) or type(node) is not Loop:
            return False
        if isinstance(node.queue, Key):
            return getattr(node.queue, "element", str) is self._element
        return all(type(value) is self._element for value in node.queue)

    def values(self, node: Behaviour) -> dict[str, Any]:
        """Returns the attribute values of a node by attribute name."""
        values = super().values(node)
        if not isinstance(values["queue"], Key):
            texts = [to_text(value, self._element, {}) for value in values["queue"]]
            if any(";" in text for text in texts):
                raise TypeError("elements with a semicolon would be read as two")
            values["queue"] = ";".join(texts)
        return values


def script_types(enums: Mapping[str, int] | None = None) -> dict[str, NodeType]:
    """Returns the types of nodes with scripts, by tag.

    Args:
        enums: Values of names for numbers in the scripts.
    """
    fixed = {} if enums is None else {"enums": enums}
    code = (Attribute("code"),)
    types = (
        BuiltinType("Script", RunScript, code, fixed=fixed),
        BuiltinType("ScriptCondition", ScriptCheck, code, fixed=fixed),
        BuiltinType(
            "Precondition",
            Precondition,
            [
                Attribute("if", argument="condition"),
                Attribute("else", Status, FAILURE, "otherwise"),
            ],
            fixed=fixed,
        ),
    )
    return {node_type.tag: node_type for node_type in types}


_SEED = (Attribute("seed", int, None),)
_EAGER = (Attribute("eager", bool, False),)
_COUNTS = (
    Attribute("success_count", int, -1, "success", takes_key=True),
    Attribute("failure_count", int, 1, "failure", takes_key=True),
)

# If several types fit a node, it is written with the first one.
CPP_TYPES = (
    BuiltinType("Sequence", Sequence),
    BuiltinType("Fallback", Selector),
    BuiltinType("ReactiveSequence", ReactiveSequence),
    BuiltinType("ReactiveFallback", ReactiveSelector),
    BuiltinType("Parallel", Parallel, _COUNTS, fixed={"eager": True}),
    BuiltinType("AsyncSequence", AsyncSequence),
    BuiltinType("AsyncFallback", AsyncSelector),
    BuiltinType("SequenceWithMemory", SequenceWithMemory),
    BuiltinType("ParallelAll", ParallelAll, [Attribute("max_failures", int, 1, takes_key=True)]),
    BuiltinType("TryCatch", TryCatch, [Attribute("catch_on_halt", bool, False, takes_key=True)]),
    BuiltinType("IfThenElse", IfThenElse),
    BuiltinType("WhileDoElse", WhileDoElse),
    *(SwitchType(count) for count in range(2, 7)),
    BuiltinType("Inverter", Inverter),
    BuiltinType("ForceSuccess", Succeeder),
    BuiltinType("ForceFailure", SuccessIsFailure),
    BuiltinType(
        "Repeat",
        Repeater,
        [Attribute("num_cycles", int, MISSING, "repeat", takes_key=True)],
        fixed={"on_failure": "abort"},
    ),
    BuiltinType(
        "RetryUntilSuccessful",
        Retry,
        [Attribute("num_attempts", int, argument="attempts", takes_key=True)],
    ),
    BuiltinType(
        "KeepRunningUntilFailure", UntilFail, fixed={"on_end": FAILURE}, read=_read_until_fail
    ),
    BuiltinType("Timeout", Timeout, _seconds("msec")),
    BuiltinType("Delay", Delay, _seconds("delay_msec")),
    *(
        BuiltinType(
            tag,
            WhenUpdated,
            [Attribute("entry", EntryName)],
            fixed={"otherwise": otherwise},
        )
        for tag, otherwise in (("SkipUnlessUpdated", SKIPPED), ("WaitValueUpdate", RUNNING))
    ),
    BuiltinType("WasEntryUpdated", WasUpdated, [Attribute("entry", EntryName)]),
    BuiltinType("RunOnce", RunOnce, [Attribute("then_skip", bool, True, takes_key=True)]),
    BuiltinType("AlwaysSuccess", Success),
    BuiltinType("AlwaysFailure", Failure),
    BuiltinType("Sleep", Wait, _seconds("msec")),
    BuiltinType(
        "SetBlackboard",
        SetEntry,
        [
            Attribute("value", EntryValue, takes_key=True),
            Attribute("output_key", EntryName, argument="entry"),
        ],
    ),
    BuiltinType("UnsetBlackboard", DeleteEntry, [Attribute("key", EntryName, argument="entry")]),
    LoopType("LoopInt", int),
    LoopType("LoopBool", bool),
    LoopType("LoopDouble", float),
    LoopType("LoopString", str),
    *script_types().values(),
)

OWN_TYPES = (
    BuiltinType("ParallelTickAll", Parallel, _COUNTS, fixed={"eager": False}),
    BuiltinType("ParallelSequence", ParallelSequence, _EAGER),
    BuiltinType("ParallelSelector", ParallelSelector, _EAGER),
    BuiltinType("RandomSequence", RandomSequence, _SEED),
    BuiltinType("RandomSelector", RandomSelector, _SEED),
    BuiltinType(
        "StatusCondition",
        Condition,
        [Attribute("success_status", Status, SUCCESS), Attribute("otherwise", Status, FAILURE)],
        read=_read_condition,
    ),
    BuiltinType(
        "UntilFail", UntilFail, [Attribute("on_end", Status, SUCCESS)], read=_read_until_fail
    ),
    BuiltinType(
        "WhenUpdated",
        WhenUpdated,
        [Attribute("entry", EntryName), Attribute("otherwise", Status, SKIPPED)],
    ),
    BuiltinType("Limit", Limit, [Attribute("tick_limit", int), Attribute("lifetime", bool, False)]),
    BuiltinType(
        "Repeater", Repeater, [Attribute("repeat", int), Attribute("on_failure", str, "continue")]
    ),
    BuiltinType("Cooldown", Cooldown, [Attribute("seconds", float)]),
    *(
        BuiltinType(cls.__name__, cls)
        for cls in (
            Running,
            RunningIsFailure,
            RunningIsSuccess,
            FailureIsSuccess,
            FailureIsRunning,
            SuccessIsRunning,
        )
    ),
)

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
