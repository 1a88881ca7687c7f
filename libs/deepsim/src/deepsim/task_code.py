# SPDX-License-Identifier: Apache-2.0
"""Calls a task's own code, and the errors that name it."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from deepsim_sync import DeepSimError

P = ParamSpec("P")
T = TypeVar("T")


class TaskError(DeepSimError):
    """A folder holds no task, or a task lacks something that was requested."""


class TaskCodeError(TaskError):
    """A task's own code raised an error outside of any hook; ``__cause__`` is that error."""


def call_task_code(what: str, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Calls a function of a task and returns its result.

    Raises:
        TaskCodeError: The function raised an error; the message begins with `what`.
        DeepSimError: Raised by the function, and passed on unchanged.
    """
    try:
        return function(*args, **kwargs)
    except DeepSimError:
        raise
    except Exception as error:
        raise TaskCodeError(f"{what} raised {type(error).__name__}: {error}") from error
