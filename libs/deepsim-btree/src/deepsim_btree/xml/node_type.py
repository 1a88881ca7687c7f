# SPDX-License-Identifier: Apache-2.0
"""NodeType: what a tag of an XML file stands for, for reading and for writing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple

from deepsim_btree.composites.conditional import Conditional
from deepsim_btree.decorators.decorator import Decorator
from deepsim_btree.leaves.function import Check
from deepsim_btree.parent import Parent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deepsim_btree.behaviour import Behaviour

MISSING: Any = object()


class Attribute(NamedTuple):
    """An attribute that elements of a tag can have beside ``name``."""

    name: str
    type: type = str
    default: Any = MISSING
    """Value without the attribute; MISSING if it is required."""
    argument: str = ""
    """Argument of the constructor, if it has another name than the attribute."""
    takes_key: bool = False
    """Whether it may be an entry of the blackboard, such as ``{goal}``."""
    direction: str = "input"
    """``"input"``, ``"output"`` or ``"inout"``."""
    description: str = ""


class NodeType(ABC):
    """The type of node that one tag stands for; base of the built-in and the registered types.

    Attributes:
        tag: The tag.
        cls: Class of the nodes.
        attributes: What the elements can have, by name.
        constant: Required attributes, with the one text that is supported.
    """

    def __init__(self, tag: str, cls: type[Behaviour], attributes: Iterable[Attribute]) -> None:
        self.tag = tag
        self.cls = cls
        self.attributes = {attribute.name: attribute for attribute in attributes}
        self.constant: dict[str, str] = {}

    @property
    def category(self) -> str:
        """Its kind in TreeNodesModel: Control, Decorator, Condition or Action."""
        if issubclass(self.cls, Decorator):
            return "Decorator"
        if issubclass(self.cls, Parent):
            return "Control"
        return "Condition" if issubclass(self.cls, Check) else "Action"

    def children_problem(self, count: int) -> str | None:
        """Returns the problem with so many children; None if that number is right."""
        if issubclass(self.cls, Conditional):
            return None if count in (2, 3) else "needs 2 or 3 children"
        if issubclass(self.cls, Decorator):
            return None if count == 1 else "needs exactly one child"
        if issubclass(self.cls, Parent):
            return None if count else "needs children"
        return "is a leaf and cannot have children" if count else None

    @abstractmethod
    def build(self, values: dict[str, Any], children: list[Behaviour]) -> Behaviour:
        """Makes a node from the values of its attributes, by their names."""

    @abstractmethod
    def fits(self, node: Behaviour) -> bool:
        """Returns whether the tag stands for this node."""

    @abstractmethod
    def values(self, node: Behaviour) -> dict[str, Any]:
        """Returns the values of the attributes of a node, by their names.

        Raises:
            AttributeError: The node does not keep an argument of its constructor.
        """

    def arguments(self, children: list[Behaviour]) -> tuple[Any, ...]:
        """Returns the children as positional arguments of the constructor."""
        if issubclass(self.cls, (Decorator, Conditional)):
            return tuple(children)
        return (children,) if issubclass(self.cls, Parent) else ()
