# SPDX-License-Identifier: Apache-2.0
"""Documents of BehaviorTree.CPP 3, converted to those of version 4."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .texts import to_value

if TYPE_CHECKING:
    from .element import Element

_TAGS = {
    "SequenceStar": "SequenceWithMemory",
    "RetryUntilSuccesful": "RetryUntilSuccessful",
    "SubTreePlus": "SubTree",
}
_ATTRIBUTES = {
    "Parallel": {"success_threshold": "success_count", "failure_threshold": "failure_count"},
    "SubTreePlus": {"__autoremap": "_autoremap"},
}
_ONLY = {"__autoremap": "SubTreePlus", "__shared_blackboard": "SubTree"}


def upgraded(element: Element) -> Element:
    """Returns an element, with all elements inside it, in the form of version 4.

    Raises:
        XmlError: An attribute of version 3 is wrong or not where it belongs.
    """
    for name, tag in _ONLY.items():
        if name in element.attributes and element.tag != tag:
            raise element.error(f"{element.node_id} has no attribute {name}: only {tag} has it")
    names = _ATTRIBUTES.get(element.node_id, {})
    attributes = {names.get(name, name): text for name, text in element.attributes.items()}
    if element.tag == "SubTree":
        attributes = _of_subtree(element)
    elif "ID" in attributes:
        attributes["ID"] = _TAGS.get(attributes["ID"], attributes["ID"])
    children = [upgraded(child) for child in element.children]
    if element.tag == "TreeNodesModel":  # which only editors read there
        children = [child._replace(children=[]) for child in children]
    tag = _TAGS.get(element.tag, element.tag)
    return element._replace(tag=tag, attributes=attributes, children=children)


def _of_subtree(element: Element) -> dict[str, str]:
    """Returns the attributes of a SubTree, whose texts are names of entries without braces."""
    attributes = dict(element.attributes)
    text = attributes.pop("__shared_blackboard", "false")
    try:
        shared = to_value(text, bool, {})
    except ValueError as error:
        raise element.error(f'SubTree __shared_blackboard="{text}": {error}') from error
    kept = {name: text for name, text in attributes.items() if name in ("ID", "name")}
    if shared:
        return {**kept, "_autoremap": "true"}
    remaps = {name: f"{{{text.strip(' {}')}}}" for name, text in attributes.items()}
    return {**remaps, **kept}
