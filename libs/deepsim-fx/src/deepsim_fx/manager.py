# SPDX-License-Identifier: Apache-2.0
"""All effects of one world."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from deepsim_sync import PerWorld, World, call_all

from .looks import Array, Looks, Rows
from .targets import is_present, visual_rows

if TYPE_CHECKING:
    from .effect import AbstractEffect

_ROUNDING = 1e-9  # of simulated time [s]: it must not cost a tick


class EffectManager(PerWorld):
    """Runs the effects of a world in the order in which they were attached, once per tick.

    It is a tracker of NORMAL priority. Users attach effects by `AbstractEffect.attach`.

    Args:
        world: The world.
    """

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._effects: dict[AbstractEffect, Rows] = {}
        self._looks = Looks(world)
        self._generation = world.entities.generation
        world.trackers.add(self)

    def __iter__(self) -> Iterator[AbstractEffect]:
        return iter(tuple(self._effects))

    def __len__(self) -> int:
        return len(self._effects)

    def __contains__(self, effect: object) -> bool:
        return effect in self._effects

    def add(self, effect: AbstractEffect) -> None:
        """Takes an effect in; `AbstractEffect.attach` does so."""
        self._effects[effect] = visual_rows(self.world.entities, effect.targets)

    def remove(self, effect: AbstractEffect) -> None:
        """Takes an effect out, and shows what was beneath; `AbstractEffect.detach` does so."""
        self._effects.pop(effect, None)
        self.show()

    def show(self) -> None:
        """Shows what all effects together make the visuals look like."""
        entities = self.world.entities
        if entities.generation != self._generation:
            self._generation = entities.generation
            for effect in self._effects:
                self._effects[effect] = visual_rows(entities, effect.targets)
        self._looks.show([(rows, effect.look) for effect, rows in self._effects.items()])

    def own(self, column: str) -> Array:
        """A column of the visual table, (W, N, ...), as it would be without effects."""
        return self._looks.own(column)

    def update_tracker(self, delta_time: float, sim_time: float) -> None:
        """Updates every effect, and ends those whose time is not now, or whose targets are gone.

        Raises:
            CallbackError: An effect or an observer raised.
        """
        for effect in self:
            if effect not in self:
                continue  # detached by one before it
            if self._is_over(effect):
                effect.detach()
            else:
                effect.update(delta_time, sim_time)
        self.show()

    def reset(self) -> None:
        """Ends all effects, the latest first.

        Raises:
            CallbackError: An effect or an observer raised; all effects have ended all the same.
        """
        call_all(effect.detach for effect in reversed(tuple(self)))

    def _is_over(self, effect: AbstractEffect) -> bool:
        entities = self.world.entities
        # Less than nothing has elapsed once `World.set_state` went back to before it was attached.
        lasts = -_ROUNDING <= effect.elapsed < effect.duration - _ROUNDING
        return not lasts or not any(is_present(entities, name) for name in effect.targets)
