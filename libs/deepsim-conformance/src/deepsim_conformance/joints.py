# SPDX-License-Identifier: Apache-2.0
"""The joints table: state and command of every axis, and the three rows of a ball joint."""

from __future__ import annotations

from typing import Sequence

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from deepsim_math import Quaternion, quaternions

from .base import GRAVITY, Conformance
from .bench import Bench
from .models import (
    GIMBAL,
    GIMBAL_INERTIA,
    HINGED,
    PENDULUM,
    PENDULUM_INERTIA,
    SINKER,
    SINKER_RATE,
    STOP,
    STOPPED,
    TURNTABLE,
)
from .runs import COMMANDS

_HINGE = "pendulum::joint"


class JointCases(Conformance):
    """The joints table; skipped for simulators without joints."""

    @pytest.fixture
    def pendulum(self, bench: Bench) -> Bench:
        """Returns a bench with a pendulum."""
        bench.spawn(PENDULUM, "pendulum", (0, 0, 5))
        if not len(bench.entities.joints):
            pytest.skip("this simulator has no joints")
        return bench

    def test_each_axis_has_a_row_that_comes_and_goes_with_its_model(self, pendulum: Bench) -> None:
        pendulum.spawn(HINGED, "gate", (3, 0, 5))
        assert list(pendulum.entities.joints) == [_HINGE, "gate::joint"]
        pendulum.simulator.delete("pendulum")
        assert list(pendulum.entities.joints) == ["gate::joint"]

    def test_position_and_velocity_are_those_of_the_link(self, pendulum: Bench) -> None:
        """Positive is counter-clockwise about the axis; writing moves the link."""
        _write(pendulum, position=0.4, velocity=-2.0)
        pose = pendulum.get("links", "pose", "pendulum::link")
        np.testing.assert_allclose(
            pose[3:], [0, np.sin(0.2), 0, np.cos(0.2)], atol=pendulum.precision
        )
        twist = pendulum.get("links", "twist", "pendulum::link")
        np.testing.assert_allclose(twist[3:], [0, -2.0, 0], atol=pendulum.precision)
        pendulum.run(0.05)
        turn = pendulum.get("links", "pose", "pendulum::link")
        position = pendulum.get("joints", "position", _HINGE)
        assert position == pytest.approx(
            2.0 * np.arctan2(turn[4], turn[6]), abs=max(1e-6, pendulum.precision)
        )

    @pytest.mark.parametrize("limit", [np.inf, 4.0])
    def test_the_effort_follows_the_command_in_every_step(
        self, pendulum: Bench, limit: float
    ) -> None:
        """With the position before the step and the velocity after it, unless it is clamped."""
        command = {"target_position": 0.7, "target_velocity": 0.3, "feedforward": 0.5}
        _write(pendulum, **command, stiffness=20.0, damping=2.0, effort_limit=limit)
        for _ in range(5):
            position = float(pendulum.get("joints", "position", _HINGE))
            pendulum.step()
            velocity = float(pendulum.get("joints", "velocity", _HINGE))
            room = max(1e-6, (20.0 + 2.0) * pendulum.precision)
            effort = 20.0 * (0.7 - position) + 2.0 * (0.3 - velocity) + 0.5
            expected = np.clip(effort, -limit, limit)
            assert pendulum.get("joints", "effort", _HINGE) == pytest.approx(expected, abs=room)

    @pytest.mark.parametrize("ratio", [0.1, 10.0, 900.0])
    def test_the_effort_is_what_accelerates_the_link(self, pendulum: Bench, ratio: float) -> None:
        """In each step, inertia times the change of velocity is the moment of effort and weight."""
        dt = pendulum.simulator.timestep
        damping = ratio * PENDULUM_INERTIA / dt
        _write(pendulum, damping=damping, target_velocity=1.0)
        velocity, room = 0.0, max(1e-3, damping * pendulum.precision)
        for _ in range(20):
            position = float(pendulum.get("joints", "position", _HINGE))
            pendulum.step()
            before, velocity = velocity, float(pendulum.get("joints", "velocity", _HINGE))
            needed = PENDULUM_INERTIA * (velocity - before) / dt
            effort = needed - 0.3 * GRAVITY * np.cos(position)
            found = float(pendulum.get("joints", "effort", _HINGE))
            assert found == pytest.approx(effort, rel=1e-3, abs=room)

    @pytest.mark.parametrize("ratio", [4.0, 40.0, 900.0])
    def test_a_servo_at_its_limit_settles(self, pendulum: Bench, ratio: float) -> None:
        """It accelerates with all the effort that it may have, and never alternates afterwards."""
        dt = pendulum.simulator.timestep
        damping = ratio * PENDULUM_INERTIA / dt
        _write(pendulum, damping=damping, target_velocity=0.2, effort_limit=40.0)
        for _ in range(20):
            pendulum.step()
            assert abs(pendulum.get("joints", "effort", _HINGE)) <= 40.0 + pendulum.precision
        for _ in range(20):
            pendulum.step()
            velocity = pendulum.get("joints", "velocity", _HINGE)
            assert velocity == pytest.approx(
                0.2, abs=0.3 * GRAVITY / damping + max(1e-6, pendulum.precision)
            )

    def test_an_effort_turns_a_link_by_its_inertia(self, pendulum: Bench) -> None:
        """The link stays at rest if the effort balances the moment of its weight, m g l = 0.3 g."""
        _write(pendulum, feedforward=-0.3 * GRAVITY)
        pendulum.run(0.1)
        assert abs(pendulum.get("joints", "velocity", _HINGE)) < 1e-3
        _write(pendulum, feedforward=-0.3 * GRAVITY + 1.0, position=0.0, velocity=0.0)
        time = pendulum.run(0.1)
        expected = time / PENDULUM_INERTIA
        assert pendulum.get("joints", "velocity", _HINGE) == pytest.approx(expected, rel=0.01)

    @pytest.mark.parametrize("ratio", [1.0, 30.0, 900.0])
    def test_stiff_gains_are_stable(self, pendulum: Bench, ratio: float) -> None:
        """``damping * dt / inertia`` is far beyond 2, the limit of explicit damping."""
        damping = ratio * PENDULUM_INERTIA / pendulum.simulator.timestep
        _write(pendulum, stiffness=10.0 * damping, damping=damping, target_position=0.4)
        pendulum.run(2.0)
        sag = 0.3 * GRAVITY / (10.0 * damping)
        assert pendulum.get("joints", "position", _HINGE) == pytest.approx(0.4, abs=sag + 1e-4)
        assert abs(pendulum.get("joints", "velocity", _HINGE)) < 1e-4

    def test_a_servo_tracks_a_sine(self, pendulum: Bench) -> None:
        """The joint lags by the deflection that weight and acceleration cause."""
        stiffness, size, rate = 4000.0, 0.3, 2.0 * np.pi
        room = (0.3 * GRAVITY + PENDULUM_INERTIA * size * rate**2) / stiffness
        _write(pendulum, stiffness=stiffness, damping=200.0)
        for step in range(600):
            phase = rate * step * pendulum.simulator.timestep
            target, speed = size * np.sin(phase), size * rate * np.cos(phase)
            _write(pendulum, target_position=target, target_velocity=speed)
            if step > 200 and step % 20 == 0:
                position = pendulum.get("joints", "position", _HINGE)
                assert position == pytest.approx(target, abs=1.5 * room + 2e-3)
            pendulum.step()

    def test_a_joint_stops_at_its_limit(self, bench: Bench) -> None:
        """The limit hardly gives way when hit at 5 rad/s, and holds against 2 N m."""
        bench.spawn(STOPPED, "gate", (0, 0, 5))
        if not len(bench.entities.joints):
            pytest.skip("this simulator has no joints")
        bench.write({("joints", "velocity"): {"gate::joint": 5.0}})
        farthest = 0.0
        for _ in range(150):
            bench.step()
            farthest = max(farthest, float(bench.get("joints", "position", "gate::joint")))
        assert STOP - 1e-3 < farthest < STOP + 6e-3
        bench.write({("joints", "feedforward"): {"gate::joint": 2.0}})
        bench.run(1.0)
        assert bench.get("joints", "position", "gate::joint") == pytest.approx(STOP, abs=3e-3)

    def test_a_slide_takes_metres_and_newtons(self, bench: Bench) -> None:
        bench.spawn(SINKER, "sinker", (0, 0, 5))
        if not len(bench.entities.joints):
            pytest.skip("this simulator has no joints")
        bench.write({("joints", "feedforward"): {"sinker::joint": 2.0 * GRAVITY + 40.0}})
        bench.run(1.0)
        speed = 40.0 / (2.0 * SINKER_RATE)
        assert bench.get("joints", "velocity", "sinker::joint") == pytest.approx(speed, rel=1e-3)
        assert bench.get("links", "twist", "sinker::link")[2] == pytest.approx(speed, rel=1e-3)

    @pytest.mark.parametrize("limit", [np.inf, 5.0])
    def test_a_slide_beside_the_axis_of_a_turning_parent(self, bench: Bench, limit: float) -> None:
        """Its velocity is the rate of its position, which damping brings to rest."""
        bench.spawn(TURNTABLE, "turntable", (0, 0, 5))
        if not len(bench.entities.joints):
            pytest.skip("this simulator has no joints")
        turn, slide = "turntable::turn", "turntable::slide"
        bench.write({("joints", "velocity"): {turn: 2.0, slide: 0.3}})
        before = float(bench.get("joints", "position", slide))
        time = bench.run(0.05)
        rate = (bench.get("joints", "position", slide) - before) / time
        assert bench.get("joints", "velocity", slide) == pytest.approx(rate, abs=0.01)
        bench.write({("joints", "damping"): {slide: 50.0}})
        bench.write({("joints", "effort_limit"): {slide: limit}})
        bench.run(0.5)
        assert abs(bench.get("joints", "velocity", slide)) < 0.01
        assert abs(bench.get("joints", "effort", slide)) < 0.5

    def test_targets_keep_to_the_limit_of_velocity(self, pendulum: Bench) -> None:
        _write(pendulum, velocity_limit=0.5, stiffness=2e3, damping=200.0, target_position=1.0)
        time = pendulum.run(1.0)
        assert 0.3 < pendulum.get("joints", "position", _HINGE) < 0.5 * time + 0.01
        _write(pendulum, stiffness=0.0, target_velocity=3.0)
        pendulum.run(0.5)
        assert pendulum.get("joints", "velocity", _HINGE) == pytest.approx(0.5, abs=0.05)
        assert pendulum.get("joints", "target_velocity", _HINGE) == 3.0

    def test_a_reset_makes_commands_as_described(self, pendulum: Bench) -> None:
        before = pendulum.state("pendulum")
        _write(pendulum, position=0.3, **COMMANDS)
        pendulum.run(0.1)
        assert pendulum.state("pendulum") != before
        pendulum.reset()
        assert pendulum.state("pendulum") == before

    def test_worlds_have_commands_of_their_own(self, pendulum: Bench) -> None:
        """In world w the pendulum is held at w mrad."""
        targets = np.arange(pendulum.worlds) * 1e-3
        _write(pendulum, target_position=targets, stiffness=1e4, damping=500.0)
        pendulum.run(0.5)
        positions = pendulum.tables([("joints", "position")]).joints.position[:, 0]
        np.testing.assert_allclose(positions - positions[0], targets, atol=1e-5)


