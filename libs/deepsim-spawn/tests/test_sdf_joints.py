# SPDX-License-Identifier: Apache-2.0
"""Joints of SDF: what they join, where they are, along which axis they move."""

from __future__ import annotations

import math

import pytest

from deepsim_spawn import ModelFormatError, UnsupportedElementWarning

LINKS = "<link name='a'/><link name='b'><pose>0 0 1 0 0 0</pose></link>"
ENDS = "<parent>a</parent><child>b</child>"


@pytest.fixture
def load_joint(load_model):
    def load(joint, version="1.7", more=""):
        return load_model(f"<model name='m'>{LINKS}{more}{joint}</model>", version).joints[0]

    return load


@pytest.mark.parametrize(
    ("kind", "axes"),
    [
        ("fixed", 0),
        ("ball", 0),
        ("revolute", 1),
        ("continuous", 1),
        ("prismatic", 1),
        ("universal", 2),
        ("revolute2", 2),
    ],
)
def test_every_type_has_its_axes_and_no_more(load_joint, kind, axes):
    joint = load_joint(
        f"<joint name='j' type='{kind}'>{ENDS}"
        "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2></joint>"
    )
    assert (joint.type, joint.parent, joint.child) == (kind, "a", "b")
    assert [axis is not None for axis in (joint.axis, joint.axis2)] == [axes >= 1, axes == 2]


@pytest.mark.parametrize("kind", ["screw", "gearbox"])
def test_a_type_that_is_not_supported_is_left_out_with_a_warning(load_model, kind):
    with pytest.warns(UnsupportedElementWarning, match=f"joint {kind}: not supported"):
        model = load_model(
            f"<model name='m'>{LINKS}<joint name='j' type='{kind}'>{ENDS}</joint></model>"
        )
    assert model.joints == ()


def test_an_axis_keeps_its_limits_and_dynamics(load_joint):
    axis = load_joint(
        f"<joint name='j' type='revolute'>{ENDS}<axis><xyz>0 0 2</xyz>"
        "<limit><lower>-1</lower><upper>2</upper><effort>3</effort><velocity>4</velocity></limit>"
        "<dynamics><damping>5</damping><friction>6</friction>"
        "<spring_stiffness>7</spring_stiffness><spring_reference>8</spring_reference></dynamics>"
        "</axis></joint>"
    ).axis
    assert tuple(axis.xyz) == (0, 0, 1)
    assert (axis.lower, axis.upper, axis.effort, axis.velocity) == (-1, 2, 3, 4)
    assert (axis.damping, axis.friction) == (5, 6)
    assert (axis.spring_stiffness, axis.spring_reference) == (7, 8)


def test_an_axis_mimics_another_one(load_joint):
    """As SDF 1.11 has it: multiplier * (leader - reference) + offset."""
    axis = load_joint(
        f"<joint name='j' type='revolute'>{ENDS}<axis><xyz>0 0 1</xyz>"
        "<mimic joint='k' axis='axis2'><multiplier>3</multiplier><offset>0.5</offset>"
        "<reference>0.1</reference></mimic></axis></joint>"
    ).axis
    assert axis.mimic.joint == "k::2"
    assert (axis.mimic.multiplier, axis.mimic.offset) == (3.0, pytest.approx(0.2))


@pytest.mark.parametrize(
    "limit",
    [
        "",
        "<limit/>",
        "<limit><lower>-1e16</lower><upper>1e16</upper><effort>-1</effort><velocity>-1</velocity></limit>",
        "<limit><lower>-inf</lower><upper>inf</upper></limit>",
    ],
)
def test_without_limits_an_axis_is_free(load_joint, limit):
    axis = load_joint(f"<joint name='j' type='revolute'>{ENDS}<axis>{limit}</axis></joint>").axis
    assert (axis.lower, axis.upper) == (-math.inf, math.inf)
    assert (axis.effort, axis.velocity) == (math.inf, math.inf)


@pytest.mark.parametrize(
    ("parent", "child", "expected"),
    [
        ("world", "b", ("world", "b")),
        ("f", "b", ("a", "b")),
        ("a", "f2", ("a", "n::l")),
        ("a", "n", ("a", "n::l")),
        ("n::l", "b", ("n::l", "b")),
        ("__model__", "b", ("a", "b")),
        ("b", "n::j", ("b", "n::k")),
    ],
)
def test_frames_stand_for_the_link_that_they_are_attached_to(load_joint, parent, child, expected):
    joint = load_joint(
        f"<joint name='j' type='fixed'><parent>{parent}</parent><child>{child}</child></joint>",
        "1.8",
        "<model name='n'><link name='l'/><link name='k'/>"
        "<joint name='j' type='fixed'><parent>l</parent><child>k</child></joint></model>"
        "<frame name='f' attached_to='a'/><frame name='f1' attached_to='n'/>"
        "<frame name='f2' attached_to='f1'/>",
    )
    assert (joint.parent, joint.child) == expected


