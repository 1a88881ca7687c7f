# SPDX-License-Identifier: Apache-2.0
"""The maths benchmark on one value at a time."""

from __future__ import annotations

from typing import Any

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

from deepsim_math import Pose, Quaternion, Vector3, quaternions

T = 0.3
EULER = (0.1, -0.7, 2.0)
Q, R = quaternions.from_euler([EULER, (1.0, 0.2, -0.3)])
V, W = np.array([1.0, 2.0, 3.0]), np.array([-4.0, 0.5, 6.0])
Q_WXYZ, R_WXYZ = np.roll(Q, 1), np.roll(R, 1)

#: Ours must be ahead of what is written in Python, with or without NumPy.
AHEAD = dict.fromkeys(("scipy", "transforms3d", "pyrr", "pytransform3d", "spatialmath"), 1.0)


class Rotations:
    """The ways of five tasks on one quaternion, by library."""

    def __init__(self) -> None:
        q, r, v = Quaternion(*Q), Quaternion(*R), Vector3(*V)
        self.product: Ways = {"Quaternion": (lambda: q * r, same)}
        self.turn: Ways = {"Quaternion": (lambda: q.rotate(v), same)}
        self.slerp: Ways = {"Quaternion": (lambda: q.slerp(r, T), same)}
        self.from_euler: Ways = {"Quaternion": (lambda: Quaternion.from_euler(*EULER), same)}
        self.to_euler: Ways = {"Quaternion": (q.to_euler, same)}

    def add_transforms3d(self, quaternions: Any, euler: Any) -> None:
        name = "transforms3d"
        self.product[name] = (lambda: quaternions.qmult(Q_WXYZ, R_WXYZ), w_first)
        self.turn[name] = (lambda: quaternions.rotate_vector(V, Q_WXYZ), same)
        self.from_euler[name] = (lambda: euler.euler2quat(*EULER), w_first)
        self.to_euler[name] = (lambda: euler.quat2euler(Q_WXYZ), same)

    def add_pyrr(self, quaternion: Any) -> None:
        name = "pyrr"
        self.product[name] = (lambda: quaternion.cross(Q, R), same)
        self.turn[name] = (lambda: quaternion.apply_to_vector(Q, V), same)
        self.slerp[name] = (lambda: quaternion.slerp(Q, R, T), same)

    def add_pytransform3d(self, rotations: Any) -> None:
        name, axes = "pytransform3d", (0, 1, 2)
        self.product[name] = (lambda: rotations.concatenate_quaternions(Q_WXYZ, R_WXYZ), w_first)
        self.turn[name] = (lambda: rotations.q_prod_vector(Q_WXYZ, V), same)
        self.slerp[name] = (
            lambda: rotations.quaternion_slerp(Q_WXYZ, R_WXYZ, T, shortest_path=True),
            w_first,
        )
        self.from_euler[name] = (
            lambda: rotations.quaternion_from_euler(EULER, *axes, extrinsic=True),
            w_first,
        )
        self.to_euler[name] = (
            lambda: rotations.euler_from_quaternion(Q_WXYZ, *axes, extrinsic=True),
            same,
        )

    def add_spatialmath(self, kind: Any) -> None:
        name, q, r = "spatialmath", kind(Q_WXYZ), kind(R_WXYZ)

        def read(value: Any) -> Any:
            return w_first(value.vec)

        self.product[name] = (lambda: q * r, read)
        self.turn[name] = (lambda: q * V, same)
        self.slerp[name] = (lambda: q.interp(r, T, shortest=True), read)
        self.from_euler[name] = (lambda: kind.RPY(EULER, order="zyx"), read)
        self.to_euler[name] = (q.rpy, same)

    def add_scipy(self, transform: Any) -> None:
        name, make = "scipy", transform.Rotation.from_quat
        q, r = make(Q), make(R)
        arc = transform.Slerp([0.0, 1.0], make([Q, R]))
        self.product[name] = (lambda: q * r, as_quat)
        self.turn[name] = (lambda: q.apply(V), same)
        self.slerp[name] = (lambda: arc(T), as_quat)
        self.from_euler[name] = (lambda: transform.Rotation.from_euler("xyz", EULER), as_quat)
        self.to_euler[name] = (lambda: q.as_euler("xyz"), same)

    def add_numpy_quaternion(self, module: Any) -> None:
        name, q, r = "numpy-quaternion (C)", *(module.quaternion(*x) for x in (Q_WXYZ, R_WXYZ))

        def read(value: Any) -> Any:
            return w_first(module.as_float_array(value))

        self.product[name] = (lambda: q * r, read)
        self.slerp[name] = (lambda: module.slerp_evaluate(q, r, T), read)

    def add_glm(self, glm: Any) -> None:
        name, q, r = "PyGLM (C++)", glm.dquat(*Q_WXYZ), glm.dquat(*R_WXYZ)
        v, euler = glm.dvec3(*V), glm.dvec3(*EULER)

        def read(value: Any) -> Any:
            return value.x, value.y, value.z, value.w

        self.product[name] = (lambda: q * r, read)
        self.turn[name] = (lambda: q * v, same)
        self.slerp[name] = (lambda: glm.slerp(q, r, T), read)
        self.from_euler[name] = (lambda: glm.dquat(euler), read)
        self.to_euler[name] = (lambda: glm.eulerAngles(q), same)


