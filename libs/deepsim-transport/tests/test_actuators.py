# SPDX-License-Identifier: Apache-2.0
"""MJCF models with actuators in the world of another process: their table, controls and files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from transport_worlds import running, wait

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import GazeboXMLLoader, MjcfModel
from deepsim_sync import COLUMNS, DeepSimError, World
from deepsim_transport import FollowedSimulator, PhysicsServer, RemoteSimulator
from deepsim_transport.rows import pack, unpack

HAND = """<mujoco model="hand"><option gravity="0 0 0"/><worldbody><body name="palm">
<geom name="ball" size=".05" mass="1" contype="0" conaffinity="0"/>
<body name="left" pos="0 .05 0"><joint name="left" type="slide" axis="0 1 0" range="0 .04"/>
  <geom size=".01" mass=".1"/></body>
<body name="right" pos="0 -.05 0"><joint name="right" type="slide" axis="0 -1 0" range="0 .04"/>
  <geom size=".01" mass=".1"/></body>
<body name="bone" pos=".2 0 0"><joint name="bend" axis="0 1 0" damping=".1"/>
  <geom type="capsule" fromto="0 0 0 .2 0 0" size=".01" mass=".2"/><site name="end" pos=".1 0 0"/>
</body><site name="start" pos="0 0 .1"/></body></worldbody>
<tendon><fixed name="grip"><joint joint="left" coef=".5"/><joint joint="right" coef=".5"/></fixed>
<spatial name="flexor"><site site="start"/><site site="end"/></spatial></tendon>
<actuator><general name="close" tendon="grip" gainprm="40" biasprm="0 -40 -2" biastype="affine"
  ctrlrange="0 .04" forcerange="-9 9"/>
