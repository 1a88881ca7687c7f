# SPDX-License-Identifier: Apache-2.0
"""Reads trees from XML."""

from __future__ import annotations

import os
from collections.abc import Iterable
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, Mapping

from deepsim_btree.behaviour import Behaviour
from deepsim_btree.blackboard import Key
from deepsim_btree.btcpp.script_nodes import Conditions
from deepsim_btree.decorators.subtree import SubTree
from deepsim_btree.tag import MISSING, Attribute, EntryName, EntryValue, OutputEntry

from .document import EXPLICIT, MAX_LEVELS, Document, Element, read_file, read_texts
from .node_types import (
    BUILTIN_TYPES,
    IGNORED_ATTRIBUTES,
    OF_VERSION_3,
    SCRIPT_ATTRIBUTES,
    UNSUPPORTED,
    Nodes,
    NodeType,
    registered_types,
    script_types,
)
from .texts import Parsers, key_of, to_value, typed_key

Enums = Mapping[str, int]

KNOWN_TAGS = frozenset({*BUILTIN_TYPES, *UNSUPPORTED, "SubTree"})
"""Tags that need no class of the user."""

MAX_NODES = 100_000
"""Limit of the nodes in a tree. Each use of a tree by a SubTree counts, so a chain of 20 trees that
each use the next one twice would have a million nodes.
"""


def read_xml(
    text: str | Iterable[str],
    nodes: Nodes = (),
    *,
    tree: str | None = None,
    parsers: Parsers | None = None,
    enums: Enums | None = None,
) -> Behaviour:
    """Reads a tree from the XML of BehaviorTree.CPP 4.

    Args:
        text: The document, or several that use each other's trees.
        nodes: Your own types of nodes: a mapping from tags to node classes, or node classes with
            their names as tags. Attributes in the file are the arguments of a function leaf, the
            ports of a `PortLeaf`, or the arguments of a constructor. Use `functools.partial` for
            arguments that have no text, such as a robot.
        tree: ID of the tree to read; None for ``main_tree_to_execute`` or the only tree.
        parsers: Functions that convert texts to values of further types, by type.
        enums: Values of names for numbers in scripts.

    Returns:
        The root node, ready for `Tree`.

    Raises:
        XmlError: The document is wrong or uses something that is not supported; the message has the
            line number.
        TypeError: One of `nodes` is not a class of nodes.
        ValueError: A tag in `nodes` cannot be the name of an XML element.
    """
    texts = (text,) if isinstance(text, str) else tuple(text)
    return _Reader(read_texts(texts), nodes, parsers, enums).main(tree)


def read_xml_file(
    path: str | os.PathLike[str],
    nodes: Nodes = (),
    *,
    tree: str | None = None,
    parsers: Parsers | None = None,
    enums: Enums | None = None,
) -> Behaviour:
    """Reads a tree from a file, which may include others; otherwise like `read_xml`.

    Raises:
        OSError: The file cannot be read.
    """
    return _Reader(read_file(Path(path)), nodes, parsers, enums).main(tree)


