# SPDX-License-Identifier: Apache-2.0
"""A physics process and those that use and watch it."""

from __future__ import annotations

import signal

import numpy as np
import pytest
from transport_worlds import BALL, wait

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import GazeboXMLLoader
from deepsim_sync import DuplicateEntityError, UnknownEntityError, World
from deepsim_transport import (
    NoAnswerError,
    PhysicsServer,
    RemoteError,
    RemoteSimulator,
    WorldMirror,
    messages,
)
from deepsim_transport.messages import WorldControl, WorldStatistics
from deepsim_transport.rows import pack, unpack

POLE = (
    "<sdf version='1.7'><model name='pole'><link name='a'><inertial><mass>9</mass></inertial>"
    "</link><link name='b'/><joint name='hinge' type='revolute'><parent>a</parent><child>b</child>"
    "<axis><xyz>0 1 0</xyz></axis></joint></model></sdf>"
)
PROGRAM = "<robot name='x' xmlns:xacro='http://ros.org/wiki/xacro'><link name='${1 + 1}'/></robot>"


def test_a_world_of_another_process_falls_as_here(serve, session):
    """A ball falls by the formula; its process has the steps that it was told."""
    serve("fall", 2)
    world = World(RemoteSimulator(session("fall")), steps_per_tick=10)
    world.spawn(BALL, "ball", Pose((0, 0, 5)))
    ball = world.models.select(["ball"])
    ball.twist = [1.0, 0, 0, 0, 0, 0]
    for _ in range(10):
        world.tick()
    assert world.time.tolist() == pytest.approx([0.1, 0.1])
    assert ball.pose[:, 0, 0] == pytest.approx([0.1, 0.1])
    assert ball.pose[:, 0, 2] == pytest.approx([5 - 0.5 * 9.8 * 0.1**2] * 2, abs=1e-3)


def test_errors_arrive_as_what_they_were(serve, session):
    serve("errors")
    remote = RemoteSimulator(session("errors"))
    world = World(remote)
    world.spawn(BALL, "ball", Pose())
    with pytest.raises(UnknownEntityError, match="no model is named 'bell'; did you mean 'ball'"):
        remote.delete("bell")
    with pytest.raises(ValueError, match="n must be an int >= 1, got 0"):
        remote.step(0)
    other = World(RemoteSimulator(session("errors")))
    with pytest.raises(DuplicateEntityError, match="'ball' exists already"):
        other.spawn(BALL, "ball", Pose())
    assert other.simulator.descriptions.models["ball"].to_sdf() == BALL.to_sdf()


def test_another_user_sees_models_that_came(serve, session):
    serve("shared")
    first, second = (RemoteSimulator(session("shared")) for _ in range(2))
    World(first).spawn(BALL, "ball", Pose())
    assert "ball" not in second.entities.models
    second.step()
    assert "ball" in second.entities.models


def test_a_mirror_has_all_at_once_and_then_what_moves(serve, session):
    """It comes late, follows a fall, sees a new model, and commands nothing."""
    serve("seen")
    transport = session("seen")
    world = World(RemoteSimulator(transport), steps_per_tick=50)
    world.spawn(BALL, "ball", Pose((0, 0, 9)))
    world.tick()
    with WorldMirror(session("seen")) as mirror:
        assert list(mirror.tables.entities.models) == ["ball"]
        height = mirror.tables.models.pose[0, 0, 2]
        assert height == pytest.approx(9 - 0.5 * 9.8 * 0.05**2, abs=1e-3)

        def follows() -> bool:
            world.tick()
            mirror.update()
            return bool(mirror.tables.models.pose[0, 0, 2] < 8.5)

        wait(follows)
        world.spawn(BALL, "second", Pose((3, 0, 1)))

        def knows() -> bool:
            world.tick()
            mirror.update()
            return "second" in mirror.tables.entities.models

        wait(knows)
        row = mirror.tables.entities.models.row("second")
        wait(lambda: mirror.update() or mirror.tables.models.pose[0, row, 0] == 3.0)
        assert mirror.malformed == 0


