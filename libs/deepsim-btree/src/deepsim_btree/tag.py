# SPDX-License-Identifier: Apache-2.0
"""Tag, by which a node class says how it stands in files in the XML of BehaviorTree.CPP."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

MISSING: Any = object()


class Milliseconds:
    """Type of an attribute in milliseconds for an argument in seconds."""


class EntryName:
    """Type of an attribute with the name of an entry, in braces or not."""


class OutputEntry:
    """Type of an attribute with the name of an entry in braces."""


class Literal:
    """Type of an untyped attribute: int, float or bool if the text looks like one, else str."""


class EntryValue:
    """Type of a text that becomes an entry of the blackboard, for readers of any type.

    Like `Literal`, but a number only if it has this very text, so that a reader of texts gets the
    text of the file: ``3`` is an int, and ``1.10`` a str, of which a reader of floats makes 1.1.
    """


class Queue(NamedTuple):
    """Type of an attribute with elements of one class, separated by semicolons."""

    element: type


class Attribute(NamedTuple):
    """An attribute that elements with a tag can have besides ``name``."""

    name: str
    type: Any = str
    """Class of the values, one of the types above, or a `Queue`."""
    default: Any = MISSING
    """Value if the attribute is absent; MISSING if the attribute is required."""
    takes_key: bool = False
    """Whether the value may be an entry of the blackboard, such as ``{goal}``."""
    direction: str = "input"
    """``"input"``, ``"output"`` or ``"inout"``."""
    description: str = ""


class Tag:
    """A tag of a node class; `Behaviour.xml_tags` has those of a class.

    Attributes of elements are the arguments of the constructor, with their types and defaults,
    apart from those that are given here.

    Args:
        name: The tag.
        fixed: Arguments that are the same for all elements with this tag.
        hidden: Arguments that elements do not give.
        in_btcpp: Whether BehaviorTree.CPP itself has the tag.
        **arguments: Attributes by the arguments that they give.
    """

    def __init__(
        self,
        name: str,
        *,
        fixed: Mapping[str, Any] | None = None,
        hidden: tuple[str, ...] = (),
        in_btcpp: bool = True,
        **arguments: Attribute,
    ) -> None:
        self.name = name
        self.fixed = dict(fixed or {})
        self.hidden = hidden
        self.in_btcpp = in_btcpp
        self.arguments = arguments
