# SPDX-License-Identifier: Apache-2.0
"""Calls into users' agents and areas, so that an error says where it came from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from deepsim_sync import CallbackError, World

T = TypeVar("T")


def called(owner: str, world: World, callback: Callable[..., T], *args: Any) -> T:
    """What a callback returns.

    Raises:
        CallbackError: It raised; the error names the owner, the callback and the tick.
    """
    try:
        return callback(*args)
    except CallbackError:
        raise
    except Exception as error:
        raise CallbackError(owner, callback.__name__, world.ticks, error) from error
