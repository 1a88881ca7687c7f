# SPDX-License-Identifier: Apache-2.0
"""Bodies that touch."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_sync.testing.conformance.bench import Bench, assert_same_pose
from deepsim_sync.testing.conformance.models import BLOCK, BOX, BOX_MU, BOX_SIZE, GROUND

from .base import GRAVITY, Conformance

HALF = BOX_SIZE[2] / 2


class ContactConformance(Conformance):
    """Resting, sliding and pushing."""

    def test_a_box_comes_to_rest_on_the_ground(self, bench: Bench) -> None:
        """A dropped box lies at half its height and does not move any more."""
        bench.spawn(GROUND, "ground")
        bench.spawn(BOX, "box", (0, 0, HALF + 0.1))
        bench.run(1.5)
        assert_same_pose(bench.pose("box"), (0, 0, HALF, 0, 0, 0, 1), atol=2e-3)
        np.testing.assert_allclose(bench.twist("box"), 0, atol=1e-2)

    def test_a_box_slides_as_friction_allows(self, bench: Bench) -> None:
        """A pushed box stops after v^2 / (2 mu g); the lower mu of a pair counts."""
        bench.spawn(GROUND, "ground")
        bench.spawn(BOX, "box", (0, 0, HALF))
        bench.run(0.2)
        start = bench.pose("box")
        bench.write({("models", "twist"): {"box": (2, 0, 0, 0, 0, 0)}})
        bench.run(1.5)
        way = bench.pose("box")[0] - start[0]
        assert way == pytest.approx(2**2 / (2 * BOX_MU * GRAVITY), rel=0.05)
        np.testing.assert_allclose(bench.twist("box"), 0, atol=1e-2)

    def test_a_moved_static_model_is_solid_at_its_new_place(self, bench: Bench) -> None:
        """A box falls past where a block was, and rests on the block where it is now."""
        bench.spawn(GROUND, "ground")
        bench.spawn(BLOCK, "block", (0, 0, 0.5))
        bench.spawn(BOX, "left", (0, 0, 1))
        bench.spawn(BOX, "right", (5, 0, 1))
        bench.write({("models", "pose"): {"block": (5, 0, 0.5, 0, 0, 0, 1)}})
        bench.run(1.5)
        assert bench.pose("left")[2] == pytest.approx(HALF, abs=2e-3)
        assert bench.pose("right")[2] == pytest.approx(0.5 + 2 * HALF, abs=2e-3)
        assert_same_pose(bench.pose("block"), (5, 0, 0.5, 0, 0, 0, 1), atol=0.0)

    def test_a_moved_body_leaves_its_contacts(self, bench: Bench) -> None:
        """A resting box that is lifted falls again from there."""
        bench.spawn(GROUND, "ground")
        bench.spawn(BOX, "box", (0, 0, HALF))
        bench.run(0.5)
        bench.write({("models", "pose"): {"box": (3, 0, 2, 0, 0, 0, 1)}})
        time = bench.run(0.3) * bench.simulator.timestep
        assert bench.pose("box")[2] == pytest.approx(2 - GRAVITY * time**2 / 2, abs=5e-3)

    def test_a_deleted_model_is_solid_no_more(self, bench: Bench) -> None:
        """A box that rested on a model falls when that is deleted."""
        bench.spawn(GROUND, "ground")
        bench.spawn(BLOCK, "block", (0, 0, 0.5))
        bench.spawn(BOX, "box", (0, 0, 0.5 + 2 * HALF))
        bench.run(0.3)
        assert bench.pose("box")[2] == pytest.approx(0.5 + 2 * HALF, abs=2e-3)
        bench.simulator.delete("block")
        bench.run(1.0)
        assert bench.pose("box")[2] == pytest.approx(HALF, abs=2e-3)
