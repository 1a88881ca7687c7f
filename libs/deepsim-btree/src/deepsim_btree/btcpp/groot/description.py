# SPDX-License-Identifier: Apache-2.0
"""Description: a tree as it is sent to Groot2, with a number for each node."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING

from deepsim_btree.blackboard.key import key
from deepsim_btree.btcpp.builtin import CPP_TYPES, OWN_TYPES, SCRIPT_ATTRIBUTES
from deepsim_btree.btcpp.element import Element, escape, is_name
from deepsim_btree.btcpp.script_nodes import Conditions
from deepsim_btree.btcpp.texts import to_text
from deepsim_btree.btcpp.writer import model_element
from deepsim_btree.composites.serial import ReactiveSelector, ReactiveSequence
from deepsim_btree.decorators.decorator import Decorator
from deepsim_btree.decorators.subtree import SubTree
from deepsim_btree.errors import XmlError
from deepsim_btree.leaves.function import FunctionLeaf
from deepsim_btree.parent import Parent
from deepsim_btree.tag import Literal

if TYPE_CHECKING:
    from deepsim_btree.behaviour import Behaviour
    from deepsim_btree.btcpp.node_types import NodeType

_FORGETFUL = (Decorator, ReactiveSequence, ReactiveSelector)
_RESERVED = {"SubTree", "Action", "Condition", "Control", "Decorator", "TreeNodesModel", "include"}
_ILLEGAL = re.compile(r"[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


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

    Args:
        root: The root.
        tree_id: ID of the tree that the root begins.

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
        document = Element("root", {"BTCPP_format": "4"}, [*trees])
        document.children.append(Element("TreeNodesModel", {}, models))
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
        for entry, outer in node.remap.items():
            attributes[entry] = f"{{{outer}}}"
        for entry, value in node.values.items():
            attributes[entry] = _text(value, Literal)
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
    texts: dict[str, str] = {}
    try:
        values = node_type.values(node)
    except (AttributeError, TypeError):
        return texts
    for name, attribute in node_type.attributes.items():
        if name in values and values[name] is not None:
            texts[name] = _text(values[name], attribute.type)
    return texts


def _text(value: object, type_: type) -> str:
    with suppress(TypeError, ValueError):
        return to_text(value, type_, {})
    return f"{{{value.name}}}" if isinstance(value, type(key("_"))) else str(value)


def _clean(text: str) -> str:
    """Returns a text for display, in which characters that XML forbids are replaced."""
    try:
        escape(text)
    except XmlError:
        return _ILLEGAL.sub("?", text)
    return text
