# SPDX-License-Identifier: Apache-2.0
"""Registers tasks with Gymnasium, for ``gymnasium.make`` and ``gymnasium.make_vec``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium

from deepsim_envs.construction import find_function, make_worlds, require_function_name

from .env import GymnasiumEnv
from .vector_env import GymnasiumVectorEnv


def register(id: str, make: str, **kwargs: Any) -> None:
    """Registers a task with Gymnasium; its module is imported when an environment is made.

    ``gymnasium.make(id)`` then makes a `GymnasiumEnv`, and ``gymnasium.make_vec(id, num_envs)`` a
    `GymnasiumVectorEnv`. The worlds of the latter belong to one environment if `make` takes
    ``worlds``; otherwise, there is one environment per world, and they are stepped in turn.

    Args:
        id: The id, such as ``"DeepSim/Racetrack-v0"``; an existing registration is replaced.
        make: The function that returns the `Environment`, as ``"package.module:function"``.
        kwargs: Arguments of the view: ``agent``, ``others`` (a function or its name),
            ``render_mode`` and ``camera``. All other arguments are passed to the function.
            `gymnasium.make` accepts the same arguments. If the registration is stored as JSON, they
            must be plain data.

    Raises:
        ValueError: `make` does not have this form.

    Example:
        >>> register("Rinks/Puck-v0", "rinks.tasks:make", frame_skip=4)
        >>> gymnasium.spec("Rinks/Puck-v0").kwargs
        {'make': 'rinks.tasks:make', 'frame_skip': 4}
    """
    require_function_name("make", make)
    register_views(
        id, f"{__name__}:make_env", f"{__name__}:make_vector_env", {"make": make, **kwargs}
    )


def register_views(id: str, make_env: str, make_vector_env: str, kwargs: Mapping[str, Any]) -> None:
    """Registers functions that return views; see `register` for ready-made functions.

    Args:
        id: The id; an existing registration is replaced.
        make_env: Name of a function that returns a `GymnasiumEnv`, as
            ``"package.module:function"``.
        make_vector_env: Name of a function that takes ``num_envs`` and returns a
            `GymnasiumVectorEnv`.
        kwargs: Keyword arguments of both functions.
    """
    gymnasium.registry.pop(id, None)
    gymnasium.register(
        id, entry_point=make_env, vector_entry_point=make_vector_env, kwargs=dict(kwargs)
    )


def make_env(make: str, **kwargs: Any) -> GymnasiumEnv:
    """Makes the view of one world; called by `gymnasium.make`."""
    view, options = _of_the_view(kwargs)
    environment: Any = make_worlds(find_function(make), 1, **options)
    return GymnasiumEnv(environment, **view)


def make_vector_env(
    make: str, num_envs: int, autoreset_mode: str = "NextStep", **kwargs: Any
) -> GymnasiumVectorEnv:
    """Makes the view of `num_envs` worlds; called by `gymnasium.make_vec`."""
    view, options = _of_the_view(kwargs)
    environment = make_worlds(find_function(make), num_envs, **options)
    return GymnasiumVectorEnv(environment, autoreset_mode=autoreset_mode, **view)


def _of_the_view(kwargs: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Splits keyword arguments into those for the view and those for the function."""
    view = {name: kwargs.get(name) for name in ("agent", "others", "render_mode", "camera")}
    if isinstance(view["others"], str):
        view["others"] = find_function(view["others"])
    return view, {name: value for name, value in kwargs.items() if name not in view}
