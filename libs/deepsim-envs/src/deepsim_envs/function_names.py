# SPDX-License-Identifier: Apache-2.0
"""Finds functions and classes by names such as ``"package.module:name"``."""

from __future__ import annotations

from importlib import import_module
from typing import Any


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
