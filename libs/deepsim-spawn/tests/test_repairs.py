# SPDX-License-Identifier: Apache-2.0
"""What other readers accept is repaired, with one warning a kind; a strict loader refuses it."""

from __future__ import annotations

import math
import os
import warnings

import pytest

from deepsim_math import Color
from deepsim_spawn import GazeboXMLLoader, ModelFormatError, ModelFormatWarning

BALL = "<geometry><sphere radius='1'/></geometry>"
HEAVY = (
    "<inertial><mass value='{}'/>"
    "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>"
)
ARM = (
    "<link name='base'>"
    + HEAVY.format(1)
    + "</link><link name='arm'>"
    + HEAVY.format(1)
    + "</link>"
    "<joint name='j' type='{}'><parent link='base'/><child link='arm'/>{}</joint>"
)


def urdf(body):
    return f"<robot name='r'>{body}</robot>"


def sdf(body, version="1.6"):
    return f"<sdf version='{version}'><model name='m'>{body}</model></sdf>"


def repaired(text, cure, strictly):
    """The model that is read with one warning, which a strict loader refuses."""
    with pytest.raises(ModelFormatError, match=strictly):
        GazeboXMLLoader(strict=True).load_model(text)
    with pytest.warns(ModelFormatWarning, match=cure) as said:
        model = GazeboXMLLoader().load_model(text)
    assert len(said) == 1
    assert str(said[0].message).startswith("<string>:")
    return model


def test_a_link_without_mass_is_a_frame():
    for text in (
        urdf(f"<link name='base'>{HEAVY.format(1)}</link><link name='tool'>{HEAVY.format(0)}</link>"
             "<joint name='j' type='fixed'><parent link='base'/><child link='tool'/></joint>"),
        sdf("<link name='base'/><link name='tool'><inertial><mass>0</mass></inertial></link>"
            "<joint name='j' type='fixed'><parent>base</parent><child>tool</child></joint>"),
    ):  # fmt: skip
        model = repaired(text, "a link without mass becomes a frame", "mass .* must be > 0, got 0")
        assert [link.inertial is None for link in model.links] == [False, True]


def test_a_base_without_mass_is_fixed_to_the_world():
    text = urdf(
        f"<link name='base'>{HEAVY.format(0)}</link><link name='arm'>{HEAVY.format(1)}</link>"
        "<joint name='j' type='continuous'><parent link='base'/><child link='arm'/></joint>"
    )
    with pytest.warns(
        ModelFormatWarning, match="link without mass|'base' has no mass; a base with"
    ):
        model = GazeboXMLLoader().load_model(text)
    assert [(each.name, each.type, each.parent, each.child) for each in model.joints] == [
        ("j", "continuous", "base", "arm"),
        ("fixed_to_world", "fixed", "world", "base"),
    ]


def test_a_model_without_mass_and_joints_is_static():
    with pytest.warns(ModelFormatWarning, match="link without mass|base without mass is fixed"):
        plane = GazeboXMLLoader().load_model(urdf(f"<link name='plane'>{HEAVY.format(0)}</link>"))
    assert plane.static
    assert plane.joints == ()


def test_a_base_that_holds_a_mass_stays_free():
    text = urdf(
        f"<link name='frame'>{HEAVY.format(0)}</link><link name='trunk'>{HEAVY.format(9)}</link>"
        "<joint name='j' type='fixed'><parent link='frame'/><child link='trunk'/></joint>"
    )
    model = repaired(text, "a link without mass becomes a frame", "must be > 0, got 0")
    assert not model.static
    assert [joint.name for joint in model.joints] == ["j"]


def test_the_only_model_of_a_world_is_read_as_a_model():
    """As robots of pybullet are written, which loads them from worlds."""
    arm = "<model name='arm'><pose>1 0 2 0 0 0</pose><link name='base'/></model>"
    world = "<sdf version='1.9'><world name='w'>{}</world></sdf>"
    model = repaired(world.format(arm), "its model 'arm' is read", "got the world 'w'")
    assert (model.name, tuple(model.pose.position)) == ("arm", (1.0, 0.0, 2.0))
    with pytest.raises(ModelFormatError, match="got the world 'w'; use load_world"):
        GazeboXMLLoader().load_model(world.format(arm + arm.replace("arm", "leg")))


def test_a_mass_without_inertia_has_that_of_a_ball_of_water():
    text = urdf("<link name='l'><inertial><mass value='4.18879'/></inertial></link>")
    model = repaired(text, "ball as dense as water", "<inertia> is missing")
    moment = 0.4 * 4.18879 * 0.1**2  # 4/3 pi (0.1 m)^3 1000 kg/m^3 weigh 4.18879 kg
    inertial = model.links[0].inertial
    assert [inertial.ixx, inertial.iyy, inertial.izz] == pytest.approx([moment] * 3, rel=1e-5)


