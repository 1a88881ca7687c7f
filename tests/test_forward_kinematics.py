# SPDX-License-Identifier: Apache-2.0
"""Forward kinematics of descriptions against MuJoCo: its own reading of URDF, and its joints."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from deepsim_conformance.bench import Bench
from deepsim_math import Pose, poses, quaternions
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import (
    Box,
    CollisionDescription,
    GazeboXMLLoader,
    Inertial,
    JointAxis,
    JointDescription,
    LinkDescription,
    MimicDescription,
    ModelDescription,
    Sphere,
    VisualDescription,
)

TYPES = ("revolute", "continuous", "prismatic", "fixed")
MUJOCO = (
    "<mujoco><compiler fusestatic='false' discardvisual='false' balanceinertia='true'/></mujoco>"
)


def numbers(values: np.ndarray) -> str:
    return " ".join(f"{value:.17g}" for value in values)


def random_urdf(rng: np.random.Generator, links: int) -> str:
    """Returns a robot whose links hang on random earlier ones, with shapes off their frames."""
    inertial = (
        "<inertial><mass value='1'/>"
        "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
    )
    parts = [f"<robot name='r'>{MUJOCO}<link name='l0'>{inertial}</link>"]
    for number in range(1, links):
        kind = rng.choice(TYPES)
        place = f"xyz='{numbers(rng.normal(size=3))}' rpy='{numbers(rng.uniform(-3, 3, 3))}'"
        parts.append(
            f"<link name='l{number}'>{inertial}<visual name='v{number}'><origin {place}/>"
            "<geometry><box size='1 2 3'/></geometry></visual></link>"
        )
        at = f"xyz='{numbers(rng.normal(size=3))}' rpy='{numbers(rng.uniform(-3, 3, 3))}'"
        parts.append(
            f"<joint name='j{number}' type='{kind}'><parent link='l{rng.integers(number)}'/>"
            f"<child link='l{number}'/><origin {at}/><axis xyz='{numbers(rng.normal(size=3))}'/>"
            "<limit lower='-1' upper='2' effort='5' velocity='7'/></joint>"
        )
    return "".join([*parts, "</robot>"])


def assert_same_poses(found: np.ndarray, expected: np.ndarray) -> None:
    """Up to the sign of the quaternions."""
    signs = np.sign((found[..., 3:] * expected[..., 3:]).sum(axis=-1, keepdims=True))
    np.testing.assert_allclose(found[..., :3], expected[..., :3], atol=1e-9)
    np.testing.assert_allclose(found[..., 3:], signs * expected[..., 3:], atol=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_links_and_shapes_are_where_mujoco_puts_them(seed: int) -> None:
    """MuJoCo reads the same URDF itself; joint values are drawn for several worlds at once."""
    rng = np.random.default_rng(seed)
    text = random_urdf(rng, 9)
    description = GazeboXMLLoader().load_model(text)
    engine = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(engine)
    limits = description.joint_limits()
    positions = rng.uniform(-2, 2, (4, len(limits.names)))
    found = description.poses(positions)
    for world, row in enumerate(positions):
        for name, value in zip(limits.names, row, strict=True):
            data.qpos[engine.joint(name).qposadr[0]] = value
        mujoco.mj_kinematics(engine, data)
        for name, rows in found.links.items():
            if name != "l0":  # the root is MuJoCo's world
                body = data.body(name)
                expected = np.concatenate([body.xpos, quaternions.from_wxyz(body.xquat)])
                assert_same_poses(rows[world], expected)
        for name, rows in found.visuals.items():
            geom = data.geom(engine.body(name.split("::")[0]).geomadr[0])
            turn = quaternions.from_matrix(geom.xmat.reshape(3, 3))
            assert_same_poses(rows[world], np.concatenate([geom.xpos, turn]))


def chain() -> ModelDescription:
    """Returns a model with joints of every type, nested ones and a mimic, at odd poses."""
    rng = np.random.default_rng(3)

    def pose() -> Pose:
        return Pose(rng.normal(size=3), quaternions.random(rng))

    def axis(**values: object) -> JointAxis:
        return JointAxis(rng.normal(size=3), **values)

    def link(name: str) -> LinkDescription:
        shape = CollisionDescription("c", Sphere(0.01), pose())
        drawn = VisualDescription("v", Box((1, 1, 1)), pose())
        inertial = Inertial(mass=1.0, ixx=1.0, iyy=1.0, izz=1.0)
        return LinkDescription(name, pose(), inertial, (shape,), (drawn,))

    inner = ModelDescription(
        "inner",
        pose(),
        links=(link("a"), link("b"), link("c")),
        joints=(
            JointDescription("slide", "prismatic", "a", "b", pose(), axis(lower=-2.0, upper=2.0)),
            JointDescription(
                "echo",
                "revolute",
                "b",
                "c",
                pose(),
                axis(mimic=MimicDescription("slide", -0.5, 0.2)),
            ),
        ),
    )
    names = ("base", "cross", "eye", "wheel")
    return ModelDescription(
        "machine",
        links=tuple(link(name) for name in names),
        models=(inner,),
        joints=(
            JointDescription("stand", "fixed", "world", "base", pose()),
            JointDescription("cardan", "universal", "base", "cross", pose(), axis(), axis()),
            JointDescription("socket", "ball", "cross", "eye", pose()),
            JointDescription("steer", "revolute2", "base", "wheel", pose(), axis(), axis()),
            JointDescription("mount", "revolute", "wheel", "inner::a", pose(), axis()),
        ),
    )


def test_joints_of_every_type_move_as_in_the_engine() -> None:
    """Two axes, balls, nested models and followers: the rows of the joints table set the poses."""
    model = chain()
    limits = model.joint_limits()
    assert limits.names == (
        "cardan", "cardan::2", "socket", "socket::2", "socket::3", "steer", "steer::2", "mount",
        "inner::slide",
    )  # fmt: skip
    bench = Bench(MujocoSimulator(), lambda _: model)
    bench.spawn("", "machine", (1, 2, 3, 0.1, 0.2, 0.3, 0.9))
    values = np.random.default_rng(4).uniform(-0.8, 0.8, len(limits.names))
    by_name = dict(zip(limits.names, values, strict=True))
    found = model.poses(by_name)
    by_name["inner::echo"] = -0.5 * by_name["inner::slide"] + 0.2
    cells = {f"machine::{name}": value for name, value in by_name.items()}
    assert bench.write({("joints", "position"): cells}) == ()
    for name, pose in found.links.items():
        expected = bench.get("links", "pose", f"machine::{name}")
        assert_same_poses(poses.compose(bench.pose("machine"), pose), expected)
