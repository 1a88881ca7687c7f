# SPDX-License-Identifier: Apache-2.0
"""Friction of collisions: Gazebo's in MuJoCo's terms."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_mujoco.engine import mujoco
from deepsim_spawn import Surface

_LOWEST_MU = 1e-5  # MuJoCo has no frictionless cone; 1e-5 slows 1 m/s by 0.1 mm/s per second
_HIGHEST_MU = 2.0  # more softens the contact: a box of 1 kg sinks in by 0.6 mm at 2, through at 10
_TORSIONAL_MU = 0.005  # [m], MuJoCo's default
_ROLLING_MU = 0.0001  # [m], MuJoCo's default


def apply_surface(geom: mujoco.MjsGeom, surface: Surface) -> None:
    """Sets friction and the collision mask of a geom.

    In Gazebo the lower friction of a touching pair counts; in MuJoCo the geom of higher priority
    decides: see `priorities`.
    """
    mu = min(max(surface.mu, _LOWEST_MU), _HIGHEST_MU)
    geom.friction = [mu, _TORSIONAL_MU, _ROLLING_MU]
    geom.priority = _priority(mu)
    geom.contype = geom.conaffinity = _signed(surface.collide_bitmask)


def _signed(mask: int) -> int:
    """The same 32 bits as MuJoCo keeps them, in a signed int."""
    low = mask & 0xFFFFFFFF
    return low - (low >> 31 << 32)


@lru_cache(maxsize=1024)  # most models have few
def _priority(mu: float) -> int:
    return int(priorities(mu))


def priorities(mu: ArrayLike) -> NDArray[np.intp]:
    """Priorities that fall as the friction rises, so that the lower friction of a pair counts."""
    return np.asarray(np.round(-1000 * np.log10(mu)), dtype=np.intp)
