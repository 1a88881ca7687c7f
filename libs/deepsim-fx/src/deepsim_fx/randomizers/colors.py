# SPDX-License-Identifier: Apache-2.0
"""Randomized colours."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from .distributions import Distribution, Spec, Uniform, distribution

ANY_COLOR = Uniform((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
"""The uniform distribution of opaque colours."""


def color_distribution(spec: Spec) -> Distribution:
    """Returns the `distribution` of a spec that draws single channels, RGB or RGBA colours."""
    return distribution(spec, (3,), (4,))


def draw_colors(colors: Distribution, rng: Generator, count: int) -> NDArray[np.float64]:
    """Returns drawn RGBA colours (count, 4), opaque unless alpha is drawn too.

    Raises:
        ValueError: A channel is outside 0..1.
    """
    drawn = colors(rng, (count, *(colors.cell or (3,))))
    within = (drawn >= 0.0) & (drawn <= 1.0)
    if np.count_nonzero(within) < within.size:  # for a few, `all` takes twice as long
        outside = ~within.all(axis=1)
        raise ValueError(
            f"colours must lie in 0..1, {drawn[outside][0]} was drawn: "
            "give a normal distribution its bounds, ('normal', mean, std, 0, 1)"
        )
    opaque = np.ones((count, 4))
    opaque[:, : drawn.shape[1]] = drawn
    return opaque
