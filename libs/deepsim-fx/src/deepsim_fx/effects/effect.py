# SPDX-License-Identifier: Apache-2.0
"""The base class of effects."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_fx.targets import Target, chosen_worlds, is_present, named
from deepsim_sync import (
    COLUMNS,
    CallbackError,
    UnknownEntityError,
    World,
    WorldNumbers,
)

from .layers import Shade
from .manager import EffectManager, EffectObserver


class AbstractEffect(ABC):
    """Temporary change of the appearance of visuals: from `attach` to `detach` or for a duration.

    A subclass calls `show` in its hook `on_update`, which runs once per tick. An effect covers the
    visuals' own appearance and all effects attached before it; they reappear when it ends.

    Each world has a separate start and end of the effect. An effect computed from `elapsed` alone
    looks the same in each of many worlds as in a single one. An effect ends early when its world is
    reset, and in the first tick after its last target was deleted.

    >>> class FadeOut(AbstractEffect):
    ...     def on_update(self, delta_time, sim_time):
    ...         self.show(transparency=np.minimum(1.0, self.elapsed / self.duration))
    >>> world = World(TableSimulator(timestep=0.25))
    >>> world.spawn(TableModel(), "ball", Pose())
    >>> FadeOut("ball", duration=1.0, world=world).attach()
    >>> for _ in range(3):
    ...     world.tick()
    >>> world.visuals.transparency[0].tolist()
    [0.5]

    Args:
        targets: One or several models, links or visuals, by name or transform. The effect applies
            to all their visuals.
        duration: Simulated time after which the effect ends [s]; infinite by default.
        world: The world of the targets; by default the world of a transform, or the current one.

    Attributes:
        targets: The names of the targets.
        duration: Simulated time after which the effect ends [s].
        world: The world of the targets.
        worlds: (w,) within a hook, the worlds of the call; otherwise all worlds.
        attached_in: (W,) bool, whether the effect is attached.
        start: (W,) simulated time of the last attachment [s].
        order: (W,) number of the attachment; a larger one is on top.
        look: Value and mix that the effect shows, by column of the visual table.
        number: Index of the effect among all effects constructed in its world.

    Raises:
        TypeError: A target is neither a name nor a transform.
        ValueError: The duration is not positive, no target was given, or the targets are in
            several worlds.
        NoCurrentWorldError: No world was given, and none is current.
    """

    number: int

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
        count = len(self.world)
        self.worlds: WorldNumbers = np.arange(count)
        self.attached_in = np.zeros(count, np.bool_)
        self.start = np.zeros(count)
        self.order = np.zeros(count, np.int64)
        self.look: dict[str, Shade] = {}
        self.observers: list[EffectObserver] = []
        self._manager.register(self)

    @property
    def attached(self) -> bool:
        """Whether the effect is attached in at least one world."""
        return bool(self.attached_in.any())

    @property
    def elapsed(self) -> NDArray[np.float64]:
        """(W,) simulated time since the attachment [s]; undefined in worlds without the effect."""
        return self.world.time - self.start

    def attach(self, worlds: ArrayLike | None = None) -> None:
        """Attaches the effect: calls `on_attach`, then `on_update`, and shows it immediately.

        Args:
            worlds: Numbers of the worlds; all by default.

        Raises:
            UnknownEntityError: A target is not in the world.
            ValueError: The effect is already attached in one of the worlds.
            CallbackError: A hook raised an error, and the effect is not attached; or an observer
                did, and the effect remains attached.
        """
        chosen = chosen_worlds(self.world, worlds)
        already = chosen[self.attached_in[chosen]]
        if already.size:
            where = "" if len(self.world) == 1 else f" in worlds {already.tolist()}"
            raise ValueError(f"{self!r} is already attached{where}: detach it first")
        entities = self.world.entities
        for name in self.targets:
            if not is_present(entities, name):
                known = [*entities.models, *entities.links, *entities.visuals]
                raise UnknownEntityError("model, link or visual", name, known)
        if not chosen.size:
            return
        for shade in self.look.values():
            shade.mix[chosen] = 0.0
        self._manager.add(self, chosen)
        try:
            self._call(chosen, self, self.on_attach)
            self.update(0.0, self.world.time, chosen)
        except CallbackError:
            self._manager.remove(self, chosen)
            raise
        self._manager.show(chosen)
        for observer in tuple(self.observers):
            self._call(chosen, observer, observer.on_effect_attached, self)

    def detach(self, worlds: ArrayLike | None = None) -> None:
        """Ends the effect: restores the appearance beneath it, then calls `on_detach`.

        Args:
            worlds: Numbers of the worlds; all by default.
        """
        chosen = chosen_worlds(self.world, worlds)
        chosen = chosen[self.attached_in[chosen]]
        if not chosen.size:
            return
        self._manager.remove(self, chosen)
        self._call(chosen, self, self.on_detach)
        for observer in tuple(self.observers):
            self._call(chosen, observer, observer.on_effect_detached, self)

    def update(
        self, delta_time: float, sim_time: NDArray[np.float64], worlds: WorldNumbers
    ) -> None:
        """Calls `on_update` for some worlds; the effect manager does so once per tick."""
        self._call(worlds, self, self.on_update, delta_time, sim_time)

    def show(self, *, mix: ArrayLike = 1.0, **columns: ArrayLike) -> None:
        """Sets the appearance that the effect shows; columns that are not named stay unchanged.

        Within a hook, this applies to the worlds of the hook, `worlds`.

        Args:
            mix: Share of the value in the visible result, 0..1. One number, or one per component of
                a colour, (4,); or per world, (W,) for a number, (W, 1) or (W, 4) for a colour.
            columns: Values by column: colours ``ambient``, ``diffuse``, ``specular`` and
                ``emissive`` (RGBA, 0..1), ``transparency`` (0 opaque .. 1 invisible), ``visible``
                (bool). One value for all worlds, or one per world, (W,) or (W, 4).

        Raises:
            ValueError: A column is unknown, or a value is invalid for it.
        """
        for name, value in columns.items():
            if name not in COLUMNS["visuals"]:
                known = ", ".join(COLUMNS["visuals"])
                raise ValueError(f"visuals have no {name!r}: they have {known}")
            shade = self.look.get(name) or Shade.nothing(name, len(self.world))
            shade.set(name, value, mix, self.worlds)
            self.look[name] = shade

    def add_observer(self, observer: EffectObserver) -> None:
        """Adds an observer, which is called whenever the effect is attached or detached."""
        self.observers.append(observer)

    def remove_observer(self, observer: EffectObserver) -> None:
        """Removes an observer.

        Raises:
            ValueError: The observer is not registered.
        """
        self.observers.remove(observer)

    # Hooks

    def on_attach(self) -> None:  # noqa: B027 (most effects do nothing here)
        """Called when the effect begins in `worlds`."""

    @abstractmethod
    def on_update(self, delta_time: float, sim_time: NDArray[np.float64]) -> None:
        """Called when the effect begins in `worlds`, and once per tick.

        Args:
            delta_time: Duration of a tick [s]; 0 when the effect begins.
            sim_time: (W,) simulated time now [s].
        """

    def on_detach(self) -> None:  # noqa: B027 (most effects do nothing here)
        """Called after the effect has ended in `worlds`."""

    @property
    def _manager(self) -> EffectManager:
        return self.world.get(EffectManager)

    def _call(
        self, worlds: WorldNumbers, owner: object, hook: Callable[..., None], *args: Any
    ) -> None:
        before, self.worlds = self.worlds, worlds
        try:
            self.world.invoke(type(owner).__name__, hook, *args)
        finally:
            self.worlds = before

    def __repr__(self) -> str:
        return f"<{type(self).__name__} on {', '.join(self.targets)}>"
