# SPDX-License-Identifier: Apache-2.0
"""The current world, to which calls such as ``TrackerManager.get_instance()`` refer."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Tuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from .errors import NoCurrentWorldError

if TYPE_CHECKING:
    from .world.world import World

T = TypeVar("T", bound="PerWorld")

# An open ``with world:`` block: the world that opened it, and the current one, which is the same
# until `World.make_current` replaces it; None after that world was closed.
Block = Tuple["World | None", "World | None"]

# The open blocks, the innermost last, for each thread and asyncio task.
blocks: ContextVar[tuple[Block, ...]] = ContextVar("deepsim_blocks", default=((None, None),))


def current_world() -> World:
    """Returns the world that was last entered by ``with world:`` or made current."""
    _, world = blocks.get()[-1]
    if world is None:
        raise NoCurrentWorldError
    return world


class PerWorld:
    """Base class of managers and trackers; `World.get` makes one instance for each world.

    >>> class Score(PerWorld):
    ...     goals = 0
    >>> with World(TableSimulator()) as world:
    ...     Score.get_instance().goals += 1
    >>> world.get(Score).goals
    1
    """

    def __init__(self, world: World) -> None:
        self.world = world

    def reset(self, worlds: NDArray[np.intp]) -> None:
        """Starts new episodes in some worlds; called by `World.reset`. The default does nothing."""

    def get_state(self) -> Any:
        """Returns a picklable state for a snapshot, or None if there is nothing to keep."""
        return None

    def set_state(self, state: Any) -> None:
        """Restores a result of `get_state`; called at the end of `World.set_state`."""

    @classmethod
    def get_instance(cls: type[T]) -> T:
        """Returns the instance of the current world."""
        return current_world().get(cls)
