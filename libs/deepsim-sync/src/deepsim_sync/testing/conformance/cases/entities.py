# SPDX-License-Identifier: Apache-2.0
"""Names, and models that come and go."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_sync.errors import DeepSimError, DuplicateEntityError, SpawnError, UnknownEntityError
from deepsim_sync.port.entities import KINDS
from deepsim_sync.port.simulator import Simulator
from deepsim_sync.testing.conformance.bench import Bench, assert_same_pose
from deepsim_sync.testing.conformance.models import BLOCK, BOX, LAMP, OUTER, PAIR

from .base import Conformance

TILTED = (1.0, 2.0, 3.0, 0.5, -0.5, 0.5, 0.5)


class EntityConformance(Conformance):
    """Names, `spawn` and `delete`."""

    def test_is_a_simulator(self, bench: Bench) -> None:
        """The backend has all members of the port."""
        members = [name for name in vars(Simulator) if not name.startswith("_")]
        assert [name for name in members if not hasattr(bench.simulator, name)] == []

    def test_starts_without_models(self, bench: Bench) -> None:
        """A new simulator has no models, and so no links and visuals."""
        assert not bench.entities.models
        assert not bench.entities.links
        assert not bench.entities.visuals

    def test_names_are_scoped(self, bench: Bench) -> None:
        """A link is called model::link and a visual model::link::visual."""
        bench.spawn(BOX, "crate")
        bench.spawn(PAIR, "pair", (5, 0, 1))
        assert list(bench.entities.models) == ["crate", "pair"]
        assert set(bench.entities.links) == {"crate::link", "pair::base", "pair::top"}
        assert list(bench.entities.visuals) == ["crate::link::paint"]

    def test_nested_models_are_scoped(self, bench: Bench) -> None:
        """A model within a model is a row of its own, called outer::inner."""
        bench.spawn(OUTER, "a", (1, 2, 3))
        assert set(bench.entities.models) == {"a", "a::inner"}
        assert set(bench.entities.links) == {"a::link", "a::inner::core"}
        assert set(bench.entities.visuals) == {"a::link::skin", "a::inner::core::skin"}
        np.testing.assert_allclose(bench.pose("a::inner")[:3], (1, 2, 4), atol=1e-9)

    def test_lights_of_links_are_scoped(self, bench: Bench) -> None:
        """A light in a link is called model::link::light."""
        bench.spawn(LAMP, "lamp")
        assert "lamp::link::bulb" in bench.entities.lights

    def test_generation_changes_with_the_entities_only(self, bench: Bench) -> None:
        """Spawning and deleting make a new generation; stepping, reading and resetting do not."""
        seen = {bench.entities.generation}
        bench.spawn(BOX, "a", (0, 0, 1))
        seen.add(bench.entities.generation)
        bench.spawn(BOX, "b", (2, 0, 1))
        seen.add(bench.entities.generation)
        bench.tables()
        bench.simulator.step(3)
        bench.simulator.reset()
        seen.add(bench.entities.generation)
        bench.simulator.delete("a")
        seen.add(bench.entities.generation)
        assert len(seen) == 4

    def test_spawned_where_asked(self, bench: Bench) -> None:
        """A spawned model is at rest at the given pose at once."""
        bench.spawn(BOX, "box", TILTED)
        assert_same_pose(bench.pose("box"), TILTED)
        np.testing.assert_array_equal(bench.twist("box"), 0)

    def test_a_taken_name_is_refused(self, bench: Bench) -> None:
        """A second model of one name raises DuplicateEntityError and changes nothing."""
        bench.spawn(BOX, "box", (0, 0, 1))
        before, generation = bench.state("box"), bench.entities.generation
        with pytest.raises(DuplicateEntityError, match="box"):
            bench.spawn(BLOCK, "box", (0, 0, 5))
        assert bench.state("box") == before
        assert bench.entities.generation == generation

    @pytest.mark.parametrize("name", ["", "a::b"])
    def test_a_name_that_is_none_is_refused(self, bench: Bench, name: str) -> None:
        """An empty name, and one that looks like a part of another model, raise SpawnError."""
        with pytest.raises(SpawnError):
            bench.spawn(BOX, name)
        assert not bench.entities.models

    def test_an_unknown_name_is_not_deleted(self, bench: Bench) -> None:
        """Deleting an unknown model raises UnknownEntityError, which names it."""
        bench.spawn(BOX, "box")
        with pytest.raises(UnknownEntityError, match="bux"):
            bench.simulator.delete("bux")
        assert list(bench.entities.models) == ["box"]

    def test_a_part_is_not_deleted_alone(self, bench: Bench) -> None:
        """A model within a model goes with the whole only: deleting it is an error."""
        bench.spawn(OUTER, "a")
        with pytest.raises(DeepSimError, match="a::inner"):
            bench.simulator.delete("a::inner")
        assert set(bench.entities.models) == {"a", "a::inner"}

    def test_delete_takes_all_below_along(self, bench: Bench) -> None:
        """Links, visuals, lights and nested models go with their model."""
        before = {kind: list(bench.entities.names(kind)) for kind in KINDS}
        bench.spawn(OUTER, "a")
        bench.spawn(LAMP, "lamp", (3, 0, 0))
        bench.simulator.delete("a")
        bench.simulator.delete("lamp")
        assert {kind: list(bench.entities.names(kind)) for kind in KINDS} == before

    def test_a_failed_spawn_leaves_nothing(self, bench: Bench) -> None:
        """After SpawnError, which names the model, all is as it was, and the name is free."""
        bench.spawn(BOX, "box", (0, 0, 1))
        before, generation = bench.state("box"), bench.entities.generation
        with pytest.raises(SpawnError, match="broken"):
            bench.simulator.spawn(
                [bench.request(BOX, "broken")._replace(description=self.unbuildable())]
            )
        assert bench.entities.generation == generation
        assert list(bench.entities.models) == ["box"]
        assert bench.state("box") == before
        bench.spawn(BOX, "broken", (3, 0, 1))
        bench.simulator.step()
        assert list(bench.entities.models) == ["box", "broken"]

    def test_a_name_can_be_used_again(self, bench: Bench) -> None:
        """A model spawned under the name of a deleted one starts afresh."""
        bench.spawn(BOX, "box", (0, 0, 9))
        bench.write({("models", "twist"): {"box": (1, 2, 3, 4, 5, 6)}})
        bench.run(0.05)
        bench.simulator.delete("box")
        bench.spawn(BOX, "box", TILTED)
        assert_same_pose(bench.pose("box"), TILTED)
        np.testing.assert_array_equal(bench.twist("box"), 0)

    def test_spawn_and_delete_keep_the_others(self, bench: Bench) -> None:
        """Models that come and go leave every bit of the others' state, and the time, alone."""
        bench.spawn(BLOCK, "gone", (8, 0, 1))
        bench.spawn(BOX, "box", (0, 0, 5))
        bench.spawn(LAMP, "lamp", (4, 0, 0))
        bench.write(
            {
                ("models", "pose"): {"lamp": (4, 4, 1, 0, 0, 0, 1)},
                ("models", "twist"): {"box": (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)},
                ("visuals", "transparency"): {"box::link::paint": 0.5},
                ("visuals", "diffuse"): {"box::link::paint": (0.1, 0.2, 0.3, 1)},
                ("lights", "diffuse"): {"lamp::link::bulb": (0.3, 0.2, 0.1, 1)},
            }
        )
        bench.run(0.1)
        before, time = bench.state("box", "lamp"), bench.time
        bench.spawn(BOX, "new", (0, 8, 5))
        assert bench.state("box", "lamp") == before
        bench.simulator.delete("gone")
        assert bench.state("box", "lamp") == before
        bench.simulator.delete("new")
        assert bench.state("box", "lamp") == before
        assert bench.time == time

    def test_many_spawns_and_deletes(self, bench: Bench) -> None:
        """Models can come and go again and again while the physics goes on."""
        bench.spawn(BOX, "stays", (0, 0, 50))
        for cycle in range(25):
            bench.spawn(BOX, f"guest{cycle % 3}", (2, 0, 50))
            bench.simulator.step()
            bench.simulator.delete(f"guest{cycle % 3}")
        assert list(bench.entities.models) == ["stays"]
        assert bench.time == pytest.approx(25 * bench.simulator.timestep)
