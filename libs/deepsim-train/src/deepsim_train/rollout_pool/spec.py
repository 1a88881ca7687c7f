# SPDX-License-Identifier: Apache-2.0
"""Names environments and policies by plain data, from which each worker makes its own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import gymnasium
from gymnasium.envs.registration import EnvSpec

from deepsim_envs.function_names import is_function_name


@dataclass(frozen=True)
class Spec:
    """Names an environment or a policy, so that each worker can make its own.

    Args:
        make: A function or class, as ``"package.module:name"``; for an environment, alternatively
            an id that is registered with Gymnasium in this process.
        kwargs: Keyword arguments for it, which must be plain data.

    Raises:
        TypeError: The arguments cannot be written as JSON.

    Example:
        >>> Spec("rinks.tasks:make", {"frame_skip": 4}).kwargs
        {'frame_skip': 4}
    """

    make: str
    kwargs: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        try:
            json.dumps(dict(self.kwargs))
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"arguments of {self.make} must be plain data, as in JSON: {error}"
            ) from None


def portable(spec: Spec) -> Spec:
    """Returns an equivalent spec for other processes, in which its id may not be registered.

    Raises:
        gymnasium.error.Error: The id is not registered in this process.
        ValueError: The id is registered with a function instead of a function's name.
    """
    if is_function_name(spec.make):
        return spec
    registered = gymnasium.spec(spec.make)
    if callable(registered.entry_point):
        raise ValueError(
            f"{spec.make} is registered with a function that other processes cannot find: "
            "register it as 'package.module:name'"
        )
    kwargs = {"registered": registered.to_json(), "kwargs": dict(spec.kwargs)}
    return Spec(f"{__name__}:make_registered", kwargs)


def make_registered(registered: str, kwargs: Mapping[str, Any]) -> gymnasium.Env[Any, Any]:
    """Makes an environment that another process has registered, from the JSON of its spec."""
    return gymnasium.make(EnvSpec.from_json(registered), disable_env_checker=True, **kwargs)
