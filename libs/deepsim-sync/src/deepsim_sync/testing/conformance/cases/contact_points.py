# SPDX-License-Identifier: Apache-2.0
"""Where links touch."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deepsim_sync.port.contacts import ContactPoints, Contacts
from deepsim_sync.testing.conformance.bench import Bench
from deepsim_sync.testing.conformance.models import BLOCK, BOX, BOX_SIZE, GROUND

from .base import Conformance

HALF = BOX_SIZE[2] / 2
UP = np.array([0.0, 0.0, 1.0])
LIFTED = (0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 1.0)


class ContactPointConformance(Conformance):
    """The capability `Contacts`."""

    def test_a_box_on_the_ground_touches_it(self, bench: Bench, contacts: Contacts) -> None:
        """The points lie under the box at the ground's height, with normals straight up."""
        bench.spawn(GROUND, "ground", (0, 0, 0.5))
        bench.spawn(BOX, "box", (1, 2, 0.5 + HALF))
        bench.run(0.3)
        for world in {0, bench.worlds - 1}:
            points = contacts.read(world)
            assert len(points.links) >= 3
            assert _touching(bench, points) == {("box::link", "ground::link")}
            np.testing.assert_allclose(points.position[:, 2], 0.5, atol=2e-3)
            across = np.abs(points.position[:, :2] - bench.pose("box")[:2])
            assert (across <= np.array(BOX_SIZE[:2]) / 2 + 1e-3).all()
            np.testing.assert_allclose(_towards(bench, points, "box::link") - UP, 0, atol=1e-2)
            assert (np.abs(points.depth) < 5e-3).all()

    def test_the_points_are_new_arrays(self, bench: Bench, contacts: Contacts) -> None:
        """One row for each point."""
        bench.spawn(GROUND, "ground")
        bench.spawn(BOX, "box", (0, 0, HALF - 1e-3))
        points, again = contacts.read(), contacts.read()
        count = len(points.depth)
        assert count > 0
        assert [each.shape for each in points] == [(count, 2), (count, 3), (count, 3), (count,)]
        assert [each.dtype for each in points] == [np.intp, *[np.float64] * 3]
        for each, other in zip(points, again):
            assert not np.shares_memory(each, other)
            np.testing.assert_array_equal(each, other)
        np.testing.assert_allclose(points.depth, 1e-3, atol=1e-4)

    def test_nothing_touches_in_the_air(self, bench: Bench, contacts: Contacts) -> None:
        """Without contacts the arrays have no rows."""
        for _ in range(2):
            points = contacts.read()
            assert [each.shape for each in points] == [(0, 2), (0, 3), (0, 3), (0,)]
            if "box" not in bench.entities.models:
                bench.spawn(GROUND, "ground")
                bench.spawn(BOX, "box", (0, 0, 2))
                bench.step()

    def test_every_pair_is_named(self, bench: Bench, contacts: Contacts) -> None:
        """A box between a static one and another box touches both; the normals point its way."""
        bench.spawn(BOX, "top", (0.05, 0, 5 + 4 * HALF))
        bench.spawn(BLOCK, "block", (0, 0, 5))
        bench.spawn(BOX, "box", (0, 0, 5 + 2 * HALF))
        bench.run(0.2)
        points = contacts.read(bench.worlds - 1)
        pairs = {("block::link", "box::link"), ("box::link", "top::link")}
        assert _touching(bench, points) == pairs
        low = points.position[:, 2] < 5 + 2 * HALF
        towards = _towards(bench, points, "box::link")
        np.testing.assert_allclose(towards[low] - UP, 0, atol=1e-2)
        np.testing.assert_allclose(towards[~low] + UP, 0, atol=1e-2)

    def test_they_are_those_of_the_present_instant(self, bench: Bench, contacts: Contacts) -> None:
        """A box that was lifted touches nothing, without a step; put down again it does."""
        bench.spawn(GROUND, "ground")
        bench.spawn(BOX, "box", (0, 0, HALF))
        bench.run(0.2)
        resting = bench.pose("box")
        assert len(contacts.read().depth) > 0
        bench.write({("models", "pose"): {"box": LIFTED}})
        assert len(contacts.read().depth) == 0
        bench.write({("models", "pose"): {"box": resting}})
        assert len(contacts.read().depth) > 0

    def test_each_world_has_its_own(self, bench: Bench, contacts: Contacts) -> None:
        """A box that was lifted in some worlds touches the ground in the others."""
        bench.spawn(GROUND, "ground")
        bench.spawn(BOX, "box", (0, 0, HALF))
        bench.run(0.2)
        lifted = list(range(0, bench.worlds, 2))
        bench.write({("models", "pose"): {"box": LIFTED}}, lifted)
        for world in range(bench.worlds):
            assert (len(contacts.read(world).depth) == 0) == (world in lifted)

    def test_reading_them_changes_nothing(self, bench: Bench, contacts: Contacts) -> None:
        """A run in which they are read goes as one in which they are not."""
        self.need_determinism()
        bench.spawn(GROUND, "ground")
        bench.spawn(BOX, "box", (0, 0, HALF + 0.01))
        runs = []
        for read in (True, False):
            bench.write({("models", "twist"): {"box": (1.0, 0.2, 0, 0.5, 0, 1)}})
            for _ in range(60):
                if read:
                    contacts.read(bench.worlds - 1)
                bench.step()
            runs.append(bench.state("box"))
            bench.reset()
        assert runs[0] == runs[1]


def _touching(bench: Bench, points: ContactPoints) -> set[tuple[str, ...]]:
    """The pairs of names that touch, each in the order of the alphabet."""
    names = bench.entities.links
    assert (points.links >= 0).all()
    return {tuple(sorted(names[row] for row in pair)) for pair in points.links.tolist()}


def _towards(bench: Bench, points: ContactPoints, link: str) -> NDArray[np.float64]:
    """The normals, (k, 3), turned to point to one link."""
    np.testing.assert_allclose(np.linalg.norm(points.normal, axis=1), 1.0, atol=1e-9)
    second = points.links[:, 1] == bench.entities.links.row(link)
    assert (second | (points.links[:, 0] == bench.entities.links.row(link))).all()
    return np.where(second[:, None], points.normal, -points.normal)
