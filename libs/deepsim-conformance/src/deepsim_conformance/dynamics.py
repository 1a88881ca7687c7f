# SPDX-License-Identifier: Apache-2.0
"""Jacobians, and the efforts that hold joints."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from deepsim_math import quaternions
from deepsim_sync.errors import UnknownEntityError
from deepsim_sync.port.capabilities import Dynamics

from .base import Conformance
from .bench import Bench
from .models import ARM, ARM_JOINTS

Floats = NDArray[np.float64]

_JOINTS = [f"arm::{name}" for name in ARM_JOINTS]
_POINT = (0.1, -0.2, 0.3)
_SMALL = 1e-5  # step of the differences for a precision of 1e-9 [rad or m]


class DynamicsCases(Conformance):
    """Jacobians and bias forces, with a different pose of the arm in each world."""

    @pytest.fixture
    def arm(self, bench: Bench, dynamics: Dynamics) -> Floats:
        """Adds an arm to the bench, and returns its joint positions, (W, 3)."""
        bench.spawn(ARM, "arm", (0.5, 0, 5))
        positions: Floats = np.tile([0.3, -0.7, 0.1], (bench.worlds, 1))
        positions += 0.01 * np.arange(bench.worlds)[:, None]
        _put(bench, positions)
        return positions

    def test_a_jacobian_gives_the_rates_of_a_point(
        self, bench: Bench, dynamics: Dynamics, arm: Floats
    ) -> None:
        """The rates agree with differences of the link's pose."""
        found = dynamics.jacobian("arm::hand", _JOINTS, _POINT)
        small = _SMALL * np.sqrt(bench.precision / 1e-9)
        room = 100.0 * bench.precision  # rounding, divided by the step
        for joint in range(3):
            ends = []
            for sign in (-1.0, 1.0):
                moved = arm.copy()
                moved[:, joint] += sign * small
                _put(bench, moved)
                row = list(bench.entities.links).index("arm::hand")
                ends.append(bench.tables([("links", "pose")]).links.pose[:, row].copy())
            places = [end[:, :3] + quaternions.rotate(end[:, 3:], _POINT) for end in ends]
            linear = (places[1] - places[0]) / (2.0 * small)
            np.testing.assert_allclose(found[:, :3, joint], linear, atol=room)
            turn = quaternions.multiply(ends[1][:, 3:], quaternions.inverse(ends[0][:, 3:]))
            angular = 2.0 * turn[:, :3] * np.sign(turn[:, 3:]) / (2.0 * small)
            np.testing.assert_allclose(found[:, 3:, joint], angular, atol=room)

    def test_a_joint_beyond_a_link_does_not_move_it(
        self, bench: Bench, dynamics: Dynamics, arm: Floats
    ) -> None:
        found = dynamics.jacobian("arm::upper", _JOINTS[::-1])
        assert found.shape == (bench.worlds, 6, 3)
        assert not found[..., :2].any()
        assert found[..., 2].any(axis=1).all()

    def test_bias_forces_hold_an_arm_that_rests(
        self, bench: Bench, dynamics: Dynamics, arm: Floats
    ) -> None:
        efforts = dynamics.bias_forces(_JOINTS)
        bench.write(
            {
                ("joints", "feedforward"): {
                    name: efforts[:, joint] for joint, name in enumerate(_JOINTS)
                }
            }
        )
        bench.run(0.5)
        positions = bench.tables([("joints", "position")]).joints.position
        np.testing.assert_allclose(positions, arm, atol=1e-9)

    def test_asking_changes_nothing(self, bench: Bench, dynamics: Dynamics, arm: Floats) -> None:
        before = bench.state("arm")
        dynamics.jacobian("arm::hand", _JOINTS)
        dynamics.bias_forces(_JOINTS)
        assert bench.state("arm") == before

    def test_dynamics_of_unknown_names_are_refused(self, dynamics: Dynamics, arm: Floats) -> None:
        with pytest.raises(UnknownEntityError, match="arm::foot"):
            dynamics.jacobian("arm::foot", _JOINTS)
        with pytest.raises(UnknownEntityError, match="arm::knee"):
            dynamics.bias_forces(["arm::knee"])
        with pytest.raises(ValueError, match=r"point must have shape \(3,\)"):
            dynamics.jacobian("arm::hand", _JOINTS, (1.0, 2.0))


def _put(bench: Bench, positions: Floats) -> None:
    bench.write(
        {("joints", "position"): {name: positions[:, joint] for joint, name in enumerate(_JOINTS)}}
    )
