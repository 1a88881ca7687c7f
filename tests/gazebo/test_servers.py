# SPDX-License-Identifier: Apache-2.0
"""Several real gzservers as the worlds of one simulator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from gazebo_conformance import GazeboConformance

from deepsim_conformance.bench import Bench
from deepsim_conformance.models import BOX
from deepsim_gazebo import GazeboError, GazeboServers
from deepsim_math import Pose
from deepsim_sync import DeepSimError, SimulationError, Simulator, SpawnRequest, Tables
from gazebo.servers import WorldServers

Open = Callable[..., GazeboServers]


@pytest.fixture(scope="module")
def servers() -> Iterator[WorldServers]:
    """Three of them: two worlds, and one that is alone."""
    with WorldServers(3, camera=True, port=11411) as servers:
        yield servers


@pytest.fixture
def open_servers(servers: WorldServers, empty: Any) -> Iterator[Open]:
    """Opens the first two, or the third one alone, in empty worlds."""
    opened: list[GazeboServers] = []

    def open_servers(worlds: int = 2) -> GazeboServers:
        uris = servers.master_uris
        opened.append(GazeboServers(uris[:2] if worlds == 2 else uris[2:]))
        opened[-1].load(empty)
        return opened[-1]

    yield open_servers
    for simulator in opened:
        simulator.close()


class TestConformance(GazeboConformance):
    """Two servers, and one alone to compare with."""

    world_counts = (2,)

    @pytest.fixture(autouse=True)
    def _open(self, open_servers: Open) -> None:
        self.open_servers = open_servers

    def make_simulator(self, worlds: int) -> Simulator:
        return self.open_servers(worlds)

    def make_bench(self, worlds: int) -> Bench:
        bench = super().make_bench(worlds)
        bench.alike = False  # servers solve contacts in orders of their own: not the same bits
        return bench

    def describe(self, sdf: str) -> str:
        return sdf

    def unbuildable(self) -> str:
        return "<sdf version='1.6'><model name='broken'><link name='link'></model></sdf>"


def test_a_server_that_ends_is_a_world_that_diverges(
    servers: WorldServers, open_servers: Open
) -> None:
    """The other goes on, and a reset gives the next server what was in the world."""
    simulator = open_servers()
    poses = np.array([[0, 0, 5, 0, 0, 0, 1], [1, 0, 5, 0, 0, 0, 1.0]])
    simulator.spawn([SpawnRequest(BOX, "box", poses)])
    simulator.step(10)
    servers.servers[1].kill()
    with pytest.raises(SimulationError, match="world 1") as caught:
        simulator.step(10)
    assert caught.value.worlds == (1,)
    assert simulator.time.tolist() == [0.02, 0.01]
    simulator.reset(np.array([1]))
    simulator.step(5)
    assert simulator.time.tolist() == [0.025, 0.005]
    tables = Tables(simulator.entities, 2)
    simulator.read(tables)
    assert tables.models.pose[:, 0, 0].tolist() == pytest.approx([0.0, 1.0])
    assert tables.models.pose[0, 0, 2] < tables.models.pose[1, 0, 2] < 5.0


def test_a_reset_waits_for_the_next_server(servers: WorldServers, open_servers: Open) -> None:
    """Also where no step has noticed that the one before has ended."""
    simulator = open_servers()
    simulator.spawn([SpawnRequest(BOX, "box", Pose((0, 0, 5)))])
    servers.servers[0].kill()
    simulator.reset()
    simulator.step(3)
    assert simulator.time.tolist() == [0.003, 0.003]
    assert list(simulator.entities.models) == ["box"]


def test_a_server_that_is_not_there_is_named(servers: WorldServers) -> None:
    """And nothing stays open."""
    with pytest.raises(GazeboError, match=r"127\.0\.0\.1:9"):
        GazeboServers([servers.master_uris[0], "http://127.0.0.1:9"])


def test_worlds_of_different_entities_are_refused(servers: WorldServers, empty: Any) -> None:
    """Another client spawned in one of them."""
    both, other = GazeboServers(servers.master_uris[:2]), GazeboServers(servers.master_uris[1:2])
    both.load(empty)
    other.spawn([SpawnRequest(BOX, "stranger", Pose((0, 0, 5)))])
    both.step()
    with pytest.raises(DeepSimError, match=r"models of world 1 differ in \['stranger'\]"):
        _ = both.entities
    other.delete("stranger")
    both.step()
    assert list(both.entities.models) == []
    both.close()
    other.close()
