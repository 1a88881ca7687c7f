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
# which is the same until `make_current` puts another in its place; None if that was closed.
_Block = Tuple["World | None", "World | None"]

# The blocks entered, the innermost last. Each thread and each asyncio task has its own, so that
# worlds in two threads never see each other.
_entered: ContextVar[tuple[_Block, ...]] = ContextVar("deepsim_entered", default=((None, None),))


def enter(world: World) -> None:
    """Begins a block in which a world is current."""
    _entered.set((*_entered.get(), (world, world)))


def leave(world: World) -> None:
    """Ends the innermost block of a world, if there is one.

    It need not be the innermost of all, as with generators that take turns.
    """
    blocks = _entered.get()
    for n in reversed(range(len(blocks))):
        if blocks[n][0] is world:
            _entered.set((*blocks[:n], *blocks[n + 1 :]))
            return


def replace_current(world: World) -> None:
    """Makes a world current until the innermost block ends."""
    *outer, (opener, _) = _entered.get()
    _entered.set((*outer, (opener, world)))


def forget(world: World) -> None:
    """Makes a world current no more, in any block."""
    _entered.set(
        tuple((opener, None if current is world else current) for opener, current in _entered.get())
    )


def is_current(world: World) -> bool:
    """Whether a world is the current one."""
    return _entered.get()[-1][1] is world


def current_world() -> World:
    """The world entered last by ``with world:`` or made current last.

    Raises:
        NoCurrentWorldError: There is none.
    """
    _, world = _entered.get()[-1]
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
