# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math
from pathlib import Path

import pytest

from deepsim_math import Color, Material
from deepsim_spawn import (
    Box,
    Capsule,
    Cylinder,
    GazeboXMLLoader,
    Inertial,
    Mesh,
    MimicDescription,
    ModelFormatError,
    ModelFormatWarning,
    Sphere,
    Surface,
    UnsupportedElementWarning,
)

BALL = "<geometry><sphere radius='1'/></geometry>"
TREE = (
    "<link name='base'/><link name='arm'/>"
    "<joint name='j' type='{}'><parent link='base'/><child link='arm'/>"
    "<origin xyz='0 0 1' rpy='0 0 1.5707963267948966'/>{}</joint>"
)
LIMIT = "<limit effort='1' velocity='2'/>"


@pytest.fixture
def load(loader):
    """The model of a URDF text, given what stands inside of `<robot>`."""
    return lambda body: loader.load_model(f"<robot name='r'>{body}</robot>")


def test_fixed_joints_stay_joints(load):
    model = load(TREE.format("fixed", ""))
    assert [link.name for link in model.links] == ["base", "arm"]
    assert [(joint.type, joint.parent, joint.child) for joint in model.joints] == [
        ("fixed", "base", "arm")
    ]


@pytest.mark.parametrize(
    ("kind", "body", "xyz", "limits"),
    [
        ("revolute", LIMIT, (1, 0, 0), (0, 0, 1, 2)),
        (
            "revolute",
            "<axis xyz='0 3 4'/><limit lower='-1' upper='2' effort='3' velocity='4'/>",
            (0, 0.6, 0.8),
            (-1, 2, 3, 4),
        ),
        (
            "prismatic",
            "<axis xyz='0 0 1'/><limit lower='-1' upper='2' effort='3' velocity='4'/>",
            (0, 0, 1),
            (-1, 2, 3, 4),
        ),
        ("continuous", "<axis/>", (1, 0, 0), (-math.inf, math.inf, math.inf, math.inf)),
        (
            "continuous",
            "<limit lower='-1' upper='2' effort='3' velocity='4'/>",
            (1, 0, 0),
            (-math.inf, math.inf, 3, 4),
        ),
    ],
)
def test_an_axis_is_in_the_joint_frame_which_is_that_of_the_child(load, kind, body, xyz, limits):
    joint = load(TREE.format(kind, body)).joints[0]
    assert joint.type == kind
    assert tuple(joint.pose.position) == (0, 0, 0)
    assert tuple(joint.axis.xyz) == pytest.approx(xyz)
    assert (joint.axis.lower, joint.axis.upper, joint.axis.effort, joint.axis.velocity) == limits


def test_dynamics_and_springs_are_read(load):
    body = TREE.format("continuous", "<dynamics damping='0.1' friction='0.2'/>") + (
        "<gazebo reference='j'><springStiffness>3</springStiffness>"
        "<springReference>0.4</springReference></gazebo>"
    )
    axis = load(body).joints[0].axis
    assert (axis.damping, axis.friction) == (0.1, 0.2)
    assert (axis.spring_stiffness, axis.spring_reference) == (3, 0.4)


def test_a_root_link_called_world_is_the_world(load):
    model = load(
        "<link name='world'/><link name='base'/><joint name='j' type='fixed'>"
        "<parent link='world'/><child link='base'/><origin xyz='0 0 1'/></joint>"
    )
    assert [link.name for link in model.links] == ["base"]
    assert (model.joints[0].parent, model.joints[0].child) == ("world", "base")
    assert tuple(model.links[0].pose.position) == (0, 0, 1)
    assert model.canonical_link == "base"


def test_a_robot_that_is_only_the_world_is_refused(load):
    with pytest.raises(ModelFormatError, match="a robot must have a link besides the world"):
        load("<link name='world'/><gazebo><static>true</static></gazebo>")


def test_a_name_that_is_reserved_is_another_one(loader):
    """A joint may be called ``world`` in ROS; no SDF reader takes it."""
    text = (
        "<robot name='world'><link name='base'/><link name='a'/><link name='b'/>"
        "<joint name='world' type='continuous'><parent link='base'/><child link='a'/></joint>"
        "<joint name='world_joint' type='fixed'><parent link='base'/><child link='b'/></joint>"
        "<gazebo reference='world'><springStiffness>3</springStiffness></gazebo></robot>"
    )
    with pytest.warns(ModelFormatWarning) as caught:
        model = loader.load_model(text)
    assert [str(warning.message) for warning in caught] == [
        "<string>:1: robot: the name 'world' is reserved, 'world_robot' is used",
        "<string>:1: robot/joint: the name 'world' is reserved, 'world_joint_joint' is used",
    ]
    assert model.name == "world_robot"
    assert [joint.name for joint in model.joints] == ["world_joint_joint", "world_joint"]
    assert model.joints[0].axis.spring_stiffness == 3
    again = loader.load_model(model.to_sdf())
    assert [joint.name for joint in again.joints] == ["world_joint_joint", "world_joint"]


