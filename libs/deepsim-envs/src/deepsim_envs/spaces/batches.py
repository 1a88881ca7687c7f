# SPDX-License-Identifier: Apache-2.0
"""Batches of a space's members over worlds and agents.

Members that are numbers or arrays lie in one array (W, A, ...); those of a `Dict` or `Tuple` in a
dict or tuple of batches; all others in an array (W, A) of objects.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from .members import conform, copied, shown

# ruff: noqa: D102 (the classes are documented by Batch)

Bools = NDArray[np.bool_]


class Batch(Protocol):
    """Makes, checks and takes apart the batches of one space."""

    def empty(self) -> Any:
        """Returns a batch to `put` members into; `checked` makes it one of the space's types."""
        ...

    def put(self, batch: Any, world: int, agent: int, value: Any, what: str) -> None:
        """Puts one member, as a user gave it, into a batch that `empty` made.

        Raises:
            ValueError: The value has another structure, shape or type; the message starts with
                `what`. Bounds and NaN are not checked.
        """
        ...

    def get(self, batch: Any, world: int, agent: int) -> Any:
        """Returns a copy of one member."""
        ...

    def checked(self, values: Any, what: str) -> Any:
        """Returns a new batch in the types of the space.

        Raises:
            ValueError: The values have another structure, shape or type.
        """
        ...

    def misfits(self, batch: Any, live: Bools, *, bounds: bool) -> Bools | None:
        """Returns (W, A) bool, where members do not lie in the space; None if all do.

        Args:
            batch: The result of `checked`.
            live: (W, A) bool, the members that count.
            bounds: Whether the bounds of boxes are checked; NaN is refused in any case.
        """
        ...

    def copy(self, batch: Any) -> Any:
        """Returns a copy of a batch."""
        ...

    def overwrite(self, batch: Any, where: Bools, source: Any) -> None:
        """Copies the members of another batch at (W, A) bool; zeros, if the source is None."""
        ...


def batch_of(space: spaces.Space[Any], worlds: int, agents: int) -> Batch:
    """Returns the batch of a space for so many worlds and agents."""
    shape = (worlds, agents)
    if isinstance(space, spaces.Dict):
        return DictBatch(space, {key: batch_of(part, *shape) for key, part in space.items()})
    if isinstance(space, spaces.Tuple):
        return TupleBatch(space, [batch_of(part, *shape) for part in space.spaces])
    if isinstance(space, spaces.Box):
        return ArrayBatch(space, shape, space.low, space.high)
    if isinstance(space, spaces.Discrete):
        return ArrayBatch(space, shape, space.start, space.start + space.n - 1)
    if isinstance(space, spaces.MultiDiscrete):
        return ArrayBatch(space, shape, space.start, space.start + space.nvec - 1)
    if isinstance(space, spaces.MultiBinary):
        return ArrayBatch(space, shape, 0, 1)
    return ObjectBatch(space, shape)


class ArrayBatch:
    """Members that are numbers or arrays."""

    def __init__(
        self, space: spaces.Space[Any], shape: tuple[int, int], low: Any, high: Any
    ) -> None:
        self._space = space
        self._member = space.shape or ()
        self._shape = (*shape, *self._member)
        self._dtype: np.dtype[Any] = np.dtype(space.dtype)
        self._low, self._high = low, high
        self._box = isinstance(space, spaces.Box)
        self._floats = self._dtype.kind == "f"
        # Python's floats are collected as they are, and cast all at once.
        self._wide = np.promote_types(self._dtype, np.float64) if self._floats else self._dtype
        self._fitting: dict[np.dtype[Any], bool] = {}

    def empty(self) -> NDArray[Any]:
        return np.zeros(self._shape, self._wide)

    def put(self, batch: NDArray[Any], world: int, agent: int, value: Any, what: str) -> None:
        if self._box:
            try:
                array = np.asarray(value)
            except ValueError:  # rows of different lengths
                array = np.asarray(None)
            if array.shape == self._member and self._fits(array.dtype):
                batch[world, agent] = array
                return
        batch[world, agent] = conform(self._space, value, what)

    def get(self, batch: NDArray[Any], world: int, agent: int) -> Any:
        return batch[world, agent, ...].copy() if self._box or self._member else batch[world, agent]

    def checked(self, values: Any, what: str) -> NDArray[Any]:
        try:
            array = np.asarray(values)
        except ValueError:  # rows of different lengths
            array = np.asarray(None)
        if array.shape != self._shape or not self._fits(array.dtype):
            raise ValueError(
                f"{what} must be a {self._dtype} array of shape {self._shape}, got {shown(values)}"
            )
        if array.dtype == self._dtype:
            return array.copy()
        with np.errstate(over="ignore"):  # too large becomes infinite, which bounds refuse
            cast: NDArray[Any] = array.astype(self._dtype, order="C")
        if not self._box and not (cast == array).all():
            raise ValueError(f"{what} must be {self._dtype} numbers, got {shown(values)}")
        return cast

    def misfits(self, batch: NDArray[Any], live: Bools, *, bounds: bool) -> Bools | None:
        if bounds or not self._box:
            within = (batch >= self._low) & (batch <= self._high)
        elif self._floats:
            # One pass without a temporary: the square is NaN, which does not
            # equal itself, only if a number is.
            square = np.vdot(batch, batch)
            if square == square:
                return None
            within = ~np.isnan(batch)
        else:
            return None
        if within.all():
            return None
        return ~within.reshape(*live.shape, -1).all(axis=-1)

    def copy(self, batch: NDArray[Any]) -> NDArray[Any]:
        return batch.copy()

    def overwrite(self, batch: NDArray[Any], where: Bools, source: NDArray[Any] | None) -> None:
        batch[where] = 0 if source is None else source[where]

    def _fits(self, dtype: np.dtype[Any]) -> bool:
        fits = self._fitting.get(dtype)
        if fits is None:
            if self._box:
                # A narrower float loses digits that the space has no use for; a narrower integer
                # is wrong.
                fits = np.can_cast(dtype, self._dtype, "same_kind" if self._floats else "safe")
            else:
                fits = dtype.kind in (
                    "biuf" if isinstance(self._space, spaces.MultiBinary) else "biu"
                )
            self._fitting[dtype] = fits
        return fits


