# SPDX-License-Identifier: Apache-2.0
"""Shapes that a camera may see."""

from __future__ import annotations

import numpy as np

from deepsim_colliders._rows import Flags, Rows
from deepsim_colliders._shape import BALL
from deepsim_math import Frustum, frustums, quaternions


def seen(rows: Rows, frustum: Frustum) -> Flags:
    """Returns whether balls, and the boxes around all other shapes, have a point in the frustum.

    Rounding never loses one.
    """
    slack = rows.touch + 1e-13 * (
        np.abs(rows.center).sum(axis=0) + np.abs(np.asarray(frustum.pose.position)).sum()
    )
    answers = np.empty(rows.kind.size, dtype=np.bool_)
    balls, others = np.flatnonzero(rows.kind == BALL), np.flatnonzero(rows.kind != BALL)
    reach = (rows.radius + slack)[balls]
    answers[balls] = frustums.intersects_spheres(frustum, rows.center[:, balls].T, reach)
    endless = np.isinf(rows.reach[others])
    answers[others[endless]] = True
    others = others[~endless]
    boxes = rows.take(others)
    turned = quaternions.from_matrix(boxes.axes.transpose(2, 1, 0))
    poses = np.concatenate([boxes.center.T, turned], axis=1)
    sizes = 2.0 * (boxes.half + boxes.radius + slack[others])
    answers[others] = frustums.intersects_boxes(frustum, poses, sizes.T)
    return answers
