# SPDX-License-Identifier: Apache-2.0
"""Replaces values and formulas by C versions in the compiled wheel; the pure wheel has none.

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
    """Returns the form in C of a value class or of a function that makes one, or `item` itself."""
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
    """Returns the functions that fill the fields of a class in C, or None."""
    return None if native is None else native.SETTERS.get(cls.__name__)


def _derive(cls: Any, base: type) -> type:
    """Makes the class again, on a base that keeps the fields in C and has some of the methods."""
    namespace = {name: own for name, own in vars(cls).items() if name not in cls.__match_args__}
    for name, method in vars(base).items():
        if name == "__hash__" or (name in namespace and name not in ("__doc__", "__new__")):
            native.keep(f"{cls.__name__}.{name}", getattr(cls, name))
            namespace[name] = method
    bases = (*cls.__bases__, base)
    made: type = type(cls)(cls.__name__, bases, {**namespace, "__slots__": ()})
    return made
