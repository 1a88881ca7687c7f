# SPDX-License-Identifier: Apache-2.0
"""How collisions slide: Gazebo's friction in MuJoCo's terms."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_spawn import Surface

from .engine import mujoco

_LOWEST_MU = 1e-5  # MuJoCo has no frictionless cone; 1e-5 slows 1 m/s by 0.1 mm/s per second
_TORSIONAL_MU = 0.005  # [m], MuJoCo's default
_ROLLING_MU = 0.0001  # [m], MuJoCo's default
_ALL_BITS = 0x7FFFFFFF  # MuJoCo keeps masks in a signed int


def apply_surface(geom: mujoco.MjsGeom, surface: Surface) -> None:
    """Sets friction and the collision mask of a geom.

    In Gazebo the lower friction of a touching pair counts; in MuJoCo the geom of higher priority
    decides: see `priorities`.
    """
    mu = max(surface.mu, _LOWEST_MU)
    geom.friction = [mu, _TORSIONAL_MU, _ROLLING_MU]
    geom.priority = _priority(mu)
    geom.contype = geom.conaffinity = surface.collide_bitmask & _ALL_BITS


@lru_cache(maxsize=1024)  # most models have few
def _priority(mu: float) -> int:
    return int(priorities(mu))


def priorities(mu: ArrayLike) -> NDArray[np.intp]:
    """Priorities that fall as the friction rises, so that the lower friction of a pair counts."""
    return np.asarray(np.round(-1000 * np.log10(mu)), dtype=np.intp)
