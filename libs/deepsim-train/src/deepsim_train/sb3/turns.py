# SPDX-License-Identifier: Apache-2.0
"""Runs functions in turns, each in its own thread; only one thread runs at any time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

FINISHED = object()
"""The request of a function that has returned."""


class _Stopped(BaseException):
    """Ends the function of a stopped `Turn`; no Exception, so ``except Exception`` misses it."""


class Turn:
    """Runs a function in a thread, from one request to the next.

    The caller's thread waits while the function runs, and the function waits while the caller runs.
    They can therefore share all data without locks, and their order is fixed. The function is
    ordinary blocking code, such as a training loop: it calls `ask` where a generator would yield.

    Args:
        function: The function, without arguments.
    """

    def __init__(self, function: Callable[[], object]) -> None:
        self._function = function
        self._changed = threading.Condition()
        self._runs = False  # whether it is the function's turn
        self._stopped = False
        self._error: BaseException | None = None
        self._passed: Any = None  # the latest request or answer
        self._thread = threading.Thread(target=self._run, daemon=True)

    def resume(self, answer: Any = None) -> Any:
        """Lets the function run until its next request, or its end.

        Args:
            answer: The answer to its latest request.

        Returns:
            The next request, or `FINISHED`.

        Raises:
            Exception: The exception that the function raised.
        """
        self._pass_on(answer)
        self._wait()
        if self._error is not None:
            raise self._error
        return self._passed

    def ask(self, request: Any) -> Any:
        """Passes a request to the caller, waits, and returns the answer; for the function only."""
        with self._changed:
            self._passed, self._runs = request, False
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._runs)
            if self._stopped:
                raise _Stopped
            return self._passed

    def stop(self) -> None:
        """Ends the function at its latest request, if it still runs."""
        if self._thread.ident is None:
            return
        self._wait()
        if self._thread.is_alive():
            self._stopped = True
            self._pass_on(None)
            self._thread.join()

    def _pass_on(self, answer: Any) -> None:
        with self._changed:
            self._passed, self._runs = answer, True
            self._changed.notify_all()
        if self._thread.ident is None:
            self._thread.start()

    def _wait(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: not self._runs)

    def _run(self) -> None:
        try:
            self._function()
        except _Stopped:
            pass
        except BaseException as error:  # it is raised in the caller's thread
            self._error = error
        finally:
            with self._changed:
                self._passed, self._runs = FINISHED, False
                self._changed.notify_all()