def test_what_rests_is_not_sent(transport):
    """Two of three balls move: updates have their rows alone, and none when all rest."""
    transport.set_topic_namespace("quiet")
    server = PhysicsServer(MujocoSimulator(), transport, rate=1e9, paused=True)
    heard: list[bytes] = []
    key = transport.key("entity_state_update")
    transport.session.declare_subscriber(key, lambda s: heard.append(s.payload.to_bytes()))
    world = World(server.simulator)
    for number in range(3):
        world.spawn(BALL, f"ball{number}", Pose((number, 0, 5)))
    wait(lambda: server.run_once() or bool(heard))
    heard.clear()
    world.models.select(["ball0", "ball2"]).twist = [1, 0, 0, 0, 0, 0]
    world.flush()
    wait(lambda: server.run_once() or bool(heard))
    frame = unpack(heard[-1])
    assert frame.arrays["models.twist/rows"].tolist() == [0, 2]
    assert "models.pose" not in frame.arrays
    count = len(heard)
    for _ in range(20):
        server.run_once()
    assert len(heard) == count
    server.close()


def test_control_and_statistics(serve, session):
    """A free world runs at its speed, rests, and makes steps one by one."""
    serve("free", paused=False)
    transport = session("free")
    seen: list[WorldStatistics] = []
    transport.subscribe("world_stats", WorldStatistics, seen.append)
    wait(lambda: len(seen) >= 2)
    assert seen[-1].iterations > seen[0].iterations
    transport.command("control", WorldControl(pause=True))
    before = RemoteSimulator(transport).time[0]
    transport.command("control", WorldControl(pause=True, steps=7))
    assert RemoteSimulator(transport).time[0] == pytest.approx(before + 0.007)


def test_commands_in_the_messages_of_the_paper(serve, session):
    """A model is inserted, moved and thrown; its joint is set; what cannot be done is said."""
    serve("told", 2)
    transport = session("told")
    place = messages.Pose(messages.Point(1.0, 2.0, 3.0))
    transport.command("insert_entity", messages.InsertEntity("pole", POLE, place))
    twist = messages.Twist(messages.Point(0.5), messages.Point(0.0, 0.0, 2.0))
    moved = messages.Pose(messages.Point(4.0, 5.0, 6.0), messages.Quaternion(0, 0, 1, 0))
    state = messages.EntityState("pole", moved, twist)
    transport.command("set_entity_state", state)
    transport.command("set_joint_state", messages.JointState("pole::hinge", (0.3,), (0.1,)))
    world = World(RemoteSimulator(transport))
    pole, hinge = world.models.select(["pole"]), world.joints.select(["pole::hinge"])
    assert pole.pose[:, 0].tolist() == [[4, 5, 6, 0, 0, 1, 0]] * 2
    assert np.allclose(pole.twist[:, 0], [0.5, 0, 0, 0, 0, 2])
    assert hinge.position.tolist() == [[0.3]] * 2
    assert np.allclose(hinge.velocity, 0.1)
    for topic, message, reason in (
        ("set_entity_state", messages.EntityState("pile"), "did you mean 'pole'"),
        (
            "set_entity_state",
            messages.EntityState("pole", messages.Pose(orientation=messages.Quaternion(u=0.0))),
            "quaternion that is not zero",
        ),
        ("set_joint_state", messages.JointState("pole::knee", (0.1,)), "no joint is named"),
        ("set_joint_state", messages.JointState("pole::hinge", (0.1,), (1.0, 2.0)), "as many"),
        ("insert_entity", messages.InsertEntity("pole", POLE), "exists already"),
        ("insert_entity", messages.InsertEntity("x", PROGRAM), "without xacro"),
    ):
        with pytest.raises(RemoteError, match=reason):
            transport.command(topic, message)
    assert list(RemoteSimulator(transport).entities.models) == ["pole"]


