# SPDX-License-Identifier: Apache-2.0
"""Writes trees as XML."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Callable, Literal

from deepsim_btree.behaviour import Behaviour
from deepsim_btree.blackboard import Key, key
from deepsim_btree.btcpp.script_nodes import Conditions
from deepsim_btree.composites.conditional import Switch
from deepsim_btree.composites.parallel import Parallel, ParallelSelector, ParallelSequence
from deepsim_btree.decorators.counters import Repeater
from deepsim_btree.decorators.status_map import FailureIsSuccess, SuccessIsRunning, UntilFail
from deepsim_btree.decorators.subtree import SubTree
from deepsim_btree.errors import XmlError, shortened
from deepsim_btree.status import RUNNING, SUCCESS
from deepsim_btree.tag import MISSING, Attribute, EntryValue, Milliseconds, Queue

from .document import MAX_LEVELS, Element, is_name
from .node_types import (
    BUILTIN_TYPES,
    CPP_TYPES,
    OWN_TYPES,
    SCRIPT_ATTRIBUTES,
    UNSUPPORTED,
    Nodes,
    NodeType,
    registered_type,
    registered_types,
    tags_of,
)
from .texts import Formatters, to_text


def write_xml(
    root: Behaviour,
    nodes: Nodes = (),
    *,
    tree: str = "Main",
    formatters: Formatters | None = None,
    dialect: Literal["deepsim", "btcpp"] = "deepsim",
) -> str:
    """Returns a tree as a document in the XML of BehaviorTree.CPP 4, including TreeNodesModel.

    `read_xml` makes an equal tree from it in its initial state: the memory of nodes is not written.
    A branch below a `SubTree` is written once for all uses of its ``tree_id``.

    Args:
        root: The node at the top.
        nodes: Your own types of nodes, as for `read_xml`. Needed for nodes whose class is not their
            tag, such as an `Action` of a lambda, and for arguments without a text form. Other
            classes are written with their names as tags.
        tree: ID of the tree.
        formatters: Functions that convert values of further types to texts, by type.
        dialect: ``"btcpp"`` writes only nodes that BehaviorTree.CPP has itself. Other nodes are
            replaced with nodes that do the same there, or refused if there are none.

    Raises:
        XmlError: A part of the tree, named by the message, cannot be written.
        ValueError: `dialect` is unknown, or a tag in `nodes` cannot be the name of an XML
            element.
        TypeError: One of `nodes` is not a class of nodes.
    """
    if dialect not in ("deepsim", "btcpp"):
        raise ValueError(f"dialect must be 'deepsim' or 'btcpp', got {dialect!r}")
    writer = _Writer(registered_types(nodes), formatters or {}, dialect == "btcpp")
    if dialect == "btcpp":
        _check_name(root, tree)
    _check_levels(root)
    writer.add_tree(tree, root)
    trees = [
        Element("BehaviorTree", {"ID": tree_id}, [element])
        for tree_id, element in writer.trees.items()
        if element is not None
    ]
    models = [nodes_model(writer.used.values())] if writer.used else []
    return _document({"main_tree_to_execute": tree}, [*trees, *models])


def _document(attributes: dict[str, str], children: list[Element]) -> str:
    document = Element("root", {"BTCPP_format": "4", **attributes}, children)
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', *document.to_lines()]) + "\n"


def _check_levels(root: Behaviour) -> None:
    """Checks that the written file will not have too many levels for `read_xml`."""
    # A tree's root is the third level, inside <root> and <BehaviorTree>; each SubTree starts anew.
    stack = [(root, 1, 3)]
    while stack:
        node, level, nested = stack.pop()
        if level > MAX_LEVELS or nested > MAX_LEVELS:
            raise XmlError(f"{shortened(node.path)}: more than {MAX_LEVELS} levels cannot be read")
        here = 0 if isinstance(node, Conditions) else 1  # attributes of the child
        below = 3 if isinstance(node, SubTree) else nested + here
        stack.extend((child, level + here, below) for child in node.children)


_TAGS = {*BUILTIN_TYPES, *UNSUPPORTED, "SubTree", "Action", "Condition", "Control", "Decorator"}


class _Writer:
    def __init__(
        self, registered: dict[str, NodeType], formatters: Formatters, only_btcpp: bool
    ) -> None:
        self._only_btcpp = only_btcpp
        self.trees: dict[str, Element | None] = {}
        self.used: dict[str, NodeType] = {}  # types that BehaviorTree.CPP lacks
        self._registered = registered
        self._formatters = formatters

    def add_tree(self, tree_id: str, root: Behaviour) -> None:
        """Adds a BehaviorTree, or checks that the existing one with this ID is equal."""
        first = tree_id not in self.trees
        if first:
            self.trees[tree_id] = None  # a placeholder: trees come before those they use
        element = self._element(root)
        if not first and self.trees[tree_id] != element:
            raise XmlError(
                f"{root.path}: the tree {tree_id} is written already and differs: give one of the "
                "SubTree nodes another tree_id"
            )
        self.trees[tree_id] = element

    def _element(self, node: Behaviour) -> Element:
        if isinstance(node, Conditions):
            return self._conditions(node)
        if isinstance(node, SubTree):
            return self._subtree(node)
        node_type = self._type(node)
        if self._only_btcpp:
            if node_type in OWN_TYPES:
                return _rewritten(node, self._element)
            problem = node_type.children_problem(len(node.children))
            if problem and not isinstance(node, Switch):
                raise XmlError(f"{node.path}: {node_type.tag} {problem}")
        attributes = {}
        if "name" not in node_type.attributes and node.name != node_type.default_name(node):
            attributes["name"] = node.name
        try:
            values = node_type.values(node)
        except (AttributeError, TypeError) as error:
            raise XmlError(
                f"{node.path}: the arguments of {node_type.tag} cannot be read back: {error}"
            ) from error
        for name, attribute in node_type.attributes.items():
            if name not in values or _is_default(values[name], attribute.default):
                continue
            attributes[name] = self._text(node, name, values[name], attribute.type)
        children = [self._element(child) for child in node.children]
        if isinstance(node, Switch) and len(children) == len(node.cases):
            children.append(Element("AlwaysFailure", {}, []))
        return Element(node_type.tag, attributes, children)

    def _type(self, node: Behaviour) -> NodeType:
        for node_type in (*self._registered.values(), *CPP_TYPES, *OWN_TYPES):
            if node_type.fits(node):
                if node_type not in CPP_TYPES and not (self._only_btcpp and node_type in OWN_TYPES):
                    self.used[node_type.tag] = node_type
                return node_type
        if isinstance(node, Switch):
            raise XmlError(f"{node.path}: XML has a Switch with 2 to 6 cases, on a key, only")
        try:
            node_type = _own_type(node)
        except (TypeError, ValueError) as error:
            raise XmlError(f"{node.path}: {error}; name it in nodes=") from error
        taken = self.used.setdefault(node_type.tag, node_type)
        if taken.cls is not node_type.cls:
            raise XmlError(f"{node.path}: two classes are called {node_type.tag}: use nodes=")
        return taken

    def _conditions(self, node: Conditions) -> Element:
        element = self._element(node.child)
        for attribute, name in SCRIPT_ATTRIBUTES.items():
            if name in node.scripts:
                if attribute in element.attributes:
                    raise XmlError(f"{node.path}: its child has a script {name} already")
                element.attributes[attribute] = node.scripts[name].text
        return element

    def _subtree(self, node: SubTree) -> Element:
        tree_id = node.name if node.tree_id is None else node.tree_id
        if tree_id in _TAGS:  # reserved names
            tree_id += "_"
        if self._only_btcpp:
            _check_name(node, tree_id)
        attributes = {"ID": tree_id}
        if node.name != tree_id:
            attributes["name"] = node.name
        if node.autoremap:
            attributes["_autoremap"] = "true"
        for name in (*node.remap, *node.values):
            if name in ("ID", "name") or name[0] == "_" or not is_name(name):
                raise XmlError(
                    f"{node.path}: XML has no SubTree with an entry called {name!r}: rename it"
                )
        for name, outer in node.remap.items():
            attributes[name] = self._text(node, name, key(outer), EntryValue)
        for name, value in node.values.items():
            attributes[name] = self._text(node, name, value, EntryValue)
        self.add_tree(tree_id, node.child)
        return Element("SubTree", attributes, [])

    def _text(self, node: Behaviour, name: str, value: Any, type_: type) -> str:
        try:
            return to_text(value, type_, self._formatters)
        except TypeError as error:
            reason = f"{node.path}: cannot write {name}: {error}, or use a partial in nodes="
            raise XmlError(reason) from error


def _own_type(node: Behaviour) -> NodeType:
    types = [registered_type(tag, type(node)) for tag in tags_of(type(node))]
    return next((node_type for node_type in types if node_type.fits(node)), types[0])


def _is_default(value: object, default: object) -> bool:
    same_type = type(value) is type(default) or (
        isinstance(value, Key) and isinstance(default, Key)
    )
    return value is default or (same_type and bool(value == default))


_TYPE_NAMES = {str: "std::string", float: "double", int: "int", bool: "bool"}
_TYPE_NAMES[Milliseconds] = "unsigned"


def write_nodes_model(nodes: Nodes) -> str:
    """Returns an XML document with models of node types and without a tree.

    Groot2 can load such a file and then offers the nodes for drawing trees.

    Args:
        nodes: Types of nodes, as for `read_xml`. The nodes of this library that BehaviorTree.CPP
            lacks are added.

    Raises:
        TypeError: One of `nodes` is not a class of nodes.
        ValueError: A tag in `nodes` cannot be the name of an XML element.
    """
    return _document({}, [nodes_model([*registered_types(nodes).values(), *OWN_TYPES])])


def nodes_model(types: Iterable[NodeType]) -> Element:
    """Returns the TreeNodesModel element of types of nodes, sorted by tag."""
    models = [model_element(node_type) for node_type in sorted(types, key=lambda one: one.tag)]
    return Element("TreeNodesModel", {}, models)


def model_element(node_type: NodeType) -> Element:
    """Returns the model element of a type of nodes."""
    ports = [_port(attribute) for attribute in node_type.attributes.values()]
    return Element(node_type.category, {"ID": node_type.tag}, ports)


def _port(attribute: Attribute) -> Element:
    is_queue = isinstance(attribute.type, Queue)
    type_ = str if is_queue else attribute.type
    fields = {"name": attribute.name, "type": _TYPE_NAMES.get(type_, type_.__name__)}
    if attribute.default is not MISSING and attribute.default is not None:
        with suppress(TypeError):  # an object without a text form
            fields["default"] = to_text(attribute.default, attribute.type, {})
    return Element(f"{attribute.direction}_port", fields, [], text=attribute.description)


# Only what BehaviorTree.CPP has itself.
_ILLEGAL = re.compile(r"""[\s<>&"'/\\:*?|.]""")
_REASONS = {
    "Parallel": "it ticks all its children before it decides: make it eager",
    "ParallelSequence": "it ticks all its children before it decides: make it eager",
    "ParallelSelector": "it ticks all its children before it decides: make it eager",
    "RandomSequence": "it has no random order",
    "RandomSelector": "it has no random order",
    "Condition": "it has no decorator that waits for one status",
    "Limit": "it does not count ticks: use a Timeout",
    "Running": "it has no leaf that never ends: use a Wait",
    "FailureIsRunning": "it would try again without end in one tick: use a Retry around a Wait",
}


