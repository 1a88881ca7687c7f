# SPDX-License-Identifier: Apache-2.0
"""The meanings of tags in XML files: node classes, function leaves, and partials of them."""

from __future__ import annotations

import inspect
import re
import types
import typing
from abc import ABC, abstractmethod
from functools import partial
from typing import Any, Callable, Iterable, Mapping, Union

from deepsim_btree.behaviour import Behaviour
from deepsim_btree.blackboard import Key
from deepsim_btree.composites import conditional, orders, parallel, serial
from deepsim_btree.composites.conditional import Conditional, Switch, case_key
from deepsim_btree.decorators import counters, status_map, timers, updated
from deepsim_btree.leaves import plain
from deepsim_btree.leaves.function import Action, Check, FunctionLeaf
from deepsim_btree.leaves.ports import PortLeaf
from deepsim_btree.leaves.routine import Routine
from deepsim_btree.parent import Decorator, Parent
from deepsim_btree.status import INVALID
from deepsim_btree.tag import MISSING, Attribute, Literal, Queue, Tag

from . import nodes, script_nodes

Maker = Callable[..., Behaviour]
# Any, since mypy infers `object` for a list of classes and partials.
Nodes = Union[Mapping[str, Any], Iterable[Any]]


# Type hints that name no class, although some are classes in newer versions of Python.
_ANYTHING = (object, Any, Union, getattr(types, "UnionType", Union))
_TAG = re.compile(r"[^\W\d][\w.-]*")


class NodeType(ABC):
    """The base of the types of nodes in XML files, one for each tag.

    Attributes:
        tag: The tag.
        cls: Class of the nodes.
        attributes: Attributes that the elements can have, by name.
    """

    def __init__(self, tag: str, cls: type[Behaviour], attributes: Iterable[Attribute]) -> None:
        self.tag = tag
        self.cls = cls
        self.attributes = {attribute.name: attribute for attribute in attributes}

    @property
    def category(self) -> str:
        """The kind of the nodes in TreeNodesModel: Control, Decorator, Condition or Action."""
        if issubclass(self.cls, Decorator):
            return "Decorator"
        if issubclass(self.cls, Parent):
            return "Control"
        return "Condition" if issubclass(self.cls, Check) else "Action"

    def children_problem(self, count: int) -> str | None:
        """Returns the problem with the number of children, or None if it is allowed."""
        if issubclass(self.cls, Conditional):
            return None if count in (2, 3) else "needs 2 or 3 children"
        if issubclass(self.cls, Decorator):
            return None if count == 1 else "needs exactly one child"
        if issubclass(self.cls, Parent):
            return None if count else "needs children"
        return "is a leaf and cannot have children" if count else None

    def default_name(self, node: Behaviour) -> str | None:
        """Returns the name that a node gets if its element has no ``name``; None if unknown."""
        return type(node).__name__

    @abstractmethod
    def build(self, values: dict[str, Any], children: list[Behaviour]) -> Behaviour:
        """Returns a new node with children and with attribute values by attribute name."""

    @abstractmethod
    def fits(self, node: Behaviour) -> bool:
        """Returns whether a node can be written with this tag."""

    @abstractmethod
    def values(self, node: Behaviour) -> dict[str, Any]:
        """Returns the attribute values of a node by attribute name, or raises AttributeError."""


