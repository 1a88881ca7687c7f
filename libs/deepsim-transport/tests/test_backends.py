# SPDX-License-Identifier: Apache-2.0
"""The same world runs through two physics backends, and others see no difference."""

from __future__ import annotations

import numpy as np
import pytest
from transport_worlds import running

from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import GazeboXMLLoader
from deepsim_sync import SpawnRequest, World
from deepsim_sync.testing import TableModel, TableSimulator
from deepsim_transport import PhysicsServer, RemoteSimulator, Transport, WorldMirror

PUCK = GazeboXMLLoader().load_model(
    "<sdf version='1.7'><model name='puck'><link name='link'><gravity>0</gravity><inertial><mass>1"
    "</mass></inertial><collision name='c'><geometry><sphere><radius>.1</radius></sphere>"
    "</geometry></collision></link></model></sdf>"
)


class GlidingSimulator(TableSimulator):
    """A second engine: models fly along their twists, whatever they are made of."""

    def spawn(self, requests):
        """Keeps the links of the models alone."""
        super().spawn(
            [
                SpawnRequest(TableModel(links=tuple(link.name for link in model.links)), name, pose)
                for model, name, pose in ((r.description, r.name, r.pose) for r in requests)
            ]
        )


@pytest.mark.parametrize("engine", [MujocoSimulator, GlidingSimulator])
def test_a_puck_glides_alike_on_every_engine(engine, master):
    """Spawned, thrown and stepped by another process, it is 1 m further after 1 s."""
    simulator, namespace = engine(), engine.__name__
    steps = round(1.0 / simulator.timestep)
    with (
        Transport(master.host, master.port, namespace=namespace) as transport,
        Transport(master.host, master.port, namespace=namespace) as other,
        running(PhysicsServer(simulator, transport, paused=True)),
        WorldMirror(other) as mirror,
    ):
        world = World(RemoteSimulator(other), steps_per_tick=steps)
        pose = np.array([0.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0])
        world.simulator.spawn([SpawnRequest(PUCK, "puck", pose)])
        world.models.select(["puck"]).put(twist=[1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
        world.tick()
        assert world.models.pose[0, 0, :3] == pytest.approx([1.0, 2.0, 3.0], abs=1e-6)
        mirror.fetch()
        assert mirror.tables.models.pose[0, 0, :3] == pytest.approx([1.0, 2.0, 3.0], abs=1e-6)
