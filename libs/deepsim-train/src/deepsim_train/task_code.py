# SPDX-License-Identifier: Apache-2.0
"""Calls a task's code, and reports its errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from deepsim_sync import DeepSimError

P = ParamSpec("P")
T = TypeVar("T")


class TaskError(DeepSimError):
    """A task does not exist, or it does not provide or support a request."""


class TaskCodeError(TaskError):
    """A task's code raised an error that is not a `DeepSimError`; ``__cause__`` is that error."""


def call_task_code(what: str, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Calls a function of a task and returns its result.

    Raises:
        DeepSimError: The function raised this error, which is passed on unchanged.
        TaskCodeError: The function raised any other exception; the message begins with `what`.
    """
    try:
        return function(*args, **kwargs)
    except DeepSimError:
        raise
    except Exception as error:
        raise TaskCodeError(f"{what} raised {type(error).__name__}: {error}") from error
