# SPDX-License-Identifier: Apache-2.0
"""A process of sensors sees what the physics has, and no more than its topics."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from transport_worlds import wait

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import GazeboXMLLoader, MjcfModel
from deepsim_sync import World
from deepsim_transport import Readings, RemoteSimulator, SensorServer, Transport

EYES = (
    "<sdf version='1.7'><model name='eyes'><static>1</static><link name='link'>"
    "<sensor name='eye' type='camera'><update_rate>{camera_rate}</update_rate><camera>"
    "<horizontal_fov>1</horizontal_fov><image><width>32</width><height>24</height></image><clip><near>.1</near>"
    "<far>50</far></clip></camera></sensor>"
    "<sensor name='scan' type='ray'><update_rate>0</update_rate><ray><scan><horizontal><samples>9"
    "</samples><min_angle>-.3</min_angle><max_angle>.3</max_angle></horizontal></scan><range><min>"
    ".05</min><max>20</max></range></ray></sensor></link></model></sdf>"
)


def eyes(camera_rate):
    """A camera, and a lidar that measures at every instant."""
    return GazeboXMLLoader().load_model(EYES.replace("{camera_rate}", str(camera_rate)))


ARM = GazeboXMLLoader().load_model(
    "<sdf version='1.7'><model name='arm'><link name='base'><inertial><mass>9</mass></inertial>"
    "</link><link name='hand'><pose>0 .3 0 0 0 0</pose><inertial><mass>1</mass></inertial>"
    "<collision name='c'><geometry><box><size>.3 .3 .3</size></box></geometry></collision>"
    "<visual name='v'><geometry><box><size>.3 .3 .3</size></box></geometry></visual></link>"
    "<joint name='fix' type='fixed'><parent>world</parent><child>base</child></joint>"
    "<joint name='slide' type='prismatic'><parent>base</parent><child>hand</child><axis>"
    "<xyz>0 1 0</xyz></axis></joint></model></sdf>"
)


BALL = MjcfModel(
    '<mujoco model="ball"><worldbody><body name="ball">'
    '<joint name="slide" type="slide" axis="1 0 0"/><geom size=".1"/></body></worldbody></mujoco>'
)


@pytest.fixture
def world(serve, master):
    """Eyes that look at an arm, in a process of its own."""
    serve("seen-by", 2)
    with Transport(master.host, master.port, namespace="seen-by") as transport:
        made = World(RemoteSimulator(transport), steps_per_tick=10)
        made.spawn(eyes(0), "eyes", Pose((0, 0, 1)))
        made.spawn(ARM, "arm", Pose((3, 0, 1)))
        made.tick()
        yield made


@pytest.fixture
def watching(master, world):
    with Transport(master.host, master.port, namespace="seen-by") as transport:
        yield transport


def arrived(readings):
    """The next measurement that comes."""
    found = []
    wait(lambda: found.append(readings.latest()) or found[-1] is not None)
    return found[-1]


def at(readings, time):
    """The first measurement that is not older than an instant."""
    while True:
        instants, reading = arrived(readings)
        if instants[0] > time - 1e-9:
            assert np.allclose(instants, time)
            return reading


def test_pictures_and_ranges_are_those_of_the_physics(world, watching):
    """Also after a joint moved: the same pixels, the same distances, with their instant."""
    joint, sensors = world.joints.select(["arm::slide"]), world.simulator.sensors
    sensors.watch("eyes::link::scan")
    with (
        SensorServer(watching, MujocoSimulator) as server,
        Readings(watching, "eyes::link::eye") as eye,
        Readings(watching, "eyes::link::scan") as scan,
    ):
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        pictures = []
        for place in (0.0, -0.6):
            joint.put(position=place, velocity=0.0)
            world.tick()
            pictures.append([world.render("eyes::link::eye", w) for w in range(2)])
            ranges = sensors.read("eyes::link::scan")["ranges"]
            assert np.array_equal(at(eye, world.time[0])["rgb"], pictures[-1])
            assert np.allclose(at(scan, world.time[0])["ranges"], ranges, rtol=0.0, atol=1e-9)
        server.stop()
        thread.join()
        assert not np.array_equal(*pictures)


def test_a_model_of_mjcf_is_seen(world, watching):
    """With its joint where the physics has it."""
    world.spawn(BALL, "ball", Pose((2, 0, 1)))
    world.joints.select(["ball::slide"]).put(position=[[0.2], [-0.1]], velocity=0.0)
    world.flush()
    with (
        SensorServer(watching, MujocoSimulator, ["eyes::link::scan"]) as server,
        Readings(watching, "eyes::link::scan") as scan,
    ):
        server.run_once()
        ranges = arrived(scan)[1]["ranges"]
    assert ranges[:, 0, 4] == pytest.approx([2.1, 1.8], abs=1e-9)


def test_what_is_not_due_does_not_measure(world, watching):
    """A camera of 10 Hz rests for 100 ms; a lidar without a rate measures at each new instant."""
    world.spawn(eyes(10), "slow", Pose((0, 5, 1)))
    everything = {
        f"{model}::link::{name}" for model in ("eyes", "slow") for name in ("eye", "scan")
    }
    with SensorServer(watching, MujocoSimulator) as server:
        assert {*server.run_once(force=False)} == everything
        assert server.run_once(force=False) == ()
        assert {*server.run_once()} == everything
        world.tick()
        assert set(measured(server)) == everything - {"slow::link::eye"}
        for _ in range(10):
            world.tick()
        until = [*measured(server)]
        while "slow::link::eye" not in until:
            until += measured(server)
        assert until.count("slow::link::eye") == 1
    with SensorServer(watching, MujocoSimulator, ["eyes::link::scan"]) as server:
        assert server.run_once() == ("eyes::link::scan",)


def measured(server):
    """What measures next."""
    found = []
    wait(lambda: found.append(server.run_once(force=False)) or found[-1])
    return found[-1]


def test_a_model_that_comes_is_seen(world, watching):
    """The picture changes when something stands before the arm."""
    with (
        SensorServer(watching, MujocoSimulator) as server,
        Readings(watching, "eyes::link::scan") as scan,
    ):
        server.run_once()
        before = arrived(scan)[1]["ranges"]
        world.spawn(ARM, "near", Pose((1, -0.3, 1)))

        def is_seen():
            world.refresh()
            server.run_once()
            return arrived(scan)[1]["ranges"].min() < before.min() - 1.0

        wait(is_seen)
