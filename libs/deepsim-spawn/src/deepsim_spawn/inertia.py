# SPDX-License-Identifier: Apache-2.0
"""Inertia tensors that no rigid body can have, and the nearest that one can."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Pose

from .description.inertial import MOMENTS, Inertial
from .xml import Element

_MARGIN = 1e-6
"""Least second moment along an axis, as a part of their sum: keeps clear of the flat body."""

_THINNEST = 1e-9
"""Moments below it, relative to the largest one or in m^2 times the mass, are rounding errors."""

_SECOND_TO_INERTIA = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
"""Principal moments of inertia of a body whose mass spreads so much along each principal axis."""

_WATER = 1000.0
"""[kg/m^3]; near the mean density of robots and of what they carry."""


def make_inertial(
    element: Element, mass: float, pose: Pose, moments: Mapping[str, float] | None
) -> Inertial | None:
    """Returns the mass and inertia of a link; None without a mass.

    An impossible tensor is replaced, with a warning.

    Args:
        element: Where they are written.
        mass: [kg].
        pose: Of the inertial frame, in the link frame.
        moments: The six of `MOMENTS` [kg m^2]; None for those of a ball as dense as water.

    Raises:
        ModelFormatError: The mass is negative, or, where the load is strict, zero.
    """
    if mass == 0.0:
        element.repair("mass [kg] must be > 0, got 0", "a link without mass is a frame")
        return None
    if moments is None:
        radius = (0.75 * max(mass, 0.0) / (math.pi * _WATER)) ** (1.0 / 3.0)
        moments = {name: 0.4 * mass * radius**2 * (name[1] == name[2]) for name in MOMENTS}
    ixx, ixy, ixz, iyy, iyz, izz = (moments[name] for name in MOMENTS)
    tensor = np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
    if mass > 0.0 and not is_physical(tensor):
        tensor = nearest_physical(tensor, mass)
        given = ", ".join(f"{name} {moments[name]:g}" for name in MOMENTS)
        used = ", ".join(
            f"{name} {value:.4g}"
            for name, value in zip(MOMENTS, tensor[np.triu_indices(3)], strict=True)
        )
        element.warn(f"no rigid body has the inertia {given}; the nearest is used: {used}")
    upper = dict(zip(MOMENTS, tensor[np.triu_indices(3)].tolist(), strict=True))
    return element.make(Inertial, mass=mass, pose=pose, **upper)


def is_physical(tensor: NDArray[np.float64]) -> bool:
    """Returns whether a rigid body can have this inertia.

    Its principal moments must be positive, and none larger than the sum of the two others.

    Args:
        tensor: (3, 3), symmetric [kg m^2].
    """
    low, middle, high = np.linalg.eigvalsh(tensor)
    return bool(low > _THINNEST * high and low + middle >= high * (1.0 - 1e-9))


def nearest_physical(tensor: NDArray[np.float64], mass: float) -> NDArray[np.float64]:
    """Returns the inertia nearest to an impossible one, in the Frobenius norm.

    The possible tensors are those of non-negative second moments s: with principal axes kept (the
    set does not depend on the axes, so the nearest tensor shares them), moment i is the sum of the
    other two s. That is a least-squares problem with s >= 0.

    Args:
        tensor: (3, 3), symmetric [kg m^2].
        mass: [kg]; a tensor of zeros becomes that of a ball of this mass with 1 mm radius.

    Returns:
        (3, 3) tensor of a body that is not flat, so that rounding cannot make it impossible.
    """
    moments, axes = np.linalg.eigh(tensor)
    best = np.zeros(3)
    for free in itertools.product((False, True), repeat=3):
        second = np.zeros(3)
        columns = np.flatnonzero(free)
        second[columns] = np.linalg.lstsq(_SECOND_TO_INERTIA[:, columns], moments, rcond=None)[0]
        if second.min() >= 0.0 and _distance(second, moments) < _distance(best, moments):
            best = second
    if best.sum() <= _THINNEST * mass:
        best[:] = 0.2 * mass * 1e-3**2  # the second moment of a ball: m r^2 / 5
    best = np.maximum(best, _MARGIN * best.sum())
    nearest: NDArray[np.float64] = (axes * (_SECOND_TO_INERTIA @ best)) @ axes.T
    return nearest


def _distance(second: NDArray[np.float64], moments: NDArray[np.float64]) -> float:
    return float(np.linalg.norm(_SECOND_TO_INERTIA @ second - moments))
