# SPDX-License-Identifier: Apache-2.0
"""Records the arithmetic of a formula by calling it with symbols instead of numbers.

The modules of `deepsim_math.formulas` are loaded anew beside a stand-in of their `elementwise`,
the module of all functions that differ between floats and arrays. Everything else they do is
operators, which `Symbol` has.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, Sequence, Union

Term = Union["Symbol", float]

_PACKAGE = "traced_formulas"


class Step(NamedTuple):
    """One operation; its arguments are indices of earlier steps or numbers."""

    operation: str
    arguments: tuple[Term, ...]


class Program(NamedTuple):
    """The steps of a formula in order, and the components of its result."""

    steps: list[Step]
    results: tuple[Term, ...]


_steps: list[Step] = []


class Symbol:
    """The result of a step."""

    __array_ufunc__ = None

    def __init__(self, operation: str, *arguments: Any) -> None:
        self.index = len(_steps)
        _steps.append(Step(operation, tuple(map(_term, arguments))))

    def __add__(self, other: Any) -> Symbol:
        return Symbol("+", self, other)

    def __radd__(self, other: Any) -> Symbol:
        return Symbol("+", other, self)

    def __sub__(self, other: Any) -> Symbol:
        return Symbol("-", self, other)

    def __rsub__(self, other: Any) -> Symbol:
        return Symbol("-", other, self)

    def __mul__(self, other: Any) -> Symbol:
        return Symbol("*", self, other)

    def __rmul__(self, other: Any) -> Symbol:
        return Symbol("*", other, self)

    def __truediv__(self, other: Any) -> Symbol:
        return Symbol("/", self, other)

    def __rtruediv__(self, other: Any) -> Symbol:
        return Symbol("/", other, self)

    def __neg__(self) -> Symbol:
        return Symbol("negative", self)

    def __abs__(self) -> Symbol:
        return Symbol("fabs", self)

    def __lt__(self, other: Any) -> Symbol:
        return Symbol("<", self, other)

    def __gt__(self, other: Any) -> Symbol:
        return Symbol(">", self, other)

    def __le__(self, other: Any) -> Symbol:
        return Symbol("<=", self, other)

    def __eq__(self, other: object) -> Any:
        return Symbol("==", self, other)

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        raise TypeError("a formula must not branch on its numbers: use `where`")


def _term(value: Any) -> Term:
    return value if isinstance(value, Symbol) else float(value)


def _stand_in() -> ModuleType:
    """The functions of `elementwise`, each a step."""
    module = ModuleType(f"{_PACKAGE}.elementwise")
    names: dict[str, str] = {
        **{name: name for name in ("sin", "cos", "tan", "sqrt", "copysign", "where")},
        **{name: name for name in ("minimum", "maximum", "wrap_once")},
        "arcsin": "asin",
        "arctan2": "atan2",
    }

    def step(operation: str) -> Any:
        return lambda *arguments: Symbol(operation, *arguments)

    for name, operation in names.items():
        setattr(module, name, step(operation))

    def sin_and_cos(x: Any) -> tuple[Symbol, Symbol]:
        return Symbol("sin", x), Symbol("cos", x)

    def refuse_zero(size: Any, what: str) -> None:
        Symbol(f"refuse {what}", size)

    def row_of_largest(keys: Sequence[Any], rows: Sequence[Sequence[Any]]) -> list[Symbol]:
        best = Symbol("argmax", *keys)
        return [Symbol("pick", best, *column) for column in zip(*rows)]

    for function in (sin_and_cos, refuse_zero, row_of_largest):
        setattr(module, function.__name__, function)
    return module


def load(folder: Path, names: Sequence[str]) -> dict[str, ModuleType]:
    """Loads the modules `names` of the folder `formulas`, with the stand-in beside them."""
    package = ModuleType(_PACKAGE)
    package.__path__ = [str(folder)]
    sys.modules[_PACKAGE] = package
    stand_in = _stand_in()
    package.elementwise = sys.modules[stand_in.__name__] = stand_in  # type: ignore[attr-defined]
    return {name: importlib.import_module(f"{_PACKAGE}.{name}") for name in names}


def trace(formula: Any, count: int) -> Program:
    """Calls `formula` with `count` symbols; returns what it did with them."""
    _steps.clear()
    results = formula(*(Symbol("input", index) for index in range(count)))
    results = results if isinstance(results, (tuple, list)) else (results,)
    return Program(list(_steps), tuple(map(_term, results)))
