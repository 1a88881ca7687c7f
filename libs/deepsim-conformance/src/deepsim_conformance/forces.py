# SPDX-License-Identifier: Apache-2.0
"""Forces on links, compared with results derived by hand; Jacobians; efforts that hold joints."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from deepsim_math import quaternions
from deepsim_sync.errors import UnknownEntityError
from deepsim_sync.port.capabilities import Dynamics, Snapshots
from deepsim_sync.world.world import World

from .base import GRAVITY, Conformance
from .bench import Bench
from .models import ARM, ARM_JOINTS, BLOCK, HAMMER, HAMMER_CENTRE, PAIR

_HAMMER = "hammer::link"  # 3 kg
_INERTIA = np.array([0.02, 0.03, 0.04])  # about its centre [kg m^2]


class ForceCases(Conformance):
    """Forces on links; skipped for simulators that refuse them."""

    @pytest.fixture
    def hammer(self, bench: Bench) -> Bench:
        """Returns a bench with a free body that does not fall."""
        bench.spawn(HAMMER, "hammer", (0, 0, 5))
        if bench.write({("links", "force"): {_HAMMER: (0.0, 0.0, 0.0)}}):
            pytest.skip("this simulator has no forces")
        return bench

    def test_a_force_acts_for_the_steps_of_one_call(self, hammer: Bench) -> None:
        """4 N act on 3 kg for 100 steps of 1 ms, and no longer."""
        _write(hammer, force=(4.0, 0.0, 0.0))
        hammer.step(100)
        speed = hammer.get("links", "twist", _HAMMER)[0]
        assert speed == pytest.approx(4.0 * 0.1 / 3.0, rel=hammer.precision)
        assert not hammer.get("links", "force", _HAMMER).any()
        hammer.step(100)
        assert hammer.get("links", "twist", _HAMMER)[0] == speed

    def test_a_force_at_the_centre_of_mass_does_not_turn(self, hammer: Bench) -> None:
        _write(hammer, force=(1.0, -2.0, 3.0))
        hammer.step(100)
        np.testing.assert_allclose(
            hammer.get("links", "twist", _HAMMER),
            [0.1 / 3, -0.2 / 3, 0.1, 0, 0, 0],
            atol=hammer.precision,
        )

    @pytest.mark.parametrize("axis", range(3))
    def test_a_torque_turns_a_body_by_its_inertia(self, hammer: Bench, axis: int) -> None:
        """The axis is a principal one, so that the body does not wobble."""
        torque = np.eye(3)[axis] * 0.05
        _write(hammer, torque=torque)
        hammer.step(100)
        rate = hammer.get("links", "twist", _HAMMER)[3:]
        np.testing.assert_allclose(rate, torque * 0.1 / _INERTIA, rtol=1e-4, atol=hammer.precision)

    def test_the_centre_of_mass_moves_with_its_link(self, hammer: Bench) -> None:
        turned = (1.0, 2.0, 3.0, 0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5))  # x to y, y to -x
        hammer.write({("links", "pose"): {_HAMMER: turned}})
        x, y, z = HAMMER_CENTRE
        centre = hammer.get("links", "center_of_mass", _HAMMER)
        np.testing.assert_allclose(centre, [1.0 - y, 2.0 + x, 3.0 + z], atol=hammer.precision)

    def test_a_push_at_a_point_turns_too(self, hammer: Bench) -> None:
        """The torque is the lever times the force, both in the axes of the world."""
        world = World(hammer.simulator, steps_per_tick=20)
        link = world.links.select([_HAMMER])
        link.push((0.0, 0.0, 1.0), at=np.add(HAMMER_CENTRE, (0.0, 0.5, 0.0)))
        np.testing.assert_allclose(
            link.torque[:, 0], [[0.5, 0.0, 0.0]] * hammer.worlds, atol=hammer.precision
        )
        world.tick()
        np.testing.assert_allclose(link.twist[:, 0, 3], 0.5 * 0.02 / 0.02, rtol=1e-3)

    def test_a_force_on_a_link_that_is_fixed_to_another_moves_both(self, hammer: Bench) -> None:
        """The momentum of two links of 1 kg is the impulse, as for a rotor on its drone."""
        hammer.spawn(PAIR, "pair", (3, 0, 5))
        assert hammer.write({("links", "force"): {"pair::top": (4.0, 0.0, 0.0)}}) == ()
        hammer.step(20)
        links = ("pair::base", "pair::top")
        momentum = sum(hammer.get("links", "twist", link)[:3] for link in links)
        np.testing.assert_allclose(momentum, [0.08, 0.0, 0.0], atol=5e-4)

    def test_worlds_have_forces_of_their_own(self, hammer: Bench) -> None:
        """In world w the force is w N."""
        forces = np.zeros((hammer.worlds, 3))
        forces[:, 1] = np.arange(hammer.worlds)
        _write(hammer, force=forces)
        hammer.step(30)
        twists = hammer.tables([("links", "twist")]).links.twist[:, 0]
        np.testing.assert_allclose(twists[:, 1], forces[:, 1] * 0.03 / 3.0, atol=hammer.precision)

    def test_a_reset_ends_forces(self, hammer: Bench) -> None:
        _write(hammer, force=(100.0, 0.0, 0.0))
        hammer.reset()
        hammer.step(10)
        assert not hammer.get("links", "twist", _HAMMER).any()

    def test_a_snapshot_holds_forces(self, hammer: Bench, snapshots: Snapshots) -> None:
        _write(hammer, force=(3.0, 0.0, 0.0))
        state = snapshots.get_state()
        hammer.step(10)
        pushed = hammer.state("hammer")
        snapshots.set_state(state)
        hammer.step(10)
        assert hammer.state("hammer") == pushed

    def test_what_stands_still_takes_no_force(self, hammer: Bench) -> None:
        hammer.spawn(BLOCK, "block", (5, 0, 0))
        refused = hammer.write({("links", "force"): {"block::link": (0.0, 0.0, GRAVITY)}})
        assert {refusal.name for refusal in refused} == {"block::link"}
        assert hammer.write({("links", "force"): {"block::link": (0.0, 0.0, 0.0)}}) == ()


def _write(bench: Bench, **columns: ArrayLike) -> None:
    assert bench.write({("links", name): {_HAMMER: each} for name, each in columns.items()}) == ()


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
