# SPDX-License-Identifier: Apache-2.0
"""The names of a world's entities in row order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, Sequence, get_args, overload

import numpy as np
from numpy.typing import NDArray

from deepsim_sync.errors import DuplicateEntityError, UnknownEntityError

Kind = Literal["models", "links", "joints", "actuators", "visuals", "lights"]
"""The tables of a world."""

KINDS: tuple[Kind, ...] = get_args(Kind)
"""All values of `Kind`: the tables that hold one row for each entity."""

SCOPE = "::"
"""Separator of the parts of a name: ``model::link::visual``; a nested model is ``outer::inner``."""


class Names(Sequence[str]):
    """The names of one kind of entity, in row order.

    >>> links = Names("links", ["car::base", "car::wheel", "van::base"])
    >>> links.row("van::base"), links.within("car")
    (2, ('car::base', 'car::wheel'))

    Args:
        kind: The table.
        names: Unique names in row order.

    Raises:
        DuplicateEntityError: A name occurs twice.
    """

    __slots__ = ("_names", "_rows", "kind")

    def __init__(self, kind: Kind, names: Iterable[str]) -> None:
        self.kind = kind
        self._names = tuple(names)
        self._rows = dict(zip(self._names, range(len(self._names))))
        if len(self._rows) != len(self._names):
            twice = next(name for name in self._names if self._names.count(name) > 1)
            raise DuplicateEntityError(self.noun, twice)

    @property
    def noun(self) -> str:
        """The kind in the singular, for error messages."""
        return self.kind[:-1]

    def row(self, name: str) -> int:
        """Returns the row of a name."""
        try:
            return self._rows[name]
        except KeyError:
            raise UnknownEntityError(self.noun, name, self._names) from None

    def rows(self, names: Iterable[str]) -> NDArray[np.intp]:
        """Returns the rows of several names, (n,)."""
        try:
            return np.fromiter(map(self._rows.__getitem__, names), dtype=np.intp)
        except KeyError as missing:
            raise UnknownEntityError(self.noun, missing.args[0], self._names) from None

    def within(self, scope: str) -> tuple[str, ...]:
        """Returns the names within a model or link, such as the visuals of a model."""
        prefix = scope + SCOPE
        return tuple(name for name in self._names if name.startswith(prefix))

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> tuple[str, ...]: ...
    def __getitem__(self, row: int | slice) -> str | tuple[str, ...]:
        return self._names[row]

    def __repr__(self) -> str:
        return f"Names({self.kind!r}, {list(self._names)!r})"


class Entities:
    """The names of all entities of a world at one generation.

    >>> Entities(0, models=["car"], links=["car::base"])
    <Entities generation 0: 1 models, 1 links, 0 joints, 0 actuators, 0 visuals, 0 lights>

    Attributes:
        generation: Number that changes whenever entities are added or removed; rows are valid
            within one generation.
        models: Names of models; a nested model is ``outer::inner``.
        links: Names of links, ``model::link``.
        joints: Names of joint axes, ``model::joint``; the second axis of a joint is
            ``model::joint::2``.
        actuators: Names of actuators that are not servos of joint axes, ``model::actuator``.
        visuals: Names of visuals, ``model::link::visual``.
        lights: Names of lights.
    """

    __slots__ = ("actuators", "generation", "joints", "lights", "links", "models", "visuals")

    def __init__(
        self,
        generation: int,
        *,
        models: Iterable[str] = (),
        links: Iterable[str] = (),
        joints: Iterable[str] = (),
        actuators: Iterable[str] = (),
        visuals: Iterable[str] = (),
        lights: Iterable[str] = (),
    ) -> None:
        self.generation = generation
        self.models = Names("models", models)
        self.links = Names("links", links)
        self.joints = Names("joints", joints)
        self.actuators = Names("actuators", actuators)
        self.visuals = Names("visuals", visuals)
        self.lights = Names("lights", lights)

    def names(self, kind: Kind) -> Names:
        """Returns the names of one kind."""
        names: Names = getattr(self, kind)
        return names

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(self.names(kind))} {kind}" for kind in KINDS)
        return f"<Entities generation {self.generation}: {counts}>"