@pytest.mark.parametrize(
    ("pose", "child", "expected"),
    [
        ("<pose>1 0 0 0 0 0</pose>", "b", (1, 0, 0)),
        ("<pose relative_to='a'>1 0 0 0 0 0</pose>", "b", (1, 0, -1)),
        ("<pose>1 0 0 0 0 0</pose>", "f", (1, 0, 5)),
        ("", "f", (0, 0, 5)),
        ("<pose relative_to='__model__'/>", "f", (0, 0, -1)),
    ],
)
def test_the_joint_frame_is_placed_in_the_child_link(load_joint, pose, child, expected):
    joint = load_joint(
        f"<joint name='j' type='fixed'>{pose}<parent>a</parent><child>{child}</child></joint>",
        more="<frame name='f' attached_to='b'><pose>0 0 5 0 0 0</pose></frame>",
    )
    assert tuple(joint.pose.position) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("version", "axis", "expected"),
    [
        # the joint frame is turned by a quarter: its x-axis is the model's y-axis
        ("1.4", "<xyz>0 1 0</xyz>", (1, 0, 0)),
        ("1.4", "<xyz>0 1 0</xyz><use_parent_model_frame>0</use_parent_model_frame>", (0, 1, 0)),
        ("1.5", "<xyz>0 1 0</xyz>", (0, 1, 0)),
        ("1.6", "<xyz>0 1 0</xyz><use_parent_model_frame>true</use_parent_model_frame>", (1, 0, 0)),
        ("1.7", "<xyz>0 1 0</xyz>", (0, 1, 0)),
        ("1.7", "<xyz expressed_in=''>0 1 0</xyz>", (0, 1, 0)),
        ("1.7", "<xyz expressed_in='__model__'>0 1 0</xyz>", (1, 0, 0)),
        ("1.7", "<xyz expressed_in='j'>0 1 0</xyz>", (0, 1, 0)),
        ("1.7", "<xyz expressed_in='b'>0 1 0</xyz>", (1, 0, 0)),
        ("1.11", "<xyz expressed_in='f'>0 1 0</xyz>", (0, 0, 1)),
        ("1.7", "", (0, 0, 1)),
    ],
)
def test_an_axis_is_expressed_in_the_joint_frame(load_joint, version, axis, expected):
    joint = load_joint(
        f"<joint name='j' type='revolute'><pose>0 0 0 0 0 {math.pi / 2}</pose>{ENDS}"
        f"<axis>{axis}</axis></joint>",
        version,
        f"<frame name='f'><pose>0 0 0 {math.pi / 2} 0 0</pose></frame>",
    )
    assert tuple(joint.axis.xyz) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("joint", "message"),
    [
        ("<joint name='j' type='fixed'><child>b</child></joint>", "<parent> is missing"),
        ("<joint name='j' type='fixed'><parent>a</parent></joint>", "<child> is missing"),
        (
            "<joint name='j' type='fixed'><parent>a</parent><child/></joint>",
            r"child: expected text",
        ),
        (
            "<joint name='j' type='fixed'><parent>ghost</parent><child>b</child></joint>",
            r"joint\[j\]/parent: unknown frame 'ghost'",
        ),
        (
            "<joint name='j' type='fixed'><parent>a</parent><child>world</child></joint>",
            "unknown frame 'world'",
        ),
        (f"<joint name='j' type='hinge'>{ENDS}</joint>", "type must be one of fixed, ball"),
        (f"<joint name='j'>{ENDS}</joint>", "attribute 'type' is missing"),
        (f"<joint type='fixed'>{ENDS}</joint>", "attribute 'name' is missing"),
        (f"<joint name='j' type='revolute'>{ENDS}</joint>", "<axis> is missing"),
        (
            f"<joint name='j' type='universal'>{ENDS}<axis/></joint>",
            "<axis2> is missing",
        ),
        (
            "<joint name='j' type='fixed'><parent>b</parent><child>b</child></joint>",
            "to itself",
        ),
        (f"<joint name='j' type='fixed'>{ENDS}</joint>" * 2, "name 'j' is already used"),
        (f"<joint name='a' type='fixed'>{ENDS}</joint>", "name 'a' is already used by the <link>"),
    ],
)
def test_a_joint_that_cannot_be_is_an_error(load_joint, joint, message):
    with pytest.raises(ModelFormatError, match=message):
        load_joint(joint)


def test_until_sdf_1_6_a_joint_may_be_named_like_a_link(load_joint):
    joint = load_joint(f"<joint name='a' type='fixed'>{ENDS}</joint>", "1.6")
    assert joint.name == "a"


def test_a_kinematic_loop_is_left_to_the_backend(load_model):
    joints = "".join(
        f"<joint name='{parent}{child}' type='fixed'>"
        f"<parent>{parent}</parent><child>{child}</child></joint>"
        for parent, child in ("ab", "bc", "ca")
    )
    links = "<link name='a'/><link name='b'/><link name='c'/>"
    assert len(load_model(f"<model name='m'>{links}{joints}</model>").joints) == 3


@pytest.mark.parametrize(
    ("limited", "dynamics", "loose"),
    [
        (True, "", True),
        (True, "<damping>.1</damping>", False),
        (True, "<friction>.1</friction>", False),
        (False, "", False),
    ],
)
def test_a_joint_within_limits_that_nothing_holds_is_loose(load_joint, limited, dynamics, loose):
    """A wheel, which has no limits, is to turn freely."""
    limit = "<limit><lower>-1</lower><upper>1</upper></limit>" if limited else ""
    joint = load_joint(
        f"<joint name='j' type='revolute'>{ENDS}<axis><xyz>1 0 0</xyz>{limit}<dynamics>{dynamics}"
        "</dynamics></axis></joint>"
    )
    assert joint.axis.is_loose is loose
