# SPDX-License-Identifier: Apache-2.0
"""Observers of effects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from .effect import AbstractEffect


class EffectObserver(Protocol):
    """Receives the beginning and the end of effects; see `AbstractEffect.add_observer`.

    ``effect.worlds`` has the numbers of the worlds.
    """

    def on_effect_attached(self, effect: AbstractEffect) -> None:
        """Called when the effect has begun and shows."""
        ...

    def on_effect_detached(self, effect: AbstractEffect) -> None:
        """Called when the effect has ended, and the visuals look like before."""
        ...
