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

from .manager import EffectManager
from .observer import EffectObserver
from .shade import Shade


class AbstractEffect(ABC):
    """Changes the appearance of visuals, from `attach` until its duration is over or `detach`.

    A subclass calls `show` in its hook `on_update`, which runs once per tick. An effect covers the
    visuals' own appearance, and effects that were attached before it; when it ends, these show
    again. It is attached world by world: start and end are those of each world, and an effect that
    shows a function of `elapsed` looks in every world as it would alone.

    An effect ends before its time when its world is reset, and in the first tick after its last
    target was deleted.

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
        targets: Models, links or visuals, by name or transform: one, or several. An effect is on
            all their visuals.
        duration: Simulated time after which it ends by itself [s]; infinite by default.
        world: The world of the targets; by default that of a transform, or the current one.

    Attributes:
        targets: The names of the targets.
        duration: Simulated time after which it ends by itself [s].
        world: The world of the targets.
        worlds: (w,) within a hook, the worlds that the call is about; otherwise all of them.
        attached_in: (W,) bool, whether it is attached.
        start: (W,) simulated time at which it was attached last [s].
        order: (W,) number of the attachment; a larger one lies above.
        look: The value that it shows and its share, by column of the visual table.
        number: Its place among all effects constructed in the world.

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
        """Whether it is attached in at least one world."""
        return bool(self.attached_in.any())

    @property
    def elapsed(self) -> NDArray[np.float64]:
        """(W,) simulated time since it was attached [s]; undefined where it is not."""
        return self.world.time - self.start

    def attach(self, worlds: ArrayLike | None = None) -> None:
        """Attaches the effect: calls `on_attach`, then `on_update`; the look shows at once.

        Args:
            worlds: The numbers of some worlds; all of them by default.

        Raises:
            UnknownEntityError: A target is not in the world.
            ValueError: It is attached in one of the worlds already.
            CallbackError: A hook raised, and the effect is not attached; or an observer, and it is.
        """
        chosen = chosen_worlds(self.world, worlds)
        already = chosen[self.attached_in[chosen]]
        if already.size:
            where = "" if len(self.world) == 1 else f" in worlds {already.tolist()}"
            raise ValueError(f"{self!r} is attached already{where}: detach it first")
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
        """Ends the effect: restores the appearance beneath, then calls `on_detach`.

        Args:
            worlds: The numbers of some worlds; all of them by default.
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
        """Changes what the effect shows; columns that are not named stay as they are.

        Within a hook it changes the worlds that the hook is about, `worlds`.

        Args:
            mix: Share of the value in the visible result: 0 nothing .. 1 nothing else. One
                number, or one for each component of a colour, (4,); or (W,) for a number, (W, 1)
                or (W, 4) for a colour.
            columns: By name: colours ``ambient``, ``diffuse``, ``specular`` and ``emissive``
                (RGBA, 0..1), ``transparency`` (0 opaque .. 1 invisible), ``visible`` (bool). One
                value for all worlds, or one for each, (W,) or (W, 4).

        Raises:
            ValueError: A column is unknown, or a value is not fit for it.
        """
        for name, value in columns.items():
            if name not in COLUMNS["visuals"]:
                known = ", ".join(COLUMNS["visuals"])
                raise ValueError(f"visuals have no {name!r}: they have {known}")
            shade = self.look.get(name) or Shade.nothing(name, len(self.world))
            shade.set(name, value, mix, self.worlds)
            self.look[name] = shade

    def add_observer(self, observer: EffectObserver) -> None:
        """Calls an observer whenever the effect is attached or detached."""
        self.observers.append(observer)

    def remove_observer(self, observer: EffectObserver) -> None:
        """Removes an observer.

        Raises:
            ValueError: It does not observe this effect.
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
        """Called when the effect has ended in `worlds`."""

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