class _FunctionType(NodeType):
    def __init__(self, tag: str, cls: type[FunctionLeaf], maker: Maker) -> None:
        made = partial(maker)  # nested partials are flattened by Python
        args = made.args
        if cls in (Action, Check, Routine):
            if not args:
                raise TypeError(f"{tag} lacks its function: partial({cls.__name__}, function)")
            self._function: Callable[..., Any] = args[0]
            args = args[1:]
            if "name" in inspect.signature(self._function).parameters:
                raise TypeError(
                    f"{tag}: {cls.__name__} takes a name for itself: use @action or @condition"
                )
        else:
            self._function = cls.function
        self._maker = maker
        self._signature = inspect.signature(self._function)
        self._fixed = self._signature.bind_partial(*args, **made.keywords).arguments
        attributes = _attributes(self._function, self._signature, set(self._fixed), is_called=True)
        super().__init__(tag, cls, attributes)

    def build(self, values: dict[str, Any], children: list[Behaviour]) -> Behaviour:
        return self._maker(**values)

    def default_name(self, node: Behaviour) -> str | None:
        return getattr(self._function, "__name__", None)

    def fits(self, node: Behaviour) -> bool:
        if not isinstance(node, FunctionLeaf) or type(node) is not self.cls:
            return False
        if node.function != self._function:
            return False
        its = self._bound(node)
        return all(name in its and _same(its[name], value) for name, value in self._fixed.items())

    def values(self, node: Behaviour) -> dict[str, Any]:
        bound = self._bound(node)
        lost = set(bound) - set(self.attributes) - set(self._fixed)
        if lost:
            raise AttributeError(f"{lost.pop()} is given by position only, or one of any number")
        return {name: bound[name] for name in self.attributes if name in bound}

    def _bound(self, node: Any) -> dict[str, Any]:
        return dict(self._signature.bind_partial(*node.args, **node.kwargs).arguments)


class ClassType(NodeType):
    """The tag for a node class, whose attributes are its constructor arguments and ports."""

    def __init__(self, tag: Tag, cls: type[Behaviour], maker: Maker) -> None:
        self._maker = made = partial(maker, **tag.fixed)
        signature = inspect.signature(cls)
        self._fixed = {**signature.bind_partial(*made.args).arguments, **made.keywords}
        attributes = {name: one for name, one in tag.arguments.items() if name not in self._fixed}
        skipped = {"name", *self._fixed, *tag.hidden, *attributes}
        if issubclass(cls, Parent):
            skipped |= {"child", "children"}
        others = _attributes(cls.__init__, signature, skipped)
        attributes.update((attribute.name, attribute) for attribute in others)
        if issubclass(cls, PortLeaf):
            for name, port in cls.ports.items():
                if name not in self._fixed:
                    absent = None if port.direction == "output" else MISSING
                    attributes[name] = Attribute(
                        port.name,
                        port.type,
                        port.default if port.has_default else absent,
                        takes_key=True,
                        direction=port.direction,
                        description=port.description,
                    )
        self._arguments = {attribute.name: name for name, attribute in attributes.items()}
        self._defaults = {
            attribute.name: attribute.default
            for name, attribute in tag.arguments.items()
            if name in attributes and attribute.default is not MISSING
        }
        super().__init__(tag.name, cls, attributes.values())

    def build(self, values: dict[str, Any], children: list[Behaviour]) -> Behaviour:
        is_parent = issubclass(self.cls, Parent)
        one_by_one = issubclass(self.cls, (Decorator, Conditional))
        first = children if one_by_one else [children] if is_parent else []
        given = {self._arguments[n]: value for n, value in {**self._defaults, **values}.items()}
        try:
            node = self._maker(*first, **given)
        except AttributeError as error:  # such as a path, which has no setter
            taken = [name for name in given if hasattr(Behaviour, name)]
            advice = f": keep {taken[0]} in an attribute called _{taken[0]}" if taken else ""
            raise TypeError(f"{error}{advice}") from error
        if node.status is not INVALID:
            raise TypeError("its constructor must not write status: call that attribute _status")
        return node

    def default_name(self, node: Behaviour) -> str | None:
        own = vars(self.cls)
        is_fixed = "__init__" not in own or "xml_tags" in own
        return self.cls.__name__ if is_fixed else None

    def fits(self, node: Behaviour) -> bool:
        return (
            type(node) is self.cls
            and all(_same(_read(node, name), value) for name, value in self._fixed.items())
            and all(
                _has_elements(_read(node, self._arguments[attribute.name]), attribute.type)
                for attribute in self.attributes.values()
                if isinstance(attribute.type, Queue)
            )
        )

    def values(self, node: Behaviour) -> dict[str, Any]:
        found = {name: _read(node, argument) for name, argument in self._arguments.items()}
        return {name: value for name, value in found.items() if value is not MISSING}


