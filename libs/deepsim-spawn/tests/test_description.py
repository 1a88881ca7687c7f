# SPDX-License-Identifier: Apache-2.0
"""Descriptions made by hand: what they accept, refuse and answer."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import pytest

from deepsim_math import Point, Pose, Vector3
from deepsim_spawn import (
    Attenuation,
    Box,
    CameraDescription,
    Capsule,
    CollisionDescription,
    Cylinder,
    Ellipsoid,
    Inertial,
    JointAxis,
    JointDescription,
    LightDescription,
    LinkDescription,
    Mesh,
    ModelDescription,
    Physics,
    Plane,
    PluginDescription,
    Polyline,
    SensorDescription,
    Sphere,
    SpotCone,
    Surface,
    VelocityDecay,
    VisualDescription,
    WorldDescription,
)


def test_a_description_is_frozen_and_hashable():
    link = LinkDescription("base", collisions=(CollisionDescription("c", Box((1, 2, 3))),))
    assert link == LinkDescription("base", collisions=(CollisionDescription("c", Box((1, 2, 3))),))
    assert len({link, link}) == 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        link.name = "other"


def test_any_three_numbers_are_a_vector():
    assert Box([1, 2, 3]).size == Vector3(1.0, 2.0, 3.0)
    assert WorldDescription(gravity=(0, 0, -1.6)).gravity == Vector3(0.0, 0.0, -1.6)


def test_directions_become_unit_vectors():
    assert Plane(normal=(0, 0, 5)).normal == Vector3(0.0, 0.0, 1.0)
    assert JointAxis(xyz=(3, 0, 4)).xyz == Vector3(0.6, 0.0, 0.8)
    assert LightDescription("sun", direction=(0, -2, 0)).direction == Vector3(0.0, -1.0, 0.0)


FAR = Pose((0, math.inf, 0))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Box((1, 1, 1e101)),
        lambda: Sphere(math.inf),
        lambda: Polyline((((0, 0), (1, 0), (0, math.inf)),), 1.0),
        lambda: Surface(mu=math.inf),
        lambda: Attenuation(range=math.inf),
        lambda: SpotCone(falloff=math.inf),
        lambda: VelocityDecay(angular=math.inf),
        lambda: CameraDescription(far=math.inf),
        lambda: Physics(real_time_factor=math.inf),
        lambda: Inertial(ixy=math.nan),
        lambda: JointAxis(damping=math.inf),
        lambda: JointAxis(spring_reference=math.nan),
        lambda: SensorDescription("s", "imu", update_rate=math.inf),
        lambda: ModelDescription("m", FAR),
        lambda: LinkDescription("l", FAR),
        lambda: CollisionDescription("c", Sphere(1.0), FAR),
        lambda: VisualDescription("v", Sphere(1.0), FAR),
        lambda: SensorDescription("s", "imu", FAR),
        lambda: LightDescription("l", pose=FAR),
        lambda: JointDescription("j", "fixed", "a", "b", FAR),
        lambda: Inertial(pose=FAR),
    ],
)
def test_a_number_that_sdf_has_no_text_for_is_refused(make):
    with pytest.raises(ValueError, match="must be finite"):
        make()


def test_a_joint_may_go_without_limits():
    axis = JointAxis(lower=-math.inf, upper=math.inf, effort=math.inf, velocity=math.inf)
    assert axis == JointAxis()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ModelDescription("world"), "a model is named 'world', which is reserved"),
        (lambda: ModelDescription("__m__"), "a model is named '__m__', which is reserved"),
        (lambda: ModelDescription("a::b"), "a model is named 'a::b': give a name without '::'"),
        (lambda: ModelDescription(""), "a model is named '': give a name"),
        (
            lambda: ModelDescription("m", links=(LinkDescription("world"),)),
            "model 'm' has a link named 'world', which is reserved",
        ),
        (
            lambda: ModelDescription("m", links=(LinkDescription("l "),)),
            "model 'm' has a link named 'l ': .* without blanks around it",
        ),
        (
            lambda: ModelDescription(
                "m",
                links=(LinkDescription("l"),),
                joints=(JointDescription("world", "fixed", "world", "l"),),
            ),
            "model 'm' has a joint named 'world', which is reserved",
        ),
        (
            lambda: LinkDescription("l", collisions=(CollisionDescription("\tc", Sphere(1)),)),
            r"link 'l' has a collision named '\\tc': .* without blanks",
        ),
        (lambda: LightDescription(" sun"), "a light is named ' sun': .* without blanks"),
        (lambda: WorldDescription(""), "the name of a world must not be empty"),
        (lambda: WorldDescription(" w"), "the name of a world must have no blanks"),
        (lambda: SensorDescription("s", "imu "), "the type of sensor 's' must have no blanks"),
        (lambda: PluginDescription("p ", "f"), "the name of a plugin must have no blanks"),
        (lambda: PluginDescription("p", " f"), "the filename of a plugin must have no blanks"),
        (lambda: Mesh(Path("a.dae"), submesh="lid "), "mesh submesh must have no blanks"),
    ],
)
def test_a_name_that_a_file_would_not_keep_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_name_may_be_reserved_where_nothing_refers_to_it():
    """SDF reserves the names of frames."""
    visual = VisualDescription("world", Sphere(1.0))
    assert LinkDescription("l", visuals=(visual,)).visuals == (visual,)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Box((1, 0, 1)), "box size"),
        (lambda: Box((1, math.nan, 1)), "finite"),
        (lambda: Sphere(-0.5), r"sphere radius \[m\] must be > 0, got -0.5"),
        (lambda: Sphere(math.inf), "sphere radius"),
        (lambda: Cylinder(1.0, 0.0), "cylinder length"),
        (lambda: Capsule(0.0, 1.0), "capsule radius"),
        (lambda: Ellipsoid((1, 1, -1)), "ellipsoid radii"),
        (lambda: Plane(normal=(0, 0, 0)), "plane normal"),
        (lambda: Plane(size=(1.0, -1.0)), "plane size"),
        (lambda: Mesh(Path("a.stl"), scale=(1, 0, 1)), "mesh scale"),
        (lambda: Mesh(Path("a.stl"), center=True), "center needs a submesh"),
        (lambda: Surface(mu=-1.0), "surface mu"),
        (lambda: Surface(restitution=1.5), "restitution must lie in 0..1"),
        (lambda: VisualDescription("v", Sphere(1.0), transparency=2.0), "transparency"),
        (lambda: Inertial(mass=0.0), r"mass \[kg\] must be > 0"),
        (lambda: Inertial(ixx=-1.0), "ixx"),
        (lambda: VelocityDecay(linear=-1.0), "velocity decay"),
        (lambda: CameraDescription(horizontal_fov=4.0), "horizontal_fov must be < pi"),
        (lambda: CameraDescription(near=2.0, far=1.0), "far must be > near"),
        (lambda: CameraDescription(width=0), "1..16384 pixels, got 0 x 240"),
        (lambda: CameraDescription(height=16385), "1..16384 pixels, got 320 x 16385"),
        (lambda: Physics(max_step_size=0.0), "max_step_size"),
        (lambda: JointAxis(lower=1.0, upper=-1.0), "lower limit must be <= upper"),
        (
            lambda: JointDescription("j", "revolute", "a", "b"),
            "a revolute joint needs 1 axes, got 0",
        ),
        (lambda: JointDescription("j", "hinge", "a", "b"), "joint type must be one of fixed"),
        (lambda: JointDescription("j", "fixed", "a", "a"), "to itself"),
        (lambda: LinkDescription("l", visuals=(VisualDescription("", Sphere(1)),)), "without '::'"),
        (lambda: ModelDescription("m", links=(LinkDescription("a"),) * 2), "2 links named 'a'"),
        (lambda: ModelDescription("m", canonical_link="a"), "no canonical_link 'a'"),
        (
            lambda: WorldDescription(models=(ModelDescription("m"),) * 2),
            "2 models named 'm'",
        ),
    ],
)
def test_a_value_that_makes_no_sense_is_refused_with_both_sides(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_vector_of_the_wrong_type_is_a_type_error():
    with pytest.raises(TypeError, match="box size must be three numbers, got 'big'"):
        Box("big")


@pytest.mark.parametrize(
    ("parent", "child"), [("a", "ghost"), ("ghost", "a"), ("a", "world"), ("a", "n::ghost")]
)
def test_a_joint_must_name_links_of_the_model(parent, child):
    nested = ModelDescription("n", links=(LinkDescription("l"),))
    joint = JointDescription("j", "fixed", parent, child)
    with pytest.raises(ValueError, match="joint 'j' of model 'm' has no link"):
        ModelDescription("m", links=(LinkDescription("a"),), models=(nested,), joints=(joint,))


class Counted(str):
    """A name that counts how often it is compared."""

    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other):
        Counted.compared += 1
        return str.__eq__(self, other)


def test_joints_are_looked_up_not_searched_for():
    """A list of the links for every joint made the time grow with the square of their number."""
    count = 300
    names = [Counted(f"l{index}") for index in range(count)]
    joints = [
        JointDescription(f"j{index}", "fixed", names[-1], name)
        for index, name in enumerate(names[:-1])
    ]
    Counted.compared = 0
    ModelDescription("m", links=tuple(map(LinkDescription, names)), joints=tuple(joints))
    assert Counted.compared < 10 * count


def nested_model():
    inner = ModelDescription(
        "inner",
        pose=Pose((0, 0, 3)),
        links=(LinkDescription("x", pose=Pose((1, 0, 0))), LinkDescription("y")),
        joints=(
            JointDescription("xy", "fixed", "x", "y"),
            JointDescription("root", "fixed", "world", "x"),
        ),
    )
    middle = ModelDescription("middle", pose=Pose((0, 2, 0)), models=(inner,))
    return ModelDescription("outer", links=(LinkDescription("base"),), models=(middle,))


def test_all_links_are_scoped_and_placed_in_the_frame_of_the_model():
    found = [(name, pose.position) for name, _, pose in nested_model().all_links()]
    assert found == [
        ("base", Point(0.0, 0.0, 0.0)),
        ("middle::inner::x", Point(1.0, 2.0, 3.0)),
        ("middle::inner::y", Point(0.0, 2.0, 3.0)),
    ]


def test_all_joints_are_scoped_and_the_world_stays_the_world():
    found = [(joint.name, joint.parent, joint.child) for joint in nested_model().all_joints()]
    assert found == [
        ("middle::inner::xy", "middle::inner::x", "middle::inner::y"),
        ("middle::inner::root", "world", "middle::inner::x"),
    ]


def test_the_canonical_link_is_the_first_also_of_nested_models():
    model = nested_model()
    assert model.canonical_link == "base"
    assert model.models[0].canonical_link == "inner::x"
    assert ModelDescription("empty", static=True).canonical_link == ""
