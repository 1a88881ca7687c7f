# SPDX-License-Identifier: Apache-2.0
"""Time, and free motion compared with closed forms; twists of models with joints."""

from __future__ import annotations

from typing import Tuple

import numpy as np
import pytest
from numpy.typing import NDArray

from deepsim_math import Pose, Vector3
from deepsim_sync.port.cameras import CameraView
from deepsim_sync.port.entities import Kind
from deepsim_sync.port.tables import STATE_COLUMNS

from .base import GRAVITY, Conformance
from .bench import Bench, assert_same_pose
from .models import (
    BLOCK,
    BOX,
    CHAIN,
    CHAIN_MASSES,
    GROUND,
    HAMMER,
    HAMMER_CENTRE,
    HINGED,
    PAIR,
    PARTS,
    PENDULUM,
    RAISED,
)
from .runs import SCALING, Run

PUSH = (0.4, 0.1, 1.0, 2.0, -1.0, 0.5)


class ClockCases(Conformance):
    """`step`, `time` and `reset`."""

    def test_only_steps_take_time(self, bench: Bench) -> None:
        """Times are (W,) float64 arrays that never change, without drift over 10 000 steps."""
        simulator = bench.simulator
        assert bench.time == 0.0
        assert simulator.timestep == pytest.approx(0.001)
        for _ in range(100):
            simulator.step(100)
        time = simulator.time
        assert time.shape == (bench.worlds,)
        assert time.dtype == np.float64
        np.testing.assert_allclose(time, 10_000 * simulator.timestep, rtol=1e-15)
        kept = time.copy()
        simulator.step()
        np.testing.assert_array_equal(time, kept)
        if time.flags.writeable:
            time[:] = 7.0
        bench.spawn(BOX, "box", (0, 0, 9))
        bench.write({("models", "twist"): {"box": PUSH}})
        before = bench.state("box")
        assert bench.state("box") == before
        assert bench.time == pytest.approx(10_001 * simulator.timestep, rel=1e-15, abs=0)

    @pytest.mark.parametrize("n", [0, -1])
    def test_fewer_steps_than_one_are_refused(self, bench: Bench, n: int) -> None:
        with pytest.raises(ValueError, match=str(n)):
            bench.simulator.step(n)
        assert bench.time == 0.0

    def test_many_steps_are_as_many_single_ones(self, bench: Bench) -> None:
        """Orientations stay unit quaternions while a body tumbles."""
        bench.spawn(BOX, "box", (0, 0, 5))
        bench.spawn(HAMMER, "hammer", (0, 3, 5))
        ends = []
        for n in (400, 1):
            bench.write({("models", "twist"): {"box": PUSH, "hammer": PUSH}})
            for _ in range(400 // n):
                bench.simulator.step(n)
            ends.append(bench.tables(STATE_COLUMNS))
            bench.simulator.reset()
        for key in STATE_COLUMNS:
            np.testing.assert_allclose(
                ends[0].columns[key], ends[1].columns[key], atol=bench.precision
            )
        for kind in ("models", "links"):
            lengths = np.linalg.norm(ends[0].columns[kind, "pose"][..., 3:], axis=-1)
            np.testing.assert_allclose(lengths, 1, atol=bench.precision)

    @pytest.mark.parametrize("by_number", [False, True])
    def test_a_reset_goes_back_to_the_start(self, bench: Bench, by_number: bool) -> None:
        """The time is 0, and all models are at rest at their spawn poses."""
        bench.spawn(BOX, "box", (0, 0, 5))
        bench.spawn(BLOCK, "wall", (3, 0, 1))
        bench.write({("models", "twist"): {"box": PUSH}})
        bench.simulator.step(20)
        bench.spawn(BLOCK, "late", (7, 0, 1))
        bench.write({("models", "pose"): {"late": (9, 9, 9, 0, 0, 0, 1)}})
        bench.simulator.step(20)
        worlds = np.arange(bench.worlds) if by_number else None
        bench.simulator.reset(worlds, seeds=[3] * bench.worlds)
        assert bench.time == 0.0
        assert bench.models == ["box", "wall", "late"]
        for name, position in (("box", (0, 0, 5)), ("wall", (3, 0, 1)), ("late", (7, 0, 1))):
            assert_same_pose(bench.pose(name), (*position, 0, 0, 0, 1))
            np.testing.assert_array_equal(bench.twist(name), 0)

    def test_what_follows_a_reset_is_a_first_run(self, bench: Bench) -> None:
        """The same calls after a reset give the same bytes as the first time.

        The scene has no joints, because some engines begin to solve them from their last solution.
        """
        run = Run(bench, "bodies")
        first = run.rounds(0, SCALING + 3)
        bench.simulator.reset(seeds=[1] * bench.worlds)
        assert run.rounds(0, SCALING + 3) == first

    def test_looking_changes_nothing(self, bench: Bench) -> None:
        """Reading, rendering and contact queries do not change a run."""
        contacts, cameras = bench.simulator.contacts, bench.simulator.cameras
        view, last = CameraView(Pose((-1.5, 0, 0.2)), width=16, height=12), bench.worlds - 1
        if contacts is not None:
            bench.spawn(GROUND, "ground")
        bench.spawn(BOX, "box", (0, 0, 0.11))
        ends = []
        for watched in (False, True):
            bench.simulator.reset()
            bench.write({("models", "twist"): {"box": PUSH}})
            for step in range(60):
                if watched:
                    bench.tables()
                    if contacts is not None:
                        contacts.read(last)
                    if cameras is not None and step % 20 == 0:
                        cameras.render(view, last)
                bench.simulator.step()
            ends.append((bench.state("box"), bench.time))
        assert ends[0] == ends[1]

    def test_closing_twice_does_no_harm(self, worlds: int) -> None:
        simulator = self.make_simulator(worlds)
        simulator.close()
        simulator.close()


class FlightCases(Conformance):
    """Motion of free bodies, and the meaning of a twist.

    Tolerances leave room for first-order integrators: half of one step's change, for each step.
    """

    def test_a_thrown_body_flies_along_a_parabola(self, bench: Bench) -> None:
        velocity = np.array([3, -2, 4])
        bench.spawn(BOX, "box", (1, 2, 20))
        bench.write({("models", "twist"): {"box": (*velocity, 0, 0, 0)}})
        time = bench.run(0.5)
        room = GRAVITY * time * bench.simulator.timestep
        change = np.array([0, 0, -GRAVITY * time])
        place = (1, 2, 20) + (velocity + change / 2) * time
        np.testing.assert_allclose(bench.pose("box")[:3], place, atol=room)
        twist = [*(velocity + change), 0, 0, 0]
        np.testing.assert_allclose(bench.twist("box"), twist, atol=room)

    @pytest.mark.parametrize("sdf", [PAIR, BLOCK])
    def test_static_models_and_those_without_gravity_stay(self, bench: Bench, sdf: str) -> None:
        bench.spawn(sdf, "model", (0, 0, 5))
        bench.run(0.2)
        room = 0.0 if sdf == BLOCK else bench.precision
        assert_same_pose(bench.pose("model"), (0, 0, 5, 0, 0, 0, 1), atol=room)

    @pytest.mark.parametrize("sdf", [HAMMER, RAISED])
    @pytest.mark.parametrize(("kind", "name"), [("models", "body"), ("links", "body::link")])
    def test_twist_is_the_motion_of_the_frame_origin(
        self, bench: Bench, kind: Kind, name: str, sdf: str
    ) -> None:
        """The twist of a body whose centre of mass is elsewhere fits the poses before and after.

        The twist is along the axes of the world; the body lies on its side.
        """
        bench.spawn(sdf, "body", (0, 0, 5, 0.5, -0.5, 0.5, 0.5))
        bench.write({(kind, "twist"): {name: (1, -2, 0.5, 2, -3, 1)}})
        bench.simulator.step(20)
        before = Pose.from_array(bench.get(kind, "pose", name))
        bench.simulator.step()
        twist = bench.get(kind, "twist", name)
        time = 2 * bench.simulator.timestep
        bench.simulator.step()
        after = Pose.from_array(bench.get(kind, "pose", name))
        moved = np.asarray(after.position - before.position) / time
        turn = after.orientation * before.orientation.inverse()
        turned = 2 * np.sign(turn.w) * np.array([turn.x, turn.y, turn.z]) / time
        np.testing.assert_allclose(moved, twist[:3], atol=0.02)
        np.testing.assert_allclose(turned, twist[3:], atol=0.02)

    def test_the_centre_of_mass_flies_straight(self, bench: Bench) -> None:
        """A spinning body's frame circles; its centre of mass keeps its velocity."""
        bench.spawn(HAMMER, "hammer", (0, 0, 5))
        spin, velocity = np.array([0, 0, 3.0]), np.array([1.0, 0.5, 0])
        arm = np.array(HAMMER_CENTRE)
        bench.write({("models", "twist"): {"hammer": [*(velocity - np.cross(spin, arm)), *spin]}})
        time = bench.run(0.5)
        centre = Pose.from_array(bench.pose("hammer")).transform_point(Vector3(*HAMMER_CENTRE))
        np.testing.assert_allclose(
            centre, [0, 0, 5] + arm + velocity * time, atol=5 * bench.simulator.timestep
        )

    def test_hinged_links_stay_together(self, bench: Bench) -> None:
        """A link on a joint moves with its parent, apart from its turn about the axis."""
        bench.spawn(HINGED, "gate", (0, 0, 50))
        bench.write({("models", "twist"): {"gate": (1, 2, 3, 0, 0, 0)}})
        bench.run(0.3)
        base = Pose.from_array(bench.get("links", "pose", "gate::base"))
        door = Pose.from_array(bench.get("links", "pose", "gate::door"))
        assert base.relative(door).position.isclose((0.5, 0, 0), abs_tol=5e-3)
        assert base.relative(door).up.isclose((0, 0, 1), abs_tol=5e-3)


TURNED = (1.0, -2.0, 3.0, 0.5, -0.5, 0.5, 0.5)
TWIST = (0.5, -1.0, 2.0, 0.3, 0.2, -0.1)
OTHER = (-0.2, 0.4, 0.1, -0.5, 0.6, 0.7)
AT_REST = (0.0,) * 6
RATES = {"chain::first": 1.5, "chain::second": -2.5}

_Floats = NDArray[np.float64]
_Motion = Tuple[_Floats, _Floats]


class TwistCases(Conformance):
    """Twists of models with joints, as docs/joints.md defines them."""

    @pytest.fixture
    def chain(self, bench: Bench) -> Bench:
        """Returns a bench with a free chain whose two hinges turn."""
        bench.spawn(CHAIN, "chain", TURNED)
        if not len(bench.entities.joints):
            pytest.skip("this simulator has no joints")
        bench.write({("joints", "position"): {"chain::first": 0.4, "chain::second": -0.7}})
        bench.write({("joints", "velocity"): RATES})
        return bench

    @pytest.mark.parametrize(
        ("kind", "name"), [("models", "chain"), ("links", "chain::base")], ids=["model", "root"]
    )
    @pytest.mark.parametrize("twist", [TWIST, AT_REST], ids=["moves", "rests"])
    def test_joints_keep_their_rates_under_a_twist(
        self, chain: Bench, kind: Kind, name: str, twist: tuple[float, ...]
    ) -> None:
        """The twists of all links change by one rigid motion, and positions do not change."""
        before = {link: _of(chain, link) for link in CHAIN_MASSES}
        held = dict(zip(RATES, _positions(chain)))
        assert chain.write({(kind, "twist"): {name: twist}}) == ()
        np.testing.assert_allclose(
            chain.get(kind, "twist", name), twist, rtol=0, atol=chain.precision
        )
        base = before["chain::base"]
        change = np.asarray(twist) - base[1]
        for link, (pose, old) in before.items():
            new_pose, new = _of(chain, link)
            arm = pose[:3] - base[0][:3]
            expected = [*(change[:3] + np.cross(change[3:], arm)), *change[3:]]
            np.testing.assert_allclose(new - old, expected, rtol=0, atol=chain.precision)
            np.testing.assert_allclose(new_pose, pose, rtol=0, atol=1e-12)
        for joint, rate in RATES.items():
            assert chain.get("joints", "velocity", joint) == pytest.approx(
                rate, abs=chain.precision
            )
            assert chain.get("joints", "position", joint) == pytest.approx(held[joint], abs=1e-12)

    def test_a_jointed_model_flies_by_its_momentum(self, chain: Bench) -> None:
        """Without gravity, the model's centre of mass moves straight on, as its twists predict."""
        chain.write({("models", "twist"): {"chain": TWIST}})
        start, velocity = _centre(chain)
        time = chain.run(0.3)
        end, _ = _centre(chain)
        np.testing.assert_allclose(end, start + velocity * time, rtol=0, atol=2e-3)

    @pytest.mark.parametrize(
        ("sdf", "link"), [(HINGED, "door"), (PAIR, "top"), (PENDULUM, "link")], ids=str
    )
    def test_a_link_on_a_joint_has_no_twist_of_its_own(
        self, bench: Bench, sdf: str, link: str
    ) -> None:
        """Such a twist is refused with the row's name, even if it is zero, and nothing changes."""
        bench.spawn(sdf, "model", (0, 0, 5))
        bench.write({("models", "twist"): {"model": AT_REST if sdf == PENDULUM else TWIST}})
        before = bench.state("model")
        for twist in (OTHER, AT_REST):
            (refusal,) = bench.write({("links", "twist"): {f"model::{link}": twist}})
            assert refusal[:3] == ("links", "twist", f"model::{link}")
            assert refusal.reason
            assert bench.state("model") == before

    def test_a_model_that_hangs_in_the_world_has_no_twist(self, bench: Bench) -> None:
        """A zero twist is accepted, as for a static model; the joints go on moving in any case."""
        bench.spawn(PENDULUM, "pendulum", (0, 0, 5))
        if len(bench.entities.joints):
            bench.write({("joints", "velocity"): {"pendulum::joint": 2.0}})
        before = bench.state("pendulum")
        (refusal,) = bench.write({("models", "twist"): {"pendulum": TWIST}})
        assert refusal[:3] == ("models", "twist", "pendulum")
        assert "joint" in refusal.reason
        assert bench.state("pendulum") == before
        assert bench.write({("models", "twist"): {"pendulum": AT_REST}}) == ()
        assert bench.state("pendulum") == before

    def test_separate_parts_of_a_model_move_as_one(self, bench: Bench) -> None:
        """A model of a loose link and a jointed pair: each root gets the twist's rigid motion."""
        bench.spawn(PARTS, "parts", TURNED)
        bench.write({("models", "twist"): {"parts": OTHER}})
        bench.write({("links", "twist"): {"parts::loose": TWIST}})
        if len(bench.entities.joints):
            bench.write({("joints", "velocity"): {"parts::joint": 2.0}})
        assert bench.write({("models", "twist"): {"parts": TWIST}}) == ()
        origin = _of(bench, "parts::base")[0][:3]
        for link in ("parts::base", "parts::loose"):
            pose, twist = _of(bench, link)
            linear = np.add(TWIST[:3], np.cross(TWIST[3:], pose[:3] - origin))
            np.testing.assert_allclose(twist, [*linear, *TWIST[3:]], rtol=0, atol=bench.precision)
        if len(bench.entities.joints):
            assert bench.get("joints", "velocity", "parts::joint") == pytest.approx(
                2.0, abs=bench.precision
            )


def _of(bench: Bench, link: str) -> _Motion:
    return bench.get("links", "pose", link), bench.get("links", "twist", link)


def _positions(bench: Bench) -> _Floats:
    return np.array([bench.get("joints", "position", joint) for joint in RATES])


def _centre(bench: Bench) -> _Motion:
    """Returns the position [m] and the velocity [m/s] of the chain's centre of mass."""
    place, velocity = np.zeros(3), np.zeros(3)
    for link, (mass, centre) in CHAIN_MASSES.items():
        pose, twist = _of(bench, link)
        arm = np.asarray(Pose.from_array(pose).transform_point(centre)) - pose[:3]
        place += mass * (pose[:3] + arm)
        velocity += mass * (twist[:3] + np.cross(twist[3:], arm))
    total = sum(mass for mass, _ in CHAIN_MASSES.values())
    return place / total, velocity / total
