# SPDX-License-Identifier: Apache-2.0
"""SDF text of descriptions: what Gazebo 11 needs, and what it cannot be told."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
from lxml import etree

from deepsim_math import Color, Pose
from deepsim_spawn import (
    Box,
    Capsule,
    CollisionDescription,
    Ellipsoid,
    JointDescription,
    LightDescription,
    LinkDescription,
    Mesh,
    ModelDescription,
    Physics,
    PluginDescription,
    SensorDescription,
    Surface,
    UnsupportedElementWarning,
    VisualDescription,
    WorldDescription,
)


def text(description, path):
    """The text of the one element at a path below `<sdf>`."""
    (found,) = etree.fromstring(description.to_sdf()).findall(path)
    return found.text


def with_link(**parts):
    return ModelDescription("m", links=(LinkDescription("l", **parts),))


def test_a_small_model_is_easy_to_read():
    visual = VisualDescription("v", Box((1, 2, 0.1)))
    model = with_link(visuals=(visual,))
    assert model.to_sdf().startswith(
        """\
<sdf version="1.7">
  <model name="m">
    <static>false</static>
    <self_collide>false</self_collide>
    <link name="l">
"""
    )
    assert """
        <geometry>
          <box>
            <size>1.0 2.0 0.1</size>
          </box>
        </geometry>
""" in model.to_sdf()  # fmt: skip


def test_a_link_without_inertia_weighs_a_gram(loader):
    """Without an element it would be 1 kg."""
    inertial = loader.load_model(with_link(inertial=None).to_sdf()).links[0].inertial
    assert inertial.mass == 0.001
    assert inertial.ixx == inertial.iyy == inertial.izz == pytest.approx(0.4 * 0.001 * 0.05**2)


def test_a_link_without_inertia_that_the_world_holds_weighs_a_kilogram(loader):
    """Of 1 g, Gazebo could not hold the servos of an arm on it, which would run away."""
    base, mount = LinkDescription("base"), LinkDescription("mount")
    joints = (
        JointDescription("b", "fixed", "base", "mount"),
        JointDescription("a", "fixed", "world", "base"),
    )
    text = ModelDescription("m", links=(base, mount), joints=joints).to_sdf()
    assert [link.inertial.mass for link in loader.load_model(text).links] == [1.0, 1.0]


def test_a_visual_that_is_not_drawn_becomes_transparent():
    visual = VisualDescription("v", Box((1, 1, 1)), transparency=0.25, visible=False)
    assert text(with_link(visuals=(visual,)), ".//transparency") == "1.0"


def test_a_continuous_joint_becomes_a_revolute_one_without_limits(loader):
    robot = loader.load_model(
        "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='continuous'>"
        "<parent link='a'/><child link='b'/><axis xyz='0 1 0'/></joint></robot>"
    )
    (joint,) = loader.load_model(robot.to_sdf()).joints
    assert joint == replace(robot.joints[0], type="revolute")
    assert (joint.axis.lower, joint.axis.upper) == (-math.inf, math.inf)
    assert text(robot, ".//axis/limit/lower") == "-1e+16"


def test_only_what_bounces_changes_how_contacts_are_solved(load_link):
    """What the writer adds is no news to the reader; what others wrote is."""
    for restitution, expected in ((0.0, []), (0.5, ["0.0"])):
        collision = CollisionDescription(
            "c", Box((1, 1, 1)), surface=Surface(restitution=restitution)
        )
        sdf = etree.fromstring(with_link(collisions=(collision,)).to_sdf())
        assert [found.text for found in sdf.iter("threshold")] == expected
        assert len(list(sdf.iter("max_vel"))) == len(expected)
    with pytest.warns(UnsupportedElementWarning, match="ode/kp: not supported"):
        load_link(
            "<collision name='c'><geometry><sphere><radius>1</radius></sphere></geometry>"
            "<surface><contact><ode><kp>1e6</kp></ode></contact></surface></collision>"
        )


def test_a_mesh_is_found_from_anywhere(tmp_path):
    """Gazebo takes the path as it is written: blanks are no %20."""
    mesh = tmp_path / "two words.obj"
    shape = Mesh(mesh, submesh="lid", center=True)
    model = with_link(visuals=(VisualDescription("v", shape),))
    assert text(model, ".//uri") == f"file://{mesh}"
    assert text(model, ".//submesh/name") == "lid"
    relative = replace(shape, path=Path("here.obj"))
    model = with_link(visuals=(VisualDescription("v", relative),))
    assert text(model, ".//uri") == f"file://{Path.cwd() / 'here.obj'}"


def version(model):
    return etree.fromstring(model.to_sdf()).get("version")


@pytest.mark.parametrize("shape", [Capsule(0.1, 0.2), Ellipsoid((1, 2, 3))])
def test_shapes_that_gazebo_11_lacks_are_sdf_1_8_which_it_refuses(shape):
    assert version(with_link()) == "1.7"
    assert version(with_link(collisions=(CollisionDescription("c", shape),))) == "1.8"
    assert version(with_link(visuals=(VisualDescription("v", shape),))) == "1.8"


def test_a_joint_with_the_name_of_a_link_is_sdf_1_6(loader):
    """Later versions refuse it."""
    robot = loader.load_model(
        "<robot name='r'><link name='a'/><link name='b'/><joint name='b' type='fixed'>"
        "<parent link='a'/><child link='b'/></joint></robot>"
    )
    world = WorldDescription(models=(ModelDescription("outer", models=(robot,)),))
    assert version(robot) == version(world) == "1.6"
    assert loader.load_world(world.to_sdf()).models[0].models[0].joints == robot.joints


SENSOR = """
<model name="m">
  <frame name="mast"><pose>0 0 2 0 0 0</pose></frame>
  <link name="l"><sensor name="eye" type="camera">
    <pose relative_to="mast">1 0 0 0 0 0</pose>
    <camera name="lens">
      <pose>0 3 0 0 0 0</pose>
      <image><width>64</width><height>48</height><format>L8</format></image>
      <noise><type>gaussian</type></noise>
    </camera>
    <plugin name="p" filename="libp.so"><topic> a b </topic></plugin>
  </sensor></link>
