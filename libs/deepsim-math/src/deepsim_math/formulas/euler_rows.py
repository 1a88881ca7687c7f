# SPDX-License-Identifier: Apache-2.0
"""`rotations.to_euler` for rows of quaternions, with the same bits in half the calls of NumPy.

A call of NumPy takes longer than its arithmetic for up to some hundred rows, so pairs of components
share one.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .elementwise import TURN, refuse_zero
from .rotations import LOCK


def to_euler_rows(target: Any, q: Any) -> None:
    """Fills an array (n, 3) with roll, pitch, yaw [rad] of quaternions (n, 4)."""
    columns = q.T.copy()
    plus = columns[:2] + columns[2:]  # x + z, y + w
    minus = columns[:2] - columns[2:]  # x - z, y - w
    half_sum = np.arctan2(plus[0], -minus[1])
    half_difference = np.arctan2(minus[0], plus[1])
    plus *= plus
    minus *= minus
    sum_square, difference_square = minus[1] + plus[0], plus[1] + minus[0]
    half_pitch = np.arctan2(np.sqrt(difference_square), np.sqrt(sum_square))
    pitch = (half_pitch + half_pitch) - 0.5 * math.pi
    if np.count_nonzero(np.abs(pitch) > 1.57):  # only then can one of the squares be noise
        total = sum_square + difference_square
        refuse_zero(total, "quaternion")
        noise = LOCK * total
        half_sum = np.where(sum_square < noise, half_difference, half_sum)
        half_difference = np.where(difference_square < noise, half_sum, half_difference)
    turns = np.empty((2, len(q)), q.dtype)
    np.add(half_sum, half_difference, turns[0])
    np.subtract(half_sum, half_difference, turns[1])
    np.copyto(turns, turns - TURN, where=turns > math.pi)
    np.copyto(turns, turns + TURN, where=turns <= -math.pi)
    target[:, ::2] = turns.T
    target[:, 1] = pitch