@pytest.mark.parametrize("tag", ["collision", "visual"])
def test_names_that_occur_twice_are_numbered(tag):
    one = f"<{tag} name='a'>{BALL}</{tag}>"
    twice = f"<{tag} name='a_2'>{BALL}</{tag}>"
    text = urdf(f"<link name='l'>{one}{twice}{one}</link>")
    model = repaired(text, "are numbered", "name 'a' is already used at <string>:1|must be uni")
    parts = getattr(model.links[0], f"{tag}s")
    assert [part.name for part in parts] == ["a", "a_2", "a_3"]


@pytest.mark.parametrize(
    ("shape", "strictly"),
    [
        ("<sphere radius='0'/>", "radius .* must be > 0, got 0"),
        ("<box size='1 0 1'/>", "size .* must be > 0, got 0"),
        ("<mesh filename='ghost.stl'/>", "'ghost.stl' was not found"),
    ],
)
def test_a_visual_that_shows_nothing_is_left_out(shape, strictly):
    seen = f"<visual><geometry>{shape}</geometry></visual><visual>{BALL}</visual>"
    model = repaired(urdf(f"<link name='l'>{seen}</link>"), "are left out", strictly)
    assert [visual.name for visual in model.links[0].visuals] == ["l_visual_1"]


@pytest.mark.parametrize(
    "shape",
    [
        "<sphere radius='0'/>",
        "<sphere radius='-0.0'/>",
        "<box size='0 0 0'/>",
        "<box size='0 2 0'/>",
        "<cylinder radius='0' length='0.1'/>",
        "<cylinder radius='0' length='0'/>",
        "<capsule radius='0' length='0.1'/>",
    ],
)
def test_a_collision_that_is_a_point_or_a_line_is_left_out(shape):
    """It touches nothing, and often stands for a frame; the warning names the line."""
    both = f"<collision><geometry>{shape}</geometry></collision><collision>{BALL}</collision>"
    text = urdf(f"<link name='l'>{both}</link>")
    model = repaired(text, "collisions without a size are left out", "must be > 0, got -?0")
    assert [collision.name for collision in model.links[0].collisions] == ["l_collision_1"]


@pytest.mark.parametrize(
    "shape",
    [
        "<sphere radius='-1'/>",
        "<sphere radius='nan'/>",
        "<box size='9 9 0'/>",
        "<box size='0 0 -1'/>",
        "<cylinder radius='1' length='0'/>",
        "<cylinder radius='0' length='-1'/>",
        "<cylinder radius='-1' length='1'/>",
    ],
)
def test_flat_and_negative_collisions_are_errors(shape):
    """A flat one may be a floor, which must not be lost."""
    text = urdf(f"<link name='l'><collision><geometry>{shape}</geometry></collision></link>")
    with pytest.raises(ModelFormatError, match=r":\d+: .*(must be > 0|expected a)"):
        GazeboXMLLoader().load_model(text)


def test_a_plane_of_size_0_is_an_error():
    """Its collision would be infinite, so leaving it out could lose the floor."""
    shape = "<plane><size>0 0</size></plane>"
    collision = f"<collision name='c'><geometry>{shape}</geometry></collision>"
    text = f"<sdf version='1.9'><model name='m'><link name='l'>{collision}</link></model></sdf>"
    with pytest.raises(ModelFormatError, match=r"plane size .* must be > 0, got 0"):
        GazeboXMLLoader().load_model(text)


def test_a_collision_whose_mesh_is_missing_is_left_out_only_where_that_is_asked_for():
    shape = "<geometry><mesh filename='ghost.stl'/></geometry>"
    text = urdf(f"<link name='l'><collision>{shape}</collision></link>")
    with pytest.raises(ModelFormatError, match=r"'ghost\.stl' was not found"):
        GazeboXMLLoader().load_model(text)
    with pytest.warns(ModelFormatWarning, match="collisions without a mesh are left out"):
        model = GazeboXMLLoader(skip_missing_collisions=True).load_model(text)
    assert model.links[0].collisions == ()


def test_a_lower_limit_above_the_upper_one_is_no_limit():
    text = urdf(ARM.format("revolute", "<limit lower='1' upper='-1' effort='1' velocity='1'/>"))
    axis = (
        repaired(text, "becomes unlimited", "lower limit must be <= upper, got 1 and -1")
        .joints[0]
        .axis
    )
    assert (axis.lower, axis.upper) == (-math.inf, math.inf)


