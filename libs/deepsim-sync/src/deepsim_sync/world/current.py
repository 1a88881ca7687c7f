# SPDX-License-Identifier: Apache-2.0
"""The current world, for code in the style of the paper: ``TrackerManager.get_instance()``."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Tuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from deepsim_sync.errors import NoCurrentWorldError

if TYPE_CHECKING:
    from .world import World

T = TypeVar("T", bound="PerWorld")

# A ``with world:`` block that was not left yet: the world that opened it, and the current one,
# which is the same until `World.make_current` puts another in its place; None if that was closed.
Block = Tuple["World | None", "World | None"]

# The blocks entered, the innermost last. Each thread and each asyncio task has its own, so that
# worlds in two threads never see each other.
blocks: ContextVar[tuple[Block, ...]] = ContextVar("deepsim_blocks", default=((None, None),))


def current_world() -> World:
    """Returns the world entered last by ``with world:`` or made current last."""
    _, world = blocks.get()[-1]
    if world is None:
        raise NoCurrentWorldError
    return world


class PerWorld:
    """A manager or tracker of which each world has exactly one; `World.get` makes it.

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
        """Begins new episodes in some worlds; `World.reset` calls it. The default does nothing."""

    def get_state(self) -> Any:
        """Returns the part of a snapshot that it needs, which can be pickled, or None."""
        return None

    def set_state(self, state: Any) -> None:
        """Goes back to the instant of a state; `World.set_state` calls it last."""

    @classmethod
    def get_instance(cls: type[T]) -> T:
        """Returns the instance of the current world."""
        return current_world().get(cls)
