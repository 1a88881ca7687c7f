# SPDX-License-Identifier: Apache-2.0
"""The base class of all values: frozen slots, exact equality, repr, pickling, NumPy interchange."""

from __future__ import annotations

from collections.abc import Mapping, Set
from operator import attrgetter
from typing import Any, Callable, ClassVar, Generic, Iterator, NoReturn, TypeVar, overload

import numpy as np

# Types that `float` accepts, or that have ``__float__`` on some Python, but are not real numbers.
_NOT_REAL = (str, bytes, bytearray, complex, np.complexfloating)


ABSENT: Any = object()  # stands for an argument that is not given


def all_or_none(kind: str, given: tuple[Any, ...], default: tuple[float, ...]) -> Any:
    """Returns `default` if all arguments are absent; raises TypeError if only some of them are."""
    found = [number(value, "each component") for value in given if value is not ABSENT]
    if found:
        raise TypeError(f"{kind} needs {len(given)} numbers, got {len(found)}: {found}")
    return default


def number(value: Any, name: str) -> float:
    """Returns a number with ``__float__`` as a float; raises TypeError for text and sequences."""
    if type(value) is float:
        return value
    if value is ABSENT:
        raise TypeError(f"{name} is missing")
    if isinstance(value, _NOT_REAL) or not hasattr(value, "__float__"):
        hint = "; unpack a sequence with *" if hasattr(value, "__len__") else ""
        raise TypeError(f"{name} must be a number, got {value!r}{hint}")
    if getattr(value, "ndim", 0):
        raise TypeError(f"{name} must be a number, got {value!r}; unpack an array with *")
    return float(value)


def numbers(values: Any, count: int, name: str) -> list[Any]:
    """Returns the `count` entries of a sequence or one-dimensional array, without checking them.

    Raises:
        TypeError: when `values` has no order (a set, a mapping), is text, or is a masked array.
        ValueError: when there are not exactly `count` entries.
    """
    if isinstance(values, np.ndarray):
        if isinstance(values, np.ma.MaskedArray) or values.dtype.kind not in "fiub":
            raise TypeError(f"{name} needs {count} numbers, got {values!r}")
        if values.shape != (count,):
            raise ValueError(f"{name} needs shape ({count},), got an array of {values.shape}")
        entries: list[Any] = values.tolist()
        return entries
    if type(values) is not list and type(values) is not tuple:  # which need no slow checks
        unordered = isinstance(values, (str, bytes, bytearray, Set, Mapping))
        if unordered or not hasattr(values, "__iter__"):
            raise TypeError(f"{name} needs {count} numbers, got {values!r}")
    entries = list(values)
    if len(entries) != count:
        raise ValueError(f"{name} needs {count} numbers, got {len(entries)}: {values!r}")
    return entries


V = TypeVar("V", bound="Value")
R = TypeVar("R", bound="Row")
T = TypeVar("T")


class Field(Generic[T]):
    """A read-only field for type checkers; used in annotations only."""

    @overload
    def __get__(self, instance: None, owner: Any) -> Field[T]: ...
    @overload
    def __get__(self, instance: object, owner: Any) -> T: ...
    def __get__(self, instance: Any, owner: Any) -> Any:
        raise NotImplementedError("slots store the fields")

    def __set__(self, instance: object, value: NoReturn) -> None:
        raise NotImplementedError("slots store the fields")


class Value:
    """Immutable record in slots; only its constructor sets the fields.

    A subclass lists its fields in `__match_args__`, in the order of its constructor's arguments,
    and sets `_fields` to an ``operator.attrgetter`` of them, which returns all as one tuple.
    """

    __slots__ = ()

    __match_args__: ClassVar[tuple[str, ...]]
    _fields: ClassVar[attrgetter[tuple[Any, ...]]]

    def __init_subclass__(cls) -> None:
        if "__slots__" not in cls.__dict__:
            raise TypeError(f"{cls.__name__} needs __slots__ = (): values have no other attributes")

    def replace(self: V, **fields: Any) -> V:
        """Returns a copy with the named fields replaced.

        Raises:
            TypeError: for a name that is not a field.
        """
        values = dict(zip(self.__match_args__, self._fields(self)))
        unknown = [name for name in fields if name not in values]
        if unknown:
            known = ", ".join(self.__match_args__)
            raise TypeError(f"{type(self).__name__} has no field {unknown[0]!r}; it has {known}")
        values.update(fields)
        return type(self)(**values)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        kind = type(self).__name__
        raise AttributeError(f"{kind} is immutable: make a new one with .replace({name}=...)")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is immutable: cannot delete {name!r}")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return other is self or self._fields(self) == self._fields(other)

    def __hash__(self) -> int:
        return hash(self._fields(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self._fields(self)))})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._fields(self)


class Row(Value):
    """Value that is also a sequence of floats, one row of a table.

    `numpy.asarray` converts it to a float64 array of shape (len,); iteration, indexing and
    unpacking give Python floats.
    """

    __slots__ = ()

    # NumPy scalars and arrays on the left of an operator defer to the value.
    __array_priority__ = 1000.0

    def _row(self) -> tuple[float, ...]:
        return self._fields(self)

    @classmethod
    def from_array(cls: type[R], values: Any) -> R:
        """Builds a value from a sequence or array of its numbers; a value is returned unchanged.

        Raises:
            TypeError: when `values` is not a sequence of numbers.
            ValueError: when it has the wrong length, or a number is out of range.
        """
        if type(values) is cls:
            return values
        return cls(*numbers(values, len(cls.__match_args__), cls.__name__))

    def __len__(self) -> int:
        return len(self._row())

    def __iter__(self) -> Iterator[float]:
        return iter(self._row())

    @overload
    def __getitem__(self, index: int) -> float: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[float, ...]: ...
    def __getitem__(self, index: Any) -> Any:
        return self._row()[index]

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        if copy is False:
            raise ValueError(f"{type(self).__name__} has no array to share: a copy is needed")
        return np.array(self._row(), dtype=np.float64 if dtype is None else dtype)


def slot_setters(cls: type[Value]) -> tuple[Callable[[Any, Any], None], ...]:
    """Returns the functions that fill the slots of `cls`, for its constructor only.

    A frozen class refuses assignment; the slots' own descriptors are the fastest way around that.
    """
    return tuple(getattr(cls, name).__set__ for name in cls.__match_args__)


def drafts_of(cls: type[Value]) -> Callable[[], Any]:
    """Returns the class of the drafts of `cls`: writable objects with the same slots.

    Drafts are for the results of arithmetic, which need no checks: filling a draft and assigning
    its ``__class__``, which Python allows between classes of the same layout, takes half the time
    of the constructor.
    """
    writable = {"__setattr__": object.__setattr__, "__delattr__": object.__delattr__}
    return type(
        f"{cls.__name__}Draft", cls.__bases__, {"__slots__": cls.__match_args__, **writable}
    )
