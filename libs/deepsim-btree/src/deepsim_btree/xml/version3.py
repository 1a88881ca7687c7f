# SPDX-License-Identifier: Apache-2.0
"""Documents of BehaviorTree.CPP 3, converted to those of version 4."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .element import Element

_TAGS = {
    "SequenceStar": "SequenceWithMemory",
    "RetryUntilSuccesful": "RetryUntilSuccessful",
    "SubTreePlus": "SubTree",
}
_ATTRIBUTES = {
    "success_threshold": "success_count",
    "failure_threshold": "failure_count",
    "__autoremap": "_autoremap",
}


def upgraded(element: Element) -> Element:
    """Returns an element, with all elements inside it, in the form of version 4."""
    attributes = {_ATTRIBUTES.get(name, name): text for name, text in element.attributes.items()}
    if element.tag == "SubTree":
        attributes = _of_subtree(attributes)
    elif "ID" in attributes:
        attributes["ID"] = _TAGS.get(attributes["ID"], attributes["ID"])
    children = [upgraded(child) for child in element.children]
    if element.tag == "TreeNodesModel":  # which only editors read there
        children = [child._replace(children=[]) for child in children]
    tag = _TAGS.get(element.tag, element.tag)
    return element._replace(tag=tag, attributes=attributes, children=children)


def _of_subtree(attributes: dict[str, str]) -> dict[str, str]:
    """Returns the attributes of a SubTree, whose texts are names of entries without braces."""
    shared = attributes.pop("__shared_blackboard", "false") in ("true", "1")
    kept = {name: text for name, text in attributes.items() if name in ("ID", "name")}
    if shared:
        return {**kept, "_autoremap": "true"}
    remaps = {name: f"{{{text.strip(' {}')}}}" for name, text in attributes.items()}
    return {**remaps, **kept}
