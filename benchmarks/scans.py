# SPDX-License-Identifier: Apache-2.0
"""A height scan of 187 points, beside a lidar with as many rays over the same terrain.

Both look down from half a metre above slopes, stairs, boxes and rubble, in turns in one process.
"""

from __future__ import annotations

import numpy as np
from peers import Case, compare

from deepsim import GazeboXMLLoader, MujocoSimulator, Pose, World
from deepsim_spawn import HeightScan, Terrain
from deepsim_spawn.terrain_kinds import boxes, rubble, slopes, stairs

DRONE = """<sdf version="1.6"><model name="drone"><link name="link">
  <inertial><mass>1</mass></inertial>
  <sensor name="lidar" type="ray"><pose>0 0 0 0 1.5708 0</pose><ray><scan>
    <horizontal><samples>17</samples><min_angle>-1</min_angle><max_angle>1</max_angle></horizontal>
    <vertical><samples>11</samples><min_angle>-.8</min_angle><max_angle>.8</max_angle></vertical>
  </scan><range><min>0.01</min><max>5</max></range></ray></sensor>
</link></model></sdf>"""


def scans(worlds: int) -> Case:
    """Returns both ways to measure once in each world."""
    terrain = Terrain.generate([slopes, stairs, boxes, rubble], rows=4, seed=1)
    world = World(MujocoSimulator(worlds=worlds))
    world.spawn(terrain.model(), "terrain", Pose())
    world.spawn(GazeboXMLLoader().load_model(DRONE), "drone", Pose())
    drones = world.models.select(["drone"])
    pose = drones.pose
    pose[:, 0, :2] = np.random.default_rng(0).uniform(-15.0, 15.0, (worlds, 2))
    pose[:, 0, 2] = terrain.height(pose[:, 0]) + 0.5
    drones.pose = pose
    world.flush()
    scan, sensors = HeightScan(terrain, drones), world.simulator.sensors
    assert sensors is not None
    return Case(
        f"187 heights in {worlds} worlds",
        {
            "HeightScan.read": scan.read,
            "lidar of 187 rays": lambda: sensors.read("drone::link::lidar"),
        },
    )


if __name__ == "__main__":
    compare("scans", [scans(1), scans(64), scans(1024)], 9, "deepsim-spawn", "deepsim-mujoco")
