# SPDX-License-Identifier: Apache-2.0
"""The effects of a world, and their observers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from deepsim_fx.targets import is_present, visual_rows
from deepsim_sync import (
    PerWorld,
    World,
    WorldNumbers,
    call_all,
    plain_attributes,
    restore_attributes,
)

from .layers import Array, Layer, Layers

if TYPE_CHECKING:
    from .effect import AbstractEffect


class EffectObserver(Protocol):
    """Object that is notified of the beginning and end of effects.

    It is added with `AbstractEffect.add_observer`. In both calls, ``effect.worlds`` has the numbers
    of the worlds in which the effect begins or ends.

    >>> class Printer:
    ...     def on_effect_attached(self, effect):
    ...         print("from now on:", *effect.targets)
    ...     def on_effect_detached(self, effect):
    ...         print("no longer:", *effect.targets)
    >>> world = World(TableSimulator(timestep=0.25))
    >>> world.spawn(TableModel(), "ball", Pose())
    >>> effect = InvisibleEffect("ball", world=world)
    >>> effect.add_observer(Printer())
    >>> effect.attach()
    from now on: ball
    >>> effect.detach()
    no longer: ball
    """

    def on_effect_attached(self, effect: AbstractEffect) -> None:
        """Called after the effect has begun and is visible."""

    def on_effect_detached(self, effect: AbstractEffect) -> None:
        """Called after the effect has ended and the visuals are restored."""


_ROUNDING = 1e-9  # rounding of simulated time [s], which must not delay the end by a tick


class EffectManager(PerWorld):
    """Manager of a world's effects: updates them once per tick, in the order of attachment.

    It is a tracker of NORMAL priority. Users attach effects with `AbstractEffect.attach`.

    >>> world = World(TableSimulator(timestep=0.25))
    >>> world.spawn(TableModel(), "ball", Pose())
    >>> effect = InvisibleEffect("ball", duration=0.5, world=world)
    >>> effect.attach()
    >>> for _ in range(4):  # the manager of the world ends it
    ...     world.tick()
    >>> effect.attached
    False
    """

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._effects: dict[AbstractEffect, None] = {}  # attached in at least one world
        # By order of construction, which identifies an effect in a snapshot.
        self._constructed: WeakValueDictionary[int, AbstractEffect] = WeakValueDictionary()
        self._constructions = 0
        self._attachments = 0
        self._layers: list[Layer] | None = None
        self._appearance = Layers(world)
        self._generation = world.entities.generation
        world.trackers.add(self)

    def __iter__(self) -> Iterator[AbstractEffect]:
        return iter(tuple(self._effects))

    def __len__(self) -> int:
        return len(self._effects)

    def __contains__(self, effect: object) -> bool:
        return effect in self._effects

    def register(self, effect: AbstractEffect) -> None:
        """Registers an effect; called by its constructor."""
        effect.number = self._constructions
        self._constructed[effect.number] = effect
        self._constructions += 1

    def add(self, effect: AbstractEffect, worlds: WorldNumbers) -> None:
        """Adds an effect on top in some worlds; called by `AbstractEffect.attach`."""
        if self._constructed.get(effect.number) is not effect:
            self.register(effect)  # constructed after the state that `set_state` restored
        effect.attached_in[worlds] = True
        effect.start[worlds] = self.world.time[worlds]
        effect.order[worlds] = self._attachments
        self._attachments += 1
        self._effects[effect] = None
        self._layers = None

    def remove(self, effect: AbstractEffect, worlds: WorldNumbers) -> None:
        """Removes an effect in some worlds; called by `AbstractEffect.detach`."""
        effect.attached_in[worlds] = False
        if not effect.attached:
            self._effects.pop(effect, None)
        self._layers = None
        self.show(worlds)

    def show(self, worlds: WorldNumbers) -> None:
        """Shows all effects in some worlds."""
        generation = self.world.entities.generation
        if self._layers is None or generation != self._generation:
            self._generation = generation
            self._layers = list(self._ordered())
        self._appearance.show(self._layers, worlds)

    def own(self, column: str) -> Array:
        """Returns a column of the visual table, (W, N, ...), without effects."""
        return self._appearance.own(column)

    def update_tracker(self, delta_time: float, sim_time: NDArray[np.float64]) -> None:
        """Updates every effect, or ends it if its duration has passed or its targets were deleted.

        Worlds outside the current tick keep their effects unchanged.

        Raises:
            CallbackError: An effect or an observer raised an error.
        """
        ticking = np.zeros(len(self.world), np.bool_)
        ticking[self.world.ticking] = True
        for effect, due in [(effect, effect.attached_in & ticking) for effect in self]:
            over = due & self._is_over(effect)
            if over.any():
                effect.detach(over.nonzero()[0])
            worlds = (due & effect.attached_in).nonzero()[0]
            if worlds.size:
                effect.update(delta_time, sim_time, worlds)
        self.show(self.world.ticking)

    def reset(self, worlds: WorldNumbers) -> None:
        """Ends all effects in some worlds, latest first.

        Raises:
            CallbackError: An effect or an observer raised an error; all effects still ended.
        """
        call_all(partial(effect.detach, worlds) for effect in reversed(tuple(self)))

    # Snapshots

    def get_state(self) -> Any:
        """Returns the state of all effects and the appearance beneath them, for a snapshot.

        The state of an effect is its class and its `deepsim_sync.plain_attributes`.
        """
        effects = {number: _saved(effect) for number, effect in sorted(self._constructed.items())}
        attached = [effect.number for effect in self]
        counts = self._constructions, self._attachments
        return effects, attached, counts, self._appearance.get_state()

    def set_state(self, state: Any) -> None:
        """Restores all effects and the appearance beneath them; calls no hook or observer.

        Effects are identified by their order of construction. An attached effect that no longer
        exists is recreated from its class and its saved attributes.
        """
        effects, attached, (self._constructions, self._attachments), appearance = state
        present = dict(self._constructed)
        for effect in (*self, *present.values()):
            effect.attached_in[:] = False
        self._constructed.clear()
        for number, (kind, attributes) in effects.items():
            effect = present.get(number)
            if effect is None or (type(effect), effect.targets) != (kind, attributes["targets"]):
                effect = kind.__new__(kind)
                effect.world, effect.observers = self.world, []
            restore_attributes(effect, attributes)
            present[number] = self._constructed[number] = effect
        self._effects = dict.fromkeys(present[number] for number in attached)
        self._appearance.set_state(appearance)
        self._layers = None

    def _ordered(self) -> Iterator[Layer]:
        """Yields the layers of all effects, in the order of attachment in each world."""
        effects, entities = list(self), self.world.entities
        if not effects:
            return
        rows = [visual_rows(entities, effect.targets) for effect in effects]
        order = np.array([effect.order for effect in effects])
        order[~np.array([effect.attached_in for effect in effects])] = self._attachments
        for depth in np.argsort(order, axis=0):  # (W,) number of an effect in each world
            for number in np.unique(depth):
                effect = effects[number]
                worlds = ((depth == number) & effect.attached_in).nonzero()[0]
                if worlds.size:
                    yield Layer(rows[number], worlds, effect.look)

    def _is_over(self, effect: AbstractEffect) -> NDArray[np.bool_]:
        """Returns whether an effect ends in this tick, (W,)."""
        entities = self.world.entities
        gone = not any(is_present(entities, name) for name in effect.targets)
        return (effect.elapsed >= effect.duration - _ROUNDING) | gone


def _saved(effect: AbstractEffect) -> tuple[type[AbstractEffect], dict[str, Any]]:
    attributes = plain_attributes(effect)
    attributes.pop("observers", None)
    return type(effect), attributes
