# SPDX-License-Identifier: Apache-2.0
"""Observers of effects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from .effect import AbstractEffect


class EffectObserver(Protocol):
    """Receives the beginning and the end of effects; see `AbstractEffect.add_observer`.

    ``effect.worlds`` has the numbers of the worlds.

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
        """Called when the effect has begun and shows."""
        ...

    def on_effect_detached(self, effect: AbstractEffect) -> None:
        """Called when the effect has ended, and the visuals look like before."""
        ...
