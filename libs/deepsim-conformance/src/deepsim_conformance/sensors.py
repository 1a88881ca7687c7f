# SPDX-License-Identifier: Apache-2.0
"""Inertial units, force-torque sensors, contact sensors and lidars."""

from __future__ import annotations

import math

import numpy as np
import pytest

from deepsim_math import Euler, Quaternion
from deepsim_sync.errors import UnknownEntityError
from deepsim_sync.port.column_type import Array
from deepsim_sync.port.sensors import QUANTITIES, Noise, Sensors

from .base import GRAVITY, Conformance
from .bench import Bench
from .models import GROUND

INERTIA = "<inertia><ixx>0.02</ixx><iyy>0.02</iyy><izz>0.02</izz></inertia>"
CUBE = "<collision name='c'><geometry><box><size>0.2 0.2 0.2</size></box></geometry></collision>"
TILT = (0.3, -0.4, 0.5)
"""Roll, pitch and yaw of an inertial unit on its link."""
MASS, ARM = 2.0, 0.3


def sdf(inside: str) -> str:
    """Returns the SDF text of one model."""
    return f'<sdf version="1.7"><model name="model">{inside}</model></sdf>'


BODY = sdf(
    f"""<link name="link"><inertial><mass>{MASS}</mass>{INERTIA}</inertial>{CUBE}
    <sensor name="level" type="imu"><always_on>1</always_on></sensor>
    <sensor name="tilted" type="imu"><always_on>1</always_on>
      <pose>0 0 0 {TILT[0]} {TILT[1]} {TILT[2]}</pose></sensor>
    <sensor name="touch" type="contact"><always_on>1</always_on>
      <contact><collision>c</collision></contact></sensor></link>"""
)
CRANE = sdf(
    f"""<link name="base"><inertial><mass>9</mass>{INERTIA}</inertial></link>
    <link name="arm"><inertial><pose>{ARM} 0 0 0 0 0</pose><mass>{MASS}</mass>{INERTIA}</inertial>
    </link>
    <joint name="foot" type="fixed"><parent>world</parent><child>base</child></joint>
    <joint name="wrist" type="fixed"><parent>base</parent><child>arm</child>
      <sensor name="felt" type="force_torque"><always_on>1</always_on></sensor></joint>"""
)
ENCODED = sdf(
    f"""<link name="base"><inertial><mass>9</mass>{INERTIA}</inertial>
    <sensor name="all" type="joint_state"/>
    <sensor name="one" type="joint_state"><joint_state><joint>rail</joint></joint_state></sensor>
    </link>
    <link name="arm"><gravity>0</gravity><inertial><mass>{MASS}</mass>{INERTIA}</inertial></link>
    <link name="cart"><gravity>0</gravity><inertial><mass>{MASS}</mass>{INERTIA}</inertial></link>
    <joint name="foot" type="fixed"><parent>world</parent><child>base</child></joint>
    <joint name="hinge" type="revolute"><parent>base</parent><child>arm</child>
      <axis><xyz>0 1 0</xyz></axis></joint>
    <joint name="rail" type="prismatic"><parent>base</parent><child>cart</child>
      <axis><xyz>1 0 0</xyz></axis></joint>"""
)
STILL = sdf(
    f"""<link name="base"><inertial><mass>9</mass>{INERTIA}</inertial>
    <sensor name="tilted" type="imu"><always_on>1</always_on>
      <pose>0 0 0 {TILT[0]} {TILT[1]} {TILT[2]}</pose></sensor></link>
    <joint name="foot" type="fixed"><parent>world</parent><child>base</child></joint>"""
)
CART = sdf(
    f"""<link name="base"><inertial><mass>9</mass>{INERTIA}</inertial></link>
    <link name="cart"><inertial><mass>{MASS}</mass>{INERTIA}</inertial>
    <sensor name="tilted" type="imu"><always_on>1</always_on>
      <pose>0 0 0 {TILT[0]} {TILT[1]} {TILT[2]}</pose></sensor></link>
    <joint name="foot" type="fixed"><parent>world</parent><child>base</child></joint>
    <joint name="rail" type="prismatic"><parent>base</parent><child>cart</child>
      <axis><xyz>1 0 0</xyz></axis></joint>"""
)
SCANNER = sdf(
    f"""<static>true</static><link name="link">{CUBE}
    <sensor name="scan" type="ray"><always_on>1</always_on><ray>
      <scan><horizontal><samples>5</samples><min_angle>{-math.pi / 2}</min_angle>
        <max_angle>{math.pi / 2}</max_angle></horizontal>
        <vertical><samples>2</samples><min_angle>0</min_angle><max_angle>0.25</max_angle></vertical>
      </scan><range><min>0.05</min><max>20</max></range></ray></sensor></link>"""
)
FENDER = CUBE.replace("<geometry>", "<pose>1 0 0 0 0 0</pose><geometry>")
SEEN = SCANNER.replace("</link>", f'</link><link name="fender">{FENDER}</link>')
WALL_BOX = "<geometry><box><size>0.2 3 9</size></box></geometry>"
WALL = sdf(
    f"""<static>true</static><link name="link"><collision name="c">{WALL_BOX}</collision>
    <visual name="v">{WALL_BOX}</visual></link>"""
)
LENS = """<always_on>1</always_on><camera><horizontal_fov>1</horizontal_fov>
    <image><width>8</width><height>6</height></image><clip><near>0.05</near><far>20</far></clip>
    </camera>"""
