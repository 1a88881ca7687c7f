# SPDX-License-Identifier: Apache-2.0
"""An effect: a look that visuals have for a while."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from deepsim_sync import COLUMNS, CallbackError, UnknownEntityError, World, called

from .looks import Array, Shade
from .manager import EffectManager
from .observer import EffectObserver
from .targets import Target, is_present, named


class AbstractEffect(ABC):
    """Changes how visuals look, from `attach` until its time is up or until `detach`.

    A subclass calls `show` in its hook `on_update`, which runs once per tick. An effect lies on
    top of what the visuals look like, and of effects that were attached before it; when it ends,
    what is beneath shows again. Time is simulated time.

    An effect ends before its time when the world is reset, and in the first tick after its last
    target was deleted, or after the world went back to an instant before it was attached.

    Args:
        targets: Models, links or visuals, by name or transform: one, or several. An effect is on
            all visuals that they have.
        duration: After which it ends by itself [s]; infinite by default.
        world: Where the targets are; by default the world of a transform, or the current one.

    Attributes:
        targets: The names of the targets.
        duration: After which it ends by itself [s].
        world: Where the targets are.
        look: What it shows, by column of the visual table, and how much of it.

    Raises:
        TypeError: A target is neither a name nor a transform.
        ValueError: The duration is not positive, there is no target, or they are in several
            worlds.
        NoCurrentWorldError: No world was given, and none is current.
    """

    def __init__(
        self,
        targets: Target | Iterable[Target],
        *,
        duration: float = math.inf,
        world: World | None = None,
    ) -> None:
        if not duration > 0.0:
            raise ValueError(f"duration must be > 0 s, got {duration}")
        self.targets, self.world = named(targets, world)
        self.duration = duration
        self.look: dict[str, Shade] = {}
        self._observers: list[EffectObserver] = []
        self._start = 0.0

    @property
    def attached(self) -> bool:
        """Whether it is at work."""
        return self in self._manager

    @property
    def elapsed(self) -> float:
        """Simulated time since it was attached [s]."""
        return self.world.time - self._start

    def attach(self) -> None:
        """Begins: `on_attach`, then a first `on_update`; its look shows at once.

        Raises:
            UnknownEntityError: There is no such target.
            ValueError: It is attached already.
            CallbackError: A hook raised, and the effect is not attached; or an observer, and it is.
        """
        if self.attached:
            raise ValueError(f"{self!r} is attached already: detach it first")
        entities = self.world.entities
        for name in self.targets:
            if not is_present(entities, name):
                known = [*entities.models, *entities.links, *entities.visuals]
                raise UnknownEntityError("model, link or visual", name, known)
        self._start = self.world.time
        self.look = {}
        self._manager.add(self)
        try:
            self._call(self, self.on_attach)
            self.update(0.0, self.world.time)
        except CallbackError:
            self._manager.remove(self)
            raise
        self._manager.show()
        for observer in tuple(self._observers):
            self._call(observer, observer.on_effect_attached, self)

    def detach(self) -> None:
        """Ends: what is beneath shows again, then `on_detach`; does nothing if it has ended."""
        if not self.attached:
            return
        self._manager.remove(self)
        self._call(self, self.on_detach)
        for observer in tuple(self._observers):
            self._call(observer, observer.on_effect_detached, self)

    def update(self, delta_time: float, sim_time: float) -> None:
        """Calls `on_update`; the effect manager does so once per tick."""
        self._call(self, self.on_update, delta_time, sim_time)

    def show(self, *, mix: ArrayLike = 1.0, **columns: ArrayLike) -> None:
        """Changes what the effect shows; what it does not name stays as the effect has it.

        Args:
            mix: How much of it shows: 0 only what is beneath .. 1 nothing of what is beneath. One
                number, or one for each component of a colour.
            columns: By name: colours ``ambient``, ``diffuse``, ``specular`` and ``emissive``
                (RGBA, 0..1), ``transparency`` (0 opaque .. 1 invisible), ``visible`` (bool). One
                value for all visuals.

        Raises:
            ValueError: There is no such column, or a value is not fit for it.
        """
        for name, value in columns.items():
            self.look[name] = _checked(name, value, mix)

    def add_observer(self, observer: EffectObserver) -> None:
        """Tells someone whenever the effect is attached or detached."""
        self._observers.append(observer)

    def remove_observer(self, observer: EffectObserver) -> None:
        """Tells someone no longer.

        Raises:
            ValueError: It is no observer of this effect.
        """
        self._observers.remove(observer)

    # Hooks

    def on_attach(self) -> None:  # noqa: B027 (most effects do nothing here)
        """The effect begins."""

    @abstractmethod
    def on_update(self, delta_time: float, sim_time: float) -> None:
        """The effect begins, or a tick of the world.

        Args:
            delta_time: Simulated time since the previous tick [s]; 0 at first.
            sim_time: Simulated time now [s].
        """

    def on_detach(self) -> None:  # noqa: B027 (most effects do nothing here)
        """The effect has ended."""

    @property
    def _manager(self) -> EffectManager:
        return self.world.get(EffectManager)

    def _call(self, owner: object, hook: Callable[..., None], *args: Any) -> None:
        called(type(owner).__name__, self.world, hook, *args)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} on {', '.join(self.targets)}>"


def _checked(name: str, value: ArrayLike, mix: ArrayLike) -> Shade:
    column = COLUMNS["visuals"].get(name)
    if column is None:
        raise ValueError(f"visuals have no {name!r}: they have {', '.join(COLUMNS['visuals'])}")
    array: Array = np.array(value, dtype=column.dtype)
    if array.shape != column.width:
        raise ValueError(f"{name} must have shape {column.width}, got {value!r}")
    if column.unit_range and not np.all((array >= 0.0) & (array <= 1.0)):
        raise ValueError(f"{name} must lie in 0..1, got {value!r}")
    shares = np.array(mix, dtype=np.float64)
    if shares.shape not in ((), column.width):
        raise ValueError(f"mix of {name} must be a number, or {column.width} of them, got {mix!r}")
    if not np.all((shares >= 0.0) & (shares <= 1.0)):
        raise ValueError(f"mix of {name} must lie in 0..1, got {mix!r}")
    if column.dtype is np.bool_ and shares != 1.0:
        raise ValueError(f"{name} is true or false: its mix must be 1, got {mix!r}")
    return Shade(array, shares)