@pytest.mark.parametrize(
    ("scale", "factors"), [("2", (2, 2, 2)), ("1 2 3 4", (1, 2, 3)), ("1,2,3", (1, 2, 3))]
)
def test_a_scale_may_have_one_number_or_four_or_commas(tmp_path, scale, factors):
    (tmp_path / "m.stl").touch()
    path = tmp_path / "r.urdf"
    mesh = f"<mesh filename='m.stl' scale='{scale}'/>"
    path.write_text(urdf(f"<link name='l'><visual><geometry>{mesh}</geometry></visual></link>"))
    with pytest.warns(ModelFormatWarning, match=r"r\.urdf:1: geometry/mesh: "):
        model = GazeboXMLLoader().load_model(path)
    assert tuple(model.links[0].visuals[0].geometry.scale) == factors
    with pytest.raises(ModelFormatError, match=r"expected (1 or )?3"):
        GazeboXMLLoader(strict=True).load_model(path)


def test_an_empty_element_has_its_default():
    text = urdf("<link name='l'/><gazebo reference='l'><mu1/></gazebo>")
    model = repaired(text, "the default is used", "expected a finite number, got ''")
    assert model.links[0].name == "l"


def test_of_four_numbers_the_first_three_count():
    origin = "<origin rpy='0 0 0 1' xyz='1 2 3'/>"
    text = urdf(f"<link name='l'><visual>{origin}{BALL}</visual></link>")
    model = repaired(text, "the fourth of three numbers is ignored", "expected 3 finite numbers")
    assert tuple(model.links[0].visuals[0].pose.position) == (1, 2, 3)


@pytest.mark.parametrize(
    ("xyz", "cure"),
    [
        ("$(optenv HUSKY_IMU_XYZ 1 2 3)", r"the default of \$\(optenv\) is read"),
        ("1.0. 2.0 3.0.", "the second point of a number is ignored"),
    ],
)
def test_numbers_are_read_as_bullet_and_ros_read_them(xyz, cure):
    """As in the files of Husky and of a biped that come with pybullet."""
    text = urdf(f"<link name='l'><visual><origin xyz='{xyz}'/>{BALL}</visual></link>")
    model = repaired(text, cure, "expected 3 finite numbers")
    assert tuple(model.links[0].visuals[0].pose.position) == (1, 2, 3)


@pytest.mark.parametrize("xyz", ["$(env XYZ)", "$(optenv XYZ)", "$(optenv X 1 2)", "1..0 2 3"])
def test_numbers_without_a_meaning_are_errors(xyz):
    text = urdf(f"<link name='l'><visual><origin xyz='{xyz}'/>{BALL}</visual></link>")
    with pytest.raises(ModelFormatError, match="expected 3 finite numbers"):
        GazeboXMLLoader().load_model(text)


def test_negative_friction_is_no_limit():
    mu = "<surface><friction><ode><mu>-1</mu></ode></friction></surface>"
    collision = "<collision name='c'><geometry><sphere><radius>1</radius></sphere></geometry>"
    text = sdf(f"<link name='l'>{collision}{mu}</collision></link>")
    model = repaired(text, "unlimited", "surface mu must be >= 0, got -1")
    assert model.links[0].collisions[0].surface.mu >= 1000.0


def test_before_sdf_1_7_links_and_joints_may_be_called_world():
    body = (
        "<link name='world'/><link name='arm'/>"
        "<joint name='world' type='fixed'><parent>world</parent><child>arm</child></joint>"
    )
    with pytest.warns(ModelFormatWarning, match="is reserved"):
        model = GazeboXMLLoader().load_model(sdf(body))
    assert [link.name for link in model.links] == ["world_link", "arm"]
    assert (model.joints[0].name, model.joints[0].parent) == ("world_joint", "world_link")
    for loader, version in ((GazeboXMLLoader(strict=True), "1.6"), (GazeboXMLLoader(), "1.7")):
        with pytest.raises(ModelFormatError, match="'world' is reserved"):
            loader.load_model(sdf(body, version))


@pytest.mark.parametrize(
    "text",
    [
        "<robot name='r'><!-- a -- b --><link name='l'/></robot>",
        "<robot name=r><link name=l/></robot>",
        "<robot name='r'><link name='l' name='m'/></robot>",
        "<robot name='r'><drake:x/><link name='l' drake:y='1'/></robot>",
        "<robot name='r' xmlns:a='b'><a:x/><drake:x/><link name='l'/></robot>",
        "<robot name='r'><link name='l'/><gazebo><plugin>a & b</plugin></gazebo></robot>",
        "<robot name='r'><link name='l'/><gazebo><plugin name='a<b&c'/></gazebo></robot>",
        f"<robot name='r'><link name='l'/></robot>{' ' * 200}\0",
        b"<robot name='r'><!-- \xa9 --><link name='l'/></robot>",
    ],
)
def test_malformed_xml_that_gazebo_or_bullet_read_is_read(tmp_path, text):
    path = tmp_path / "r.urdf"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.warns(ModelFormatWarning, match=r"r\.urdf:1: xml: malformed XML: .*read as Gazebo"):
        model = GazeboXMLLoader().load_model(path)
    assert (model.name, model.links[0].name) == ("r", "l")
    with pytest.raises(ModelFormatError, match="malformed XML"):
        GazeboXMLLoader(strict=True).load_model(path)


