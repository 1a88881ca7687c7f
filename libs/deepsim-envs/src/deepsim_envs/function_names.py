# SPDX-License-Identifier: Apache-2.0
"""Functions and classes by name, as ``"package.module:name"``."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def is_function_name(name: str) -> bool:
    """Returns whether a text is of the form ``"package.module:name"``."""
    module, colon, function = name.partition(":")
    return bool(colon) and function.isidentifier() and all(map(str.isidentifier, module.split(".")))


def require_function_name(what: str, name: str) -> None:
    """Refuses another text.

    Raises:
        ValueError: It names no module and function.
    """
    if not is_function_name(name):
        raise ValueError(f"{what} must be of the form 'package.module:function', got {name!r}")


def find_function(name: str) -> Any:
    """Imports the module of a function or class, and returns it.

    Raises:
        ImportError: The module or the name does not exist.
    """
    module, _, function = name.partition(":")
    try:
        return getattr(import_module(module), function)
    except AttributeError:
        raise ImportError(f"{module} has no {function!r}, which {name!r} names") from None
