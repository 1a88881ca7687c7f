# SPDX-License-Identifier: Apache-2.0
"""Transforms: the pose, twist and appearance of a single model or link."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, TypeVar

import numpy as np

from deepsim_math import Material, Point, Pose, Quaternion, Twist, Vector3
from deepsim_sync.errors import UnknownEntityError
from deepsim_sync.port.entities import SCOPE, Kind
from deepsim_sync.state.rows import SingleRow
from deepsim_sync.trackers.states import (
    GetLinkStateTracker,
    GetModelStateTracker,
    GetVisualTracker,
    LinkState,
    ModelState,
    SetLinkStateTracker,
    SetModelStateTracker,
    SetVisualTracker,
)

if TYPE_CHECKING:
    from deepsim_sync.world.world import World

T = TypeVar("T")


class _StateTransform:
    """Pose, twist and appearance of one entity; assigned values read back at once."""

    # Slots refuse misspelt properties.
    __slots__ = ("_row", "name", "world")

    _kind: ClassVar[Kind]

    def __init__(self, world: World, name: str) -> None:
        world.require_single(f"the transform of {name!r}")
        self.world = world
        self.name = name
        self._row = SingleRow(world.cache, self._kind, name)

    @property
    def pose(self) -> Pose:
        """Pose of the entity's frame in the world frame."""
        x, y, z, qx, qy, qz, qw = self._row.get("pose")
        return Pose(Point(x, y, z), Quaternion(qx, qy, qz, qw))

    @pose.setter
    def pose(self, pose: Pose) -> None:
        self._put("pose", pose, Pose, 7)

    @property
    def twist(self) -> Twist:
        """Linear velocity of the frame's origin and angular velocity, in the world frame."""
        x, y, z, ax, ay, az = self._row.get("twist")
        return Twist(Vector3(x, y, z), Vector3(ax, ay, az))

    @twist.setter
    def twist(self, twist: Twist) -> None:
        self._put("twist", twist, Twist, 6)

    def _put(self, column: str, value: Pose | Twist, kind: type, width: int) -> None:
        if not isinstance(value, kind) and np.shape(value) != (width,):
            raise TypeError(
                f"{column} of {self.name!r} must be a {kind.__name__}, "
                f"or its {width} numbers, got {value!r}"
            )
        self._row.put(column, value)

    def _check_owner(self, name: str) -> None:
        if name != self.name:
            raise ValueError(
                f"cannot assign the state of {name!r} to the transform of {self.name!r}"
            )

    def _direction(self, axis: Vector3) -> Vector3:
        return self.pose.orientation.rotate(axis)

    @property
    def forward(self) -> Vector3:
        """Unit vector along the entity's +x axis, in the world frame."""
        return self._direction(Vector3.forward())

    @property
    def back(self) -> Vector3:
        """Unit vector along the entity's -x axis, in the world frame."""
        return self._direction(Vector3.back())

    @property
    def left(self) -> Vector3:
        """Unit vector along the entity's +y axis, in the world frame."""
        return self._direction(Vector3.left())

    @property
    def right(self) -> Vector3:
        """Unit vector along the entity's -y axis, in the world frame."""
        return self._direction(Vector3.right())

    @property
    def up(self) -> Vector3:
        """Unit vector along the entity's +z axis, in the world frame."""
        return self._direction(Vector3.up())

    @property
    def down(self) -> Vector3:
        """Unit vector along the entity's -z axis, in the world frame."""
        return self._direction(Vector3.down())

    # Appearance

    @property
    def visual_names(self) -> tuple[str, ...]:
        """Names of the visuals, ``model::link::visual``."""
        self.world.entities.names(self._kind).row(self.name)  # refuses an unknown name
        return self.world.entities.visuals.within(self.name)

    @property
    def material(self) -> dict[str, Material]:
        """Materials by visual name; assign one for all visuals, or a mapping for some."""
        visuals = self.world.get(GetVisualTracker).get_visuals(self.visual_names)
        return {name: visual.material for name, visual in visuals.items()}

    @material.setter
    def material(self, material: Material | Mapping[str, Material]) -> None:
        self.world.get(SetVisualTracker).set_materials(self._by_visual(material))

    @property
    def transparency(self) -> dict[str, float]:
        """Transparency, 0 (opaque) to 1 (invisible), by visual name; assigned like `material`."""
        visuals = self.world.get(GetVisualTracker).get_visuals(self.visual_names)
        return {name: visual.transparency for name, visual in visuals.items()}

    @transparency.setter
    def transparency(self, transparency: float | Mapping[str, float]) -> None:
        self.world.get(SetVisualTracker).set_transparencies(self._by_visual(transparency))

    @property
    def visible(self) -> dict[str, bool]:
        """Visibility by visual name; assigned like `material`."""
        visuals = self.world.get(GetVisualTracker).get_visuals(self.visual_names)
        return {name: visual.visible for name, visual in visuals.items()}

    @visible.setter
    def visible(self, visible: bool | Mapping[str, bool]) -> None:
        self.world.get(SetVisualTracker).set_visibles(self._by_visual(visible))

    def _by_visual(self, value: T | Mapping[str, T]) -> Mapping[str, T]:
        names = self.visual_names
        if not isinstance(value, Mapping):
            return dict.fromkeys(names, value)
        for name in value:
            if name not in names:
                raise UnknownEntityError(f"visual of {self.name!r}", name, names)
        return value


class LinkTransform(_StateTransform):
    """The transform of one link, made by `Transform.link`.

    >>> world = World(TableSimulator(timestep=0.25))
    >>> world.spawn(TableModel(), "car", Pose((1, 2, 0)))
    >>> Transform(world, "car").link("link").pose.position
    Point(1.0, 2.0, 0.0)
    """

    __slots__ = ()

    _kind = "links"

    @property
    def state(self) -> LinkState:
        """Pose and twist of the link together; assignable."""
        return self.world.get(GetLinkStateTracker).get_link_state(self.name)

    @state.setter
    def state(self, state: LinkState) -> None:
        self._check_owner(state.link_name)
        self.world.get(SetLinkStateTracker).set_link_state(state)


class Transform(_StateTransform):
    """The transform of one model, and of its links.

    >>> world = World(TableSimulator())
    >>> world.spawn(TableModel(), "ball", Pose((0, 0, 1)))
    >>> ball = Transform(world, "ball")
    >>> ball.pose = Pose((2, 0, 1))
    >>> ball.pose.position
    Point(2.0, 0.0, 1.0)

    Args:
        world: The world of the model.
        name: Name of the model, which need not exist yet; it is looked up at each use.
    """

    __slots__ = ()

    _kind = "models"

    @property
    def state(self) -> ModelState:
        """Pose and twist of the model together; assignable."""
        return self.world.get(GetModelStateTracker).get_model_state(self.name)

    @state.setter
    def state(self, state: ModelState) -> None:
        self._check_owner(state.model_name)
        self.world.get(SetModelStateTracker).set_model_state(state)

    @property
    def link_names(self) -> tuple[str, ...]:
        """Names of the links, ``model::link``, including those of nested models."""
        self.world.entities.models.row(self.name)  # refuses an unknown name
        return self.world.entities.links.within(self.name)

    def link(self, name: str) -> LinkTransform:
        """Returns the transform of a link, such as ``"chassis"`` or ``"arm::hand"``."""
        scoped = self.name + SCOPE + name
        self.world.entities.links.row(scoped)
        return LinkTransform(self.world, scoped)