def test_lines_are_those_of_the_file_after_malformed_xml_was_mended(tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text("<robot\n name=r>\n<!-- --\n -->\n<link\n/></robot>")
    with pytest.raises(ModelFormatError, match=r"r\.urdf:[56]: .*'name' is missing"):
        GazeboXMLLoader().load_model(path)


def test_a_prefix_that_nobody_declares_does_not_hide_xacro():
    with pytest.raises(ModelFormatError, match="xacro, which is code"):
        GazeboXMLLoader().load("<robot name='r'><xacro:if value='1'/></robot>")


@pytest.mark.parametrize("kind", ["fifo", "device"])
@pytest.mark.parametrize("used", ["source", "mesh"])
def test_a_file_that_is_no_regular_one_is_refused(tmp_path, kind, used):
    path = tmp_path / "m.stl"
    if kind == "fifo":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    robot = tmp_path / "r.urdf"
    shape = "<geometry><mesh filename='m.stl'/></geometry>"
    robot.write_text(urdf(f"<link name='l'><visual>{shape}</visual></link>"))
    with pytest.raises(ModelFormatError, match="regular file"):
        GazeboXMLLoader(["/dev", tmp_path]).load(path if used == "source" else robot)


def test_an_element_of_many_attributes_is_refused():
    many = " ".join(f"a{number}=''" for number in range(32_000))
    for text in (f"<robot {many}/>", f"<robot name='r'><link {many}/></robot>"):
        with pytest.raises(ModelFormatError, match="more than 100 attributes"):
            GazeboXMLLoader().load(text)


def test_xacro_writes_nothing_to_the_terminal(capfd, tmp_path):
    (tmp_path / "pi.xacro").write_text(
        "<robot xmlns:xacro='http://www.ros.org/wiki/xacro'>"
        "<xacro:property name='pi' value='3.14'/></robot>"
    )
    path = tmp_path / "r.urdf.xacro"
    path.write_text(
        "<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'>"
        "<xacro:include filename='pi.xacro'/><link name='l'/></robot>"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert GazeboXMLLoader().load(path)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("turned", ["", " expressed_in='base'"])
def test_an_axis_of_sdf_without_length_becomes_the_default(turned):
    """As sdformat has it: 0 0 1, in the frame of the joint."""
    text = sdf(
        "<link name='base'/><link name='l'><pose>0 0 0 1 0 0</pose></link><joint name='j' "
        f"type='revolute'><parent>base</parent><child>l</child><axis><xyz{turned}>0 0 0.0</xyz>"
        "</axis></joint>",
        "1.7",
    )
    model = repaired(text, "it becomes 0 0 1", "length > 0, got 0 0 0")
    assert tuple(model.joints[0].axis.xyz) == (0.0, 0.0, 1.0)


def test_an_axis_of_urdf_without_length_becomes_the_default():
    text = urdf(ARM.format("continuous", "<axis xyz='0 0 0'/>"))
    model = repaired(text, "it becomes 1 0 0", "length > 0, got 0 0 0")
    assert tuple(model.joints[0].axis.xyz) == (1.0, 0.0, 0.0)


@pytest.mark.parametrize(("effort", "velocity"), [("0", "0"), ("-1", "-1"), ("0", "2")])
def test_a_limit_of_0_in_urdf_is_none(effort, velocity):
    limit = f"<limit effort='{effort}' velocity='{velocity}' lower='-1' upper='1'/>"
    with pytest.warns(ModelFormatWarning, match="0 or negative is no limit"):
        model = GazeboXMLLoader().load_model(urdf(ARM.format("revolute", limit)))
    axis = model.joints[0].axis
    assert axis.effort == math.inf
    assert axis.velocity == (float(velocity) if float(velocity) > 0 else math.inf)


@pytest.mark.parametrize(
    ("rgba", "color"),
    [
        ("0.15 0.15 0.15 0 1", Color(0.15, 0.15, 0.15, 1)),
        ("1 2 -1 1", Color(1, 1, 0, 1)),
        ("0.5 0.5", Color(1, 1, 1, 1)),
        ("red", Color(1, 1, 1, 1)),
    ],
)
def test_a_robot_is_not_refused_for_its_paint(rgba, color):
    paint = f"<material name='x'><color rgba='{rgba}'/></material>"
    text = urdf(f"<link name='p'><visual>{BALL}{paint}</visual></link>")
    with pytest.warns(ModelFormatWarning, match="colour"):
        model = GazeboXMLLoader().load_model(text)
    assert model.links[0].visuals[0].material.diffuse == color
