# SPDX-License-Identifier: Apache-2.0
"""Bodies that touch."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_sync.port.capabilities import Contacts

from .base import GRAVITY, Conformance
from .bench import Bench, assert_same_pose
from .models import BLOCK, BOX, BOX_MU, BOX_SIZE, GROUND

BOX_MASS = 2.0  # [kg]
HALF = BOX_SIZE[2] / 2
UP = np.array([0.0, 0.0, 1.0])
LIFTED = (3.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0)
NO_POINTS = [(0, 2), (0, 3), (0, 3), (0,), (0, 3)]


class ContactCases(Conformance):
    """Resting, sliding and pushing, and the capability `Contacts`."""

    @pytest.fixture
    def ground(self, bench: Bench) -> None:
        bench.spawn(GROUND, "ground")

    def test_a_box_rests_and_slides_on_the_ground(self, bench: Bench, ground: None) -> None:
        """After a push, the box stops within v^2 / (2 mu g); the lower mu of a pair counts."""
        bench.spawn(BOX, "box", (0, 0, HALF + 0.1))
        bench.run(1.5)
        start = bench.pose("box")
        assert_same_pose(start, (0, 0, HALF, 0, 0, 0, 1), atol=2e-3)
        np.testing.assert_allclose(bench.twist("box"), 0, atol=1e-2)
        bench.write({("models", "twist"): {"box": (2, 0, 0, 0, 0, 0)}})
        bench.run(1.5)
        way = bench.pose("box")[0] - start[0]
        assert way == pytest.approx(2**2 / (2 * BOX_MU * GRAVITY), rel=0.05)
        np.testing.assert_allclose(bench.twist("box"), 0, atol=1e-2)

    def test_a_static_model_is_solid_where_it_is(self, bench: Bench, ground: None) -> None:
        """Boxes fall through a block's former place, rest on it, and fall when it is deleted."""
        bench.spawn(BLOCK, "block", (0, 0, 0.5))
        bench.spawn(BOX, "left", (0, 0, 1))
        bench.spawn(BOX, "right", (5, 0, 1))
        bench.write({("models", "pose"): {"block": (5, 0, 0.5, 0, 0, 0, 1)}})
        bench.run(1.5)
        assert bench.pose("left")[2] == pytest.approx(HALF, abs=2e-3)
        assert bench.pose("right")[2] == pytest.approx(0.5 + 2 * HALF, abs=2e-3)
        assert_same_pose(bench.pose("block"), (5, 0, 0.5, 0, 0, 0, 1), atol=0.0)
        bench.simulator.delete("block")
        bench.write({("models", "twist"): {"right": (0, 0, -0.1, 0, 0, 0)}})  # it may have slept
        bench.run(1.0)
        assert bench.pose("right")[2] == pytest.approx(HALF, abs=2e-3)

    def test_a_moved_body_leaves_its_contacts(self, bench: Bench, ground: None) -> None:
        """A resting box that is lifted falls from its new place."""
        bench.spawn(BOX, "box", (0, 0, HALF))
        bench.run(0.5)
        bench.write({("models", "pose"): {"box": LIFTED}})
        time = bench.run(0.3)
        assert bench.pose("box")[2] == pytest.approx(2 - GRAVITY * time**2 / 2, abs=5e-3)

    def test_contact_points_lie_where_links_touch(self, bench: Bench, contacts: Contacts) -> None:
        """A box between a block and another box touches both, with normals that point to it."""
        bench.spawn(BOX, "top", (1.05, 2, 5 + 4 * HALF))
        bench.spawn(BLOCK, "block", (1, 2, 5))
        bench.spawn(BOX, "box", (1, 2, 5 + 2 * HALF))
        bench.run(0.2)
        for world in {0, bench.worlds - 1}:
            points = contacts.read(world)
            assert (np.abs(points.depth) < 5e-3).all()
            across = np.abs(points.position[:, :2] - bench.pose("box")[:2])
            assert (across <= np.array(BOX_SIZE[:2]) / 2 + 1e-3).all()
            low = points.position[:, 2] < 5 + 2 * HALF
            assert min(low.sum(), (~low).sum()) >= 3
            np.testing.assert_allclose(points.position[low, 2], 5 + HALF, atol=2e-3)
            np.testing.assert_allclose(points.position[~low, 2], 5 + 3 * HALF, atol=2e-3)
            assert (points.links >= 0).all()
            for pair, is_low, normal in zip(points.links, low, points.normal):
                names = [bench.entities.links[row] for row in pair]
                assert sorted(names) == sorted(
                    ["box::link", "block::link" if is_low else "top::link"]
                )
                towards = normal if names[1] == "box::link" else -normal
                np.testing.assert_allclose(towards, UP if is_low else -UP, atol=1e-2)
            np.testing.assert_allclose(
                np.linalg.norm(points.normal, axis=1), 1.0, atol=bench.precision
            )

    def test_contact_forces_bear_the_weight(
        self, bench: Bench, contacts: Contacts, ground: None
    ) -> None:
        """The first link exerts the force on the second: the ground pushes a resting box up."""
        bench.spawn(BOX, "box", (0, 0, HALF))
        bench.run(1.0)
        for world in {0, bench.worlds - 1}:
            points = contacts.read(world)
            box = bench.entities.links.row("box::link")
            on_box = np.where(points.links[:, 1:] == box, points.force, -points.force)
            weight = BOX_MASS * GRAVITY
            np.testing.assert_allclose(on_box.sum(axis=0), (0, 0, weight), atol=1e-3 * weight)

    def test_contact_points_are_new_arrays(self, bench: Bench, contacts: Contacts) -> None:
        """There is one row for each point, and no array shares memory with an earlier one."""
        assert [each.shape for each in contacts.read()] == NO_POINTS
        bench.spawn(GROUND, "ground")
        bench.spawn(BOX, "box", (0, 0, HALF - 1e-3))
        points, again = contacts.read(), contacts.read()
        count = len(points.depth)
        assert count > 0
        assert [each.shape for each in points] == [
            (count, 2),
            (count, 3),
            (count, 3),
            (count,),
            (count, 3),
        ]
        assert [each.dtype for each in points] == [np.intp, *[np.float64] * 4]
        assert not any(np.shares_memory(*pair) for pair in zip(points, again))
        assert all(np.array_equal(*pair) for pair in zip(points, again))
        np.testing.assert_allclose(points.depth, 1e-3, atol=1e-4)

    def test_contact_points_are_those_of_one_world_now(
        self, bench: Bench, contacts: Contacts, ground: None
    ) -> None:
        """A lifted box has no contacts, even without a step, and has them when put down again."""
        bench.spawn(BOX, "box", (0, 0, HALF))
        bench.run(0.2)
        resting = bench.pose("box")
        lifted = range(0, bench.worlds, 2)
        for pose, expected in ((LIFTED, set(lifted)), (resting, set())):
            bench.write({("models", "pose"): {"box": pose}}, lifted)
            free = {w for w in range(bench.worlds) if len(contacts.read(w).depth) == 0}
            assert free == expected
        bench.write({("models", "pose"): {"box": LIFTED}})
        bench.step()
        assert [each.shape for each in contacts.read()] == NO_POINTS
