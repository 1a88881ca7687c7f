# SPDX-License-Identifier: Apache-2.0
"""Environments and policies by name, as plain data, for a worker to make its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import gymnasium
from gymnasium.envs.registration import EnvSpec

from deepsim_envs.function_names import find_function, is_function_name


@dataclass(frozen=True)
class Spec:
    """Says how to make an environment or a policy, so that each worker makes its own.

    Args:
        make: A function or class, as ``"package.module:name"``; for an environment, also an id that
            is registered with Gymnasium here.
        kwargs: Its keyword arguments, of plain data.

    Raises:
        TypeError: The arguments cannot be written as JSON.
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

    @property
    def is_function(self) -> bool:
        """Returns whether it names a function or class, rather than an id."""
        return is_function_name(self.make)

    def find(self) -> Any:
        """Returns the function or class.

        Raises:
            ImportError: There is none of that name.
        """
        return find_function(self.make)


def portable(spec: Spec) -> dict[str, Any]:
    """Returns an environment's spec as plain data, which means the same in any process.

    An id becomes what is registered under it, as another process has not registered it.

    Raises:
        gymnasium.error.Error: There is no such id.
        ValueError: What is registered cannot be written as JSON.
    """
    plain: dict[str, Any] = {"make": spec.make, "kwargs": dict(spec.kwargs), "registered": None}
    if not spec.is_function:
        registered = gymnasium.spec(spec.make)
        if callable(registered.entry_point):
            raise ValueError(
                f"{spec.make} is registered with a function that other processes cannot find: "
                "register it as 'package.module:name'"
            )
        plain["registered"] = registered.to_json()
    return plain


def environment_maker(plain: Mapping[str, Any]) -> Callable[..., Any]:
    """Returns a function that makes the environment of a portable spec."""
    if plain["registered"] is None:
        return partial(Spec(plain["make"]).find(), **plain["kwargs"])
    registered = EnvSpec.from_json(plain["registered"])
    return partial(gymnasium.make, registered, disable_env_checker=True, **plain["kwargs"])
