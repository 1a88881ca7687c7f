# SPDX-License-Identifier: Apache-2.0
"""NodeType, the meaning of a tag in XML files, for reading and writing."""

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
    """An attribute that elements with a tag can have besides ``name``."""

    name: str
    type: type = str
    default: Any = MISSING
    """Value if the attribute is absent; MISSING if the attribute is required."""
    argument: str = ""
    """Name of the constructor argument, if it differs from the name of the attribute."""
    takes_key: bool = False
    """Whether the value may be an entry of the blackboard, such as ``{goal}``."""
    direction: str = "input"
    """``"input"``, ``"output"`` or ``"inout"``."""
    description: str = ""


class NodeType(ABC):
    """The base of the types of nodes in XML files, one for each tag.

    Attributes:
        tag: The tag.
        cls: Class of the nodes.
        attributes: Attributes that the elements can have, by name.
        constant: Required attributes, with the only text that is supported.
    """

    def __init__(self, tag: str, cls: type[Behaviour], attributes: Iterable[Attribute]) -> None:
        self.tag = tag
        self.cls = cls
        self.attributes = {attribute.name: attribute for attribute in attributes}
        self.constant: dict[str, str] = {}

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

    @abstractmethod
    def build(self, values: dict[str, Any], children: list[Behaviour]) -> Behaviour:
        """Returns a new node with children and with attribute values by attribute name."""

    @abstractmethod
    def fits(self, node: Behaviour) -> bool:
        """Returns whether a node can be written with this tag."""

    @abstractmethod
    def values(self, node: Behaviour) -> dict[str, Any]:
        """Returns the attribute values of a node by attribute name.

        Raises:
            AttributeError: The node does not store an argument of its constructor.
        """

    def arguments(self, children: list[Behaviour]) -> tuple[Any, ...]:
        """Returns the children as positional arguments of the constructor."""
        if issubclass(self.cls, (Decorator, Conditional)):
            return tuple(children)
        return (children,) if issubclass(self.cls, Parent) else ()
