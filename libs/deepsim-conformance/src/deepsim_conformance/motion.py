# SPDX-License-Identifier: Apache-2.0
"""Time, and free motion compared with closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_math import Pose, Vector3
from deepsim_sync.port.cameras import CameraView
from deepsim_sync.port.entities import Kind
from deepsim_sync.port.tables import STATE_COLUMNS

from .base import GRAVITY, Conformance
from .bench import Bench, assert_same_pose
from .models import BLOCK, BOX, GROUND, HAMMER, HAMMER_CENTRE, HINGED, PAIR, RAISED
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
