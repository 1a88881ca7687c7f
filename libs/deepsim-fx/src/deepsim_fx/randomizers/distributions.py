# SPDX-License-Identifier: Apache-2.0
"""Distributions of random numbers and colours."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


class Distribution(ABC):
    """Base class of distributions: callables that draw random numbers.

    >>> class Coin(Distribution):
    ...     def __call__(self, rng, shape):
    ...         return rng.integers(2, size=shape).astype(float)
    >>> Coin()(np.random.default_rng(0), (2, 3)).shape
    (2, 3)

    Attributes:
        cell: Shape of one drawn cell, such as ``(3,)`` for a colour; ``()`` for single numbers.
    """

    cell: tuple[int, ...] = ()

    @abstractmethod
    def __call__(self, rng: Generator, shape: tuple[int, ...]) -> Floats:
        """Draws an array from the distribution.

        Args:
            rng: The only source of randomness.
            shape: Shape of the array, which ends with the shape of the cell.
        """


Spec = Distribution | float | Sequence[Any]
"""A specification of a distribution; see `distribution`."""


class Uniform(Distribution):
    """Uniform distribution from `low` to `high`, which are numbers or cells such as colours.

    >>> Uniform(2.0, 2.0)(np.random.default_rng(0), (3,))
    array([2., 2., 2.])

    Raises:
        ValueError: A bound is not finite, or low > high.
    """

    def __init__(self, low: ArrayLike, high: ArrayLike) -> None:
        self.low, self.high = _together("uniform", low=low, high=high)
        _require(self.low <= self.high, "uniform", "low <= high", low, high)
        self.cell = self.low.shape

    def __call__(self, rng: Generator, shape: tuple[int, ...]) -> Floats:
        """Draws uniformly distributed numbers."""
        # The bits of `Generator.uniform`, which takes three times as long for an array of bounds.
        return np.asarray(self.low + (self.high - self.low) * rng.random(shape))


class LogUniform(Distribution):
    """Log-uniform distribution from `low` to `high`, for factors and scales.

    >>> bool(0.5 <= LogUniform(0.5, 2.0)(np.random.default_rng(0), ()) <= 2.0)
    True

    Raises:
        ValueError: A bound is not finite, or 0 < low <= high does not hold.
    """

    def __init__(self, low: ArrayLike, high: ArrayLike) -> None:
        self.low, self.high = _together("log-uniform", low=low, high=high)
        right = (self.low > 0.0) & (self.low <= self.high)
        _require(right, "log-uniform", "0 < low <= high", low, high)
        self.cell = self.low.shape

    def __call__(self, rng: Generator, shape: tuple[int, ...]) -> Floats:
        """Draws numbers whose logarithms are uniformly distributed."""
        drawn = np.exp(rng.uniform(np.log(self.low), np.log(self.high), shape))
        return np.clip(drawn, self.low, self.high)


class Normal(Distribution):
    """Normal distribution, clipped to `low` and `high`.

    >>> Normal(1.0, 0.0)(np.random.default_rng(0), (2,))
    array([1., 1.])

    Raises:
        ValueError: The mean or the standard deviation is not finite, std < 0, or low > high.
    """

    def __init__(
        self,
        mean: ArrayLike,
        std: ArrayLike,
        low: float = -np.inf,
        high: float = np.inf,
    ) -> None:
        self.mean, self.std = _together("normal", mean=mean, std=std)
        _require(self.std >= 0.0, "normal", "std >= 0", mean, std)
        _require(np.asarray(low <= high), "normal", "low <= high", low, high)
        self.low, self.high = low, high
        self.cell = self.mean.shape

    def __call__(self, rng: Generator, shape: tuple[int, ...]) -> Floats:
        """Draws normally distributed numbers, clipped."""
        return np.clip(rng.normal(self.mean, self.std, shape), self.low, self.high)


class Choice(Distribution):
    """Distribution that picks one of several options: numbers, or cells such as colours.

    >>> Choice([3.0, 7.0], weights=[1.0, 0.0])(np.random.default_rng(0), (2,))
    array([3., 3.])

    Args:
        options: (n,) or (n, ...) finite numbers.
        weights: (n,) relative probabilities; all equal by default.

    Raises:
        ValueError: There are no options, a weight is negative, all weights are 0, or the number of
            weights differs from the number of options.
    """

    def __init__(self, options: ArrayLike, weights: ArrayLike | None = None) -> None:
        (self.options,) = _together("choice", options=options)
        if self.options.ndim == 0 or not len(self.options):
            raise ValueError(f"choice takes a list of at least one option, got {options!r}")
        self.cell = self.options.shape[1:]
        self._shares: Floats | None = None
        if weights is not None:
            (shares,) = _together("choice", weights=weights)
            if shares.shape != self.options.shape[:1] or (shares < 0.0).any() or not shares.any():
                raise ValueError(
                    f"choice takes one weight >= 0 for each of the {len(self.options)} options, "
                    f"and not only zeros, got {weights!r}"
                )
            self._shares = shares / shares.sum()

    def __call__(self, rng: Generator, shape: tuple[int, ...]) -> Floats:
        """Draws options at random."""
        times = shape[: len(shape) - len(self.cell)]
        chosen = rng.choice(len(self.options), size=times, p=self._shares)
        return np.asarray(self.options[chosen])


class Stack(Distribution):
    """Distribution of several components side by side, such as x, y and z.

    >>> distribution([("uniform", 1, 1), 0, 0.5], (3,))(np.random.default_rng(0), (3,))
    array([1. , 0. , 0.5])

    Raises:
        ValueError: A part draws cells instead of single numbers.
    """

    def __init__(self, parts: Sequence[Spec]) -> None:
        self.parts = [distribution(part) for part in parts]
        self.cell = (len(self.parts),)

    def __call__(self, rng: Generator, shape: tuple[int, ...]) -> Floats:
        """Draws each component from the distribution of its part."""
        return np.stack([part(rng, shape[:-1]) for part in self.parts], axis=-1)


DISTRIBUTIONS: dict[str, type[Distribution]] = {
    "uniform": Uniform,
    "normal": Normal,
    "log-uniform": LogUniform,
    "choice": Choice,
}
"""The distributions by name."""


def distribution(spec: Spec, *cells: tuple[int, ...]) -> Distribution:
    """Returns the distribution of a specification.

    Args:
        spec: A distribution; a name with arguments, ``("uniform", 0.5, 2)``; a constant number; or
            a list of these, one per component.
        cells: Accepted shapes of cells, besides single numbers.

    Raises:
        ValueError: The distribution is unknown, or its arguments or its shape are invalid.
        TypeError: The specification has another type.
    """
    made = _made(spec)
    if made.cell and made.cell not in cells:
        wanted = " or ".join(["numbers", *(f"cells of shape {cell}" for cell in cells)])
        raise ValueError(f"a distribution of {wanted} is needed, got {spec!r}, of {made.cell}")
    return made


def _made(spec: Any) -> Distribution:
    if isinstance(spec, Distribution):
        return spec
    if isinstance(spec, (bool, str)) or not isinstance(spec, (Real, Iterable)):
        raise TypeError(
            "a distribution is a Distribution, a number, a name with its arguments such as "
            f"('uniform', 0, 1), or a list of those, got {spec!r}"
        )
    if isinstance(spec, Real):
        return Choice([float(spec)])
    parts = list(spec)
    if not parts:
        raise ValueError("a distribution of several components needs at least one, got none")
    if not isinstance(parts[0], str):
        return Stack(parts)
    name, *arguments = parts
    if name not in DISTRIBUTIONS:
        raise ValueError(f"no distribution is named {name!r}; there are {', '.join(DISTRIBUTIONS)}")
    try:
        return DISTRIBUTIONS[name](*arguments)
    except TypeError as error:
        raise ValueError(f"{name} does not take {arguments}: {error}") from error


def _together(name: str, **arrays: ArrayLike) -> tuple[Floats, ...]:
    """Returns the arguments of a distribution as finite arrays of the same shape."""
    for argument, array in arrays.items():
        if not np.isfinite(np.asarray(array, dtype=np.float64)).all():
            raise ValueError(f"{argument} of {name} must be finite, got {array!r}")
    numbers = [np.asarray(array, dtype=np.float64) for array in arrays.values()]
    return tuple(np.broadcast_arrays(*numbers))


def _require(right: NDArray[np.bool_], name: str, rule: str, one: Any, other: Any) -> None:
    if not right.all():
        raise ValueError(f"{name} takes {rule}, got {one!r} and {other!r}")


ANY_COLOR = Uniform((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
"""The uniform distribution of opaque colours."""


def draw_colors(colors: Distribution, rng: Generator, count: int) -> NDArray[np.float64]:
    """Returns drawn RGBA colours (count, 4), opaque unless alpha is drawn too.

    Raises:
        ValueError: A channel is outside 0..1.
    """
    drawn = colors(rng, (count, *(colors.cell or (3,))))
    within = (drawn >= 0.0) & (drawn <= 1.0)
    if not within.all():
        outside = ~within.all(axis=1)
        raise ValueError(
            f"colours must lie in 0..1, {drawn[outside][0]} was drawn: "
            "give a normal distribution its bounds, ('normal', mean, std, 0, 1)"
        )
    opaque = np.ones((count, 4))
    opaque[:, : drawn.shape[1]] = drawn
    return opaque
