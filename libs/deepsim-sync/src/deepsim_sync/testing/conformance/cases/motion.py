# SPDX-License-Identifier: Apache-2.0
"""Motion through empty space, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_math import Pose, Vector3
from deepsim_sync.port.entities import Kind
from deepsim_sync.testing.conformance.bench import Bench, assert_same_pose
from deepsim_sync.testing.conformance.models import (
    BLOCK,
    BOX,
    HAMMER,
    HAMMER_CENTRE,
    HINGED,
    PAIR,
    RAISED,
)

from .base import GRAVITY, Conformance


class MotionConformance(Conformance):
    """Motion of free bodies, and the meaning of a twist.

    Tolerances leave room for integrators of first order: half a step's change per step.
    """

    def test_free_fall(self, bench: Bench) -> None:
        """A body falls by g t^2 / 2, and its speed is g t."""
        bench.spawn(BOX, "box", (1, 2, 20))
        time = bench.run(0.5) * bench.simulator.timestep
        room = GRAVITY * time * bench.simulator.timestep
        fallen = (1, 2, 20 - GRAVITY * time**2 / 2)
        np.testing.assert_allclose(bench.pose("box")[:3], fallen, atol=room)
        np.testing.assert_allclose(bench.twist("box"), [0, 0, -GRAVITY * time, 0, 0, 0], atol=room)

    def test_throw(self, bench: Bench) -> None:
        """A thrown body keeps its horizontal speed."""
        bench.spawn(BOX, "box", (0, 0, 20))
        bench.write({("models", "twist"): {"box": (3, -2, 4, 0, 0, 0)}})
        time = bench.run(0.5) * bench.simulator.timestep
        room = GRAVITY * time * bench.simulator.timestep
        place = (3 * time, -2 * time, 20 + 4 * time - GRAVITY * time**2 / 2)
        np.testing.assert_allclose(bench.pose("box")[:3], place, atol=room)

    def test_without_gravity_nothing_falls(self, bench: Bench) -> None:
        """Links that are free of gravity stay where they are."""
        bench.spawn(PAIR, "pair", (0, 0, 5))
        bench.run(0.2)
        assert_same_pose(bench.pose("pair"), (0, 0, 5, 0, 0, 0, 1))

    def test_static_models_stay(self, bench: Bench) -> None:
        """Gravity does not move a static model."""
        bench.spawn(BLOCK, "wall", (0, 0, 5))
        bench.run(0.2)
        assert_same_pose(bench.pose("wall"), (0, 0, 5, 0, 0, 0, 1), atol=0.0)

    def test_angular_velocity_is_in_the_world_frame(self, bench: Bench) -> None:
        """A body that lies on its side still turns about the world's z axis."""
        bench.spawn(HAMMER, "hammer", (0, 0, 5, np.sqrt(0.5), 0, 0, np.sqrt(0.5)))
        bench.write({("models", "twist"): {"hammer": (0, 0, 0, 0, 0, 2)}})
        side = Pose.from_array(bench.pose("hammer")).up
        bench.simulator.step(10)
        angle = 2 * 10 * bench.simulator.timestep
        turned = Pose.from_array(bench.pose("hammer")).up
        about_z = side.x * turned.y - side.y * turned.x
        assert np.arcsin(about_z) == pytest.approx(angle, rel=1e-2)
        assert turned.z == pytest.approx(0.0, abs=1e-3)

    @pytest.mark.parametrize("sdf", [HAMMER, RAISED])
    @pytest.mark.parametrize("kind", ["models", "links"])
    def test_twist_is_the_motion_of_the_frame_origin(
        self, bench: Bench, kind: Kind, sdf: str
    ) -> None:
        """The twist of a body whose centre of mass is elsewhere fits the poses before and after."""
        name = "body" if kind == "models" else "body::link"
        bench.spawn(sdf, "body", (0, 0, 5, 0.5, -0.5, 0.5, 0.5))
        bench.write({(kind, "twist"): {name: (1, -2, 0.5, 2, -3, 1)}})
        step = bench.simulator.timestep
        bench.simulator.step(20)
        before = Pose.from_array(bench.get(kind, "pose", name))
        bench.simulator.step()
        twist = bench.get(kind, "twist", name)
        bench.simulator.step()
        after = Pose.from_array(bench.get(kind, "pose", name))
        moved = np.asarray(after.position - before.position) / (2 * step)
        turn = after.orientation * before.orientation.inverse()
        turned = 2 * np.sign(turn.w) * np.array([turn.x, turn.y, turn.z]) / (2 * step)
        np.testing.assert_allclose(moved, twist[:3], atol=0.02)
        np.testing.assert_allclose(turned, twist[3:], atol=0.02)

    def test_the_centre_of_mass_flies_straight(self, bench: Bench) -> None:
        """A spinning body's frame circles; its centre of mass keeps its velocity."""
        bench.spawn(HAMMER, "hammer", (0, 0, 5))
        spin, velocity = np.array([0, 0, 3.0]), np.array([1.0, 0.5, 0])
        arm = np.array(HAMMER_CENTRE)
        bench.write({("models", "twist"): {"hammer": [*(velocity - np.cross(spin, arm)), *spin]}})
        time = bench.run(0.5) * bench.simulator.timestep
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
