# SPDX-License-Identifier: Apache-2.0
"""TreeNodesModel, the list of node types with their ports for editors such as Groot2."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from .builtin_types import OWN_TYPES
from .element import Element
from .node_type import MISSING
from .registered import registered_types
from .texts import to_text

if TYPE_CHECKING:
    from .node_type import Attribute, NodeType
    from .registered import Nodes

_TYPE_NAMES = {str: "std::string", float: "double", int: "int", bool: "bool"}


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
    types = [*registered_types(nodes).values(), *OWN_TYPES]
    models = [model_element(node_type) for node_type in sorted(types, key=lambda one: one.tag)]
    document = Element("root", {"BTCPP_format": "4"}, [Element("TreeNodesModel", {}, models)])
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', *document.to_lines()]) + "\n"


def model_element(node_type: NodeType) -> Element:
    """Returns the model element of a type of nodes."""
    ports = [_port(attribute) for attribute in node_type.attributes.values()]
    return Element(node_type.category, {"ID": node_type.tag}, ports)


def _port(attribute: Attribute) -> Element:
    fields = {"name": attribute.name}
    fields["type"] = _TYPE_NAMES.get(attribute.type, attribute.type.__name__)
    if attribute.default is not MISSING and attribute.default is not None:
        with suppress(TypeError):  # an object without a text form
            fields["default"] = to_text(attribute.default, attribute.type, {})
    return Element(f"{attribute.direction}_port", fields, [], text=attribute.description)
