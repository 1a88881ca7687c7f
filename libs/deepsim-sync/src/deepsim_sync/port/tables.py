# SPDX-License-Identifier: Apache-2.0
"""The tables of W worlds: a row for each entity, a column for each quantity.

A column is an array (W, N, ...) with N rows in the order of the table's names. Numbers are float64
in SI units, in the world frame, which is right-handed with z up, unless a column names another one.

Columns are declared here, once; allocation, validation, changes, rows and snapshots follow from
these declarations.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Tuple

import numpy as np

from .column_type import Array, Column, Columns
from .entities import KINDS, Entities, Kind, Names

Key = Tuple[Kind, str]
"""A column of a table, such as ``("models", "pose")``."""


def _color() -> Column[np.float64]:
    return Column((4,), (0, 0, 0, 1), np.float64, bounds=(0.0, 1.0))


def _number(
    default: float = 0.0, bounds: tuple[float, float] | None = None, **flags: bool
) -> Column[np.float64]:
    return Column((), default, np.float64, bounds=bounds, **flags)


class StateColumns(Columns):
    """Pose and twist of the frames of models or links.

    The frame of a link need not be at its centre of mass. A twist is the velocity of the frame's
    origin and the angular velocity.
    """

    __slots__ = ()

    pose = Column((7,), (0, 0, 0, 0, 0, 0, 1), np.float64, quaternion_at=3, changes_in_time=True)
    """Pose, (W, n, 7): x y z [m], unit quaternion qx qy qz qw."""
    twist = Column((6,), 0, np.float64, changes_in_time=True)
    """Twist, (W, n, 6): linear [m/s], then angular [rad/s]."""


class LinkColumns(StateColumns):
    """Pose and twist of links, and the forces on them during the next tick.

    Forces and torques are in world axes. They act on the centre of mass in every physics step of
    the next tick, and are then reset to 0: lasting forces must be set in each tick.
    """

    __slots__ = ()

    force = Column((3,), 0, np.float64, changes_in_time=True)
    """Force, (W, n, 3) [N]."""
    torque = Column((3,), 0, np.float64, changes_in_time=True)
    """Torque, (W, n, 3) [N m]."""
    center_of_mass = Column((3,), 0, np.float64, changes_in_time=True, measured=True)
    """Centre of mass in the world frame, (W, n, 3) [m]; read-only."""


class JointColumns(Columns):
    """State and command of joint axes, (W, n) each, in the units of revolute or prismatic axes.

    In every physics step, the effort on an axis is ``stiffness * (target_position - position) +
    damping * (target_velocity - velocity) + feedforward``, clamped to the effort limit. Commands
    are 0 by default, so that joints move freely; they last until they are set again or the world is
    reset. Springs, damping and friction in the description act in addition.
    """

    __slots__ = ()

    position = _number(changes_in_time=True)
    """Position [rad or m]; 0 in the described pose of the links."""
    velocity = _number(changes_in_time=True)
    """Velocity [rad/s or m/s]."""
    effort = _number(changes_in_time=True, measured=True)
    """Effort of the command in the latest physics step [N m or N]; 0 after a reset; read-only."""
    target_position = _number()
    """Target position [rad or m]."""
    target_velocity = _number()
    """Target velocity [rad/s or m/s]."""
    feedforward = _number()
    """Additional effort [N m or N]."""
    stiffness = _number(0.0, (0.0, math.inf))
    """Position gain [N m/rad or N/m], >= 0."""
    damping = _number(0.0, (0.0, math.inf))
    """Velocity gain [N m s/rad or N s/m], >= 0."""
    effort_limit = _number(math.inf, (0.0, math.inf))
    """Largest total effort [N m or N], >= 0; by default from the description."""
    velocity_limit = _number(math.inf, (0.0, math.inf))
    """Largest target velocity [rad/s or m/s], >= 0; by default from the description.

    Target velocities are clamped to it, and target positions are approached no faster. The joint
    itself may move faster.
    """


class ActuatorColumns(Columns):
    """State and command of actuators that are not servos of joint axes, (W, n) each.

    These are the actuators of MJCF models that act on tendons, sites, bodies and ball joints, or
    whose force is more than stiffness, damping and an effort: muscles, adhesion, filters, plugins.
    The target is MuJoCo's control, in the units of the model's file; the force that follows from it
    is in `MuJoCo's documentation
    <https://mujoco.readthedocs.io/en/stable/computation/index.html#actuation-model>`_.
    """

    __slots__ = ()

    target = _number()
    """Control, in the units of the file; clamped to `lower`..`upper` where it acts."""
    lower = _number(-math.inf, (-math.inf, math.inf))
    """Lowest control; by default from the description."""
    upper = _number(math.inf, (-math.inf, math.inf))
    """Highest control; by default from the description."""
    lower_effort = _number(-math.inf, (-math.inf, math.inf))
    """Lowest effort [N or N m]; by default from the description."""
    upper_effort = _number(math.inf, (-math.inf, math.inf))
    """Highest effort [N or N m]; by default from the description."""
    activation = _number(changes_in_time=True)
    """State of the actuator, such as the activation 0..1 of a muscle; 0 for those without one."""
    effort = _number(changes_in_time=True, measured=True)
    """Force at the beginning of the latest physics step [N or N m]; 0 after a reset; read-only."""
    length = _number(changes_in_time=True, measured=True)
    """Length of what it acts on, times the gear: of a tendon [m], an angle [rad]; read-only."""
    velocity = _number(changes_in_time=True, measured=True)
    """Rate of the length [m/s or rad/s]; read-only."""


class VisualColumns(Columns):
    """Appearance of visuals; colours are (W, n, 4) RGBA, 0..1."""

    __slots__ = ()

    ambient = _color()
    diffuse = _color()
    specular = _color()
    emissive = _color()
    transparency = _number(0.0, (0.0, 1.0))
    """Transparency, (W, n): 0 opaque, 1 invisible."""
    visible = Column((), True, np.bool_)
    """Whether the visual is drawn, (W, n) bool."""


class LightColumns(Columns):
    """Colours, range and pose of lights; colours are (W, n, 4) RGBA, 0..1."""

    __slots__ = ()

    diffuse = _color()
    specular = _color()
    attenuation = Column((3,), (1, 0, 0), np.float64)
    """(W, n, 3): constant [1], linear [1/m] and quadratic [1/m^2] terms."""
    pose = Column((7,), (0, 0, 0, 0, 0, 0, 1), np.float64, quaternion_at=3)
    """(W, n, 7): x y z [m], unit quaternion qx qy qz qw, in the frame of the link that carries the
    light, or of the world; the light moves with its link."""
    range = _number(10.0, (0.0, math.inf))
    """(W, n) [m], >= 0: distance beyond which a renderer may leave the light out."""


def _declared(columns: type[Columns]) -> dict[str, Column[Any]]:
    return {
        name: value
        for each in reversed(columns.__mro__)
        for name, value in vars(each).items()
        if isinstance(value, Column)
    }


COLUMNS: dict[Kind, dict[str, Column[Any]]] = {
    "models": _declared(StateColumns),
    "links": _declared(LinkColumns),
    "joints": _declared(JointColumns),
    "actuators": _declared(ActuatorColumns),
    "visuals": _declared(VisualColumns),
    "lights": _declared(LightColumns),
}
"""The columns of every table by name."""


def column_of(kind: Kind, name: str) -> Column[Any]:
    """Returns the declaration of a column; raises ValueError for an unknown one."""
    found = COLUMNS[kind].get(name)
    if found is None:
        raise ValueError(f"{kind} have no {name!r}; they have {', '.join(COLUMNS[kind])}")
    return found


ALL_COLUMNS: tuple[Key, ...] = tuple((kind, name) for kind in KINDS for name in COLUMNS[kind])
"""Every column of every table."""
STATE_COLUMNS: tuple[Key, ...] = tuple(
    key for key in ALL_COLUMNS if COLUMNS[key[0]][key[1]].changes_in_time
)
"""The columns that the physics changes."""
APPEARANCE_COLUMNS: tuple[Key, ...] = tuple(
    key for key in ALL_COLUMNS if key[0] in ("visuals", "lights")
)
"""The columns that a reset does not change."""
RESET_COLUMNS: tuple[Key, ...] = tuple(key for key in ALL_COLUMNS if key not in APPEARANCE_COLUMNS)
"""The columns that a reset restores."""


class Table(Columns):
    """The arrays of one kind of entity, in plain memory."""

    def __init__(self, names: Names, worlds: int) -> None:
        self.names = names
        self._arrays: dict[str, Array] = {
            name: column.allocate(worlds, len(names))
            for name, column in COLUMNS[names.kind].items()
        }

    def get(self, column: str) -> Array:
        """Returns the memory of a column, (W, N, ...)."""
        return self._arrays[column]

    def set(self, column: str, values: Any) -> None:
        """Copies values into the memory of a column."""
        self._arrays[column][...] = values

    def carry_over(self, old: Table) -> None:
        """Copies from `old` the rows of all entities that are in both tables, matched by name."""
        kept = [name for name in self.names if name in old.names]
        if kept:
            here, there = self.names.rows(kept), old.names.rows(kept)
            for name, values in self._arrays.items():
                values[:, here] = old.get(name)[:, there]


class StateTable(Table, StateColumns):
    """Pose and twist of models.

    >>> simulator = TableSimulator(worlds=2)
    >>> simulator.spawn([SpawnRequest(TableModel(), "car", Pose())])
    >>> tables = Tables(simulator.entities, simulator.worlds)
    >>> simulator.read(tables, [("models", "pose")])
    >>> tables.models.pose.shape  # W worlds, N models
    (2, 1, 7)
    """


class LinkTable(Table, LinkColumns):
    """Pose and twist of links, and the forces on them."""


class JointTable(Table, JointColumns):
    """State and command of joints."""


class ActuatorTable(Table, ActuatorColumns):
    """State and command of actuators that are not servos of joint axes."""


class VisualTable(Table, VisualColumns):
    """Appearance of visuals.

    >>> Tables(Entities(0, visuals=["car::link::paint"]), worlds=2).visuals.transparency
    array([[0.],
           [0.]])
    """


class LightTable(Table, LightColumns):
    """Colours, range and pose of lights.

    >>> Tables(Entities(0, lights=["sun"]), worlds=2).lights.range
    array([[10.],
           [10.]])
    """


_TABLES: dict[Kind, type[Table]] = {
    "models": StateTable,
    "links": LinkTable,
    "joints": JointTable,
    "actuators": ActuatorTable,
    "visuals": VisualTable,
    "lights": LightTable,
}


class Tables:
    """All tables of W worlds at one generation of their entities, in plain memory.

    >>> Tables(Entities(0, models=["car", "van"]), worlds=3).models.pose.shape
    (3, 2, 7)

    Args:
        entities: Names of the rows.
        worlds: Number of worlds, W.

    Attributes:
        columns: The memory of every column, (W, N, ...), as ``columns["models", "pose"]``.
        models: Pose and twist of models.
        links: Pose and twist of links, and the forces on them.
        joints: State and command of joints.
        actuators: State and command of actuators that are not servos of joint axes.
        visuals: Appearance of visuals.
        lights: Colours, range and pose of lights.
    """

    models: StateTable
    links: LinkTable
    joints: JointTable
    actuators: ActuatorTable
    visuals: VisualTable
    lights: LightTable

    def __init__(self, entities: Entities, worlds: int = 1) -> None:
        self.entities = entities
        self.worlds = worlds
        columns: dict[Key, Array] = {}
        for kind, table in _TABLES.items():
            rows = table(entities.names(kind), worlds)
            setattr(self, kind, rows)
            columns.update(((kind, name), rows.get(name)) for name in COLUMNS[kind])
        self.columns: Mapping[Key, Array] = columns

    def carry_over(self, old: Tables) -> None:
        """Copies from `old` the rows of all entities that are in both tables, matched by name."""
        for kind in KINDS:
            getattr(self, kind).carry_over(getattr(old, kind))