</model>
"""


def test_a_sensor_keeps_all_that_its_file_said(load_model, loader):
    """Its pose, which the file gives in three parts and a frame, is in the link frame."""
    model = load_model(SENSOR)
    assert text(model, ".//sensor/pose") == "1.0 3.0 2.0 0.0 0.0 0.0"
    assert text(model, ".//sensor/camera/image/format") == "L8"
    assert text(model, ".//sensor/camera/noise/type") == "gaussian"
    assert '<plugin name="p" filename="libp.so"><topic> a b </topic></plugin>' in model.to_sdf()
    (sensor,) = model.links[0].sensors
    (again,) = loader.load_model(model.to_sdf()).links[0].sensors
    assert replace(again, xml=sensor.xml) == sensor


def test_what_a_sensor_says_itself_counts_more_than_its_text(load_model):
    (sensor,) = load_model(SENSOR).links[0].sensors
    sensor = replace(sensor, name="ear", pose=Pose(), camera=replace(sensor.camera, width=32))
    sdf = etree.fromstring(with_link(sensors=(sensor,)).to_sdf())
    (element,) = sdf.iter("sensor")
    assert element.get("name") == "ear"
    assert element.findall(".//pose") == []
    assert [width.text for width in element.iter("width")] == ["32"]


def test_the_cameras_of_a_stereo_sensor_keep_their_own_poses():
    xml = "<sensor><camera name='left'><pose>0 1 0 0 0 0</pose></camera></sensor>"
    sensor = SensorDescription("eyes", "multicamera", Pose((2, 0, 0)), xml=xml)
    model = with_link(sensors=(sensor,))
    assert text(model, ".//sensor/pose") == "2.0 0.0 0.0 0.0 0.0 0.0"
    assert text(model, ".//sensor/camera/pose") == "0 1 0 0 0 0"


def test_a_plugin_keeps_its_text_to_the_letter(load_model, loader):
    xml = '<plugin name="p" filename="libp.so"> <a>1 &lt; 2</a><b c="d"/>\n\n text </plugin>'
    model = load_model(f"<model name='m'><link name='l'/>{xml}</model>")
    assert model.plugins == (PluginDescription("p", "libp.so", xml),)
    assert loader.load_model(model.to_sdf()).plugins == model.plugins


@pytest.mark.parametrize(
    ("xml", "message"),
    [
        ("<plugin", "the xml of plugin 'p' is malformed: "),
        ("<sensor/>", "the xml of plugin 'p' must be a <plugin>, got <sensor>"),
    ],
)
def test_text_that_is_no_plugin_is_refused(xml, message):
    model = ModelDescription("m", static=True, plugins=(PluginDescription("p", "f", xml),))
    with pytest.raises(ValueError, match=message):
        model.to_sdf()


def test_the_rate_of_a_world_is_its_factor_by_its_step():
    """Gazebo keeps to the rate, whatever the factor says."""
    world = WorldDescription(physics=Physics(max_step_size=0.002, real_time_factor=3.0))
    assert text(world, "world/physics/real_time_update_rate") == "1500.0"


def test_a_light_is_a_document_of_its_own():
    light = LightDescription("lamp", "spot", diffuse=Color(1, 0.5, 0.25))
    assert text(light, "light[@name='lamp'][@type='spot']/diffuse") == "1.0 0.5 0.25 1.0"