def _rewritten(node: Behaviour, element: Callable[[Behaviour], Element]) -> Element:
    """Returns an element of nodes of BehaviorTree.CPP for one that it lacks, or raises XmlError."""
    kind = type(node).__name__
    name = {} if node.name == kind else {"name": node.name}
    children = [element(child) for child in node.children]
    if isinstance(node, (ParallelSequence, ParallelSelector)) and node.eager:
        success, failure = node.success, node.failure
        counts = {"success_count": str(success), "failure_count": str(failure)}
        return Element("Parallel", {**name, **counts}, children)
    if isinstance(node, FailureIsSuccess):
        return Element("ForceSuccess", name, children)
    if isinstance(node, SuccessIsRunning):
        return Element("KeepRunningUntilFailure", name, children)
    if isinstance(node, UntilFail) and node.answers[3] is SUCCESS:
        return Element("Inverter", {}, [Element("KeepRunningUntilFailure", name, children)])
    if isinstance(node, Repeater) and node.repeat == -1:
        forced = Element("ForceSuccess", {}, children)
        return Element("Repeat", {**name, "num_cycles": "-1"}, [forced])
    reason = _REASONS.get(kind, "it has none that does the same")
    if isinstance(node, UntilFail) and node.answers[3] is RUNNING:
        reason = "it would never end"
    if isinstance(node, Parallel) and node.eager:
        reason = "it has none that does the same"
    raise XmlError(f"{node.path}: BehaviorTree.CPP has no {kind}: {reason}")


def _check_name(node: Behaviour, name: str) -> None:
    """Checks that BehaviorTree.CPP accepts the name of a tree, or raises XmlError."""
    illegal = _ILLEGAL.search(name)
    if illegal or not name:
        what = repr(illegal.group()) if illegal else "nothing"
        raise XmlError(
            f"{node.path}: BehaviorTree.CPP takes no tree called {name!r}, because of {what}"
        )