def registered_types(nodes: Nodes) -> dict[str, NodeType]:
    """Returns the types of nodes that a user registers, by tag, or raises TypeError or ValueError.

    Args:
        nodes: A mapping from tags to node classes, or node classes, whose tags are their `xml_tags`
            or else their names. A `functools.partial` of a class fixes arguments; elements have no
            attributes for these.
    """
    makers: Any = nodes
    if not isinstance(nodes, Mapping):
        makers = {tag: maker for maker in nodes for tag in tags_of(maker)}
    return {tag: registered_type(tag, maker) for tag, maker in makers.items()}


def registered_type(tag: str, maker: Maker) -> NodeType:
    """Returns the type of the nodes that `maker` makes, or raises TypeError or ValueError."""
    if not _TAG.fullmatch(tag):
        raise ValueError(f"{tag!r} cannot be a tag: register it in a mapping, under a word")
    cls: Any = maker
    while isinstance(cls, partial):
        cls = cls.func
    if not isinstance(cls, type) or not issubclass(cls, Behaviour):
        raise TypeError(
            f"{tag} must be a class of nodes, from @action for example, or a partial of one; "
            f"got {maker!r}"
        )
    if issubclass(cls, FunctionLeaf):
        return _FunctionType(tag, cls, maker)
    own = {known.name: known for known in vars(cls).get("xml_tags", ())}
    return ClassType(own.get(tag, Tag(tag)), cls, maker)


def tags_of(maker: Any) -> tuple[str, ...]:
    """Returns the tags that a node class has by itself: its `xml_tags`, or its name."""
    declared = vars(maker).get("xml_tags", ()) if isinstance(maker, type) else ()
    return tuple(tag.name for tag in declared) or (getattr(maker, "__name__", repr(maker)),)


def _attributes(
    function: Any, signature: inspect.Signature, skipped: set[str], *, is_called: bool = False
) -> Iterable[Attribute]:
    """Yields an attribute for each parameter that accepts a keyword argument.

    Entries of the blackboard go to a function that is called at each tick, and to arguments of a
    constructor that are annotated with `Key`.
    """
    classes = _classes(function)
    for name, parameter in signature.parameters.items():
        if name in skipped or parameter.kind not in (
            parameter.POSITIONAL_OR_KEYWORD,
            parameter.KEYWORD_ONLY,
        ):
            continue
        default = MISSING if parameter.default is parameter.empty else parameter.default
        if name == "ID":
            raise TypeError("ID is taken in XML: give that argument another name")
        guessed = Literal if default is MISSING or default is None else type(default)
        class_, takes_key = classes.get(name, (guessed, False))
        yield Attribute(name, class_, default, takes_key=takes_key or is_called)


def _classes(function: Any) -> dict[str, tuple[type, bool]]:
    """Returns the classes that parameters are annotated with, and whether `Key` is one of them."""
    classes = {}
    names = getattr(inspect.unwrap(function), "__globals__", None)
    for name, annotation in getattr(function, "__annotations__", {}).items():
        only = types.SimpleNamespace(__annotations__={name: annotation})
        try:
            hint = typing.get_type_hints(only, names)[name]
        except (NameError, TypeError, AttributeError):  # only for type checkers, or too new
            continue
        # Of X | None | Key take the X: None is the absence of the attribute.
        choices = [one for one in typing.get_args(hint) if one not in (type(None), Key)]
        is_union = typing.get_origin(hint) in _ANYTHING
        chosen = choices[0] if len(choices) == 1 and is_union else hint
        chosen = typing.get_origin(chosen) or chosen  # list for list[int]
        is_class = isinstance(chosen, type) and chosen not in _ANYTHING
        classes[name] = (chosen if is_class else Literal, Key in (hint, *typing.get_args(hint)))
    return classes


def _has_elements(value: Any, queue: Queue) -> bool:
    if isinstance(value, Key):
        return bool(getattr(value, "value_type", Queue(str)) == queue)
    return all(type(element) is queue.element for element in value)


def _read(node: Behaviour, argument: str) -> Any:
    if isinstance(node, PortLeaf) and argument in type(node).ports:
        return node.connections.get(argument, MISSING)
    if hasattr(Behaviour, argument):  # the node's own, which is not that argument
        return getattr(node, f"_{argument}")
    return getattr(node, argument)


def _same(one: object, other: object) -> bool:
    # Objects without a hash, such as lists, are the same only if they are identical.
    return one is other or (type(one).__hash__ is not None and bool(one == other))


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
