# SPDX-License-Identifier: Apache-2.0
"""Tasks by name, for ``pettingzoo.make``."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

import pettingzoo

from .parallel_env import PettingZooEnv, aec_env


def register(id: str, make: str, **kwargs: Any) -> None:
    """Registers a task with PettingZoo; nothing of it is imported before it is made.

    ``pettingzoo.make("parallel", id)`` gives what the function returns, ``make("aec", id)`` its
    agents one after another. Keyword arguments of either go to the function.

    Args:
        id: As in ``"DeepSim/Racetrack-v0"``; one that is registered is replaced.
        make: The function, as ``"package.module:function"``; it returns a `PettingZooEnv`.
        kwargs: Keyword arguments of the function.

    Raises:
        ValueError: `make` names no module and function.
    """
    module, _, function = make.partition(":")
    if not module or not function:
        raise ValueError(f"make must be of the form 'package.module:function', got {make!r}")
    pettingzoo.parallel_registry.pop(id, None)
    pettingzoo.aec_registry.pop(id, None)
    pettingzoo.register("parallel", id, entry_point=partial(_parallel, make), kwargs=kwargs)
    pettingzoo.register("aec", id, entry_point=partial(_aec, make), kwargs=kwargs)


def _parallel(make: str, **kwargs: Any) -> PettingZooEnv:
    module, _, function = make.partition(":")
    env = getattr(import_module(module), function)(**kwargs)
    if not isinstance(env, PettingZooEnv):
        raise TypeError(f"{make} must return a PettingZooEnv, got {env!r}")
    return env


def _aec(make: str, **kwargs: Any) -> pettingzoo.AECEnv[str, Any, Any]:
    return aec_env(_parallel(make, **kwargs))
