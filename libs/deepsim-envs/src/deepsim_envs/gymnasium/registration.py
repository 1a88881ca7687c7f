# SPDX-License-Identifier: Apache-2.0
"""Tasks by name: ``gymnasium.make`` and ``gymnasium.make_vec`` find them under their ids."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium

from deepsim_envs.function_names import find_function, require_function_name
from deepsim_envs.joined_environment import make_worlds

from .env import GymnasiumEnv
from .vector_env import GymnasiumVectorEnv


def register(id: str, make: str, **kwargs: Any) -> None:
    """Registers a task with Gymnasium; its modules are imported when it is made.

    ``gymnasium.make(id)`` gives a `GymnasiumEnv`, ``gymnasium.make_vec(id, num_envs)`` a
    `GymnasiumVectorEnv`; its worlds are those of one environment if `make` takes ``worlds``, and
    else of as many environments, stepped in turn.

    Args:
        id: As in ``"DeepSim/Racetrack-v0"``; one that is registered is replaced.
        make: The function that returns the `Environment`, as ``"package.module:function"``.
        kwargs: The view's ``agent``, ``others`` (also by name, as ``"package.module:function"``),
            ``render_mode`` and ``camera``; all others go to the function. Plain data, if the id is
            to be stored as JSON. `gymnasium.make` takes the same.

    Raises:
        ValueError: `make` is not of this form.

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
    """Registers functions, by name, that return views; `register` has ready-made ones.

    Args:
        id: See `register`.
        make_env: Returns a `GymnasiumEnv`.
        make_vector_env: Returns a `GymnasiumVectorEnv`; it takes ``num_envs``.
        kwargs: Keyword arguments of both.
    """
    gymnasium.registry.pop(id, None)
    gymnasium.register(
        id, entry_point=make_env, vector_entry_point=make_vector_env, kwargs=dict(kwargs)
    )


def make_env(make: str, **kwargs: Any) -> GymnasiumEnv:
    """Returns the view of one world; `gymnasium.make` calls it."""
    view, options = _of_the_view(kwargs)
    environment: Any = make_worlds(find_function(make), 1, **options)
    return GymnasiumEnv(environment, **view)


def make_vector_env(
    make: str, num_envs: int, autoreset_mode: str = "NextStep", **kwargs: Any
) -> GymnasiumVectorEnv:
    """Returns the view of `num_envs` worlds; `gymnasium.make_vec` calls it."""
    view, options = _of_the_view(kwargs)
    environment = make_worlds(find_function(make), num_envs, **options)
    return GymnasiumVectorEnv(environment, autoreset_mode=autoreset_mode, **view)


def _of_the_view(kwargs: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Splits keyword arguments into those of the view and the rest."""
    view = {name: kwargs.get(name) for name in ("agent", "others", "render_mode", "camera")}
    if isinstance(view["others"], str):
        view["others"] = find_function(view["others"])
    return view, {name: value for name, value in kwargs.items() if name not in view}