def _write(bench: Bench, **columns: ArrayLike) -> None:
    refused = bench.write({("joints", name): {_HINGE: each} for name, each in columns.items()})
    assert refused == ()


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
        _put(gimbal, "position", _TURN)
        _put(gimbal, "velocity", _RATES)
        turn = np.asarray(_DESCRIBED @ Quaternion(*quaternions.from_rotation_vector(_TURN)))
        pose = gimbal.get("links", "pose", _LINK)
        np.testing.assert_allclose(pose[3:] * np.sign(pose[3:] @ turn), turn, atol=gimbal.precision)
        np.testing.assert_allclose(pose[:3], (0.2, 0, 5), atol=gimbal.precision)
        twist = gimbal.get("links", "twist", _LINK)
        np.testing.assert_allclose(
            twist[3:], quaternions.rotate(turn, _RATES), atol=gimbal.precision
        )
        np.testing.assert_allclose(twist[:3], 0, atol=gimbal.precision)
        _put(gimbal, "position", [0.1], _ROWS[1:2])
        _put(gimbal, "velocity", [3.0], _ROWS[2:])
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
        _put(gimbal, "position", _TURN)
        target, gain, damping = np.array([0.1, 0.2, 0.3]), np.array([20.0, 10.0, 5.0]), 0.5
        _put(gimbal, "target_position", target)
        _put(gimbal, "stiffness", gain)
        _put(gimbal, "damping", [damping] * 3)
        _put(gimbal, "effort_limit", [limit] * 3)
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
        _put(gimbal, "position", _TURN)
        _put(gimbal, "feedforward", [2.0], _ROWS[1:2])
        time = gimbal.run(0.1)
        expected = (0, 2.0 / GIMBAL_INERTIA * time, 0)
        np.testing.assert_allclose(_read(gimbal, "velocity"), expected, atol=0.01)

    def test_a_ball_joint_holds_its_target(self, gimbal: Bench) -> None:
        _put(gimbal, "stiffness", [50.0] * 3)
        _put(gimbal, "damping", [5.0] * 3)
        _put(gimbal, "target_position", _TURN)
        gimbal.run(2.0)
        np.testing.assert_allclose(_read(gimbal, "position"), _TURN, atol=1e-3)


def _put(bench: Bench, column: str, values: ArrayLike, rows: Sequence[str] = _ROWS) -> None:
    cells = dict(zip(rows, np.asarray(values, dtype=np.float64)))
    assert bench.write({("joints", column): cells}) == ()


def _read(bench: Bench, column: str) -> NDArray[np.float64]:
    return np.array([bench.get("joints", column, row) for row in _ROWS])
