# SPDX-License-Identifier: Apache-2.0
"""Who wants to know when an effect comes and goes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from .effect import AbstractEffect


class EffectObserver(Protocol):
    """Anything to be told of the effects that it was added to."""

    def on_effect_attached(self, effect: AbstractEffect) -> None:
        """The effect shows from now on."""
        ...

    def on_effect_detached(self, effect: AbstractEffect) -> None:
        """The effect is over, and the visuals look like before."""
        ...
