# SPDX-License-Identifier: Apache-2.0
"""The current world, for code in the style of the paper: ``TrackerManager.get_instance()``."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from deepsim_sync.errors import NoCurrentWorldError

if TYPE_CHECKING:
    from .world import World

T = TypeVar("T", bound="PerWorld")

# The worlds entered, the current one last; None for one that was closed. Each thread and each
# asyncio task has its own, so that worlds in two threads never see each other.
entered: ContextVar[tuple[World | None, ...]] = ContextVar("deepsim_entered", default=(None,))


def current_world() -> World:
    """The world entered last by ``with world:`` or made current last.

    Raises:
        NoCurrentWorldError: There is none.
    """
    world = entered.get()[-1]
    if world is None:
        raise NoCurrentWorldError
    return world


class PerWorld:
    """Something of which each world has exactly one.

    Args:
        world: The world that it belongs to.
    """

    def __init__(self, world: World) -> None:
        self.world = world

    def reset(self, worlds: NDArray[np.intp]) -> None:
        """Begins new episodes in some worlds; `World.reset` calls it. The default does nothing."""

    def get_state(self) -> Any:
        """Returns what a snapshot of the world has to keep, or None; it can be pickled."""
        return None

    def set_state(self, state: Any) -> None:
        """Goes back to the instant of a state; `World.set_state` calls it last."""

    @classmethod
    def get_instance(cls: type[T]) -> T:
        """The one of the current world.

        Raises:
            NoCurrentWorldError: No world is current.
        """
        return current_world().get(cls)
