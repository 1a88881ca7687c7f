# SPDX-License-Identifier: Apache-2.0
"""Tasks by name: ``gymnasium.make`` and ``gymnasium.make_vec`` find them under their ids."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import gymnasium

from .batch_vector_env import BatchVectorEnv
from .gymnasium_env import GymnasiumEnv
from .gymnasium_vector_env import GymnasiumVectorEnv


def register(id: str, make: str, *, make_vector: str | None = None, **kwargs: Any) -> None:
    """Registers a task with Gymnasium; nothing of it is imported before it is made.

    ``gymnasium.make(id)`` gives what `make` returns, ``gymnasium.make_vec(id, num_envs)`` what
    `make_vector` returns, or a `GymnasiumVectorEnv` of what `make` returns. Keyword arguments of
    either go to the function.

    Args:
        id: As in ``"DeepSim/Racetrack-v0"``; one that is registered is replaced.
        make: The function, as ``"package.module:function"``; it returns a `GymnasiumEnv`.
        make_vector: A function that takes ``num_envs`` and ``autoreset_mode`` besides, and returns
            a `BatchVectorEnv`; worlds are stepped in turn if there is none or it returns None.
        kwargs: Keyword arguments of the functions; of plain data, if the id is to be stored as
            JSON.

    Raises:
        ValueError: `make` or `make_vector` names no module and function.
    """
    for name, value in (("make", make), ("make_vector", make_vector or make)):
        module, _, function = value.partition(":")
        if not module or not function:
            raise ValueError(f"{name} must be of the form 'package.module:function', got {value!r}")
    both = {"make": make} if make_vector is None else {"make": make, "make_vector": make_vector}
    gymnasium.registry.pop(id, None)
    gymnasium.register(
        id,
        entry_point=f"{__name__}:make_env",
        vector_entry_point=f"{__name__}:make_vector_env",
        kwargs={**both, **kwargs},
    )


def make_env(
    make: str,
    make_vector: str | None = None,  # noqa: ARG001 (registered for both, used by the other)
    **kwargs: Any,
) -> GymnasiumEnv:
    """What the function `make` returns; `gymnasium.make` calls it.

    Raises:
        TypeError: That is no `GymnasiumEnv`.
    """
    env = _function(make)(**kwargs)
    if not isinstance(env, GymnasiumEnv):
        raise TypeError(f"{make} must return a GymnasiumEnv, got {env!r}")
    return env


def make_vector_env(
    make: str,
    num_envs: int,
    autoreset_mode: str = "NextStep",
    make_vector: str | None = None,
    **kwargs: Any,
) -> BatchVectorEnv | GymnasiumVectorEnv:
    """What `make_vector` returns, or a world for each of `num_envs`; `gymnasium.make_vec` calls it.

    Raises:
        TypeError: It returns something else.
    """
    if make_vector is not None:
        envs = _function(make_vector)(num_envs=num_envs, autoreset_mode=autoreset_mode, **kwargs)
        if isinstance(envs, (BatchVectorEnv, GymnasiumVectorEnv)):
            return envs
        if envs is not None:
            raise TypeError(f"{make_vector} must return a BatchVectorEnv or None, got {envs!r}")
    makers = [partial(make_env, make, **kwargs)] * num_envs
    return GymnasiumVectorEnv(makers, autoreset_mode=autoreset_mode)


def _function(name: str) -> Callable[..., Any]:
    module, _, function = name.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found
