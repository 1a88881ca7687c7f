# SPDX-License-Identifier: Apache-2.0
"""Many models at once."""

from __future__ import annotations

from typing import Sequence

import numpy as np
import pytest

from deepsim_sync.errors import DuplicateEntityError, SpawnError
from deepsim_sync.port.spawning import SpawnRequest
from deepsim_sync.testing.conformance.bench import Bench
from deepsim_sync.testing.conformance.models import BOX, LAMP, PAIR

from .base import Conformance


class SpawnRequestConformance(Conformance):
    """`spawn` of many models."""

    def test_all_are_added_in_one_generation(self, bench: Bench) -> None:
        """Each is where it was asked for, in the order of the requests, after the older ones."""
        bench.spawn(LAMP, "lamp", (0, 5, 0))
        generations = {bench.entities.generation}
        names = [f"box{n}" for n in range(20)]
        pair = bench.request(PAIR, "pair", (0, -5, 9))
        bench.simulator.spawn([*_boxes(bench, names), pair])
        generations.add(bench.entities.generation)
        assert len(generations) == 2
        assert list(bench.entities.models) == ["lamp", *names, "pair"]
        poses = bench.tables().models.pose[0]
        np.testing.assert_allclose(poses[1:-1, 0], 2.0 * np.arange(20), atol=1e-9)

    def test_they_are_as_if_added_one_by_one(self, bench: Bench) -> None:
        """State and looks are the same bits, and each can be deleted alone."""
        names = ["a", "b", "c"]
        bench.simulator.spawn(_boxes(bench, names))
        together = bench.state(*names)
        for name in ("b", "a", "c"):
            bench.simulator.delete(name)
        for request in _boxes(bench, names):
            bench.simulator.spawn([request])
        assert bench.state(*names) == together

    def test_the_others_stay_as_they_are(self, bench: Bench) -> None:
        """Bit for bit, while they move."""
        bench.spawn(BOX, "box", (0, 0, 30))
        bench.write({("models", "twist"): {"box": (1, 2, 3, 4, 5, 6)}})
        bench.run(0.05)
        before, time = bench.state("box"), bench.time
        bench.simulator.spawn(_boxes(bench, ["a", "b"]))
        assert bench.state("box") == before
        assert bench.time == time

    def test_one_that_cannot_be_built_leaves_none(self, bench: Bench) -> None:
        """The error names it, and all names are free afterwards."""
        bench.spawn(BOX, "box", (0, 5, 9))
        before = bench.state("box")
        broken = bench.request(BOX, "broken")._replace(description=self.unbuildable())
        requests = _boxes(bench, ["a", "b"])
        with pytest.raises(SpawnError, match="'broken'"):
            bench.simulator.spawn([requests[0], broken, requests[1]])
        assert list(bench.entities.models) == ["box"]
        assert bench.state("box") == before
        bench.simulator.spawn(requests)
        bench.simulator.step()
        assert list(bench.entities.models) == ["box", "a", "b"]

    @pytest.mark.parametrize("names", [["a", "box"], ["a", "b", "a"]])
    def test_a_taken_name_leaves_none(self, bench: Bench, names: list[str]) -> None:
        """Whether it is taken by a model or by another request."""
        bench.spawn(BOX, "box", (0, 5, 9))
        with pytest.raises(DuplicateEntityError):
            bench.simulator.spawn(_boxes(bench, names))
        assert list(bench.entities.models) == ["box"]

    def test_no_requests_add_nothing(self, bench: Bench) -> None:
        """An empty batch keeps the generation."""
        generation = bench.entities.generation
        bench.simulator.spawn([])
        assert bench.entities.generation == generation


def _boxes(bench: Bench, names: Sequence[str]) -> list[SpawnRequest]:
    return [bench.request(BOX, name, (2.0 * n, 0, 9)) for n, name in enumerate(names)]
