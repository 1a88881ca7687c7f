# SPDX-License-Identifier: Apache-2.0
"""Motion through empty space, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_math import Pose, Vector3
from deepsim_sync.port.entities import Kind

from .base import GRAVITY, Conformance
from .bench import Bench, assert_same_pose
from .models import (
    BLOCK,
    BOX,
    HAMMER,
    HAMMER_CENTRE,
    HINGED,
    PAIR,
    RAISED,
)


class FlightCases(Conformance):
    """Motion of free bodies, and the meaning of a twist.

    Tolerances leave room for integrators of first order: half a step's change per step.
    """

    @pytest.mark.parametrize("velocity", [(0, 0, 0), (3, -2, 4)])
    def test_a_thrown_body_flies_along_a_parabola(
        self, bench: Bench, velocity: tuple[float, float, float]
    ) -> None:
        bench.spawn(BOX, "box", (1, 2, 20))
        bench.write({("models", "twist"): {"box": (*velocity, 0, 0, 0)}})
        time = bench.run(0.5)
        room = GRAVITY * time * bench.simulator.timestep
        change = np.array([0, 0, -GRAVITY * time])
        place = np.array([1, 2, 20]) + np.multiply(velocity, time) + change * time / 2
        np.testing.assert_allclose(bench.pose("box")[:3], place, atol=room)
        np.testing.assert_allclose(bench.twist("box")[:3], velocity + change, atol=room)
        np.testing.assert_allclose(bench.twist("box")[3:], 0, atol=room)

    @pytest.mark.parametrize(("sdf", "atol"), [(PAIR, 1e-9), (BLOCK, 0.0)])
    def test_static_models_and_those_without_gravity_stay(
        self, bench: Bench, sdf: str, atol: float
    ) -> None:
        bench.spawn(sdf, "model", (0, 0, 5))
        bench.run(0.2)
        assert_same_pose(bench.pose("model"), (0, 0, 5, 0, 0, 0, 1), atol=atol)

    @pytest.mark.parametrize("sdf", [HAMMER, RAISED])
    @pytest.mark.parametrize(("kind", "name"), [("models", "body"), ("links", "body::link")])
    def test_twist_is_the_motion_of_the_frame_origin(
        self, bench: Bench, kind: Kind, name: str, sdf: str
    ) -> None:
        """The twist of a body whose centre of mass is elsewhere fits the poses before and after.

        It is along the axes of the world, in which the body lies on its side.
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
