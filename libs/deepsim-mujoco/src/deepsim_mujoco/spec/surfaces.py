# SPDX-License-Identifier: Apache-2.0
"""Conversion of friction, restitution and surface velocity to MuJoCo's parameters."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_math import Pose, Quaternion
from deepsim_mujoco.imports import mujoco
from deepsim_spawn import Surface

_LOWEST_MU = 1e-5  # MuJoCo has no frictionless cone; 1e-5 slows 1 m/s by 0.1 mm/s per second
_HIGHEST_MU = 10.0  # stops a body that slides at 1 m/s within a step, as any higher value would
_PATCH = 3.0 * math.pi / 16.0  # torque of a round contact patch under Hertzian pressure
_BOUNCE_STEPS = 8.0  # steps of a bounce: with fewer its speed scatters, with more it sinks deeper
_PHASES, _LONGEST = 32, 60  # phases that are tried, and steps of the longest contact
_STIFF = 0.9  # damping ratio from which a contact is too stiff for so many steps
_BOUNCES = 1001  # number of restitutions that priorities distinguish, including 0


def apply_surface(geom: mujoco.MjsGeom, surface: Surface, frame: Pose, timestep: float) -> None:
    """Sets friction, restitution, velocity and contact masks of a geom.

    In Gazebo the lower friction of a touching pair counts; in MuJoCo the friction of the geom with
    the higher priority; see `priorities`, and `pairs` for what the other surface has in addition.

    Args:
        geom: The geom, with its orientation and the default contact settings.
        surface: Surface of the collision.
        frame: Pose of the collision's frame in the frame of the body.
        timestep: Duration of a step [s].
    """
    mu = min(max(surface.mu, _LOWEST_MU), _HIGHEST_MU)
    turning = float(torsional(surface.torsional_mu, surface.patch_radius))
    geom.condim = 6 if surface.rolling_mu else 4 if turning else 3
    geom.friction = [mu, turning, surface.rolling_mu]
    geom.priority = _priority(mu, surface.restitution)
    geom.contype = geom.conaffinity = _signed(surface.collide_bitmask)
    if surface.restitution > 0.0:
        steps, impedance = geom.solref[0] / timestep, geom.solimp[0]
        stiffness, damping = _bouncing(surface.restitution, steps, impedance)
        geom.solref = -stiffness / timestep**2, -damping / timestep
    if any(surface.velocity):
        turn = Quaternion.from_wxyz(geom.quat).inverse() @ frame.orientation
        geom.surfacevel = [*turn.rotate(surface.velocity), 0.0, 0.0, 0.0]


@lru_cache(maxsize=1024)
def _bouncing(restitution: float, steps: float, impedance: float) -> tuple[float, float]:
    """Returns the stiffness [1/step^2] and damping [1/step] of contacts with a restitution.

    Args:
        restitution: Coefficient of restitution, > 0.
        steps: Time constant of contacts that hardly bounce [steps].
        impedance: Impedance of the contacts.
    """
    low, high = 0.0, 100.0
    for _ in range(40):
        ratio = (low + high) / 2.0
        frequency = math.pi / _BOUNCE_STEPS if ratio < _STIFF else 1.0 / (steps * ratio)
        spring = frequency**2, 2.0 * ratio * frequency
        low, high = (ratio, high) if _returned(*spring, impedance) > restitution else (low, ratio)
    return spring if restitution < 1.0 else (spring[0], 0.0)


def _returned(stiffness: float, damping: float, impedance: float) -> float:
    """Returns the ratio of the speeds after and before a contact, as the engine's steps compute it.

    It is the mean over all phases within a step at which the contact can begin. In continuous time,
    the ratio of a spring that does not pull is exp(-tan(a) (pi - 2 a)) for a damping ratio sin(a).
    """
    total = 0.0
    for phase in range(_PHASES):
        depth, speed = (phase + 0.5) / _PHASES, 1.0
        for _ in range(_LONGEST):
            speed -= max(0.0, damping * speed + stiffness / impedance * depth)
            depth += speed
            if depth <= 0.0:
                break
        total += max(-speed, 0.0)
    return total / _PHASES


def torsional(mu: ArrayLike, patch_radius: ArrayLike) -> NDArray[np.float64]:
    """Returns MuJoCo's torsional friction [m] of a coefficient and a radius of contact [m]."""
    return np.asarray(_PATCH * np.asarray(mu) * np.asarray(patch_radius))


def _signed(mask: int) -> int:
    """Returns a mask of 32 bits as a signed int, as MuJoCo stores it."""
    low = mask & 0xFFFFFFFF
    return low - (low >> 31 << 32)


@lru_cache(maxsize=1024)
def _priority(mu: float, restitution: float) -> int:
    bounces = 0 if restitution == 0.0 else 1000 - int(999 * restitution)
    return int(priorities(mu)) + bounces


def priorities(mu: ArrayLike) -> NDArray[np.intp]:
    """Returns priorities that fall with rising friction, so that the lower friction counts.

    Gaps between the priorities leave room for restitution: where frictions are equal, the lower
    nonzero restitution counts.
    """
    return np.asarray(np.round(-1000 * np.log10(mu)), dtype=np.intp) * _BOUNCES


def pair_friction(
    mu: tuple[ArrayLike, ArrayLike],
    priority: tuple[ArrayLike, ArrayLike],
    both_described: ArrayLike,
) -> NDArray[np.float64]:
    """Returns the sliding friction of contacts, given that of the two surfaces.

    It is the lower one of two surfaces of SDF or URDF. If one is of MJCF, that of the higher
    priority counts, and the larger one of equal priorities, as MuJoCo has it.
    """
    lower, upper = np.minimum(*mu), np.maximum(*mu)
    first, second = np.asarray(priority[0]), np.asarray(priority[1])
    winning = np.where(first > second, mu[0], np.where(first < second, mu[1], upper))
    return np.asarray(np.where(both_described, lower, winning), dtype=np.float64)
