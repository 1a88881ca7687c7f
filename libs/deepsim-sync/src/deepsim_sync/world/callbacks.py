# SPDX-License-Identifier: Apache-2.0
"""Runs user callbacks and reports errors with owner, hook and tick."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from deepsim_sync.errors import CallbackError

if TYPE_CHECKING:
    from .world import World

T = TypeVar("T")


def invoke(owner: str, world: World, callback: Callable[..., T], *args: Any) -> T:
    """Calls a user's callback and returns its result.

    Args:
        owner: The name of the object whose callback it is.
        world: The world whose tick an error reports; of several worlds the latest tick.
        callback: Anything that can be called, such as a `functools.partial`.
        args: The arguments of the callback.

    Raises:
        CallbackError: It raised; the error names the owner, the callback and the tick, and has the
            original as its cause. A nested CallbackError is raised unchanged.
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
