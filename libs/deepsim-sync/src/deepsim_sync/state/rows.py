# SPDX-License-Identifier: Apache-2.0
"""Handles on rows of a table, for some entities of one kind in all worlds."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from math import isfinite
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_math import quaternions
from deepsim_sync.errors import DeepSimError
from deepsim_sync.port.column_type import UNIT, Array, Columns
from deepsim_sync.port.entities import Entities, Kind, Names
from deepsim_sync.port.simulator import WorldNumbers
from deepsim_sync.port.tables import (
    COLUMNS,
    ActuatorColumns,
    JointColumns,
    LightColumns,
    LinkColumns,
    StateColumns,
    VisualColumns,
)

from .seeds import checked_worlds
from .state_cache import EVERY, StateCache

R = TypeVar("R", bound="Rows")


class Rows(Columns):
    """Handle on rows of one table; its attributes are the columns, (W, n, ...).

    Getting an attribute returns a new C-ordered array at the present instant. Setting one changes
    the rows in all worlds; the values read back at once and are sent with the next flush. `put`
    changes several columns, or some worlds only.

    A handle finds its rows again by name when entities are added or removed.

    >>> world = World(TableSimulator(worlds=3))
    >>> for name in ("red_car", "blue_car"):
    ...     world.spawn(TableModel(), name, Pose())
    >>> cars = world.models.select(["blue_car", "red_car"])
    >>> cars.twist = (1, 0, 0, 0, 0, 0)  # broadcasts to (3, 2, 6)
    >>> cars.put(pose=[(5, 0, 0, 0, 0, 0, 1), (0, 0, 0, 0, 0, 0, 1)], worlds=[1])
    >>> cars.pose[:, :, 0]
    array([[0., 0.],
           [5., 0.],
           [0., 0.]])
    """

    # Without a dict, so that setting a misspelt column is an error.
    __slots__ = ("_cache", "_entities", "_index", "_names", "_own", "_rows", "_selected", "kind")

    def __init__(self, cache: StateCache, kind: Kind, names: Iterable[str] | None = None) -> None:
        self._cache = cache
        self.kind = kind
        self._selected = None if names is None else tuple(names)
        self._entities: Entities | None = None
        self._find()

    @property
    def names(self) -> Names:
        """Names of the entities of this handle's rows."""
        self._find()
        return self._names

    @property
    def rows(self) -> NDArray[np.intp]:
        """Numbers of the rows in the table, (n,)."""
        self._find()
        return self._rows

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        with suppress(DeepSimError):  # in a closed world, or of a deleted entity: the last names
            self._find()
        shown = ", ".join(self._names[:5]) + (", ..." if len(self._names) > 5 else "")
        return f"<{type(self).__name__} of {len(self._names)} {self.kind}: {shown}>"

    def select(self: R, names: Iterable[str]) -> R:
        """Returns a handle on the rows of some entities, in the given order.

        Raises:
            UnknownEntityError: No entity has the name.
            DuplicateEntityError: A name occurs twice.
            TypeError: `names` is a single str.
        """
        if isinstance(names, str):
            raise TypeError(f"select takes a list of {self.kind}, got the str {names!r}")
        return type(self)(self._cache, self.kind, names)

    def get(self, column: str) -> Array:
        """Returns a column of these rows as a new C-ordered array, (W, n, ...)."""
        memory = self._cache.column((self.kind, column))
        if self._cache.entities is not self._entities:
            self._find()
        return memory.copy() if self._index is EVERY else memory.take(self._rows, axis=1)

    def set(self, column: str, values: Any) -> None:
        """Changes a column of these rows in all worlds; see `put`."""
        if self._cache.follow_entities() is not self._entities:
            self._find()
        spec = COLUMNS[self.kind][column]
        cells = spec.checked(self._names, self._own, values, self._cache.worlds)
        self._cache.put((self.kind, column), self._index, cells)

    def put(self, worlds: WorldNumbers | None = None, **columns: Any) -> None:
        """Changes columns of these rows; the next flush sends them, but they read back at once.

        Args:
            worlds: Numbers of the w worlds; all by default.
            columns: Values by column, whole cells of a shape that broadcasts to (w, n, ...).

        Raises:
            ValueError: A column is unknown, or a value invalid; nothing was changed.
            UnknownEntityError: An entity was deleted.
            TypeError: `worlds` are not integers.
        """
        self._find()
        self._cache.put_checked(self._names, self._own, self._index, columns, worlds)

    def _find(self) -> None:
        """Looks the rows up again if entities were added or removed."""
        entities = self._cache.follow_entities()
        if entities is self._entities:
            return
        known = entities.names(self.kind)
        if self._selected is None:
            self._names, self._rows = known, np.arange(len(known))
        else:
            self._rows = known.rows(self._selected)
            self._names = Names(self.kind, self._selected)
        self._own = np.arange(len(self._rows))
        first = int(self._rows[0]) if len(self._rows) else 0
        adjacent = bool((self._rows == first + self._own).all())
        # Assigning to a slice takes a third of the time, and to a whole table less.
        self._index: slice | NDArray[np.intp] = self._rows
        if adjacent:
            whole = len(self._own) == len(known)
            self._index = EVERY if whole else slice(first, first + len(self._own))
        self._entities = entities