def test_a_floating_joint_leaves_its_child_free(load):
    model = load(TREE.format("floating", ""))
    assert model.joints == ()
    assert tuple(model.links[1].pose.position) == (0, 0, 1)


def test_a_planar_joint_is_left_out_with_a_warning(load):
    with pytest.warns(UnsupportedElementWarning, match="joint planar: not supported"):
        assert load(TREE.format("planar", "<axis xyz='0 0 1'/>")).joints == ()


def test_a_joint_mimics_another_one(load):
    model = load(TREE.format("continuous", "<mimic joint='j' multiplier='-2' offset='0.5'/>"))
    assert model.joints[0].axis.mimic == MimicDescription("j", -2.0, 0.5)


def test_a_joint_that_mimics_none_is_mended(load):
    with pytest.warns(ModelFormatWarning, match="no joint 'k'; the joint moves independently"):
        model = load(TREE.format("continuous", "<mimic joint='k'/>"))
    assert model.joints[0].axis.mimic is None


def test_an_inertial_is_read_with_its_frame(load):
    link = load(
        "<link name='l'><inertial><origin xyz='1 2 3'/><mass value='2'/>"
        "<inertia ixx='3' ixy='.1' ixz='.2' iyy='4' iyz='.3' izz='5'/></inertial></link>"
    ).links[0]
    assert tuple(link.inertial.pose.position) == (1, 2, 3)
    assert link.inertial == Inertial(2, link.inertial.pose, 3, 4, 5, 0.1, 0.2, 0.3)


def test_a_link_without_inertial_has_none(load):
    assert load("<link name='l'/>").links[0].inertial is None


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ("<box size='1 2 3'/>", Box((1, 2, 3))),
        ("<sphere radius='1'/>", Sphere(1)),
        ("<cylinder radius='1' length='2'/>", Cylinder(1, 2)),
        ("<capsule radius='1' length='2'/>", Capsule(1, 2)),
    ],
)
@pytest.mark.parametrize("tag", ["collision", "visual"])
def test_every_shape_is_read(load, tag, shape, expected):
    link = load(
        f"<link name='l'><{tag}><origin xyz='0 0 1'/><geometry>{shape}</geometry></{tag}></link>"
    ).links[0]
    (held,) = getattr(link, tag + "s")
    assert held.geometry == expected
    assert tuple(held.pose.position) == (0, 0, 1)


def test_a_mesh_is_found_in_its_package(loader, tmp_path):
    package = tmp_path / "arm"
    (package / "urdf").mkdir(parents=True)
    (package / "package.xml").touch()
    (package / "hand.stl").touch()
    file = package / "urdf" / "arm.urdf"
    file.write_text(
        "<robot name='r'><link name='l'><collision><geometry>"
        "<mesh filename='package://arm/hand.stl' scale='1 2 3'/>"
        "</geometry></collision></link></robot>"
    )
    (collision,) = loader.load_model(file).links[0].collisions
    assert collision.geometry == Mesh(Path(package / "hand.stl").resolve(), (1, 2, 3))


def test_shapes_without_a_name_get_the_names_that_gazebo_makes(load):
    link = load(
        f"<link name='l'><visual>{BALL}</visual><visual>{BALL}</visual>"
        f"<visual name='own'>{BALL}</visual><collision>{BALL}</collision></link>"
    ).links[0]
    assert [visual.name for visual in link.visuals] == ["l_visual", "l_visual_1", "own"]
    assert [collision.name for collision in link.collisions] == ["l_collision"]


RED = Color(1, 0, 0)
GREEN = Color(0, 1, 0)


@pytest.mark.parametrize(
    ("before", "material", "extension", "expected"),
    [
        ("", "", "", None),
        ("", "<material name=''/>", "", None),
        ("", "<material name='x'><color rgba='1 0 0 1'/></material>", "", Material(RED, RED)),
        (
            "<material name='x'><color rgba='1 0 0 1'/></material>",
            "<material name='x'/>",
            "",
            Material(RED, RED),
        ),
        (
            "",
            "<material name='x'><color rgba='1 0 0 1'/></material>",
            "<material>Gazebo/Green</material>",
            Material(GREEN, GREEN, Color(0.1, 0.1, 0.1)),
        ),
        (
            "",
            "",
            "<material><ambient>1 0 0 1</ambient></material>",
            Material(RED, RED),
        ),
    ],
)
def test_a_material_is_defined_once_and_named_elsewhere(
    load, before, material, extension, expected
):
    link = load(
        f"{before}<link name='l'><visual>{BALL}{material}</visual></link>"
        f"<gazebo reference='l'>{extension}</gazebo>"
    ).links[0]
    assert link.visuals[0].material == expected


def test_a_material_that_a_visual_defines_is_known_to_later_ones(load):
    model = load(
        f"<link name='l'><visual>{BALL}<material name='x'><color rgba='1 0 0 1'/></material>"
        f"</visual><visual>{BALL}<material name='x'/></visual></link>"
    )
    assert [visual.material for visual in model.links[0].visuals] == [Material(RED, RED)] * 2


