# SPDX-License-Identifier: Apache-2.0
"""The three rows of a ball joint."""

from __future__ import annotations

from typing import Sequence

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from deepsim_math import Quaternion, quaternions

from .base import Conformance
from .bench import Bench
from .models import GIMBAL, GIMBAL_INERTIA

_ROWS = ("gimbal::joint", "gimbal::joint::2", "gimbal::joint::3")
_LINK = "gimbal::link"
_DESCRIBED = Quaternion.from_euler(0.3, 0.0, 0.0)  # of the link in the model
_TURN = (0.3, -0.7, 0.5)
_RATES = (1.0, -2.0, 0.5)


class BallJointCases(Conformance):
    """Ball joints; skipped for simulators without rows for them."""

    @pytest.fixture
    def gimbal(self, bench: Bench) -> Bench:
        """Returns a bench with a link on a ball joint."""
        bench.spawn(GIMBAL, "gimbal", (0, 0, 5))
        if _ROWS[-1] not in bench.entities.joints:
            pytest.skip("this simulator has no rows for ball joints")
        return bench

    def test_the_rows_of_a_ball_joint_are_a_rotation_vector(self, gimbal: Bench) -> None:
        """The vector turns the child from its described orientation; rates are along its axes too.

        Setting one component leaves the others unchanged.
        """
        assert list(gimbal.entities.joints) == list(_ROWS)
        np.testing.assert_allclose(_read(gimbal, "position"), 0, atol=1e-12)
        _write(gimbal, "position", _TURN)
        _write(gimbal, "velocity", _RATES)
        turn = np.asarray(_DESCRIBED @ Quaternion(*quaternions.from_rotation_vector(_TURN)))
        pose = gimbal.get("links", "pose", _LINK)
        np.testing.assert_allclose(pose[3:] * np.sign(pose[3:] @ turn), turn, atol=gimbal.precision)
        np.testing.assert_allclose(pose[:3], (0.2, 0, 5), atol=gimbal.precision)
        twist = gimbal.get("links", "twist", _LINK)
        np.testing.assert_allclose(
            twist[3:], quaternions.rotate(turn, _RATES), atol=gimbal.precision
        )
        np.testing.assert_allclose(twist[:3], 0, atol=gimbal.precision)
        _write(gimbal, "position", [0.1], _ROWS[1:2])
        _write(gimbal, "velocity", [3.0], _ROWS[2:])
        np.testing.assert_allclose(
            _read(gimbal, "position"), (0.3, 0.1, 0.5), atol=gimbal.precision
        )
        np.testing.assert_allclose(
            _read(gimbal, "velocity"), (1.0, -2.0, 3.0), atol=gimbal.precision
        )

    @pytest.mark.parametrize("limit", [np.inf, 1.0])
    def test_each_row_of_a_ball_joint_follows_its_command(
        self, gimbal: Bench, limit: float
    ) -> None:
        """With the damping of a velocity between those before and after the step.

        The effort turns the link; its inertia is the same about all axes.
        """
        dt = gimbal.simulator.timestep
        _write(gimbal, "position", _TURN)
        target, gain, damping = np.array([0.1, 0.2, 0.3]), np.array([20.0, 10.0, 5.0]), 0.5
        _write(gimbal, "target_position", target)
        _write(gimbal, "stiffness", gain)
        _write(gimbal, "damping", [damping] * 3)
        _write(gimbal, "effort_limit", [limit] * 3)
        for _ in range(5):
            position, velocity = _read(gimbal, "position"), _read(gimbal, "velocity")
            gimbal.step()
            change = _read(gimbal, "velocity") - velocity
            effort = np.clip(gain * (target - position) - damping * velocity, -limit, limit)
            room = max(1e-6, gain.max() * gimbal.precision) + damping * np.abs(change).max()
            np.testing.assert_allclose(_read(gimbal, "effort"), effort, atol=room)
            moment = GIMBAL_INERTIA * change / dt
            np.testing.assert_allclose(_read(gimbal, "effort"), moment, rtol=0.01, atol=0.01)

    def test_an_effort_turns_a_ball_joint_about_an_axis_of_its_child(self, gimbal: Bench) -> None:
        """The inertia is the same about all axes, and the other axes stay at rest."""
        _write(gimbal, "position", _TURN)
        _write(gimbal, "feedforward", [2.0], _ROWS[1:2])
        time = gimbal.run(0.1)
        expected = (0, 2.0 / GIMBAL_INERTIA * time, 0)
        np.testing.assert_allclose(_read(gimbal, "velocity"), expected, atol=0.01)

    def test_a_ball_joint_holds_its_target(self, gimbal: Bench) -> None:
        _write(gimbal, "stiffness", [50.0] * 3)
        _write(gimbal, "damping", [5.0] * 3)
        _write(gimbal, "target_position", _TURN)
        gimbal.run(2.0)
        np.testing.assert_allclose(_read(gimbal, "position"), _TURN, atol=1e-3)


def _write(bench: Bench, column: str, values: ArrayLike, rows: Sequence[str] = _ROWS) -> None:
    cells = dict(zip(rows, np.asarray(values, dtype=np.float64)))
    assert bench.write({("joints", column): cells}) == ()


def _read(bench: Bench, column: str) -> NDArray[np.float64]:
    return np.array([bench.get("joints", column, row) for row in _ROWS])
