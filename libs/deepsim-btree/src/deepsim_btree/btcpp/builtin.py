# SPDX-License-Identifier: Apache-2.0
"""The tags of the node classes of this library, and those that it refuses."""

from __future__ import annotations

from functools import partial
from typing import Any, Mapping

from deepsim_btree.behaviour import Behaviour
from deepsim_btree.blackboard import Key
from deepsim_btree.composites import conditional, orders, parallel, serial
from deepsim_btree.composites.conditional import Switch, case_key
from deepsim_btree.decorators import counters, status_map, timers, updated
from deepsim_btree.leaves import plain
from deepsim_btree.tag import Attribute

from . import nodes, script_nodes
from .node_types import ClassType, NodeType


class _SwitchType(NodeType):
    """The tag for a `Switch` on a blackboard entry, with `count` cases and a default."""

    def __init__(self, count: int) -> None:
        cases = (Attribute(f"case_{number + 1}") for number in range(count))
        variable = Attribute("variable", takes_key=True)
        super().__init__(f"Switch{count}", Switch, (variable, *cases))
        self._count = count

    def children_problem(self, count: int) -> str | None:
        if count == self._count + 1:
            return None
        return f"needs {self._count + 1} children, the last one for all other values"

    def build(self, values: dict[str, Any], children: list[Behaviour]) -> Behaviour:
        variable, *cases = (values[name] for name in self.attributes)
        if not isinstance(variable, Key):
            raise ValueError(f"variable must be an entry such as {{mode}}, got {variable!r}")
        if len(set(cases)) < len(cases):
            raise ValueError(f"the cases must differ, got {', '.join(cases)}")
        return Switch(dict(zip(cases, children)), children[-1], on=Key(variable.name))

    def fits(self, node: Behaviour) -> bool:
        if type(node) is not Switch or not isinstance(node.on, Key):
            return False
        return len(node.cases) == self._count  # if it has no default, the writer adds one

    def values(self, node: Behaviour) -> dict[str, Any]:
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


_MODULES = (serial, conditional, parallel, orders, counters, status_map, timers, updated)
_TAGS = [
    (tag, cls)
    for module in (*_MODULES, plain, nodes, script_nodes)
    for cls in vars(module).values()
    if isinstance(cls, type) and cls.__module__ == module.__name__
    for tag in vars(cls).get("xml_tags", ())
]
# If several types fit a node, it is written with the first one.
CPP_TYPES: tuple[NodeType, ...] = (
    *(ClassType(tag, cls, cls) for tag, cls in _TAGS if tag.in_btcpp),
    *(_SwitchType(count) for count in range(2, 7)),
)
OWN_TYPES = tuple(ClassType(tag, cls, cls) for tag, cls in _TAGS if not tag.in_btcpp)
BUILTIN_TYPES = {node_type.tag: node_type for node_type in (*CPP_TYPES, *OWN_TYPES)}


def script_types(enums: Mapping[str, int]) -> dict[str, NodeType]:
    """Returns the types of nodes with scripts, by tag."""
    scripts = [(tag, cls) for tag, cls in _TAGS if "enums" in tag.hidden]
    return {tag.name: ClassType(tag, cls, partial(cls, enums=enums)) for tag, cls in scripts}


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
