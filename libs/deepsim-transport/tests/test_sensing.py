# SPDX-License-Identifier: Apache-2.0
"""A process of sensors sees what the physics has, and no more than its topics."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from transport_worlds import GROUND, wait

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import GazeboXMLLoader, MjcfModel
from deepsim_sync import UnknownEntityError, World
from deepsim_transport import Readings, RemoteSimulator, SensorServer, Transport
from deepsim_transport.rows import unpack

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


BOX = GazeboXMLLoader().load_model(
    "<sdf version='1.7'><model name='box'><link name='link'><inertial><mass>2</mass><inertia>"
    "<ixx>.01</ixx><iyy>.01</iyy><izz>.01</izz></inertia></inertial><collision name='c'><geometry>"
    "<box><size>.2 .2 .2</size></box></geometry></collision><sensor name='touch' type='contact'>"
    "<contact><collision>c</collision></contact></sensor></link></model></sdf>"
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


RIG = GazeboXMLLoader().load_model(
    "<sdf version='1.7'><model name='rig'><link name='cart'><inertial><mass>2</mass></inertial>"
    "<collision name='c'><geometry><box><size>.2 .2 .2</size></box></geometry></collision>"
    "<sensor name='scan' type='ray'><update_rate>60</update_rate><ray><scan><horizontal><samples>64"
    "</samples><min_angle>-.3</min_angle><max_angle>.3</max_angle></horizontal></scan><range><min>"
    ".05</min><max>20</max></range><noise><type>gaussian</type><mean>.5</mean><stddev>.1</stddev>"
    "</noise></ray></sensor>"
    "<sensor name='imu' type='imu'><update_rate>20</update_rate><imu><linear_acceleration><x>"
    "<noise type='gaussian'><mean>2</mean><stddev>.3</stddev></noise></x></linear_acceleration>"
    "</imu></sensor>"
    "<sensor name='touch' type='contact'><contact><collision>c</collision></contact></sensor>"
    "</link><joint name='x' type='prismatic'><parent>world</parent><child>cart</child><axis>"
    "<xyz>1 0 0</xyz></axis><sensor name='load' type='force_torque'><update_rate>50</update_rate>"
    "</sensor></joint></model></sdf>"
)
RATES = {"rig::cart::scan": 60, "rig::cart::imu": 20, "rig::cart::load": 50}


class Heard:
    """All measurements of a sensor that a process publishes."""

    def __init__(self, transport, name):
        self.frames = []
        topic = "sensors/" + name.replace("::", "/")
        self.participant = transport.declare(
            "subscriber",
            topic,
            lambda sample: self.frames.append(unpack(sample.payload.to_bytes())),
        )

    def await_time(self, condition):
        """Waits until the instant of the latest measurement [s] meets a condition."""
        wait(lambda: self.frames and condition(self.frames[-1].arrays["time"][0]))

    def since(self, count):
        """Instants and quantities of the measurements after some, of the latest episode."""
        frames = self.frames[count:]
        times = [each.arrays["time"][0] for each in frames]
        frames = frames[
            max((i for i in range(1, len(times)) if times[i] < times[i - 1]), default=0) :
        ]
        return {name: np.stack([each.arrays[name] for each in frames]) for name in frames[0].arrays}


def test_every_sensor_has_its_rate_and_noise_after_a_reset_too(world, watching):
    """As those of a world in one process: instants, values, means and spreads, in both episodes."""
    names = ["scan", "imu", "touch", "load"]
    names = [f"rig::cart::{name}" for name in names]
    alone = World(MujocoSimulator(worlds=2), steps_per_tick=1, seed=3)
    for each in (alone, world):
        each.spawn(RIG, "rig", Pose((0, 9, 1)))
        each.spawn(ARM, "wall", Pose((3, 8.7, 1)))
    world.simulator.step()
    alone.tick()
    with SensorServer(watching, MujocoSimulator, seed=5) as server:
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        heard = {name: Heard(watching, name) for name in names}
        sensors = {name: alone.sensors[name] for name in names}
        wait(lambda: world.simulator.step() or all(each.frames for each in heard.values()))
        for _ in range(2):
            known = {name: len(each.frames) - 1 for name, each in heard.items()}
            world.reset()
            alone.reset()
            own = {name: [] for name in names}
            for _ in range(500):
                for name, sensor in sensors.items():
                    reading, instant = sensor.read(), float(sensor.time[0])
                    if not own[name] or own[name][-1][0] != instant:
                        own[name].append((instant, reading))
                        if name == names[0]:  # as a physics in real time waits for the clock
                            heard[name].await_time(lambda time, now=instant: time == now)
                world.simulator.step()
                alone.tick()
            for name, rate in RATES.items():
                heard[name].await_time(lambda time: 0.49 < time < 0.51)
                times = heard[name].since(known[name])["time"][:, 0]
                times = times[times < 0.49]
                expected = [instant for instant, _ in own[name] if instant < 0.49]
                assert times == pytest.approx(expected, abs=1e-9)
                assert len(times) == pytest.approx(0.49 * rate + 1, abs=1.0)
            scan = heard["rig::cart::scan"].since(known["rig::cart::scan"])["ranges"]
            exact = alone.simulator.sensors.read("rig::cart::scan")["ranges"]
            near = np.isfinite(exact)
            assert (scan[:, near] - exact[near]).mean() == pytest.approx(0.5, abs=0.02)
            assert (scan[:, near] - exact[near]).std() == pytest.approx(0.1, rel=0.1)
            imu = heard["rig::cart::imu"].since(known["rig::cart::imu"])
            assert imu["linear_acceleration"][..., 0].mean() == pytest.approx(2.0, abs=0.3)
            assert imu["linear_acceleration"][..., 2] == pytest.approx(9.8, abs=1e-6)
            load = heard["rig::cart::load"].since(known["rig::cart::load"])["force"][-1]
            assert load == pytest.approx(
                np.asarray(own["rig::cart::load"][-1][1]["force"]), abs=1e-9
            )
        server.stop()
        thread.join()
    alone.close()


def test_a_contact_is_heard_from_the_physics(serve, master):
    """A falling box touches the ground at the instant and with the force of mechanics."""
    serve("touching", 1)
    with Transport(master.host, master.port, namespace="touching") as transport:
        made = World(RemoteSimulator(transport), steps_per_tick=1)
        made.spawn(GROUND, "ground", Pose())
        made.spawn(BOX, "box", Pose((0, 0, 0.6)))
        touch = Heard(transport, "box::link::touch")
        wait(lambda: made.tick() or touch.frames)
        made.reset()
        for _ in range(1500):
            made.tick()
        touch.await_time(lambda time: time > 1.49)
        found = touch.since(0)
        first = found["time"][np.flatnonzero(found["found"][:, 0])[0], 0]
        assert first == pytest.approx(np.sqrt(2 * 0.5 / 9.8), abs=0.003)
        assert found["force"][-1, 0, 2] == pytest.approx(2 * 9.8, rel=0.01)


def test_a_sensor_that_is_none_is_refused(world, watching):
    """A name that no camera or lidar has, with those that there are."""
    with pytest.raises(UnknownEntityError, match="no camera or lidar is named 'eyes::link::ear'"):
        SensorServer(watching, MujocoSimulator, ["eyes::link::ear"])


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
