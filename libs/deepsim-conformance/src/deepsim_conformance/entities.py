# SPDX-License-Identifier: Apache-2.0
"""Names, and models that are added and removed."""

from __future__ import annotations

from functools import partial
from typing import Sequence

import numpy as np
import pytest

from deepsim_sync.errors import DeepSimError, DuplicateEntityError, SpawnError, UnknownEntityError
from deepsim_sync.port.entities import KINDS, Kind
from deepsim_sync.port.spawning import SpawnRequest

from .base import Conformance
from .bench import Bench, assert_same_pose
from .models import BLOCK, BOX, LAMP, OUTER, PAIR
from .runs import SCALING, SCENES, Run

TILTED = (1.0, 2.0, 3.0, 0.5, -0.5, 0.5, 0.5)


class EntityCases(Conformance):
    """Names, `spawn` and `delete`."""

    @pytest.mark.parametrize(
        ("sdf", "kind", "names"),
        [
            (BOX, "links", {"a::link"}),
            (BOX, "visuals", {"a::link::paint"}),
            (PAIR, "links", {"a::base", "a::top"}),
            (OUTER, "models", {"a", "a::inner"}),
            (OUTER, "links", {"a::link", "a::inner::core"}),
            (OUTER, "visuals", {"a::link::skin", "a::inner::core::skin"}),
            (LAMP, "lights", {"a::link::bulb"}),
        ],
    )
    def test_names_are_scoped_and_go_with_their_model(
        self, bench: Bench, sdf: str, kind: Kind, names: set[str]
    ) -> None:
        """Names are model::link::visual; a nested model has its own row, outer::inner."""
        before = {each: list(bench.entities.names(each)) for each in KINDS}
        assert not before["models"] + before["links"] + before["visuals"]
        bench.spawn(sdf, "a")
        assert set(bench.entities.names(kind)) - set(before[kind]) == names
        bench.simulator.delete("a")
        assert {each: list(bench.entities.names(each)) for each in KINDS} == before

    def test_descriptions_are_those_of_the_present_models(self, bench: Bench) -> None:
        bench.spawn(BOX, "a", (0, 0, 1))
        bench.spawn(BOX, "b", (2, 0, 1))
        bench.simulator.delete("a")
        assert list(bench.simulator.descriptions.models) == ["b"]

    def test_generation_changes_with_the_entities_only(self, bench: Bench) -> None:
        seen = [bench.entities.generation]
        for change in (
            partial(bench.spawn, BOX, "a", (0, 0, 1)),
            partial(bench.spawn, BOX, "b", (2, 0, 1)),
            partial(bench.simulator.delete, "a"),
        ):
            change()
            seen.append(bench.entities.generation)
            bench.simulator.spawn([])
            bench.run(0.002)
            bench.simulator.reset()
            bench.tables()
            assert bench.entities.generation == seen[-1]
        assert len(set(seen)) == 4

    def test_a_batch_is_as_if_added_one_by_one(self, bench: Bench) -> None:
        """New models follow older ones in the order of the requests, within one generation."""
        bench.spawn(LAMP, "lamp", (0, 5, 0))
        generation = bench.entities.generation
        names = [f"box{n}" for n in range(20)]
        bench.simulator.spawn(_boxes(bench, names))
        assert bench.entities.generation != generation
        assert bench.models == ["lamp", *names]
        x = bench.tables().models.pose[0, 1:, 0]
        np.testing.assert_allclose(x, 2.0 * np.arange(20), atol=bench.precision)
        together = bench.state(*names)
        for name in reversed(names):
            bench.simulator.delete(name)
        for request in _boxes(bench, names):
            bench.simulator.spawn([request])
        assert bench.state(*names) == together

    @pytest.mark.parametrize(
        ("names", "error", "message"),
        [
            (["a", "box"], DuplicateEntityError, "box"),
            (["a", "b", "a"], DuplicateEntityError, None),
            (["a", ""], SpawnError, None),
            (["a", "b::c"], SpawnError, None),
            (["a", "broken", "b"], SpawnError, "'broken'"),
        ],
        ids=["taken", "twice", "empty", "scoped", "unbuildable"],
    )
    def test_a_refused_batch_adds_nothing(
        self, bench: Bench, names: list[str], error: type[DeepSimError], message: str | None
    ) -> None:
        """Nothing has changed, bit for bit, and the names are still unused."""
        bench.spawn(BOX, "box", (0, 5, 9))
        before = bench.state("box")
        requests = _boxes(bench, names)
        if "broken" in names:
            requests[1] = requests[1]._replace(description=self.unbuildable())
        with pytest.raises(error, match=message):
            bench.simulator.spawn(requests)
        assert bench.models == ["box"]
        assert bench.state("box") == before
        bench.simulator.spawn(_boxes(bench, ["a", "broken"]))
        bench.simulator.step()
        assert bench.models == ["box", "a", "broken"]

    @pytest.mark.parametrize(
        ("sdf", "name", "error"),
        [(BOX, "nobody", UnknownEntityError), (OUTER, "a::inner", DeepSimError)],
        ids=["unknown", "a part"],
    )
    def test_only_whole_models_are_deleted(
        self, bench: Bench, sdf: str, name: str, error: type[DeepSimError]
    ) -> None:
        bench.spawn(sdf, "a")
        before = bench.models
        with pytest.raises(error, match=name):
            bench.simulator.delete(name)
        assert bench.models == before

    def test_a_name_can_be_used_again(self, bench: Bench) -> None:
        """Models are added and removed while the physics continues, and each starts afresh."""
        bench.spawn(BOX, "stays", (0, 0, 50))
        for _ in range(25):
            bench.spawn(BOX, "guest", TILTED)
            assert_same_pose(bench.pose("guest"), TILTED)
            np.testing.assert_array_equal(bench.twist("guest"), 0)
            bench.write({("models", "twist"): {"guest": (1, 2, 3, 4, 5, 6)}})
            bench.simulator.step()
            bench.simulator.delete("guest")
        assert bench.models == ["stays"]
        assert bench.time == pytest.approx(25 * bench.simulator.timestep)

    @pytest.mark.parametrize("scene", SCENES)
    def test_spawn_and_delete_keep_the_others(self, bench: Bench, scene: str) -> None:
        """Different worlds keep every bit and their time when models are added and removed."""
        bench.spawn(BLOCK, "gone", (8, 0, 1))
        run = Run(bench, scene)
        run.rounds(0, SCALING + 1)
        before, time = bench.states(*run.models), bench.simulator.time
        for change in (
            partial(bench.spawn, BOX, "new", run.poses((9, 9, 9))),
            partial(bench.simulator.delete, "gone"),
            partial(bench.simulator.delete, "new"),
        ):
            change()
            assert bench.states(*run.models) == before
        np.testing.assert_array_equal(bench.simulator.time, time)


def _boxes(bench: Bench, names: Sequence[str]) -> list[SpawnRequest]:
    return [bench.request(BOX, name, (2.0 * n, 0, 9)) for n, name in enumerate(names)]