GRAINY = LENS.replace(
    "</camera>",
    "<noise><type>gaussian</type><mean>0.1</mean><stddev>0.02</stddev></noise></camera>",
)
EYES = sdf(
    f"""<static>true</static><link name="link">
    <sensor name="colour" type="camera">{GRAINY}</sensor>
    <sensor name="depth" type="depth">{LENS}</sensor>
    <sensor name="rows" type="segmentation_camera">{LENS}</sensor></link>"""
)


BASELINE = 0.2
EYE = LENS.replace("<always_on>1</always_on>", "")
TWO_EYES = sdf(
    f"""<static>true</static><link name="link"><sensor name="pair" type="multicamera">
    {EYE.replace("<camera>", "<camera name='left'>")}
    {EYE.replace("<camera>", f"<camera name='right'><pose>0 {-BASELINE} 0 0 0 0</pose>")}
    </sensor></link>"""
)


class SensorCases(Conformance):
    """The capability `Sensors`."""

    def measured(self, bench: Bench, sensors: Sensors, name: str, quantity: str) -> Array:
        """Returns one quantity of a sensor in all worlds.

        Checks that worlds that should be alike have the same bits.
        """
        reading = sensors.read(name)
        assert tuple(reading) == QUANTITIES[sensors.infos[name].kind]
        values: Array = reading[quantity]
        assert len(values) == bench.worlds
        assert not bench.alike or all((each == values[0]).all() for each in values)
        return values

    def test_every_sensor_is_listed(self, bench: Bench, sensors: Sensors) -> None:
        """Sensors are listed by name and kind, and disappear with their models."""
        bench.spawn(BODY, "body", (0, 0, 5))
        bench.spawn(SCANNER, "scanner", (9, 0, 5))
        assert {name: info.kind for name, info in sensors.infos.items()} == {
            "body::link::level": "imu",
            "body::link::tilted": "imu",
            "body::link::touch": "contact",
            "scanner::link::scan": "lidar",
        }
        sensors.watch("body::link::level")
        bench.simulator.delete("body")
        assert list(sensors.infos) == ["scanner::link::scan"]
        with pytest.raises(UnknownEntityError):
            sensors.read("body::link::level")
        with pytest.raises(UnknownEntityError):
            sensors.watch("body::link::level")
        bench.run(0.01)

    def test_an_imu_feels_its_weight_at_rest_and_nothing_in_free_fall(
        self, bench: Bench, sensors: Sensors
    ) -> None:
        """An IMU measures the specific force, +g upwards at rest, in its own axes."""
        bench.spawn(GROUND, "ground")
        bench.spawn(BODY, "body", (0, 0, 0.1))
        bench.spawn(BODY, "falling", (5, 0, 9))
        for name in sensors.infos:
            sensors.watch(name)
        bench.run(1.0)
        up = Quaternion.from_euler(*TILT).inverse().rotate((0, 0, GRAVITY))
        for sensor, expected in (("level", (0, 0, GRAVITY)), ("tilted", tuple(up))):
            felt = self.measured(bench, sensors, f"body::link::{sensor}", "linear_acceleration")
            np.testing.assert_allclose(felt[0], expected, atol=0.02)
            fallen = f"falling::link::{sensor}"
            felt = self.measured(bench, sensors, fallen, "linear_acceleration")
            np.testing.assert_allclose(felt[0], 0.0, atol=bench.acceleration_error)
        turn = self.measured(bench, sensors, "body::link::tilted", "orientation")[0]
        assert abs(turn @ np.asarray(Euler(*TILT).to_quaternion())) == pytest.approx(1, abs=1e-4)

    def test_an_imu_that_cannot_move_feels_its_weight(self, bench: Bench, sensors: Sensors) -> None:
        """On a static model and on one that is fixed to the world, before and after steps."""
        bench.spawn(STILL, "fixed", (0, 0, 2))
        bench.spawn(BODY.replace("<link", "<static>1</static><link", 1), "static", (5, 0, 2))
        up = tuple(Quaternion.from_euler(*TILT).inverse().rotate((0, 0, GRAVITY)))
        names = "fixed::base::tilted", "static::link::tilted"
        for _ in range(2):
            for name in names:
                felt = self.measured(bench, sensors, name, "linear_acceleration")[0]
                np.testing.assert_allclose(felt, up, atol=bench.acceleration_error)
            bench.run(0.01)

    @pytest.mark.parametrize("ratio", [0.1, 10.0, 900.0])
    def test_the_integral_of_an_imu_is_the_change_of_velocity(
        self, bench: Bench, sensors: Sensors, ratio: float
    ) -> None:
        """The impulse of the servo that drives the cart is the momentum of the cart."""
        bench.spawn(CART, "train", (0, 0, 2))
        rail = "train::rail"
        if rail not in bench.entities.joints:
            pytest.skip("this simulator has no joints")
        name, dt = "train::cart::tilted", bench.simulator.timestep
        sensors.watch(name)
        damping = ratio * MASS / dt
        for column, value in (("damping", damping), ("target_velocity", 1.0)):
            bench.write({("joints", column): {rail: value}})
        turn = Quaternion.from_euler(*TILT)
        gained, impulse = np.zeros(3), 0.0
        for _ in range(40):
            bench.step()
            felt = self.measured(bench, sensors, name, "linear_acceleration")[0]
            gained += dt * (np.array(turn.rotate(tuple(felt))) - (0.0, 0.0, GRAVITY))
            impulse += dt * float(bench.get("joints", "effort", rail))
        velocity = float(bench.get("joints", "velocity", rail))
        assert velocity > 0.9
        np.testing.assert_allclose(gained, (velocity, 0, 0), atol=1e-5)
        assert impulse == pytest.approx(MASS * velocity, rel=1e-4)

    def test_an_imu_turns_with_its_link(self, bench: Bench, sensors: Sensors) -> None:
        """The angular velocity is in the axes of the sensor."""
        bench.spawn(BODY, "body", (0, 0, 5))
        sensors.watch("body::link::tilted")
        bench.write({("models", "twist"): {"body": (0, 0, 0, 0, 0, 2)}})
        bench.run(0.1)
        expected = Quaternion.from_euler(*TILT).inverse().rotate((0, 0, 2))
        rate = self.measured(bench, sensors, "body::link::tilted", "angular_velocity")[0]
        np.testing.assert_allclose(rate, tuple(expected), atol=1e-3)

    def test_a_force_torque_sensor_feels_the_parent_hold_the_link(
        self, bench: Bench, sensors: Sensors
    ) -> None:
        """The parent supports an arm with a force along +z and a torque about -y."""
        bench.spawn(CRANE, "crane", (0, 0, 2))
        sensors.watch("crane::arm::felt")
        bench.run(0.2)
        weight = MASS * GRAVITY
        force = self.measured(bench, sensors, "crane::arm::felt", "force")[0]
        torque = self.measured(bench, sensors, "crane::arm::felt", "torque")[0]
        np.testing.assert_allclose(force, (0, 0, weight), atol=0.01 * weight)
        np.testing.assert_allclose(torque, (0, -ARM * weight, 0), atol=0.01 * weight)

    def test_a_contact_sensor_feels_the_weight_of_its_link(
        self, bench: Bench, sensors: Sensors
    ) -> None:
        """The ground pushes up along the normal; a body in the air has no contact."""
        bench.spawn(GROUND, "ground")
        bench.spawn(BODY, "body", (0, 0, 0.1))
        bench.spawn(BODY, "falling", (5, 0, 9))
        for name in sensors.infos:
            sensors.watch(name)
        bench.run(1.0)
        bench.run(0.1)
        touch = "body::link::touch"
        weight = MASS * GRAVITY
        assert self.measured(bench, sensors, touch, "found").all()
        force = self.measured(bench, sensors, touch, "force")[0]
        np.testing.assert_allclose(force, (0, 0, weight), atol=1e-3 * weight)
        normal = self.measured(bench, sensors, touch, "normal")[0]
        np.testing.assert_allclose(normal, (0, 0, 1), atol=1e-2)
        assert self.measured(bench, sensors, touch, "contact_time")[0] > 0.1
        assert self.measured(bench, sensors, touch, "air_time")[0] == 0.0
        air = "falling::link::touch"
        assert not self.measured(bench, sensors, air, "found").any()
        assert self.measured(bench, sensors, air, "air_time")[0] == pytest.approx(1.1, abs=1e-9)
        assert (self.measured(bench, sensors, air, "force") == 0.0).all()

    def test_a_contact_sensor_misses_no_landing(self, bench: Bench, sensors: Sensors) -> None:
        """The touchdown is reported by one call to step, whatever the number of steps per call."""
        bench.spawn(GROUND, "ground")
        height = 0.2
        bench.spawn(BODY, "body", (0, 0, 0.1 + height))
        sensors.watch("body::link::touch")
        landed = []
        for tick in range(40):
            bench.step(10)
            if self.measured(bench, sensors, "body::link::touch", "first_contact")[0]:
                landed.append(tick)
        fall = math.sqrt(2 * height / GRAVITY)
        assert landed
        assert landed[0] * 0.01 == pytest.approx(fall, abs=0.011)

    def test_a_lidar_sees_walls_and_not_itself(self, bench: Bench, sensors: Sensors) -> None:
        """Ranges are measured along the rays, row by row, and are infinite where nothing is hit."""
        bench.spawn(SCANNER, "scanner", (0, 0, 2))
        bench.spawn(WALL, "wall", (2, 0, 2))
        ranges = self.measured(bench, sensors, "scanner::link::scan", "ranges")
        assert ranges.shape == (bench.worlds, 2, 5)
        front = 1.9
        edge = front / math.cos(math.pi / 4)
        assert edge > math.hypot(front, 1.5)  # so that it is passed
        for row, pitch in zip(ranges[0], (0.0, 0.25)):
            expected = [math.inf, math.inf, front / math.cos(pitch), math.inf, math.inf]
            np.testing.assert_allclose(row, expected, atol=max(1e-6, bench.precision))

    @pytest.mark.parametrize("sees_own", [False, True])
    def test_a_lidar_sees_its_own_model_if_asked(
        self, bench: Bench, sensors: Sensors, sees_own: bool
    ) -> None:
        """All links but the one that carries the lidar."""
        asked = f"<sees_own>{sees_own}</sees_own></ray>".lower()
        bench.spawn(SEEN.replace("</ray>", asked), "scanner", (0, 0, 2))
        bench.spawn(WALL, "wall", (2, 0, 2))
        ranges = self.measured(bench, sensors, "scanner::link::scan", "ranges")
        front = 0.9 if sees_own else 1.9
        np.testing.assert_allclose(
            ranges[0, 0], [*[math.inf] * 2, front, *[math.inf] * 2], rtol=max(1e-7, bench.precision)
        )

    def test_a_camera_is_a_sensor_with_a_picture_of_each_world(
        self, bench: Bench, sensors: Sensors
    ) -> None:
        """A depth camera sees the wall in front of it, a segmentation camera its rows.

        Noise is described, and left to the world.
        """
        bench.spawn(WALL, "wall", (2, 0, 2))
        bench.spawn(EYES, "eyes", (0, 0, 2))
        assert {name: info.kind for name, info in sensors.infos.items()} == {
            "eyes::link::colour": "camera",
            "eyes::link::depth": "rgbd",
            "eyes::link::rows": "segmentation",
        }
        for name in sensors.infos:
            sensors.watch(name)
        noise = Noise(mean=0.1, stddev=0.02)
        assert sensors.infos["eyes::link::colour"].noise == {"rgb": (noise,)}
        clear = sensors.read("eyes::link::depth")["rgb"]
        np.testing.assert_array_equal(sensors.read("eyes::link::colour")["rgb"], clear)
        for name in ("eyes::link::colour", "eyes::link::depth"):
            rgb = self.measured(bench, sensors, name, "rgb")
            assert (rgb.shape, rgb.dtype) == ((bench.worlds, 6, 8, 3), np.dtype(np.uint8))
        depth = self.measured(bench, sensors, "eyes::link::depth", "depth")
        assert depth.shape == (bench.worlds, 6, 8)
        np.testing.assert_allclose(depth[0, 2:4, 3:5], 1.9, atol=0.02)
        models = self.measured(bench, sensors, "eyes::link::rows", "models")[0]
        assert (models[2:4, 3:5] == bench.entities.models.row("wall")).all()

    def test_a_stereo_pair_measures_by_disparity(self, bench: Bench, sensors: Sensors) -> None:
        """Disparities are multiples of 1/16 pixel, and 0 where the right camera sees nothing."""
        bench.spawn(WALL, "wall", (2, 0, 2))
        bench.spawn(TWO_EYES, "eyes", (0, 0, 2))
        disparity = self.measured(bench, sensors, "eyes::link::pair", "disparity")[0]
        depth = self.measured(bench, sensors, "eyes::link::pair", "depth")[0]
        exact = 4.0 / math.tan(0.5) * BASELINE / 1.9
        assert disparity.shape == (6, 8)
        np.testing.assert_allclose(disparity[:, 1:], round(exact * 16) / 16, atol=1e-9)
        np.testing.assert_allclose(depth[:, 1:], 1.9 * exact * 16 / round(exact * 16), atol=1e-6)
        assert not disparity[:, 0].any()  # the right camera sees less on the left
        assert np.isinf(depth[:, 0]).all()

    def test_a_joint_state_sensor_reads_joints(self, bench: Bench, sensors: Sensors) -> None:
        """The sensor reads all or some joints of its model, in the order of `SensorInfo.joints`."""
        bench.spawn(ENCODED, "arm", (0, 0, 5))
        if "arm::base::all" not in sensors.infos:
            pytest.skip("this simulator has no joint_state sensors")
        joints = ("arm::hinge", "arm::rail")
        assert sensors.infos["arm::base::all"].joints == joints
        assert sensors.infos["arm::base::one"].joints == joints[1:]
        bench.write({("joints", "feedforward"): dict(zip(joints, (0.2, 3.0)))})
        bench.run(0.1)
        table = bench.tables([("joints", column) for column in QUANTITIES["joint_state"]])
        for column in QUANTITIES["joint_state"]:
            expected = table.columns["joints", column]
            found = self.measured(bench, sensors, "arm::base::all", column)
            np.testing.assert_array_equal(found, expected)
            found = self.measured(bench, sensors, "arm::base::one", column)
            np.testing.assert_array_equal(found, expected[:, 1:])
        assert self.measured(bench, sensors, "arm::base::one", "effort")[0, 0] == 3.0
        bench.write({("joints", "position"): {"arm::rail": 0.5}})
        assert self.measured(bench, sensors, "arm::base::one", "position")[0, 0] == 0.5

    def test_each_world_measures_by_itself(self, bench: Bench, sensors: Sensors) -> None:
        """A world that is reset measures the present instant; the others continue."""
        bench.spawn(BODY, "body", (0, 0, 5))
        sensors.watch("body::link::level")
        sensors.watch("body::link::touch")
        bench.run(0.1)
        bench.reset([0])
        name = "body::link::touch"
        air = self.measured(bench, sensors, name, "air_time")
        np.testing.assert_allclose(air, [0.0] + [0.1] * (bench.worlds - 1), atol=1e-9)
        felt = self.measured(bench, sensors, "body::link::level", "linear_acceleration")
        np.testing.assert_allclose(felt, 0.0, atol=bench.acceleration_error)
