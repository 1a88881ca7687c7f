# SPDX-License-Identifier: Apache-2.0
"""Random descriptions, written as SDF and read back, are what they were."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deepsim_math import Color, Material, Pose, Quaternion, Vector3
from deepsim_spawn import (
    Attenuation,
    Box,
    CameraDescription,
    Capsule,
    CollisionDescription,
    Cone,
    Cylinder,
    Ellipsoid,
    GazeboXMLLoader,
    Heightmap,
    Inertial,
    JointAxis,
    JointDescription,
    LightDescription,
    LinkDescription,
    Mesh,
    MimicDescription,
    ModelDescription,
    MujocoOptions,
    Physics,
    Plane,
    PluginDescription,
    Polyline,
    SceneDescription,
    SensorDescription,
    Sphere,
    SpotCone,
    Surface,
    VelocityDecay,
    VisualDescription,
    WorldDescription,
)

numbers = st.floats(-1e6, 1e6)
positives = st.floats(1e-9, 1e6)
not_negatives = st.floats(0.0, 1e6)
fractions = st.floats(0.0, 1.0)
vectors = st.builds(Vector3, numbers, numbers, numbers)
directions = vectors.filter(lambda vector: vector.length > 1e-6)
colors = st.builds(Color, fractions, fractions, fractions, fractions)
materials = st.builds(Material, colors, colors, colors, colors)
# Gazebo knows no quaternions: all but the last bits of a rotation
angles = st.floats(-4.0, 4.0) | st.sampled_from([0.0, np.pi / 2, -np.pi / 2, np.pi])
poses = st.just(Pose()) | st.builds(
    Pose, vectors, st.builds(Quaternion.from_euler, angles, angles, angles)
)
words = st.text("aZ9_-. \t\n&<>'\"äß", min_size=1, max_size=4).map(lambda text: f"x{text}x")


def named(build):
    """Up to two of something, whose names differ."""
    names = st.lists(words, unique=True, max_size=2)
    return names.flatmap(lambda names: st.tuples(*(build(st.just(name)) for name in names)))


@st.composite
def inertials(draw):
    """Of a body that may stretch ten times as far one way as the other, turned by any angles."""
    second = draw(st.lists(st.floats(0.1, 10.0), min_size=3, max_size=3))
    turn = draw(st.builds(Quaternion.from_euler, angles, angles, angles)).to_matrix()
    tensor = turn @ np.diag(sum(second) - np.array(second)) @ turn.T
    upper = tensor[np.triu_indices(3)].tolist()
    moments = dict(zip(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), upper, strict=True))
    return Inertial(draw(positives), draw(poses), **moments)


@st.composite
def axes(draw):
    """With and without limits."""
    lower, upper = sorted(draw(st.tuples(numbers, numbers)))
    limits = st.just(np.inf) | not_negatives
    return JointAxis(
        draw(directions),
        draw(st.sampled_from([lower, -np.inf])),
        draw(st.sampled_from([upper, np.inf])),
        draw(limits),
        draw(limits),
        draw(not_negatives),
        draw(not_negatives),
        draw(not_negatives),
        draw(numbers),
        draw(st.none() | st.builds(MimicDescription, st.just("leader"), numbers, numbers)),
    )


outlines = st.lists(st.tuples(numbers, numbers), min_size=3, max_size=5, unique=True).map(
    lambda points: ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0), *points)
)


def shapes(mesh):
    return st.one_of(
        st.builds(Box, st.builds(Vector3, positives, positives, positives)),
        st.builds(Sphere, positives),
        st.builds(Cylinder, positives, positives),
        st.builds(Capsule, positives, positives),
        st.builds(Ellipsoid, st.builds(Vector3, positives, positives, positives)),
        st.builds(Plane, directions, st.tuples(positives, positives)),
        st.builds(Mesh, st.just(mesh), vectors.filter(all), st.just(""), st.just(False)),
        st.builds(Mesh, st.just(mesh), submesh=words, center=st.booleans()),
        st.builds(Cone, positives, positives),
        st.builds(Polyline, st.tuples(outlines, outlines) | st.tuples(outlines), positives),
        st.builds(
            Heightmap,
            st.just(mesh),
            st.builds(Vector3, positives, positives, positives),
            vectors,
        ),
    )


def lights(name):
    angle = st.floats(0.0, 3.0)
    return st.builds(
        LightDescription,
        name,
        st.sampled_from(["point", "spot", "directional"]),
        poses,
        colors,
        colors,
        st.builds(Attenuation, not_negatives, not_negatives, not_negatives, not_negatives),
        directions,
        st.booleans(),
        st.builds(SpotCone, angle, angle, not_negatives),
    )


def sensors(name):
    kinds = st.just(("sonar", None)) | st.tuples(
        st.just("camera"),
        st.builds(
            CameraDescription,
            st.floats(0.1, 3.0),
            st.integers(1, 4096),
            st.integers(1, 4096),
            st.floats(0.01, 1.0),
            st.floats(2.0, 1e6),
        ),
    )
    return st.tuples(name, kinds, poses, not_negatives).map(
        lambda drawn: SensorDescription(
            drawn[0], drawn[1][0], drawn[2], drawn[3], drawn[1][1], xml=""
        )
    )


def plugins(name):
    return name.map(
        lambda name: PluginDescription("p", "libp.so", '<plugin name="p" filename="libp.so"/>')
    )


def links(mesh, name):
    surfaces = st.builds(
        Surface,
        not_negatives,
        not_negatives,
        fractions,
        st.integers(0, 0xFFFF),
        not_negatives,
        not_negatives,
        not_negatives,
        vectors,
    )
    return st.builds(
        LinkDescription,
        name,
        poses,
        inertials(),
        named(lambda name: st.builds(CollisionDescription, name, shapes(mesh), poses, surfaces)),
        named(
            lambda name: st.builds(
                VisualDescription,
                name,
                shapes(mesh),
                poses,
                st.none() | materials,
                fractions,
                st.booleans(),
            )
        ),
        named(sensors),
        named(lights),
        st.booleans(),
        st.booleans(),
        st.none() | st.booleans(),
        st.builds(VelocityDecay, not_negatives, not_negatives),
    )


@st.composite
def joints(draw, names, number):
    kind, count = draw(
        st.sampled_from(
            [
                ("fixed", 0),
                ("ball", 0),
                ("revolute", 1),
                ("prismatic", 1),
                ("universal", 2),
                ("revolute2", 2),
            ]
        )
    )
    parent = draw(st.sampled_from([*names, "world"]))
    child = draw(st.sampled_from([name for name in names if name != parent] or names))
    return JointDescription(
        f"joint {number}",
        kind,
        "world" if parent == child else parent,
        child,
        draw(poses),
        draw(axes()) if count > 0 else None,
        draw(axes()) if count > 1 else None,
    )


@st.composite
def models(draw, mesh, name, depth=2, static=False):
    own = draw(name)
    static = static or draw(st.booleans())
    parts = tuple(draw(links(mesh, st.just(f"link {i}"))) for i in range(draw(st.integers(1, 2))))
    nested = tuple(
        draw(models(mesh, st.just(f"model {i}"), depth - 1, static))
        for i in range(draw(st.integers(0, 2 if depth else 0)))
    )
    bare = ModelDescription(own, links=parts, models=nested)
    names = [name for name, _, _ in bare.all_links()]
    return ModelDescription(
        own,
        draw(poses),
        parts,
        tuple(draw(joints(names, i)) for i in range(draw(st.integers(0, 2)))),
        nested,
        static,
        draw(st.booleans()),
        draw(st.sampled_from(names)),
        tuple(draw(plugins(words)) for _ in range(draw(st.integers(0, 1)))),
    )


mujoco_options = st.builds(
    MujocoOptions,
    st.sampled_from(["implicitfast", "implicit", "discrete", "euler", "rk4"]),
    st.sampled_from(["elliptic", "pyramidal"]),
    positives,
    st.floats(2.0, 100.0),
    positives,
    st.floats(0.01, 0.999),
)


def worlds(mesh):
    return st.builds(
        WorldDescription,
        words,
        named(lambda name: models(mesh, name, depth=0)),
        named(lights),
        st.builds(Physics, st.floats(1e-6, 1.0), not_negatives, mujoco_options),
        vectors,
        st.builds(SceneDescription, colors, colors, st.booleans(), st.booleans()),
        st.just(()),
    )


def differences(one, other, path="it"):
    """Where two descriptions differ; rotations and unit vectors may by their last bits."""
    if isinstance(one, Pose):
        turn, other_turn = (np.array(pose.orientation) for pose in (one, other))
        gap = min(np.abs(turn - other_turn).max(), np.abs(turn + other_turn).max())
        return [] if one.position == other.position and gap < 2e-15 else [path]
    if isinstance(one, Vector3):
        return [] if np.allclose(one, other, rtol=1e-15, atol=0.0) else [path]
    if is_dataclass(one) and type(one) is type(other):
        return [
            found
            for field in fields(one)
            if not (isinstance(one, SensorDescription) and field.name == "xml")
            for found in differences(
                getattr(one, field.name), getattr(other, field.name), f"{path}.{field.name}"
            )
        ]
    if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        return [
            found
            for index, pair in enumerate(zip(one, other, strict=True))
            for found in differences(*pair, f"{path}[{index}]")
        ]
    return [] if one == other else [f"{path}: {one!r} became {other!r}"]


@pytest.fixture(scope="module")
def mesh(tmp_path_factory):
    """A mesh in a folder whose name is not easy to write."""
    path = tmp_path_factory.mktemp("a & b ü") / "mesh <1>.obj"
    path.write_text("")
    return path


FEW = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))


@FEW
@given(data=st.data())
def test_a_model_is_read_as_it_was_written(mesh, data):
    model = data.draw(models(mesh, words))
    again = GazeboXMLLoader(mesh.parent).load_model(model.to_sdf())
    assert differences(model, again) == []


@FEW
@given(data=st.data())
def test_a_world_is_read_as_it_was_written(mesh, data):
    world = data.draw(worlds(mesh))
    again = GazeboXMLLoader(mesh.parent).load_world(world.to_sdf())
    assert differences(world, again) == []
