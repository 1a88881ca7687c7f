# SPDX-License-Identifier: Apache-2.0
"""The maths benchmark on a handful and on a million at a time."""

from __future__ import annotations

import numpy as np
from maths_case import (
    Ways,
    as_quat,
    checked,
    from_matrices,
    from_rigid,
    peer,
    pose_row,
    same,
    to_matrices,
    to_rigid,
    w_first,
)
from peers import Case

from deepsim_math import Pose, poses, quaternions

COUNT, FEW = 1_000_000, 8
MILLION = f"{COUNT:,}".replace(",", " ")
RANDOM = np.random.default_rng(0)


class Million:
    """The arguments."""

    def __init__(self) -> None:
        self.q, self.r = quaternions.normalize(RANDOM.normal(size=(2, COUNT, 4)))
        self.v = RANDOM.normal(size=(COUNT, 3))
        self.t = RANDOM.random(COUNT)


def products(given: Million) -> Case:
    q, r = given.q, given.r
    ways: Ways = {"quaternions.multiply": (lambda: quaternions.multiply(q, r), same)}
    if peer("scipy"):
        make = peer("scipy.spatial.transform").Rotation.from_quat
        scipy_q, scipy_r = make(q), make(r)
        ways["scipy"] = (lambda: scipy_q * scipy_r, as_quat)
    q_wxyz, r_wxyz = np.roll(q, 1, axis=1), np.roll(r, 1, axis=1)
    if peer("pytransform3d"):
        concatenate = peer("pytransform3d.batch_rotations").batch_concatenate_quaternions
        ways["pytransform3d"] = (lambda: concatenate(q_wxyz, r_wxyz), w_first)
    if peer("quaternion"):
        module = peer("quaternion")
        c_q, c_r = module.as_quat_array(q_wxyz), module.as_quat_array(r_wxyz)
        ways["numpy-quaternion (C)"] = (
            lambda: c_q * c_r,
            lambda value: w_first(module.as_float_array(value)),
        )
    return checked(f"{MILLION} products", ways, {"scipy": 1 / 20})


def turns(given: Million) -> Case:
    q, v = given.q, given.v
    ways: Ways = {"quaternions.rotate": (lambda: quaternions.rotate(q, v), same)}
    if peer("scipy"):
        scipy_q = peer("scipy.spatial.transform").Rotation.from_quat(q)
        ways["scipy"] = (lambda: scipy_q.apply(v), same)
    return checked(f"{MILLION} vectors rotated", ways, {"scipy": 1.0})


def compositions(given: Million) -> Case:
    a, b = np.hstack([given.v, given.q]), np.hstack([given.v[::-1], given.r])
    matrices_a, matrices_b = to_matrices(a), to_matrices(b)
    ways: Ways = {
        "poses.compose": (lambda: poses.compose(a, b), pose_row),
        "numpy, 4 x 4 matrices": (lambda: matrices_a @ matrices_b, from_matrices),
    }
    if peer("scipy") and to_rigid(a[0]) is not None:
        rigid_a, rigid_b = to_rigid(a), to_rigid(b)
        ways["scipy"] = (lambda: rigid_a * rigid_b, from_rigid)
    return checked(f"{MILLION} compositions", ways, {"scipy": 1 / 8})


def slerps(given: Million) -> Case:
    q, r, t = given.q, given.r, given.t
    ways: Ways = {"quaternions.slerp": (lambda: quaternions.slerp(q, r, t), same)}
    if peer("scipy"):
        # Its quickest form: the pairs one after the other on one line of time, set up before.
        transform = peer("scipy.spatial.transform")
        pairs = transform.Rotation.from_quat(np.stack([q, r], axis=1).reshape(-1, 4))
        arc, times = transform.Slerp(np.arange(2 * COUNT), pairs), 2.0 * np.arange(COUNT) + t
        ways["scipy"] = (lambda: arc(times), as_quat)
    if peer("quaternion"):
        module = peer("quaternion")
        near = np.where(np.sum(q * r, axis=1, keepdims=True) < 0.0, -r, r)
        c_q, c_r = (module.as_quat_array(np.roll(rows, 1, axis=1)) for rows in (q, near))
        ways["numpy-quaternion (C)"] = (
            lambda: np.slerp_vectorized(c_q, c_r, t),
            lambda value: w_first(module.as_float_array(value)),
        )
    return checked(f"{MILLION} slerps", ways, {"scipy": 1 / 12})


def from_euler() -> Case:
    euler = RANDOM.uniform(-1.5, 1.5, (COUNT, 3))
    ways: Ways = {"quaternions.from_euler": (lambda: quaternions.from_euler(euler), same)}
    if peer("scipy"):
        rotation = peer("scipy.spatial.transform").Rotation
        ways["scipy"] = (lambda: rotation.from_euler("xyz", euler), as_quat)
    return checked(f"{MILLION} quaternions from roll, pitch, yaw", ways, {"scipy": 1.0})


def few() -> Case:
    """A handful of poses: too few for NumPy's calls to pay by themselves."""
    q, r = quaternions.normalize(RANDOM.normal(size=(2, FEW, 4)))
    v, w = RANDOM.normal(size=(2, FEW, 3))
    a, b = np.hstack([v, q]), np.hstack([w, r])
    values_a, values_b = ([Pose.from_array(row) for row in rows] for rows in (a, b))
    matrices_a, matrices_b = to_matrices(a), to_matrices(b)
    ways: Ways = {
        "poses.compose": (lambda: poses.compose(a, b), pose_row),
        "Pose, one by one": (
            lambda: [x @ y for x, y in zip(values_a, values_b, strict=True)],
            pose_row,
        ),
        "numpy, 4 x 4 matrices": (lambda: matrices_a @ matrices_b, from_matrices),
    }
    if peer("scipy") and to_rigid(a[0]) is not None:
        rigid_a, rigid_b = to_rigid(a), to_rigid(b)
        ways["scipy"] = (lambda: rigid_a * rigid_b, from_rigid)
    return checked(f"{FEW} compositions", ways, {"scipy": 1.0}, repeats=100)


def worlds(count: int) -> list[Case]:
    """As many rows as a vectorised environment has worlds; scipy makes its rotations from them."""
    q = quaternions.normalize(RANDOM.normal(size=(count, 4)))
    v = RANDOM.normal(size=(count, 3))
    angles: Ways = {"quaternions.to_euler": (lambda: quaternions.to_euler(q), same)}
    turned: Ways = {"quaternions.rotate": (lambda: quaternions.rotate(q, v), same)}
    if peer("scipy"):
        make = peer("scipy.spatial.transform").Rotation.from_quat
        angles["scipy"] = (lambda: make(q).as_euler("xyz"), same)
        turned["scipy"] = (lambda: make(q).apply(v), same)
    return [
        checked(f"{count} rows to roll, pitch, yaw", angles, {"scipy": 1.6}),
        checked(f"{count} vectors rotated", turned, {"scipy": 1.6}),
    ]


def cases() -> list[Case]:
    """All tasks."""
    given = Million()
    return [
        few(),
        *(case for count in (10, 100, 1000) for case in worlds(count)),
        products(given),
        turns(given),
        compositions(given),
        slerps(given),
        from_euler(),
    ]
