# SPDX-License-Identifier: Apache-2.0
"""Entities: a tree that is loaded into every scene."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from deepsim_sync import UnknownEntityError

from .body import Body

if TYPE_CHECKING:
    from .simulator import LabSimulator


class Entity:
    """A part of a scene; subclasses define `_load` and `_get_sapien_entities`.

    Example::

        class Ball(Entity):
            def _load(self, sim):
                self.body = sim.scene.add(self.path, BALL)
                self.body.set_pose(Pose((sim.scene.index, 0.0, 1.0)))

            def _get_sapien_entities(self):
                return [self.body]

    Attributes:
        path: Its place in the tree, such as ``robot`` or ``table/cup``.
        __children__: Sub-entities by name.
    """

    path: str = ""

    def __init__(self) -> None:
        self.__children__: dict[str, Entity] = {}

    def _load(self, sim: LabSimulator) -> None:
        """Adds the objects of this entity to ``sim.scene``; called once for each scene."""

    def _get_sapien_entities(self) -> list[Body]:
        """Returns the objects of this entity, without those of its children."""
        return []

    def before_simulation_step(self) -> None:
        """Called before every physics step; the default calls that of the children."""
        for child in self.__children__.values():
            child.before_simulation_step()

    def clear(self) -> None:
        """Forgets the loaded entities; called before scenes are created again."""
        for child in self.__children__.values():
            child.clear()

    def find(self, path: str) -> Any:
        """Returns the entity or link of a path, such as ``robot/base_link``.

        Raises:
            UnknownEntityError: It does not exist.
        """
        name, _, rest = path.partition("/")
        child = self.__children__.get(name)
        if child is None:
            return self.find_part(path)
        return child.find(rest) if rest else child

    def find_part(self, name: str) -> Any:
        """Returns a part of this entity that is not a child.

        Raises:
            UnknownEntityError: It does not exist.
        """
        raise UnknownEntityError(f"entity of {self.path or 'the scene'!r}", name, self.__children__)

    def tree(self, path: str = "") -> Iterator[Entity]:
        """Names this entity and all below it, and yields each once."""
        self.path = path
        yield self
        for name, child in self.__children__.items():
            yield from child.tree(f"{path}/{name}" if path else name)


Elements: TypeAlias = "Mapping[str, Entity | Elements]"
"""Entities by name; a mapping within is a group of them."""


class Composite(Entity):
    """A group of entities.

    Args:
        elements: The entities.
    """

    def __init__(self, elements: Elements) -> None:
        super().__init__()
        for name, element in elements.items():
            self.__children__[name] = element if isinstance(element, Entity) else Composite(element)
