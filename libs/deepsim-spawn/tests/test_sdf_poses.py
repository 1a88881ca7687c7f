# SPDX-License-Identifier: Apache-2.0
"""Where SDF puts things: hand-worked poses of every rule, one file each."""

from __future__ import annotations

import pytest

from deepsim_spawn import ModelFormatError

UP = "0 0 1 0 0 0"
TURN = "0 0 0 0 0 1.5707963267948966"
"""A quarter turn to the left: +x becomes +y."""
HALF = 0.7071067811865476


def xyz(pose):
    return tuple(pose.position)


@pytest.mark.parametrize(
    ("pose", "position", "orientation"),
    [
        ("", (0, 0, 0), (0, 0, 0, 1)),
        ("<pose/>", (0, 0, 0), (0, 0, 0, 1)),
        ("<pose>1 2 3 0 0 0</pose>", (1, 2, 3), (0, 0, 0, 1)),
        (f"<pose>\n 1 2 3\n {TURN[6:]}\n</pose>", (1, 2, 3), (0, 0, HALF, HALF)),
        ("<pose>1 <!-- x --> 2 3 0 0 0</pose>", (1, 2, 3), (0, 0, 0, 1)),
        ("<pose degrees='true'>0 0 0 90 0 0</pose>", (0, 0, 0), (HALF, 0, 0, HALF)),
        ("<pose degrees='1'>0 0 0 0 90 0</pose>", (0, 0, 0), (0, HALF, 0, HALF)),
        (
            "<pose rotation_format='quat_xyzw'>1 2 3 0 0 2 0</pose>",
            (1, 2, 3),
            (0, 0, 1, 0),
        ),
        # roll first, then yaw: x-axis to y-axis, and z-axis to x-axis
        ("<pose degrees='true'>0 0 0 90 0 90</pose>", (0, 0, 0), (0.5, 0.5, 0.5, 0.5)),
    ],
)
def test_a_pose_is_read_in_each_of_its_forms(load_model, pose, position, orientation):
    model = load_model(f"<model name='m'>{pose}<link name='base'/></model>", "1.9")
    assert xyz(model.pose) == pytest.approx(position)
    assert tuple(model.pose.orientation) == pytest.approx(orientation)


def test_a_joint_is_a_frame_placed_in_its_child(load_model):
    """As other frames are, of which test_sdf_frames_property.py draws random trees."""
    model = load_model(
        f"<model name='m'><link name='child'><pose>{UP}</pose></link>"
        "<joint name='j' type='fixed'><pose>0 1 0 0 0 0</pose>"
        "<parent>base</parent><child>child</child></joint>"
        "<link name='base'><pose relative_to='j'>1 0 0 0 0 0</pose></link></model>",
        "1.8",
    )
    poses = {name: pose for name, _, pose in model.all_links()}
    assert xyz(poses["base"]) == pytest.approx((1, 1, 1))


BALL = "<geometry><sphere><radius>1</radius></sphere></geometry>"


@pytest.mark.parametrize(
    ("held", "element"),
    [
        ("collisions", "<collision name='x'>{pose}" + BALL + "</collision>"),
        ("visuals", "<visual name='x'>{pose}" + BALL + "</visual>"),
        ("sensors", "<sensor name='x' type='imu'>{pose}</sensor>"),
        ("sensors", "<sensor name='x' type='camera'><camera>{pose}</camera></sensor>"),
        ("lights", "<light name='x' type='point'>{pose}</light>"),
    ],
)
@pytest.mark.parametrize(
    ("relative_to", "expected"),
    [("", (1, 0, 0)), (" relative_to='base'", (1, 0, 0)), (" relative_to='f'", (0, 1, 5))],
)
def test_what_a_link_holds_is_placed_in_the_link(load_model, held, element, relative_to, expected):
    """The frame f stands 5 m above the link, its x-axis along the y-axis of the link."""
    element = element.format(pose=f"<pose{relative_to}>1 0 0 0 0 0</pose>")
    model = load_model(
        f"<model name='m'><link name='base'><pose>{UP}</pose>{element}</link>"
        f"<frame name='f'><pose degrees='true'>0 0 6 0 0 90</pose></frame></model>"
    )
    assert xyz(getattr(model.links[0], held)[0].pose) == pytest.approx(expected)


def test_a_world_places_models_and_lights_by_frames(load_world):
    world = load_world(
        "<frame name='table'><pose>0 0 1 0 0 0</pose></frame>"
        "<model name='a'><pose relative_to='table'>1 0 0 0 0 0</pose><link name='l'/></model>"
        "<frame name='on_a' attached_to='a::l'><pose>0 1 0 0 0 0</pose></frame>"
        "<model name='b'><pose relative_to='on_a'/><link name='l'/></model>"
        "<light name='lamp' type='point'><pose relative_to='on_a'>0 0 9 0 0 0</pose></light>"
    )
    assert [xyz(model.pose) for model in world.models] == [
        pytest.approx((1, 0, 1)),
        pytest.approx((1, 1, 1)),
    ]
    assert xyz(world.lights[0].pose) == pytest.approx((1, 1, 10))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "<link name='a'><pose relative_to='b'/></link>"
            "<link name='b'><pose relative_to='a'/></link>",
            "a -> b -> a",
        ),
        (
            "<link name='a'/><frame name='f' attached_to='f'/>",
            "f -> f",
        ),
        (
            "<link name='a'/><frame name='f' attached_to='g'><pose relative_to='a'/></frame>"
            "<frame name='g' attached_to='f'><pose relative_to='a'/></frame>",
            "cyclic frames",
        ),
        (
            "<link name='a'><pose relative_to='ghost'/></link>",
            "unknown frame 'ghost'; known frames",
        ),
        ("<link name='a'><pose relative_to='a::b'/></link>", "leads into <link>"),
        ("<link name='a'/><frame name='f' attached_to='ghost'/>", "unknown frame 'ghost'"),
        ("<link name='a'><pose rotation_format='wxyz'>0 0 0 0 0 0</pose></link>", "quat_xyzw"),
        (
            "<link name='a'><pose rotation_format='quat_xyzw'>0 0 0 0 0 0 0</pose></link>",
            "must not be zero",
        ),
        ("<link name='a'><inertial><pose relative_to='a'/></inertial></link>", "in the link frame"),
    ],
)
def test_a_pose_that_leads_nowhere_is_an_error(load_model, body, message):
    with pytest.raises(ModelFormatError, match=message):
        load_model(f"<model name='m'>{body}</model>")


def test_a_chain_of_many_frames_is_no_recursion(load_model):
    frames = "".join(
        f"<frame name='f{i}' attached_to='f{i + 1}'><pose>{UP}</pose></frame>" for i in range(3000)
    )
    model = load_model(
        f"<model name='m'><link name='base'><pose relative_to='f0'/></link>{frames}"
        "<frame name='f3000'/></model>"
    )
    assert xyz(model.links[0].pose) == pytest.approx((0, 0, 3000))
