# SPDX-License-Identifier: Apache-2.0
"""How users' code is called: what it raises is told with its place."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from .errors import CallbackError

if TYPE_CHECKING:
    from .world import World
    from .worlds import Worlds

T = TypeVar("T")


def called(owner: str, world: World | Worlds, callback: Callable[..., T], *args: Any) -> T:
    """What a callback returns.

    Args:
        owner: Whose callback it is, for the message.
        world: Whose ticks are told; of many worlds those of the one that is farthest.
        callback: Anything that can be called, such as a `functools.partial`.
        args: What it takes.

    Raises:
        CallbackError: It raised; the error names the owner, the callback and the tick, and the
            original is its cause. One of a callback within is passed on as it is.
    """
    try:
        return callback(*args)
    except CallbackError:
        raise
    except Exception as error:
        tick = int(np.max(world.ticks))
        raise CallbackError(owner, _name(callback), tick, error) from error


def call_all(callbacks: Iterable[Callable[[], object]]) -> None:
    """Calls each, also after one that raised, and raises the first error at the end.

    For endings that must not stop halfway, such as a reset or a close.
    """
    first: Exception | None = None
    for callback in callbacks:
        try:
            callback()
        except Exception as error:
            first = error if first is None else first
    if first is not None:
        raise first


def _name(callback: Callable[..., Any]) -> str:
    while isinstance(callback, partial):
        callback = callback.func
    name: str = getattr(callback, "__name__", type(callback).__name__)
    return name
