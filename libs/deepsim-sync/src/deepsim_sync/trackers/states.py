# SPDX-License-Identifier: Apache-2.0
"""State trackers of the DeepSim paper, which read or set many models or links at once.

All values of a tick belong to one simulated instant. A value that is set reads back at once and is
sent at the end of the tick, or with the next tick if a tracker of `Priority.LOW` set it. A batch
with an invalid row changes nothing.

In a moving reference frame, a twist is the velocity of the entity minus the velocity of the frame,
along the axes of the frame and without the effect of its rotation, as in gazebo_ros. Setting is the
exact inverse of getting.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from deepsim_math import Material, Pose, Twist
from deepsim_sync.current import PerWorld
from deepsim_sync.errors import UnknownEntityError
from deepsim_sync.port.entities import SCOPE, Kind, Names
from deepsim_sync.port.spawning import WORLD_FRAMES

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
        table = self.world.models if self.kind == "models" else self.world.links
        chosen = chosen_names(table.names, names)
        rows = table.names.rows(chosen)
        poses, twists = table.pose[0, rows].tolist(), table.twist[0, rows].tolist()
        return {
            name: self.state(
                name,
                *_from_world(frame, Pose.from_array(pose), Twist.from_array(twist)),
                reference_frame,
            )
            for name, pose, twist in zip(chosen, poses, twists)
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


def chosen_names(known: Names, names: Iterable[str] | None) -> list[str]:
    """Returns names as a list; all known names by default."""
    if isinstance(names, str):
        raise TypeError(f"names must be a list of {known.kind}, got the str {names!r}")
    return list(known if names is None else names)


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
    table = world.models if kind == "models" else world.links
    row = entities.names(kind).row(frame)
    return Pose.from_array(table.pose[0, row]), Twist.from_array(table.twist[0, row])


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
