# SPDX-License-Identifier: Apache-2.0
"""A task of the maths benchmark, whose ways are checked to agree before they are timed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from peers import Case, Way, installed

from deepsim_math import quaternions

#: Turns what a way returns into numbers that all ways of a task have in common.
Read = Callable[[Any], Any]
Ways = dict[str, tuple[Way, Read]]


@cache
def peer(module: str) -> Any:
    """The module of another library, or None when that is not installed."""
    return import_module(module) if installed(module.partition(".")[0]) else None


def checked(
    name: str,
    ways: Ways,
    bars: Mapping[str, float],
    repeats: int = 1,
) -> Case:
    """Makes the case, when all ways agree with the first, up to the sign of a quaternion."""
    results = {way: np.asarray(read(call()), dtype=float) for way, (call, read) in ways.items()}
    expected = next(iter(results.values()))
    for way, result in results.items():
        error = np.abs(result - expected).max(axis=-1)
        if expected.shape[-1:] == (4,):
            error = np.minimum(error, np.abs(result + expected).max(axis=-1))
        if np.max(error) > 1e-9:
            raise RuntimeError(f"{name}: {way} is off by {np.max(error)}")
    calls = {way: call for way, (call, _) in ways.items()}
    known = {way: bar for way, bar in bars.items() if way in ways}
    return Case(name, calls, {}, known, repeats)


def same(value: Any) -> Any:
    """Numbers as they are."""
    return value


def w_first(value: Any) -> Any:
    """x, y, z, w of a quaternion that has w first."""
    return np.roll(np.asarray(value, dtype=float), -1, axis=-1)


def as_quat(value: Any) -> Any:
    """x, y, z, w of a rotation of scipy."""
    return value.as_quat()


def pose_row(value: Any) -> Any:
    """px, py, pz, qx, qy, qz, qw, with qw >= 0 so that poses can be compared."""
    rows = np.array(value, dtype=float)
    rows[..., 3:] *= np.where(rows[..., 6:] < 0.0, -1.0, 1.0)
    return rows


def from_matrices(matrices: Any) -> Any:
    """Poses of 4 x 4 matrices."""
    matrices = np.asarray(matrices)
    turns = quaternions.from_matrix(matrices[..., :3, :3])
    return pose_row(np.concatenate([matrices[..., :3, 3], turns], axis=-1))


def to_matrices(rows: Any) -> Any:
    """4 x 4 matrices of poses."""
    rows = np.asarray(rows)
    matrices = np.zeros((*rows.shape[:-1], 4, 4))
    matrices[..., :3, :3] = quaternions.to_matrix(rows[..., 3:])
    matrices[..., :3, 3] = rows[..., :3]
    matrices[..., 3, 3] = 1.0
    return matrices


def from_rigid(value: Any) -> Any:
    """Poses of a transform of scipy."""
    return pose_row(np.concatenate([value.translation, value.rotation.as_quat()], axis=-1))


def to_rigid(rows: Any) -> Any:
    """The transform of scipy for poses; None before scipy 1.16, which had none."""
    transform = peer("scipy.spatial.transform")
    if not hasattr(transform, "RigidTransform"):
        return None
    rows = np.asarray(rows)
    turns = transform.Rotation.from_quat(rows[..., 3:])
    return transform.RigidTransform.from_components(rows[..., :3], turns)
