# SPDX-License-Identifier: Apache-2.0
"""Registers tasks with PettingZoo, for ``pettingzoo.make``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pettingzoo

from deepsim_envs.construction import find_function, require_function_name
from deepsim_envs.environment import Environment
from deepsim_sync import CameraView

from .parallel_env import PettingZooEnv, aec_env


def register(id: str, make: str, **kwargs: Any) -> None:
    """Registers a task with PettingZoo; its module is imported when an environment is made.

    ``pettingzoo.make("parallel", id)`` then makes a `PettingZooEnv`, and
    ``pettingzoo.make("aec", id)`` an environment in which its agents act one after another.

    Args:
        id: The id, such as ``"DeepSim/Racetrack-v0"``; an existing registration is replaced.
        make: The function that returns the `Environment`, as ``"package.module:function"``.
        kwargs: Arguments of the view: ``name``, ``render_mode`` and ``camera``. All other arguments
            are passed to the function. `pettingzoo.make` accepts the same arguments.

    Raises:
        ValueError: `make` does not have this form.
    """
    require_function_name("make", make)
    register_view(id, partial(_parallel, make), kwargs)


def register_view(
    id: str, make_view: Callable[..., PettingZooEnv], kwargs: Mapping[str, Any]
) -> None:
    """Registers a function that returns a view, and its keyword arguments; see `register`."""
    pettingzoo.parallel_registry.pop(id, None)
    pettingzoo.aec_registry.pop(id, None)
    pettingzoo.register("parallel", id, entry_point=make_view, kwargs=dict(kwargs))
    pettingzoo.register("aec", id, entry_point=partial(_aec, make_view), kwargs=dict(kwargs))


def _parallel(
    make: str,
    name: str | None = None,
    render_mode: str | None = None,
    camera: str | CameraView | None = None,
    **options: Any,
) -> PettingZooEnv:
    environment = find_function(make)(**options)
    if not isinstance(environment, Environment):
        raise TypeError(f"{make} must return an Environment, got {environment!r}")
    return PettingZooEnv(environment, name=name, render_mode=render_mode, camera=camera)


def _aec(
    make_view: Callable[..., PettingZooEnv], **kwargs: Any
) -> pettingzoo.AECEnv[str, Any, Any]:
    return aec_env(make_view(**kwargs))
