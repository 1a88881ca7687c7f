# SPDX-License-Identifier: Apache-2.0
"""Makes environments by functions, and finds functions by names like ``"package.module:name"``."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext, suppress
from functools import partial
from importlib import import_module
from inspect import signature
from typing import Any

from deepsim_sync import UnsupportedError

from .environment import Environment
from .joined_environment import JoinedEnvironment


def is_function_name(name: str) -> bool:
    """Returns whether a string has the form ``"package.module:name"``."""
    module, colon, function = name.partition(":")
    return bool(colon) and function.isidentifier() and all(map(str.isidentifier, module.split(".")))


def require_function_name(what: str, name: str) -> None:
    """Checks that a string has the form of a function's or class's name.

    Raises:
        ValueError: The string does not have the form ``"package.module:name"``.
    """
    if not is_function_name(name):
        raise ValueError(f"{what} must be of the form 'package.module:function', got {name!r}")


def find_function(name: str) -> Any:
    """Imports the module of a function or class, and returns the function or class.

    Raises:
        ImportError: The module or the name does not exist.
    """
    module, _, function = name.partition(":")
    try:
        return getattr(import_module(module), function)
    except AttributeError:
        raise ImportError(f"{module} has no {function!r}, which {name!r} names") from None


def takes_worlds(make: Callable[..., Any]) -> bool:
    """Returns whether a function that makes environments takes the argument ``worlds``."""
    return "worlds" in signature(make).parameters


def make_worlds(
    make: Callable[..., Environment], worlds: int, **options: Any
) -> Environment | JoinedEnvironment:
    """Makes an environment of several worlds.

    Args:
        make: Function that makes an environment. It is called once if it takes ``worlds`` and does
            not raise UnsupportedError for this number; otherwise once for each world.
        worlds: The number of worlds.
        options: Keyword arguments of the function. A ``seed`` is for world 0; world w gets
            ``seed + w``.

    Raises:
        TypeError: The function does not return an `Environment`.
        ValueError: The environment has a different number of worlds.

    Example:
        `make` is the function from the `Area` example:

        >>> make_worlds(make, 2).slots
        ('puck/0', 'puck/1')
    """
    if takes_worlds(make):
        with nullcontext() if worlds == 1 else suppress(UnsupportedError):
            return _checked(make(worlds=worlds, **options), make, worlds)
    if worlds == 1:
        return _checked(make(**options), make, worlds)
    seeds = range(options["seed"], options["seed"] + worlds) if "seed" in options else None
    each = [{"seed": seed} for seed in seeds] if seeds else [{}] * worlds
    return JoinedEnvironment(partial(make, **{**options, **own}) for own in each)


def _checked(made: Any, make: Callable[..., Any], worlds: int) -> Environment:
    name = getattr(make, "__name__", make)
    if not isinstance(made, Environment):
        raise TypeError(f"{name} must return an Environment, got {made!r}")
    if len(made) != worlds:
        made.close()
        raise ValueError(f"{name} was asked for {worlds} worlds, but made {len(made)}")
    return made