def rotations() -> list[Case]:
    ways = Rotations()
    if peer("transforms3d"):
        ways.add_transforms3d(peer("transforms3d.quaternions"), peer("transforms3d.euler"))
    if peer("pyrr"):
        ways.add_pyrr(peer("pyrr").quaternion)
    if peer("pytransform3d"):
        ways.add_pytransform3d(peer("pytransform3d.rotations"))
    if peer("spatialmath"):
        ways.add_spatialmath(peer("spatialmath").UnitQuaternion)
    if peer("scipy"):
        ways.add_scipy(peer("scipy.spatial.transform"))
    if peer("quaternion"):
        ways.add_numpy_quaternion(peer("quaternion"))
    if peer("glm"):
        ways.add_glm(peer("glm"))
    return [
        checked("product of two quaternions", ways.product, AHEAD, repeats=200),
        checked("one vector rotated", ways.turn, AHEAD, repeats=200),
        checked("slerp of two quaternions", ways.slerp, AHEAD, repeats=200),
        checked("quaternion from roll, pitch, yaw", ways.from_euler, AHEAD, repeats=200),
        checked("roll, pitch, yaw from a quaternion", ways.to_euler, AHEAD, repeats=200),
    ]


def poses() -> Case:
    """Composition; libraries without poses compose 4 x 4 matrices, which is another task."""
    a, b = Pose(V, Q), Pose(W, R)
    matrix_a, matrix_b = to_matrices(a), to_matrices(b)
    ways: Ways = {"Pose": (lambda: a @ b, pose_row)}
    if peer("scipy") and to_rigid(a) is not None:
        rigid_a, rigid_b = to_rigid(a), to_rigid(b)
        ways["scipy"] = (lambda: rigid_a * rigid_b, from_rigid)
    if peer("pytransform3d"):
        concat = peer("pytransform3d.transformations").concat
        ways["pytransform3d"] = (lambda: concat(matrix_b, matrix_a), from_matrices)
    if peer("spatialmath"):
        se3_a, se3_b = (peer("spatialmath").SE3(m) for m in (matrix_a, matrix_b))
        ways["spatialmath"] = (lambda: se3_a * se3_b, lambda value: from_matrices(value.A))
    if peer("pyrr"):
        multiply = peer("pyrr").matrix44.multiply
        ways["pyrr, 4 x 4 matrices"] = (lambda: multiply(matrix_a, matrix_b), from_matrices)
    if peer("glm"):
        glm_a, glm_b = (peer("glm").dmat4(*m.T.ravel()) for m in (matrix_a, matrix_b))
        ways["PyGLM (C++), 4 x 4 matrices"] = (
            lambda: glm_a * glm_b,
            lambda matrix: from_matrices(np.transpose(matrix.to_list())),
        )
    return checked("composition of two poses", ways, AHEAD, repeats=200)


def cases() -> list[Case]:
    """All tasks."""
    return [*rotations(), poses()]