<muscle name="flex" tendon="flexor" ctrlrange="0 1" force="20"/>
<position name="servo" joint="bend" kp="1"/></actuator>
<keyframe><key name="open" qpos=".03 .03 .1" act=".2" ctrl=".03 0 .1"/></keyframe></mujoco>"""


def spawned(world: World) -> World:
    model = MjcfModel(HAND, keyframe="open", on_ground=True, pose=Pose((0, 0, 0)))
    world.spawn(model, "hand", Pose((1, 0, 0)))
    return world


FLOOR = GazeboXMLLoader().load_model(
    "<sdf version='1.7'><model name='f'><static>1</static><link name='l'><collision name='c'>"
    "<geometry><plane><normal>0 0 1</normal></plane></geometry></collision></link></model></sdf>"
)


@pytest.mark.parametrize("worlds", [1, 3])
def test_actuators_of_another_process_are_those_of_this_one(serve, session, worlds: int):
    """All columns of all tables have the same bits after each tick, and after a reset."""
    serve(f"hand{worlds}", worlds)
    remote = spawned(World(RemoteSimulator(session(f"hand{worlds}")), steps_per_tick=7))
    local = spawned(World(MujocoSimulator(worlds=worlds), steps_per_tick=7))
    assert list(remote.entities.actuators) == ["hand::close", "hand::flex"]
    moved = set()
    rng = np.random.default_rng(1)
    for tick in range(30):
        targets = rng.uniform(0.0, 1.0, (worlds, 2)) * [0.04, 1.0]
        for world in (remote, local):
            world.actuators.target = targets
            if tick == 20:
                world.reset(worlds=[worlds - 1])
            world.tick()
        for column in COLUMNS["actuators"]:
            here, there = (getattr(world.actuators, column) for world in (local, remote))
            assert here.tobytes() == there.tobytes(), column
            moved |= {column} if (np.ptp(here) > 0.0 and np.isfinite(here).all()) else set()
        assert local.links.pose.tobytes() == remote.links.pose.tobytes()
    assert {"target", "activation", "effort", "length", "velocity"} <= moved


def test_descriptions_have_the_model_its_controls_and_its_looks(serve, session):
    """A process that did not spawn the model can use it like the one that did."""
    serve("described", 2)
    spawned(World(RemoteSimulator(session("described"))))
    local = spawned(World(MujocoSimulator(worlds=2))).simulator.descriptions
    found = FollowedSimulator(session("described")).descriptions
    model = found.models["hand"]
    for attribute in ("name", "text", "keyframe", "on_ground", "floor_contacts", "pose"):
        assert getattr(model, attribute) == getattr(local.models["hand"], attribute)
    assert dict(found.controls) == dict(local.controls)
    assert [each.name for each in found.controls["hand"]] == ["close", "flex", "servo"]
    for sent, kept in zip(found.looks["hand"].links, local.looks["hand"].links, strict=True):
        assert (sent.name, sent.visuals) == (kept.name, kept.visuals)


def test_a_follower_commands_actuators_and_reads_them(serve, session):
    serve("followed", 2, paused=False)
    world = spawned(World(FollowedSimulator(session("followed"))))
    world.actuators.select(["hand::flex"]).put(target=0.7, worlds=np.array([1]))

    def flexed() -> bool:
        world.tick()
        flex = world.actuators.select(["hand::flex"]).activation[:, 0]
        return bool(0.69 < flex[1] < 0.71 and flex[0] < 0.01)

    wait(flexed)
    assert world.actuators.target.tolist() == [[0.03, 0.0], [0.03, 0.7]]


def test_settings_beside_the_text_are_sent(serve, session, tmp_path: Path):
    """A geom that collides only with the floor of the scene beside its file stands on the ground.

    The description does not need the file of a mesh; the process that adds the model does.
    """
    (tmp_path / "foot.obj").write_text(
        "v 0 0 0\nv .1 0 0\nv 0 .1 0\nv 0 0 .1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    robot = tmp_path / "robot.xml"
    robot.write_text(
        '<mujoco model="r"><asset><mesh file="foot.obj"/></asset><worldbody>'
        '<body name="body" pos="0 0 .2"><freejoint/><geom name="sole" type="box" size=".1 .1 .1"'
        ' contype="0" conaffinity="0"/>'
        '<geom type="mesh" mesh="foot" contype="0" conaffinity="0"/></body></worldbody></mujoco>'
    )
    (tmp_path / "scene.xml").write_text(
        '<mujoco><include file="robot.xml"/><worldbody><geom name="floor" type="plane" size="9 9 1"'
        '/></worldbody><contact><pair geom1="sole" geom2="floor"/></contact></mujoco>'
    )
    model = MjcfModel(robot, on_ground=True)
    here = PhysicsServer(
        MujocoSimulator(), session("sole"), paused=True, loader=GazeboXMLLoader(tmp_path)
    )
    with running(here):
        world = World(RemoteSimulator(session("sole")), steps_per_tick=500)
        world.spawn(FLOOR, "floor", Pose())
        world.spawn(model, "r", Pose())
        world.tick()
        assert world.links.select(["r::body"]).pose[0, 0, 2] == pytest.approx(0.1, abs=1e-3)
    serve("lost")
    lost = World(RemoteSimulator(session("lost")))
    with pytest.raises(DeepSimError, match=r"foot.obj', outside of all folders"):
        lost.spawn(model, "r", Pose())
    assert list(lost.entities.models) == []


STRANGE: list[tuple[dict[str, Any], str]] = [
    ({"text": "/etc/passwd"}, "sent as the text"),
    ({"text": "<mujoco><include file='/etc/passwd'/></mujoco>"}, "passwd"),
    ({"files": {"a": 3}}, "MJCF that cannot be read"),
    ({"files": 0}, "MJCF that cannot be read"),
    ({"pose": [0.0]}, "MJCF that cannot be read"),
    ({"code": "1"}, "MJCF that cannot be read"),
    ({"floor_contacts": {"ball": {"friction": "much"}}}, "'much'"),
]


def test_mjcf_that_is_none_is_refused(serve, session):
    """The server says why, has no model more, and goes on."""
    serve("strict")
    transport = session("strict")
    place = np.array([[0.0, 0, 0, 0, 0, 0, 1]])
    sent = {
        "name": "m",
        "text": MjcfModel(HAND).text,
        "files": {},
        "keyframe": None,
        "on_ground": False,
        "floor_contacts": {},
        "pose": place[0].tolist(),
    }
    for change, problem in STRANGE:
        request = pack({"call": "spawn", "models": [["m", sent | change]]}, {"pose/0": place})
        header = unpack(transport.request("call", request)).header
        assert problem in str(header.get("text")), header
    assert list(spawned(World(RemoteSimulator(transport))).entities.models) == ["hand"]
