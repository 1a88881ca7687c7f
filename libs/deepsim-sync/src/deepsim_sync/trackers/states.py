# SPDX-License-Identifier: Apache-2.0
"""Trackers of the DeepSim paper, which read or set many models, links or visuals at once.

All values of a tick belong to one simulated instant. A value that is set reads back at once and is
sent at the end of the tick, or with the next tick if a tracker of `Priority.LOW` set it. A batch
with an invalid row changes nothing.

In a moving reference frame, a twist is the velocity of the entity minus the velocity of the frame,
along the axes of the frame and without the effect of its rotation, as in gazebo_ros. Setting is the
exact inverse of getting.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from deepsim_math import Color, Material, Pose, Twist
from deepsim_sync.current import PerWorld
from deepsim_sync.errors import UnknownEntityError
from deepsim_sync.port.entities import SCOPE, Kind, Names
from deepsim_sync.port.spawning import WORLD_FRAMES
from deepsim_sync.port.tables import COLUMNS
from deepsim_sync.state.rows import SingleRow

if TYPE_CHECKING:
    from deepsim_sync.world.world import World


@dataclass(frozen=True)
class ModelState:
    """The pose and twist of a model.

    >>> ModelState("car", Pose((1, 2, 0))).pose.position
    Point(1.0, 2.0, 0.0)

    Attributes:
        model_name: Name of the model.
        pose: Pose of the model frame in the reference frame.
        twist: Velocity of the model frame's origin, along the axes of the reference frame
            [m/s, rad/s].
        reference_frame: Name of a model or link; empty or ``"world"`` for the world frame.
    """

    model_name: str
    pose: Pose = field(default_factory=Pose)
    twist: Twist = field(default_factory=Twist)
    reference_frame: str = ""


@dataclass(frozen=True)
class LinkState:
    """The pose and twist of a link; see `ModelState`.

    >>> LinkState("car::wheel", Pose((0.3, 0.2, 0))).reference_frame
    ''

    Attributes:
        link_name: Name of the link, ``model::link``.
        pose: Pose of the link frame in the reference frame.
        twist: Velocity of the link frame's origin.
        reference_frame: See `ModelState`.
    """

    link_name: str
    pose: Pose = field(default_factory=Pose)
    twist: Twist = field(default_factory=Twist)
    reference_frame: str = ""


@dataclass(frozen=True)
class Visual:
    """The appearance of a visual.

    >>> Visual("car::body::paint", transparency=0.5).visible
    True

    Attributes:
        visual_name: Name of the visual, ``model::link::visual``.
        material: Ambient, diffuse, specular and emissive colours.
        transparency: From 0, opaque, to 1, invisible.
        visible: Whether the visual is drawn.
    """

    visual_name: str
    material: Material = field(default_factory=Material)
    transparency: float = 0.0
    visible: bool = True


S = TypeVar("S", ModelState, LinkState)


class _StateTracker(PerWorld, Generic[S]):
    """Base class of state trackers: converts rows of a table to and from values of one class."""

    kind: Kind
    state: type[S]

    def _get(self, names: Iterable[str] | None, reference_frame: str) -> dict[str, S]:
        frame = _frame_state(self.world, reference_frame)
        self.world.cache.fetch([(self.kind, "pose"), (self.kind, "twist")])
        return {
            name: self.state(
                name, *_from_world(frame, *_state(self.world, self.kind, name)), reference_frame
            )
            for name in _chosen(self.world.entities.names(self.kind), names)
        }

    def _set(self, named: list[tuple[str, S]]) -> None:
        # All that can fail comes before the first change.
        rows = self.world.entities.names(self.kind).rows(name for name, _ in named)
        placed = [
            _to_world(_frame_state(self.world, state.reference_frame), state.pose, state.twist)
            for _, state in named
        ]
        if placed:
            poses, twists = (np.array(each, dtype=np.float64) for each in zip(*placed))
            self.world.put(self.kind, {"pose": poses, "twist": twists}, rows)


class GetModelStateTracker(_StateTracker[ModelState]):
    """Tracker that reads the states of models at the present instant.

    >>> world = World(TableSimulator(timestep=0.25))
    >>> world.spawn(TableModel(), "car", Pose((1, 2, 0)))
    >>> world.make_current()
    >>> GetModelStateTracker.get_instance().get_model_state("car").pose.position
    Point(1.0, 2.0, 0.0)
    """

    kind, state = "models", ModelState

    def get_model_state(self, name: str, reference_frame: str = "") -> ModelState:
        """Returns the state of one model; see `get_model_states`."""
        return self._get([name], reference_frame)[name]

    def get_model_states(
        self, names: Iterable[str] | None = None, reference_frame: str = ""
    ) -> dict[str, ModelState]:
        """Returns states by name, in the given order.

        Args:
            names: Names of the models; all by default.
            reference_frame: Name of a model or link; empty for the world frame.

        Raises:
            UnknownEntityError: A model or the reference frame is unknown.
        """
        return self._get(names, reference_frame)


class GetLinkStateTracker(_StateTracker[LinkState]):
    """Tracker that reads the states of links at the present instant.

    >>> world = World(TableSimulator(timestep=0.25))
    >>> world.spawn(TableModel(), "car", Pose((1, 2, 0)))
    >>> world.make_current()
    >>> GetLinkStateTracker.get_instance().get_link_state("car::link").pose.position
    Point(1.0, 2.0, 0.0)
    """

    kind, state = "links", LinkState

    def get_link_state(self, name: str, reference_frame: str = "") -> LinkState:
        """Returns the state of one link, ``model::link``; see `get_link_states`."""
        return self._get([name], reference_frame)[name]

    def get_link_states(
        self, names: Iterable[str] | None = None, reference_frame: str = ""
    ) -> dict[str, LinkState]:
        """Returns states by name; see `GetModelStateTracker.get_model_states`."""
        return self._get(names, reference_frame)


class SetModelStateTracker(_StateTracker[ModelState]):
    """Tracker that sets poses and twists of models.

    >>> world = World(TableSimulator(timestep=0.25))
    >>> world.spawn(TableModel(), "car", Pose((1, 2, 0)))
    >>> world.make_current()
    >>> SetModelStateTracker.get_instance().set_model_state(ModelState("car", Pose((5, 0, 0))))
    >>> world.models.pose[0, 0, :3].tolist()
    [5.0, 0.0, 0.0]
    """

    kind = "models"

    def set_model_state(self, state: ModelState) -> None:
        """Sets the pose and twist of one model; see `set_model_states`."""
        self.set_model_states([state])

    def set_model_states(self, states: Iterable[ModelState]) -> None:
        """Sets poses and twists; of two states for one model, the later one counts.

        Raises:
            UnknownEntityError: A model or a reference frame is unknown.
            ValueError: A number is not finite, or a quaternion is zero.
        """
        self._set([(state.model_name, state) for state in states])


class SetLinkStateTracker(_StateTracker[LinkState]):
    """Tracker that sets poses and twists of links.

    >>> world = World(TableSimulator(timestep=0.25))
    >>> world.spawn(TableModel(), "car", Pose((1, 2, 0)))
    >>> world.make_current()
    >>> SetLinkStateTracker.get_instance().set_link_state(LinkState("car::link", Pose((5, 0, 0))))
    >>> world.links.pose[0, 0, :3].tolist()
    [5.0, 0.0, 0.0]
    """

    kind = "links"

    def set_link_state(self, state: LinkState) -> None:
        """Sets the pose and twist of one link; see `set_link_states`."""
        self.set_link_states([state])

    def set_link_states(self, states: Iterable[LinkState]) -> None:
        """Sets poses and twists; see `SetModelStateTracker.set_model_states`."""
        self._set([(state.link_name, state) for state in states])


def _chosen(known: Names, names: Iterable[str] | None) -> Iterable[str]:
    """Returns the given names; all known names by default."""
    if isinstance(names, str):
        raise TypeError(f"names must be a list of {known.kind}, got the str {names!r}")
    return known if names is None else names


def _state(world: World, kind: Kind, name: str) -> tuple[Pose, Twist]:
    row = SingleRow(world.cache, kind, name)
    return Pose.from_array(row.get("pose")), Twist.from_array(row.get("twist"))


def _frame_state(world: World, frame: str) -> tuple[Pose, Twist] | None:
    """Returns the pose and twist of a reference frame in the world; None for the world itself."""
    world.require_single("A reference frame")
    if frame in WORLD_FRAMES:
        return None
    entities = world.entities
    kind: Kind = "models" if frame in entities.models else "links"
    if frame not in entities.names(kind):
        known = entities.links if SCOPE in frame else entities.models
        raise UnknownEntityError("reference frame", frame, known)
    world.cache.fetch([(kind, "pose"), (kind, "twist")])
    return _state(world, kind, frame)


def _to_world(frame: tuple[Pose, Twist] | None, pose: Pose, twist: Twist) -> tuple[Pose, Twist]:
    if frame is None:
        return pose, twist
    origin, motion = frame
    return origin @ pose, Twist(
        origin.orientation.rotate(twist.linear) + motion.linear,
        origin.orientation.rotate(twist.angular) + motion.angular,
    )


def _from_world(frame: tuple[Pose, Twist] | None, pose: Pose, twist: Twist) -> tuple[Pose, Twist]:
    if frame is None:
        return pose, twist
    origin, motion = frame
    inverse = origin.inverse()
    return inverse @ pose, Twist(
        inverse.orientation.rotate(twist.linear - motion.linear),
        inverse.orientation.rotate(twist.angular - motion.angular),
    )


_COLORS = ("ambient", "diffuse", "specular", "emissive")


class GetVisualTracker(PerWorld):
    """Tracker that reads the appearance of visuals at the present instant.

    >>> world = World(TableSimulator(timestep=0.25))
    >>> world.spawn(TableModel(), "car", Pose((1, 2, 0)))
    >>> world.make_current()
    >>> GetVisualTracker.get_instance().get_visual("car::link::visual").transparency
    0.0
    """

    def get_visual(self, name: str) -> Visual:
        """Returns one visual, ``model::link::visual``; see `get_visuals`."""
        return self.get_visuals([name])[name]

    def get_visuals(self, names: Iterable[str] | None = None) -> dict[str, Visual]:
        """Returns visuals by name, in the given order; all by default.

        Raises:
            UnknownEntityError: No visual has the name.
        """
        self.world.require_single(type(self).__name__)
        self.world.cache.fetch([("visuals", column) for column in COLUMNS["visuals"]])
        return {name: self._visual(name) for name in _chosen(self.world.entities.visuals, names)}

    def _visual(self, name: str) -> Visual:
        row = SingleRow(self.world.cache, "visuals", name)
        material = Material(*(Color(*row.get(column)) for column in _COLORS))
        return Visual(name, material, row.get("transparency"), row.get("visible"))


class SetVisualTracker(PerWorld):
    """Tracker that sets the appearance of visuals by name.

    Methods raise UnknownEntityError for an unknown visual, and ValueError for a transparency
    outside 0..1 or a visibility that is not a bool.

    >>> world = World(TableSimulator(timestep=0.25))
    >>> world.spawn(TableModel(), "car", Pose((1, 2, 0)))
    >>> world.make_current()
    >>> SetVisualTracker.get_instance().set_transparencies({"car::link::visual": 0.5})
    >>> world.visuals.transparency[0].tolist()
    [0.5]
    """

    def set_visual(self, visual: Visual) -> None:
        """Sets all properties of one visual; see `set_visuals`."""
        self.set_visuals([visual])

    def set_visuals(self, visuals: Iterable[Visual]) -> None:
        """Sets material, transparency and visibility of visuals."""
        chosen = list(visuals)
        values = {
            **_material_columns([visual.material for visual in chosen]),
            "transparency": [visual.transparency for visual in chosen],
            "visible": [visual.visible for visual in chosen],
        }
        self._put([visual.visual_name for visual in chosen], values)

    def set_materials(self, materials: Mapping[str, Material]) -> None:
        """Sets materials by visual name."""
        self._put(list(materials), _material_columns(list(materials.values())))

    def set_transparencies(self, transparencies: Mapping[str, float]) -> None:
        """Sets transparencies, from 0 (opaque) to 1 (invisible), by visual name."""
        self._put(list(transparencies), {"transparency": [*transparencies.values()]})

    def set_visibles(self, visibles: Mapping[str, bool]) -> None:
        """Shows or hides visuals by name."""
        self._put(list(visibles), {"visible": [*visibles.values()]})

    def _put(self, names: list[str], values: Mapping[str, ArrayLike]) -> None:
        self.world.require_single(type(self).__name__)
        if names:
            self.world.put("visuals", values, self.world.entities.visuals.rows(names))


def _material_columns(materials: list[Material]) -> dict[str, ArrayLike]:
    """Returns materials as columns of the visual table, (n, 4) each."""
    return {
        column: np.array([getattr(material, column) for material in materials], dtype=np.float64)
        for column in _COLORS
    }