class _Reader:
    def __init__(
        self, document: Document, nodes: Nodes, parsers: Parsers | None, enums: Enums | None
    ) -> None:
        self._document = document
        self._enums = enums or {}
        self._types = {**BUILTIN_TYPES, **script_types(self._enums), **registered_types(nodes)}
        self._parsers = parsers or {}
        self._count = 0
        self._levels = 0

    def main(self, tree_id: str | None) -> Behaviour:
        return self.tree(self._document.main(tree_id), ())

    def tree(self, element: Element, above: tuple[str, ...]) -> Behaviour:
        """Makes the nodes of a BehaviorTree, which the trees with the IDs `above` use."""
        if len(element.children) != 1:
            raise element.error(f"<BehaviorTree> needs one child, got {len(element.children)}")
        return self._node(element.children[0], (*above, element.attributes["ID"]))

    def _node(self, element: Element, above: tuple[str, ...]) -> Behaviour:
        self._count += 1
        if self._count > MAX_NODES:
            raise element.error(
                f"the tree has more than {MAX_NODES} nodes, those of a SubTree counted at each "
                f"use; here in {' > '.join(above)}"
            )
        if self._levels == MAX_LEVELS:
            raise element.error(
                f"the tree is more than {MAX_LEVELS} levels deep, those of SubTrees included"
            )
        self._levels += 1
        node = self._made(element, above)
        self._levels -= 1
        return node

    def _made(self, element: Element, above: tuple[str, ...]) -> Behaviour:
        attributes = dict(element.attributes)
        tag = element.node_id
        if tag is not element.tag and not attributes.pop("ID", ""):
            raise element.error(f"<{element.tag}> needs an ID")
        scripts = {
            name: attributes.pop(attribute)
            for attribute, name in SCRIPT_ATTRIBUTES.items()
            if attribute in attributes
        }
        for name in IGNORED_ATTRIBUTES:
            attributes.pop(name, None)
        node_type = None if tag == "SubTree" else self._type(element, tag)
        is_port = node_type is not None and "name" in node_type.attributes
        node_name = None if is_port else attributes.pop("name", None)
        if node_type is None:
            node = self._subtree(element, attributes, above)
        else:
            node = self._plain(element, node_type, attributes, above)
        if node_name is not None:
            node.name = node_name
        if not scripts:
            return node
        try:
            return Conditions(node, scripts=scripts, enums=self._enums)
        except ValueError as error:
            raise element.error(f"{tag}: {error}") from error

    def _type(self, element: Element, tag: str) -> NodeType:
        if tag in self._types:
            node_type = self._types[tag]
            declared = self._document.category(tag)
            for category in (element.tag if element.tag in EXPLICIT else None, declared):
                # Action and Condition are interchangeable: only the kinds with children must match.
                leaf = ("Action", "Condition")
                if category and (category in leaf) != (node_type.category in leaf):
                    raise element.error(
                        f"{tag} is a {category} in the file, but a {node_type.category} in Python"
                    )
            return node_type
        if tag in UNSUPPORTED:
            raise element.error(f"<{tag}> is not supported: {UNSUPPORTED[tag]}")
        declared = self._document.category(tag)
        hint = f" (a {declared} of TreeNodesModel)" if declared else ""
        known = {*self._types, *KNOWN_TAGS, tag}
        tags = dict.fromkeys(one.node_id for one in self._document.elements())
        others = ", ".join(other for other in tags if other not in known)
        also = f"; also unknown: {others}" if others else ""
        raise element.error(f"unknown node {tag}{hint}: register its class in nodes={also}")

    def _plain(
        self,
        element: Element,
        node_type: NodeType,
        attributes: dict[str, str],
        above: tuple[str, ...],
    ) -> Behaviour:
        problem = node_type.children_problem(len(element.children))
        if problem:
            raise element.error(f"{node_type.tag} {problem}, got {len(element.children)}")
        children = [self._node(child, above) for child in element.children]
        values = self._values(element, node_type, attributes)
        try:
            return node_type.build(values, children)
        except (TypeError, ValueError, ArithmeticError) as error:
            raise element.error(f"{node_type.tag}: {error}") from error

    def _values(
        self, element: Element, node_type: NodeType, attributes: dict[str, str]
    ) -> dict[str, Any]:
        for name in sorted(set(attributes) - set(node_type.attributes)):
            if not _is_note(element, name):
                known = ", ".join(node_type.attributes) or "none"
                raise element.error(
                    f"{node_type.tag} has no attribute {name}; its attributes: {known}"
                )
        values = {}
        texts = {**self._document.defaults(node_type.tag), **attributes}
        for name, attribute in node_type.attributes.items():
            text = texts.get(name)
            if text is not None:
                values[name] = self._value(element, node_type.tag, attribute, text)
            elif attribute.default is MISSING:
                raise element.error(f"{node_type.tag} needs the attribute {name}")
            elif type(attribute.default) is Key and attribute.takes_key:
                values[name] = typed_key(attribute.default.name, attribute.type, self._parsers)
        return values

    def _value(self, element: Element, tag: str, attribute: Attribute, text: str) -> Any:
        name = attribute.name
        text = f"{{{name}}}" if text == "{=}" else text
        try:
            named = key_of(text)
            if named is not None and attribute.takes_key:
                return typed_key(named.name, attribute.type, self._parsers)
            if attribute.direction == "output":
                raise ValueError("an output must be an entry such as {goal}")
            if named is not None and attribute.type not in (EntryName, OutputEntry):
                raise ValueError(
                    "here an entry of the blackboard is not supported, only a value; an argument "
                    "annotated with Key, as in Union[float, Key], takes both"
                )
            return to_value(text, attribute.type, self._parsers)
        except (TypeError, ValueError, ArithmeticError, LookupError) as error:
            raise element.error(f'{tag} {name}="{text}": {error}') from error

    def _subtree(
        self, element: Element, attributes: dict[str, str], above: tuple[str, ...]
    ) -> Behaviour:
        if "ID" not in attributes:
            raise element.error("<SubTree> needs an ID")
        if element.children:
            raise element.error("<SubTree> cannot have children: they are in its BehaviorTree")
        tree_id = attributes.pop("ID")
        if tree_id in above:
            raise element.error(f"tree {tree_id} contains itself: {' > '.join((*above, tree_id))}")
        autoremap = self._value(
            element, "SubTree", Attribute("_autoremap", bool), attributes.pop("_autoremap", "false")
        )
        attributes = {**self._document.defaults(tree_id), **attributes}
        remap, values = {}, {}
        for name, text in attributes.items():
            if _is_note(element, name):
                continue
            try:
                outer = key_of(f"{{{name}}}" if text == "{=}" else text)
                if outer is None:
                    values[name] = to_value(text, EntryValue, {})
                else:
                    remap[name] = outer.name
            except ValueError as error:
                raise element.error(f'SubTree {name}="{text}": {error}') from error
        child = self.tree(self._document.tree(tree_id, element), above)
        return SubTree(child, remap=remap, values=values, autoremap=autoremap, tree_id=tree_id)


def _is_note(element: Element, name: str) -> bool:
    """Returns whether an attribute is a note of another program, not a misspelt one of ours."""
    if name[:1] != "_":
        return False
    if name[:2] == "__":
        raise element.error(f"{element.tag} has no attribute {name}: {OF_VERSION_3}")
    for known in (*SCRIPT_ATTRIBUTES, "_autoremap"):
        # Short names such as _post resemble too many others, such as _pos.
        likeness = SequenceMatcher(None, name.lower(), known.lower()).ratio()
        if likeness == 1 or (likeness > 0.75 and len(known) > 5):
            raise element.error(f"{element.tag} has no attribute {name}: write {known}")
    return True