class StateRows(Rows, StateColumns):
    """Pose and twist of models or links; see `Rows`.

    >>> world = World(TableSimulator(timestep=0.25))
    >>> world.spawn(TableModel(), "car", Pose((1, 2, 0)))
    >>> car = world.models.select(["car"])
    >>> car.put(twist=(1, 0, 0, 0, 0, 0))
    >>> world.tick()
    >>> car.pose[0, 0, :3].tolist()
    [1.25, 2.0, 0.0]
    """

    __slots__ = ()


class LinkRows(StateRows, LinkColumns):
    """Pose and twist of links, and the forces on them; see `Rows`.

    >>> world = World(TableSimulator())
    >>> world.spawn(TableModel(), "arm", Pose())
    >>> hand = world.links.select(["arm::link"])
    >>> hand.push(force=(0, 0, 5), at=(0, 0.1, 0))  # [N], [m]; acts during the next tick
    >>> hand.torque[0].tolist()
    [[0.5, 0.0, 0.0]]
    """

    __slots__ = ()

    def push(self, force: ArrayLike, at: ArrayLike, worlds: WorldNumbers | None = None) -> None:
        """Sets `force` and `torque` to the effect of forces at points of the links.

        Args:
            force: Forces in world axes, of a shape that broadcasts to (w, n, 3) [N].
            at: Points where the forces act, in the frames of the links, likewise [m].
            worlds: Numbers of the w worlds; all by default.

        Raises:
            ValueError: A force or point is not finite or has a wrong shape; nothing was changed.
        """
        chosen = slice(None) if worlds is None else checked_worlds(worlds, self._cache.worlds)
        pose = self.pose[chosen]
        forces, points = np.broadcast_arrays(force, at, pose[..., :3])[:2]
        arms = quaternions.rotate(pose[..., 3:], points.astype(np.float64))
        arms += pose[..., :3] - self.center_of_mass[chosen]
        self.put(worlds, force=forces, torque=np.cross(arms, forces))


class JointRows(Rows, JointColumns):
    """State and command of joints; see `Rows`.

    Example::

        arm = world.joints.select(["arm::shoulder", "arm::elbow"])
        arm.put(target_position=(0.5, -1.0), stiffness=200.0, damping=20.0)
    """

    __slots__ = ()


class ActuatorRows(Rows, ActuatorColumns):
    """State and command of actuators that are not servos of joint axes; see `Rows`.

    Example::

        gripper = world.actuators.select(["panda::actuator8"])
        gripper.target = 255.0  # open
    """

    __slots__ = ()


class VisualRows(Rows, VisualColumns):
    """Appearance of visuals; see `Rows`.

    >>> world = World(TableSimulator())
    >>> world.spawn(TableModel(), "ball", Pose())
    >>> world.visuals.put(diffuse=(1, 0, 0, 1), transparency=0.5)
    >>> world.visuals.transparency
    array([[0.5]])
    """

    __slots__ = ()


class LightRows(Rows, LightColumns):
    """Colours, range and pose of lights; see `Rows`.

    >>> world = World(TableSimulator())
    >>> world.spawn(TableModel(lights=("lamp",)), "car", Pose())
    >>> world.lights.put(diffuse=(1, 0, 0, 1))
    >>> world.lights.names, world.lights.diffuse[0].tolist()
    (Names('lights', ['car::link::lamp']), [[1.0, 0.0, 0.0, 1.0]])
    """

    __slots__ = ()


class SingleRow:
    """One row of world 0 as Python numbers, for transforms and trackers.

    For single values, a few operations on floats take a fifth of the time of operations on arrays,
    and give the same bits (tested).

    Args:
        cache: The tables.
        kind: The table.
        name: The entity, which need not exist yet; it is looked up at each use.
    """

    __slots__ = ("_cache", "_entities", "_kind", "_name", "_number")

    def __init__(self, cache: StateCache, kind: Kind, name: str) -> None:
        self._cache = cache
        self._kind = kind
        self._name = name
        self._entities: Entities | None = None
        self._number = 0

    def get(self, column: str) -> Any:
        """Returns the numbers of one cell as a list, or its only value."""
        memory = self._cache.column((self._kind, column))
        if self._cache.entities is not self._entities:
            self._find()
        return memory[0, self._number].tolist()

    def put(self, column: str, value: Any) -> None:
        """Changes one cell; see `Rows.put`."""
        numbers = value[:]  # faster than `tuple`, which would also ask for the length
        fit = isfinite(sum(numbers))
        if fit and column == "pose":
            x, y, z, w = numbers[3:]
            fit = abs(x * x + y * y + z * z + w * w - 1.0) <= UNIT
        self._find()
        row = self._number
        if not fit:
            names = Names(self._kind, [self._name])
            numbers = COLUMNS[self._kind][column].checked(names, np.zeros(1, np.intp), [value])[0]
        self._cache.put((self._kind, column), slice(row, row + 1), numbers)

    def _find(self) -> None:
        entities = self._cache.follow_entities()
        if entities is not self._entities:
            self._number = entities.names(self._kind).row(self._name)
            self._entities = entities
