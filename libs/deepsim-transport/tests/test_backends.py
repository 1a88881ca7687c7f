# SPDX-License-Identifier: Apache-2.0
"""The same world runs through two physics backends, and others see no difference."""

from __future__ import annotations

import numpy as np
import pytest
from transport_worlds import running

from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import GazeboXMLLoader, MjcfModel
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


ARM = MjcfModel("""<mujoco><worldbody><body name="arm"><joint name="hinge" axis="0 1 0"/>
<geom type="capsule" fromto="0 0 0 .3 0 0" size=".03"/><site name="tip" pos=".3 0 0"/></body>
</worldbody><actuator><position joint="hinge" kp="40" kv="4"/></actuator>
<sensor><gyro name="gyro" site="tip"/><accelerometer name="imu" site="tip"/></sensor></mujoco>""")


def test_sensors_of_mjcf_measure_alike_in_another_process(master):
    """Their values have the same bits as in a world of this process."""
    simulator = MujocoSimulator()
    simulator.spawn([SpawnRequest(ARM, "arm", (0, 0, 1, 0, 0, 0, 1))])
    with (
        Transport(master.host, master.port, namespace="values") as physics,
        Transport(master.host, master.port, namespace="values") as brain,
        running(PhysicsServer(simulator, physics, paused=True)),
    ):
        here, there = World(MujocoSimulator()), World(RemoteSimulator(brain))
        here.spawn(ARM, "arm", (0, 0, 1, 0, 0, 0, 1))
        for world in (here, there):
            world.sensors.select(["arm::gyro", "arm::imu"])
            world.joints.target_position = 0.3
            for _ in range(10):
                world.tick()
        for name in ("arm::gyro", "arm::imu"):
            wanted = here.sensors[name].value
            np.testing.assert_array_equal(there.sensors[name].value, wanted)
            assert np.abs(wanted).max() > 1.0