def test_a_material_that_is_not_defined_is_warned_of(load):
    with pytest.warns(ModelFormatWarning, match="material 'x' is undefined"):
        model = load(f"<link name='l'><visual>{BALL}<material name='x'/></visual></link>")
    assert model.links[0].visuals[0].material is None


def test_alpha_becomes_transparency(load):
    visual = (
        load(
            f"<link name='l'><visual>{BALL}<material name='x'><color rgba='1 0 0 .25'/></material>"
            "</visual></link>"
        )
        .links[0]
        .visuals[0]
    )
    assert visual.transparency == 0.75
    assert visual.material == Material(RED, RED)


def test_gazebo_elements_extend_links(load):
    model = load(
        f"<link name='l'><collision>{BALL}</collision></link><link name='k'/>"
        "<joint name='j' type='fixed'><parent link='l'/><child link='k'/></joint>"
        "<gazebo reference='l'><mu1>0.1</mu1><mu2>0.2</mu2><selfCollide>true</selfCollide>"
        "<turnGravityOff>true</turnGravityOff><sensor name='eye' type='camera'>"
        "<pose>1 0 0 0 0 0</pose><camera><image><width>8</width><height>6</height></image></camera>"
        "</sensor></gazebo>"
        "<gazebo reference='k'><gravity>false</gravity></gazebo>"
        "<gazebo><static>true</static><plugin name='p' filename='f'/></gazebo>"
    )
    link, other = model.links
    assert link.collisions[0].surface == Surface(0.1, 0.2)
    assert (link.self_collide, link.gravity) == (True, False)
    assert (other.self_collide, other.gravity) == (None, False)
    assert link.sensors[0].camera.width == 8
    assert tuple(link.sensors[0].pose.position) == (1, 0, 0)
    assert model.static
    assert model.plugins[0].name == "p"


def test_a_later_gazebo_element_wins(load):
    model = load(
        f"<link name='l'><collision>{BALL}</collision></link>"
        "<gazebo reference='l'><mu1>0.1</mu1></gazebo><gazebo reference='l'><mu1>0.3</mu1></gazebo>"
    )
    assert model.links[0].collisions[0].surface.mu == 0.3


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("<gazebo reference='ghost'><mu1>1</mu1></gazebo>", "no link or joint 'ghost'"),
        ("<gazebo reference='l'><kp>1</kp></gazebo>", "gazebo/kp"),
        ("<transmission name='t'/>", "robot/transmission"),
    ],
)
def test_what_has_no_effect_is_warned_of(load, body, kind):
    with pytest.warns(UnsupportedElementWarning, match=kind):
        load(f"<link name='l'/>{body}")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("", "a robot must have a link"),
        ("<link/>", "attribute 'name' is missing"),
        ("<link name='l'/><link name='l'/>", "name 'l' is already used"),
        ("<link name='a'/><link name='b'/>", "one root link, which is no joint's child, got a, b"),
        (TREE.format("revolute", ""), "<limit> is missing"),
        (TREE.format("revolute", "<limit velocity='1'/>"), "attribute 'effort' is missing"),
        (TREE.format("hinge", ""), "type must be one of fixed, revolute"),
        (TREE.format("fixed", "").replace("link='arm'", "link='ghost'"), "unknown link 'ghost'"),
        (TREE.format("fixed", "").replace("<child link='arm'/>", ""), "<child> is missing"),
        (
            "<link name='a'/><link name='b'/><link name='c'/>"
            + "".join(
                f"<joint name='{p}{c}' type='fixed'><parent link='{p}'/><child link='{c}'/></joint>"
                for p, c in ("ac", "bc")
            ),
            r"'c' is already the child of robot\[r\]/joint\[ac\]",
        ),
        (
            "<link name='a'/><link name='b'/><link name='c'/>"
            + "".join(
                f"<joint name='{p}{c}' type='fixed'><parent link='{p}'/><child link='{c}'/></joint>"
                for p, c in ("bc", "cb")
            ),
            "is part of a loop of joints",
        ),
        ("<link name='l'><visual><geometry/></visual></link>", "expected one of box, sphere"),
        ("<link name='l'><visual/></link>", "<geometry> is missing"),
        (
            "<link name='l'><visual><geometry><box size='1 2'/></geometry></visual></link>",
            "attribute 'size': expected 3 finite numbers, got '1 2'",
        ),
        (
            "<link name='l'><visual><geometry><mesh filename='package://arm/hand.stl'/>"
            "</geometry></visual></link>",
            r"mesh: 'package://arm/hand\.stl' was not found",
        ),
    ],
)
def test_a_robot_that_cannot_be_is_an_error(body, message):
    with pytest.raises(ModelFormatError, match=message):
        GazeboXMLLoader(strict=True).load_model(f"<robot name='r'>{body}</robot>")


def test_a_robot_must_have_a_name(loader):
    with pytest.raises(ModelFormatError, match="attribute 'name' is missing"):
        loader.load("<robot><link name='l'/></robot>")