class ObjectBatch:
    """Members of any other space, in an array of objects."""

    def __init__(self, space: spaces.Space[Any], shape: tuple[int, int]) -> None:
        self._space = space
        self._shape = shape

    def empty(self) -> NDArray[Any]:
        return np.full(self._shape, None, dtype=object)

    def put(self, batch: NDArray[Any], world: int, agent: int, value: Any, what: str) -> None:
        batch[world, agent] = conform(self._space, value, what)

    def get(self, batch: NDArray[Any], world: int, agent: int) -> Any:
        return copied(batch[world, agent])

    def checked(self, values: Any, what: str) -> NDArray[Any]:
        worlds, agents = self._shape
        if len(values) != worlds or any(len(row) != agents for row in values):
            raise ValueError(f"{what} must have shape {self._shape}, got {shown(values)}")
        batch = self.empty()
        for world, row in enumerate(values):
            for agent, value in enumerate(row):
                batch[world, agent] = copied(value)
        return batch

    def misfits(self, batch: NDArray[Any], live: Bools, *, bounds: bool) -> Bools | None:
        bad = np.zeros(self._shape, np.bool_)
        for world, agent in np.argwhere(live).tolist():
            bad[world, agent] = not self._space.contains(batch[world, agent])
        return bad if bad.any() else None

    def copy(self, batch: NDArray[Any]) -> NDArray[Any]:
        return self.checked(batch, "")

    def overwrite(self, batch: NDArray[Any], where: Bools, source: NDArray[Any] | None) -> None:
        batch[where] = None if source is None else source[where]


class PartsBatch:
    """Members that have parts, each with a batch of its own."""

    def __init__(self, space: spaces.Space[Any], parts: Mapping[Any, Batch]) -> None:
        self._space = space
        self._parts = parts

    def empty(self) -> Any:
        return self._joined(part.empty() for part in self._parts.values())

    def put(self, batch: Any, world: int, agent: int, value: Any, what: str) -> None:
        self._require_parts(value, what)
        for key, part in self._parts.items():
            part.put(batch[key], world, agent, value[key], f"{what}[{key!r}]")

    def get(self, batch: Any, world: int, agent: int) -> Any:
        return self._joined(p.get(batch[key], world, agent) for key, p in self._parts.items())

    def checked(self, values: Any, what: str) -> Any:
        self._require_parts(values, what)
        return self._joined(
            part.checked(values[key], f"{what}[{key!r}]") for key, part in self._parts.items()
        )

    def misfits(self, batch: Any, live: Bools, *, bounds: bool) -> Bools | None:
        bad: Bools | None = None
        for key, part in self._parts.items():
            more = part.misfits(batch[key], live, bounds=bounds)
            if more is not None:
                bad = more if bad is None else bad | more
        return bad

    def copy(self, batch: Any) -> Any:
        return self._joined(part.copy(batch[key]) for key, part in self._parts.items())

    def overwrite(self, batch: Any, where: Bools, source: Any) -> None:
        for key, part in self._parts.items():
            part.overwrite(batch[key], where, None if source is None else source[key])

    def _joined(self, parts: Iterator[Any]) -> Any:
        raise NotImplementedError

    def _require_parts(self, value: Any, what: str) -> None:
        raise NotImplementedError


class DictBatch(PartsBatch):
    """Members of a `Dict`: a dict of batches."""

    def _joined(self, parts: Iterator[Any]) -> dict[str, Any]:
        return dict(zip(self._parts, parts, strict=True))

    def _require_parts(self, value: Any, what: str) -> None:
        if not isinstance(value, Mapping) or value.keys() != self._parts.keys():
            raise ValueError(f"{what} must be a dict of {list(self._parts)}, got {shown(value)}")


class TupleBatch(PartsBatch):
    """Members of a `Tuple`: a tuple of batches."""

    def __init__(self, space: spaces.Space[Any], parts: list[Batch]) -> None:
        super().__init__(space, dict(enumerate(parts)))

    def _joined(self, parts: Iterator[Any]) -> tuple[Any, ...]:
        return tuple(parts)

    def _require_parts(self, value: Any, what: str) -> None:
        if not isinstance(value, (tuple, list)) or len(value) != len(self._parts):
            raise ValueError(f"{what} must be a tuple of {len(self._parts)}, got {shown(value)}")
