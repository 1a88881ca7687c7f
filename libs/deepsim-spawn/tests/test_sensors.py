# SPDX-License-Identifier: Apache-2.0
"""Sensors in SDF and URDF, in descriptions, and back in SDF."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from deepsim_math import Pose, Quaternion
from deepsim_spawn import (
    CameraDescription,
    ContactSensor,
    ForceTorque,
    GazeboXMLLoader,
    Imu,
    JointDescription,
    JointState,
    Lidar,
    LinkDescription,
    ModelDescription,
    ModelFormatError,
    ModelFormatWarning,
    Rays,
    SensorDescription,
)
from deepsim_sync import Noise

GAUSSIAN = "<noise type='gaussian'><mean>1</mean><stddev>2</stddev></noise>"


def load(inside: str, version: str = "1.7", *, strict: bool = False) -> ModelDescription:
    text = f'<sdf version="{version}"><model name="m">{inside}</model></sdf>'
    return GazeboXMLLoader(strict=strict).load_model(text)


def sensor(inside: str) -> SensorDescription:
    (found,) = load(f"<link name='l'>{inside}</link>").links[0].sensors
    return found


def test_an_imu_has_noise_for_each_axis() -> None:
    found = sensor(
        "<sensor name='i' type='imu'><update_rate>50</update_rate><imu><angular_velocity>"
        "<x><noise type='gaussian'><mean>1</mean><stddev>2</stddev><bias_mean>3</bias_mean>"
        "<bias_stddev>4</bias_stddev><dynamic_bias_stddev>5</dynamic_bias_stddev>"
        "<dynamic_bias_correlation_time>6</dynamic_bias_correlation_time></noise></x>"
        "<z><noise type='gaussian_quantized'><precision>7</precision></noise></z>"
        "</angular_velocity><linear_acceleration><y><noise type='none'/></y></linear_acceleration>"
        "</imu></sensor>"
    )
    noise = (Noise(1, 2, 3, 4, 5, 6), Noise(), Noise(precision=7))
    assert found.measurement == Imu(angular_velocity=noise)
    assert found.update_rate == 50


def test_the_noise_of_old_files_is_that_of_all_axes() -> None:
    found = sensor(
        "<sensor name='i' type='imu'><imu><noise><type>gaussian</type><rate><stddev>2</stddev>"
        "</rate><accel><bias_mean>.1</bias_mean></accel></noise></imu></sensor>"
    )
    assert found.measurement == Imu((Noise(stddev=2),), (Noise(bias_mean=0.1),))


@pytest.mark.parametrize("kind", ["ray", "gpu_ray", "lidar", "gpu_lidar"])
def test_a_lidar_has_rows_of_rays(kind: str) -> None:
    tag = kind.removeprefix("gpu_")
    found = sensor(
        f"<sensor name='s' type='{kind}'><{tag}><scan><horizontal><samples>10</samples>"
        "<resolution>2</resolution><min_angle>-1</min_angle><max_angle>1</max_angle></horizontal>"
        "<vertical><samples>3</samples><min_angle>0</min_angle><max_angle>.5</max_angle></vertical>"
        "</scan><range><min>.1</min><max>9</max></range><noise><type>gaussian</type><mean>0</mean>"
        f"<stddev>.01</stddev></noise></{tag}></sensor>"
    )
    noise = (Noise(stddev=0.01),)
    assert found.measurement == Lidar(Rays(20, -1, 1), Rays(3, 0, 0.5), 0.1, 9, noise)


def test_a_contact_sensor_names_its_collisions() -> None:
    found = sensor(
        "<sensor name='s' type='contact'><contact><collision>a</collision>"
        "<collision>m::l::b</collision></contact></sensor>"
    )
    assert found.measurement == ContactSensor(("a", "b"))


def test_a_joint_state_sensor_names_joints_and_their_noise() -> None:
    """One noise for all of them, or one for each; without joints it reads all of its model."""
    found = sensor(
        "<sensor name='s' type='joint_state'><update_rate>50</update_rate><joint_state>"
        "<joint>a</joint><joint>b</joint><position>"
        "<noise type='gaussian'><stddev>.1</stddev></noise><noise type='gaussian'><mean>2</mean>"
        "</noise></position><effort><noise type='gaussian'><stddev>3</stddev></noise></effort>"
        "</joint_state></sensor>"
    )
    noise = (Noise(stddev=0.1), Noise(mean=2)), (), (Noise(stddev=3),)
    assert found.measurement == JointState(("a", "b"), *noise)
    assert found.update_rate == 50
    assert sensor("<sensor name='s' type='joint_state'/>").measurement == JointState()
    with pytest.raises(ValueError, match="position takes 0, 1 or 2 noises"):
        JointState(("a", "b"), (Noise(), Noise(), Noise()))


LINKS = """<link name="a"/><link name="b"><pose>0 0 1 0 0 0</pose><sensor name="s" type="imu"/>
</link><joint name="j" type="fixed"><pose>.1 0 0 0 0 1</pose><parent>a</parent><child>b</child>
{}</joint>"""


@pytest.mark.parametrize(
    ("frame", "yaw"),
    [("", 0.0), ("<frame>child</frame>", 0.0), ("<frame>sensor</frame>", 1.5)],
)
def test_a_force_torque_sensor_of_a_joint_is_one_of_the_child_link(frame: str, yaw: float) -> None:
    """It is at the origin of the joint, in the axes of the link or in its own."""
    model = load(
        LINKS.format(
            "<sensor name='f' type='force_torque'><pose>9 0 0 0 0 .5</pose><force_torque>"
            f"{frame}<force><x>{GAUSSIAN}</x></force></force_torque></sensor>"
        )
    )
    imu, found = model.links[1].sensors
    assert (imu.type, found.type) == ("imu", "force_torque")
    assert found.measurement == ForceTorque((Noise(1, 2), Noise(), Noise()))
    assert found.pose.isclose(Pose((0.1, 0, 0), Quaternion.from_euler(0, 0, yaw)))


def test_the_axes_of_a_parent_are_not_followed() -> None:
    frame = "<force_torque><frame>parent</frame></force_torque>"
    with pytest.warns(ModelFormatWarning, match="the axes are the child's"):
        load(LINKS.format(f"<sensor name='f' type='force_torque'>{frame}</sensor>"))


def test_a_sensor_that_is_malformed_does_not_measure() -> None:
    """The model loads; a strict load refuses it."""
    bad = "<link name='l'><sensor name='s' type='ray'><ray><range><min>9</min><max>1</max></range>"
    bad += "</ray></sensor></link>"
    with pytest.warns(ModelFormatWarning, match="max_range must be > min_range"):
        (found,) = load(bad).links[0].sensors
    assert found.measurement is None
    assert "<min>9</min>" in found.xml
    with pytest.raises(ModelFormatError, match="max_range"):
        load(bad, strict=True)


def test_urdf_has_sensors_in_gazebo_tags_of_links_and_joints() -> None:
    model = GazeboXMLLoader().load_model(
        """<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="revolute">
        <parent link="a"/><child link="b"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/>
        <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
        <gazebo reference="b"><sensor name="i" type="imu"><pose>0 1 0 0 0 0</pose></sensor></gazebo>
        <gazebo reference="j"><provideFeedback>true</provideFeedback>
        <sensor name="f" type="force_torque"/></gazebo></robot>"""
    )
    imu, felt = model.links[1].sensors
    assert (imu.measurement, felt.measurement) == (Imu(), ForceTorque())
    assert tuple(imu.pose.position) == (0, 1, 0)
    assert felt.pose == Pose()


NOISE = (Noise(1, 2, 3, 4, 5, 6, 7),)


@pytest.mark.parametrize(
    "measurement",
    [
        Imu(),
        Imu(NOISE * 3, (Noise(), Noise(stddev=1), Noise())),
        Lidar(Rays(7, -1, 2), Rays(2, 0, 0.1), 0.1, 5, NOISE),
        Lidar(),
        Lidar(Rays(3), sees_own=True),
        ContactSensor(("c", "d")),
        ForceTorque(NOISE * 3, NOISE * 3),
        JointState(),
        JointState(("j", "k"), NOISE, NOISE * 2, (Noise(), Noise(stddev=1))),
    ],
)
def test_a_sensor_by_code_is_read_as_it_was_written(measurement: Imu) -> None:
    """A force-torque sensor is written into the joint that holds its link."""
    turned = Quaternion.from_euler(0, 0, 0.5)
    made = SensorDescription("s", pose=Pose((0.5, 0, 0), turned), measurement=measurement)
    link = LinkDescription("b", sensors=(made,))
    joint = JointDescription("j", "fixed", "a", "b", pose=Pose((0.5, 0, 0)))
    model = ModelDescription("m", links=(LinkDescription("a"), link), joints=(joint,))
    (again,) = GazeboXMLLoader().load_model(model.to_sdf()).links[1].sensors
    assert again.pose.isclose(made.pose, abs_tol=1e-12)
    assert replace(again, xml="", pose=made.pose) == made


def test_a_camera_has_noise() -> None:
    """It is read, written, and taken out of the text that is kept."""
    found = sensor(f"<sensor name='s' type='camera'><camera>{GAUSSIAN}</camera></sensor>")
    assert found.camera is not None
    assert found.camera.noise == (Noise(1, 2),)
    for noise in ((Noise(3, 4),), ()):
        lens = replace(found.camera, noise=noise)
        link = LinkDescription("l", sensors=(replace(found, camera=lens),))
        text = ModelDescription("m", links=(link,)).to_sdf()
        assert text.count("<noise") == len(noise)
        (again,) = GazeboXMLLoader().load_model(text).links[0].sensors
        assert again.camera == lens
    with pytest.raises(ValueError, match="camera noise must have at most one entry, got 2"):
        CameraDescription(noise=(Noise(), Noise()))


def test_a_stereo_pair_is_its_left_camera_and_a_baseline() -> None:
    """Whichever the file has first; two cameras that are placed otherwise are kept as text."""
    eye = "<camera name='{0}'><pose>{1}</pose><image><width>8</width></image></camera>"
    pair = "<sensor name='s' type='multicamera'><pose>1 0 0 0 0 0</pose>{}</sensor>"
    left, right = eye.format("l", "0 .1 0 0 0 0"), eye.format("r", "0 -.1 0 0 0 0")
    for text in (left + right, right + left):
        found = sensor(pair.format(text))
        assert found.camera == CameraDescription(width=8, baseline=0.2)
        assert found.pose.isclose(Pose((1, 0.1, 0)))
    for other in ("0 -.1 0 0 0 .1", "0 -.1 .1 0 0 0", "0 .1 0 0 0 0"):
        assert sensor(pair.format(left + eye.format("r", other))).camera is None
    assert sensor(pair.format(left)).camera is None


def test_a_stereo_pair_by_code_is_read_as_it_was_written() -> None:
    lens = CameraDescription(0.749, 1980, 1080, baseline=0.1)
    made = SensorDescription("s", camera=lens, pose=Pose((0.5, 0, 0)))
    model = ModelDescription("m", links=(LinkDescription("a", sensors=(made,)),))
    (again,) = GazeboXMLLoader().load_model(model.to_sdf()).links[0].sensors
    assert replace(again, xml="") == made
    with pytest.raises(
        ValueError, match=r"has a baseline of 0\.1 m: expected one for 'multicamera' only"
    ):
        SensorDescription("s", "camera", camera=lens)


def test_the_type_follows_from_the_measurement() -> None:
    assert SensorDescription("s", measurement=Lidar()).type == "ray"
    with pytest.raises(ValueError, match="type of sensor 's' must not be empty"):
        SensorDescription("s")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Rays(0), "rays must be 1..1048576, got 0"),
        (lambda: Rays(2, 1, 0), "max_angle >= min_angle, got 0 < 1 rad"),
        (lambda: Rays(2, 0, math.inf), "ray angles"),
        (lambda: Lidar(min_range=-1), "min_range"),
        (lambda: Lidar(max_range=0), "max_range"),
        (lambda: Lidar(noise=NOISE * 2), "at most one entry, got 2"),
        (lambda: Lidar(Rays(2**19), Rays(2**10)), "must have <= 1048576 rays"),
        (lambda: Imu(NOISE * 2), "takes 0, 1 or 3 noises .*, got 2"),
        (lambda: SensorDescription("s", "imu", delay=-1.0), "delay"),
    ],
)
def test_descriptions_are_checked(make: object, message: str) -> None:
    assert callable(make)
    with pytest.raises(ValueError, match=message):
        make()