def test_properties_in_the_messages_of_the_paper(serve, session):
    """A mass shows in how a force acts, damping in how a joint slows; refusals change nothing."""
    serve("props", 2)
    transport = session("props")
    world = World(RemoteSimulator(transport))
    world.spawn(BALL, "ball", Pose((0, 0, 50)))
    damped = POLE.replace("</xyz>", "</xyz><dynamics><damping>.5</damping></dynamics>")
    world.spawn(GazeboXMLLoader().load_model(damped), "pole", Pose((9, 0, 50)))
    transport.command("set_entity_prop", messages.EntityProp("ball", 4.0, 0.0, 0.3))
    transport.command("set_entity_prop", messages.EntityProp("pole::a", 3.0))
    transport.command("set_joint_property", messages.JointProp("pole::hinge", 2.0, max_force=7.0))
    physics, links = world.simulator.physics, world.entities.links
    ball, a, b = (links.row(name) for name in ("ball::link", "pole::a", "pole::b"))
    assert physics.factors("mass")[:, [ball, a, b]] == pytest.approx(np.tile([4, 1 / 3, 1], (2, 1)))
    assert physics.factors("friction")[:, ball] == pytest.approx([0.3] * 2)
    assert physics.factors("damping")[:, b] == pytest.approx([4.0] * 2)
    hinge = world.joints.select(["pole::hinge"])
    assert hinge.effort_limit.tolist() == [[7.0]] * 2
    world.links.select(["ball::link"]).force = [8.0, 0, 0]
    world.tick()
    speed = world.models.select(["ball"]).twist[:, 0, 0]
    assert speed == pytest.approx([8.0 / 4.0 * world.timestep] * 2)
    for topic, message, reason in (
        ("set_entity_prop", messages.EntityProp("bell", 1.0), "did you mean 'ball'"),
        ("set_entity_prop", messages.EntityProp("ball", -1.0), "mass of 'ball' must be finite"),
        ("set_entity_prop", messages.EntityProp("ball", 2.0, 1.0), "only joints have damping"),
        ("set_entity_prop", messages.EntityProp("pole", 2.0, 0.0, 0.5), "has no collisions"),
        ("set_joint_property", messages.JointProp("pole::knee", 1.0), "no joint is named"),
        (
            "set_joint_property",
            messages.JointProp("pole::hinge", 1.0, max_force=1.0, lower_limits=(0.0,)),
            "stay as they are described",
        ),
    ):
        with pytest.raises(RemoteError, match=reason):
            transport.command(topic, message)
    assert physics.factors("mass")[:, [ball, a, b]] == pytest.approx(np.tile([4, 1 / 3, 1], (2, 1)))
    world.tick()
    assert hinge.effort_limit.tolist() == [[7.0]] * 2
    transport.command("insert_entity", messages.InsertEntity("free", POLE))
    with pytest.raises(RemoteError, match="one factor cannot"):
        transport.command("set_joint_property", messages.JointProp("free::hinge", 1.0))


def test_a_killed_process_is_missed_and_its_successor_is_whole(serve, session):
    process = serve("killed")
    transport = session("killed")
    remote = RemoteSimulator(transport, timeout=3.0)
    World(remote).spawn(BALL, "ball", Pose())
    process.send_signal(signal.SIGKILL)
    process.wait()
    with pytest.raises(NoAnswerError):
        remote.step()
    serve("killed")
    again = RemoteSimulator(transport)
    assert list(again.entities.models) == []
    again.step(3)
    assert again.time.tolist() == pytest.approx([0.003])


def test_a_process_that_hangs_is_missed_in_time(serve, session):
    process = serve("hung")
    transport = session("hung")
    remote = RemoteSimulator(transport, timeout=60.0)
    process.send_signal(signal.SIGSTOP)
    try:
        with pytest.raises(NoAnswerError, match="nobody answers"):  # by the lease of 2 s
            remote.step()
    finally:
        process.send_signal(signal.SIGCONT)


def test_requests_that_are_none_are_refused_and_nothing_happens(serve, session):
    """Each in its own way, and the world goes on."""
    serve("hostile")
    transport = session("hostile")
    remote = RemoteSimulator(transport)
    World(remote).spawn(BALL, "ball", Pose())
    generation = remote.entities.generation
    pose = {"pose/0": np.zeros((1, 7))}
    cells = {"models.pose": np.zeros((1, 7)), "models.pose/rows": np.zeros(1, int)}
    for header, arrays, message in (
        ({"call": "close"}, {}, "no call 'close'"),
        ({"call": "__init__"}, {}, "no call"),
        ({"call": "read", "columns": ["models.name"]}, {}, "no column"),
        ({"call": "write", "batch": -5}, cells, "another generation"),
        ({"call": "write", "batch": generation}, cells, "have no rows"),
        (
            {"call": "write", "batch": generation},
            {**cells, "models.pose/worlds": np.array([1])},
            "worlds 0 to 0",
        ),
        (
            {"call": "write", "batch": generation},
            {**cells, "models.pose/worlds": np.zeros(1, int)},
            "quaternion that is not zero",
        ),
        ({"call": "step", "n": 1}, {"worlds": np.array([0.5])}, "ascending"),
        ({"call": "step", "n": True}, {}, "n must be"),
        ({"call": "spawn", "models": [["x", "<sdf/>"]]}, pose, "sdf"),
        ({"call": "spawn", "models": [["x", "/etc/x.xacro"]]}, pose, "text of its SDF"),
        ({"call": "spawn", "models": [["x", PROGRAM]]}, pose, "without xacro"),
    ):
        answer = unpack(transport.request("call", pack(header, arrays)))
        assert message in answer.header["text"], answer.header
    remote.step()
    assert remote.time.tolist() == pytest.approx([0.001])
