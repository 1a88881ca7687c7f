# SPDX-License-Identifier: Apache-2.0
"""Entities: a tree of models, which are loaded into all scenes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from numpy.typing import ArrayLike

from deepsim_robots.config import Source
from deepsim_sync import DeepSimError, UnknownEntityError

from .body import Body

if TYPE_CHECKING:
    from .simulator import LabSimulator


class _NotLoaded:
    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        where = getattr(instance, "path", "")
        of = f" of {where!r}" if where else ""
        raise DeepSimError(
            f"{self._name}{of} does not exist yet: call reset of the LabSimulator first"
        )


def not_loaded() -> Any:
    """Returns the default of an attribute: reading it raises DeepSimError until it is assigned."""
    return _NotLoaded()


class Entity:
    """A node in the tree of a scene; subclasses define `_load` and `_get_sapien_entities`.

    >>> from deepsim_robots.robotlab import LabSimulator, SimulatorConfig
    >>> BALL = "<sdf version='1.9'><model name='ball'><link name='link'/></model></sdf>"
    >>> class Ball(Entity):
    ...     def _load(self, sim):
    ...         self.body = sim.scene.add(self.path, BALL)
    ...         self.body.set_pose((sim.scene.index, 0, 1, 0, 0, 0, 1))
    ...
    ...     def _get_sapien_entities(self):
    ...         return [self.body]
    >>> ball = Ball()
    >>> lab = LabSimulator(MujocoSimulator, SimulatorConfig(n_scenes=3), elements={"ball": ball})
    >>> lab.reset()
    >>> ball.body.get_pose()[:, 0].tolist()
    [0.0, 1.0, 2.0]

    Attributes:
        path: Path in the tree, such as ``robot`` or ``table/cup``.
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
        """Is called before every physics step; by default, calls this method of all children."""
        for child in self.__children__.values():
            child.before_simulation_step()

    def clear(self) -> None:
        """Discards the loaded objects; is called before scenes are created again."""
        for child in self.__children__.values():
            child.clear()

    def find(self, path: str) -> Any:
        """Returns an entity or link by path, such as ``robot/base_link``.

        Raises:
            UnknownEntityError: There is no entity or link with this path.
        """
        name, _, rest = path.partition("/")
        child = self.__children__.get(name)
        if child is None:
            return self.find_part(path)
        return child.find(rest) if rest else child

    def find_part(self, name: str) -> Any:
        """Returns a part that is not a child, such as a link; by default there are none.

        Raises:
            UnknownEntityError: There is no such part.
        """
        raise UnknownEntityError(f"entity of {self.path or 'the scene'!r}", name, self.__children__)

    def tree(self, path: str = "") -> Iterator[Entity]:
        """Sets the paths of this entity and all entities below it, and yields these entities."""
        self.path = path
        yield self
        for name, child in self.__children__.items():
            yield from child.tree(f"{path}/{name}" if path else name)


Elements: TypeAlias = "Mapping[str, Entity | Elements]"
"""Entities by name; a nested mapping is a group."""


class Composite(Entity):
    """A group of entities, given by name.

    >>> table = Composite({"cup": Entity(), "plates": {"small": Entity()}})
    >>> [entity.path for entity in table.tree("table")]
    ['table', 'table/cup', 'table/plates', 'table/plates/small']
    """

    def __init__(self, elements: Elements) -> None:
        super().__init__()
        for name, element in elements.items():
            self.__children__[name] = element if isinstance(element, Entity) else Composite(element)


class Model(Entity):
    """A model from a file, XML or a description.

    >>> from deepsim_robots.robotlab import LabSimulator
    >>> cup = Model("<sdf version='1.9'><model name='cup'><link name='link'/></model></sdf>")
    >>> lab = LabSimulator(MujocoSimulator, elements={"table": {"cup": cup}})
    >>> lab.reset()
    >>> cup.path, lab.find("table/cup/link").get_pose().shape
    ('table/cup', (1, 7))

    Args:
        source: Source as for `ModelSpawner`.
        pose: Pose in every scene; by default from the description.

    Attributes:
        body: The model in all scenes.
    """

    body: Body = not_loaded()

    def __init__(self, source: Source, pose: ArrayLike | None = None) -> None:
        super().__init__()
        self._source = source
        self._pose = pose

    def _load(self, sim: LabSimulator) -> None:
        self.body = sim.scene.add(self.path, self._source, self._pose)

    def _get_sapien_entities(self) -> list[Body]:
        return [self.body]

    def find_part(self, name: str) -> Any:
        """Returns a link of the model."""
        return self.body.link(name)
