# SPDX-License-Identifier: Apache-2.0
"""Treats SIGTERM and SIGHUP like Ctrl-C."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Any

import typer

from .options import INTERRUPTED

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP


class Stop:
    """The exit status of a command that a signal ends.

    Attributes:
        status: 128 plus the number of the signal that arrived; 130 until one arrives.
    """

    status = INTERRUPTED


@contextlib.contextmanager
def stoppable() -> Iterator[Stop]:
    """Raises KeyboardInterrupt in the block at the first signal; later signals have no effect.

    Ignored signals stay ignored: SIGHUP under ``nohup``, and SIGINT in a background job of a
    script. A line says so for SIGINT, because Ctrl-C then does not stop the command.

    Raises:
        typer.Exit: The block did not handle the KeyboardInterrupt.
    """
    stop = Stop()
    before: dict[int, Any] = {}

    def on_signal(number: int, _frame: FrameType | None) -> None:
        for each in before:
            signal.signal(each, signal.SIG_IGN)
        stop.status = 128 + number
        raise KeyboardInterrupt

    if threading.current_thread() is threading.main_thread():
        for number in (getattr(signal, name) for name in _NAMES if hasattr(signal, name)):
            if signal.getsignal(number) not in (signal.SIG_IGN, None):
                before[number] = signal.signal(number, on_signal)
        if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
            typer.echo(
                f"SIGINT (Ctrl-C) is ignored here; to stop this command: kill {os.getpid()}",
                err=True,
            )
    try:
        yield stop
    except KeyboardInterrupt:
        raise typer.Exit(stop.status) from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
