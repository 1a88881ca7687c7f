# SPDX-License-Identifier: Apache-2.0
"""A tree and its statuses and values as they are sent to Groot2, with a number for each node."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from contextlib import suppress

from deepsim_btree.behaviour import Behaviour
from deepsim_btree.blackboard import Key
from deepsim_btree.btcpp.document import ILLEGAL, Element, is_name
from deepsim_btree.btcpp.node_types import CPP_TYPES, OWN_TYPES, SCRIPT_ATTRIBUTES, NodeType
from deepsim_btree.btcpp.script_nodes import Conditions
from deepsim_btree.btcpp.texts import to_text
from deepsim_btree.btcpp.writer import model_element
from deepsim_btree.composites.serial import ReactiveSelector, ReactiveSequence
from deepsim_btree.decorators.subtree import SubTree
from deepsim_btree.leaves.function import FunctionLeaf
from deepsim_btree.parent import Decorator, Parent
from deepsim_btree.tag import Literal

_FORGETFUL = (Decorator, ReactiveSequence, ReactiveSelector)
_RESERVED = {"SubTree", "Action", "Condition", "Control", "Decorator", "TreeNodesModel", "include"}


class Node:
    """A node in the numbering of BehaviorTree.CPP.

    Attributes:
        uid: Number of the node, from 1.
        position: Position of the node in `Behaviour.walk` of the root.
        parent: The node above; None for the root.
        keeps: Whether finished children keep their status while the node is RUNNING.
    """

    def __init__(self, uid: int, position: int, parent: Node | None, node: Behaviour) -> None:
        self.uid = uid
        self.position = position
        self.parent = parent
        self.children: list[Node] = []
        if parent is not None:
            parent.children.append(self)
        self.keeps = isinstance(node, Parent) and not isinstance(node, _FORGETFUL)


class Description:
    """The static description of a tree.

    Nodes are numbered depth first, left to right. Each `SubTree` begins a separate tree.
    `Conditions`, which are attributes in BehaviorTree.CPP, are merged with their child.

    Attributes:
        xml: The document.
        nodes: All nodes, tree by tree.
        scopes: The `SubTree` of each tree, None for the first one, by the name of its blackboard.
    """

    def __init__(self, root: Behaviour, tree_id: str) -> None:
        self._positions = {id(node): position for position, node in enumerate(root.walk())}
        self._count = 0
        self._models: dict[str, Element] = {}
        self._trees: list[tuple[list[Node], Element]] = []
        self.scopes: dict[str, SubTree | None] = {tree_id: None}
        self._add_tree(root, tree_id, "", None)
        models = [self._models[tag] for tag in sorted(self._models)]
        trees = [element for _, element in self._trees]
        trees.append(Element("TreeNodesModel", {}, models))
        document = Element("root", {"BTCPP_format": "4"}, trees)
        self.xml = "\n".join(document.to_lines()) + "\n"
        self.nodes = [node for nodes, _ in self._trees for node in nodes]

    def _add_tree(self, root: Behaviour, tree_id: str, path: str, parent: Node | None) -> None:
        nodes: list[Node] = []
        element = Element("BehaviorTree", {"ID": _clean(tree_id), "_fullpath": _clean(path)}, [])
        self._trees.append((nodes, element))
        element.children.append(self._element(root, nodes, parent, path))

    def _element(
        self, node: Behaviour, nodes: list[Node], parent: Node | None, path: str
    ) -> Element:
        scripts = {}
        position = self._positions[id(node)]
        while isinstance(node, Conditions):
            scripts.update({_SCRIPTS[name]: text.text for name, text in node.scripts.items()})
            node = node.child
        self._count += 1
        its = Node(self._count, position, parent, node)
        nodes.append(its)
        if isinstance(node, SubTree):
            return self._subtree(node, its, scripts, path)
        tag, attributes = self._attributes(node)
        name = tag if node.name == type(node).__name__ else node.name
        attributes = {"name": name, "_uid": str(its.uid), **attributes, **scripts}
        below = [self._element(child, nodes, its, path) for child in node.children]
        return Element(tag, {name: _clean(text) for name, text in attributes.items()}, below)

    def _subtree(self, node: SubTree, its: Node, scripts: dict[str, str], path: str) -> Element:
        tree_id = node.tree_id or node.name
        name = node.name if node.name != tree_id else f"{tree_id}::{its.uid}"
        inner = f"{path}/{name}" if path else name
        self.scopes[inner] = node
        attributes = {"ID": _clean(tree_id), "_fullpath": _clean(inner), "_uid": str(its.uid)}
        attributes.update({entry: f"{{{outer}}}" for entry, outer in node.remap.items()})
        attributes.update({entry: _text(value, Literal) for entry, value in node.values.items()})
        if node.autoremap:
            attributes["_autoremap"] = "true"
        attributes.update(scripts)
        self._add_tree(node.child, tree_id, inner, its)
        return Element(
            "SubTree", {n: _clean(text) for n, text in attributes.items() if is_name(n)}, []
        )

    def _attributes(self, node: Behaviour) -> tuple[str, dict[str, str]]:
        for node_type in (*CPP_TYPES, *OWN_TYPES):
            if node_type.fits(node):
                if node_type in OWN_TYPES:
                    self._models[node_type.tag] = model_element(node_type)
                return node_type.tag, _texts(node_type, node)
        tag = type(node).__name__
        if isinstance(node, FunctionLeaf):  # named after the function
            tag = getattr(node.function, "__name__", tag)
        if not is_name(tag) or tag in _RESERVED:
            tag = f"{type(node).__name__}_"
        kind = (
            "Action" if not node.children else "Control" if len(node.children) > 1 else "Decorator"
        )
        self._models[tag] = Element(kind, {"ID": tag}, [])
        return tag, {}


_SCRIPTS = {name: attribute for attribute, name in SCRIPT_ATTRIBUTES.items()}


def _texts(node_type: NodeType, node: Behaviour) -> dict[str, str]:
    try:
        values = node_type.values(node)
    except (AttributeError, TypeError):
        return {}
    types = {name: attribute.type for name, attribute in node_type.attributes.items()}
    return {
        name: _text(values[name], types[name]) for name in types if values.get(name) is not None
    }


def _text(value: object, type_: type) -> str:
    with suppress(TypeError, ValueError):
        return to_text(value, type_, {})
    return f"{{{value.name}}}" if isinstance(value, Key) else str(value)


def _clean(text: str) -> str:
    return ILLEGAL.sub("?", text)


_IDLE, _RUNNING = 0, 1
_FINISHED = {"S": 2, "F": 3, "s": 2, "f": 3}
_FROM = 10  # added to the previous byte of a node that is idle again


class Statuses:
    """The status bytes of all nodes, updated at each step.

    BehaviorTree.CPP makes a node idle as soon as its parent has used its answer, and a monitor
    shows idle nodes pale: children of finished parents, of reactive nodes and of decorators. Nodes
    of this library keep their status, so this class derives from their parents which of them would
    be idle.
    """

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._nodes = nodes
        self._bytes = dict.fromkeys((node.uid for node in nodes), _IDLE)

    def update(self, states: str) -> list[tuple[int, int]]:
        """Updates the bytes from the letters of a snapshot; returns changed numbers and bytes."""
        changed = []
        for node in self._nodes:
            before = self._bytes[node.uid]
            now = self._byte(node, states, before)
            if now != before:
                self._bytes[node.uid] = now
                changed.append((node.uid, now))
        return changed

    def reset(self) -> None:
        """Makes all nodes idle, as before their first run."""
        self._bytes = dict.fromkeys(self._bytes, _IDLE)

    def packed(self) -> bytes:
        """Returns three bytes for each node: its number, low byte first, and its status."""
        pairs = ((node.uid & 0xFFFF, self._bytes[node.uid]) for node in self._nodes)
        return b"".join(struct.pack("<HB", *pair) for pair in pairs)

    def _byte(self, node: Node, states: str, before: int) -> int:
        letter = states[node.position]
        if letter == "R":
            return _RUNNING
        # A skipped node stays as it was, but a parent whose children are skipped was running.
        has_asked = letter == "K" and any(states[child.position] == "K" for child in node.children)
        if letter == "I" or has_asked:
            return _FROM + _RUNNING
        if letter not in _FINISHED:  # never run, halted earlier, or skipped
            return before + _FROM if 0 < before < _FROM else before
        status = _FINISHED[letter]
        parent = node.parent
        is_kept = parent is not None and parent.keeps and states[parent.position] == "R"
        is_new = letter.isupper() or before == status
        return status if is_kept and is_new else status + _FROM
