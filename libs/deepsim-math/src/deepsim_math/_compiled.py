# SPDX-License-Identifier: Apache-2.0
"""Replacement of value classes and formulas by C versions, which only the compiled wheel has.

The C code handles plain arguments only: floats, values and float64 arrays. Python handles all other
arguments and all errors.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, TypeVar

from ._numbers import number
from .formulas import motions, rotations, vectors

T = TypeVar("T")

native: Any
try:
    native = import_module("deepsim_math._native")
except ImportError:
    native = None
else:
    native.keep("number", number)
    for module in (vectors, rotations, motions):
        native.install(module)


def compiled(item: T) -> T:
    """Returns the C version of a value class or of its factory function, or `item` without one."""
    name = getattr(item, "__name__", "")
    made: Any = getattr(native, name, item)
    if isinstance(item, type):
        if made is not item:
            made = _derive(item, made)
        if native is not None:
            native.keep(name, made)
    result: T = made
    return result


def compiled_setters(cls: type) -> Any:
    """Returns the C functions that fill the fields of a class, or None without C versions."""
    return None if native is None else native.SETTERS.get(cls.__name__)


def _derive(cls: Any, base: type) -> type:
    """Rebuilds the class on a C base that stores the fields and implements some of the methods."""
    namespace = {name: own for name, own in vars(cls).items() if name not in cls.__match_args__}
    for name, method in vars(base).items():
        if name == "__hash__" or (name in namespace and name not in ("__doc__", "__new__")):
            native.keep(f"{cls.__name__}.{name}", getattr(cls, name))
            namespace[name] = method
    bases = (*cls.__bases__, base)
    made: type = type(cls)(cls.__name__, bases, {**namespace, "__slots__": ()})
    return made
