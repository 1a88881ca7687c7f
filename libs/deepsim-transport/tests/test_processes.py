# SPDX-License-Identifier: Apache-2.0
"""A physics process and those that use and watch it."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from transport_worlds import BALL, GROUND, running, wait

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import GazeboXMLLoader, WorldDescription
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
CROSS = (
    POLE.replace("pole", "cross")
    .replace("<joint name='hinge' type='revolute'>", "<joint name='u' type='universal'>")
    .replace("</axis>", "</axis><axis2><xyz>1 0 0</xyz></axis2>")
)
FLOATING = GazeboXMLLoader().load_model(
    "<sdf version='1.7'><model name='disc'><link name='link'><gravity>0</gravity><inertial><mass>2"
    "</mass><inertia><ixx>.5</ixx><iyy>.5</iyy><izz>.5</izz></inertia></inertial></link></model>"
    "</sdf>"
)
SLIDER = GazeboXMLLoader().load_model(
    "<sdf version='1.7'><model name='slider'><link name='body'><gravity>0</gravity><inertial><mass>"
    "4</mass></inertial></link><joint name='x' type='prismatic'><parent>world</parent><child>body"
    "</child><axis><xyz>1 0 0</xyz></axis></joint></model></sdf>"
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
    transport.command("control", WorldControl(pause=False, steps=7))  # and goes on
    count = len(seen)
    wait(lambda: len(seen) > count + 1 and seen[-1].iterations > seen[count].iterations)
    transport.command("control", WorldControl(pause=True))
    start = len(seen)  # from here on time is paused, but for the steps
    wait(lambda: len(seen) >= start + 3)
    clocks = [(each.real_time, each.pause_time) for each in (seen[start], seen[start + 2])]
    (real, rested), (later, rests) = [[t.seconds + t.nanoseconds / 1e9 for t in c] for c in clocks]
    assert 0.5 * (later - real) < rests - rested <= later - real + 0.1


class Clock:
    """The wall clock, which may jump ahead as if the machine had slept."""

    ahead = 0.0

    def monotonic(self):
        return time.monotonic() + self.ahead


def test_a_physics_that_slept_for_an_hour_does_not_make_up_for_it(transport, monkeypatch):
    clock = Clock()
    monkeypatch.setattr("deepsim_transport.physics.server.time", clock)
    with running(PhysicsServer(MujocoSimulator(), transport, speed=1.0)) as server:
        wait(lambda: server.simulator.time[0] > 0.01)
        begin, start = time.monotonic(), server.simulator.time[0]
        clock.ahead = 3600.0
        wait(lambda: time.monotonic() - begin > 0.3)
        assert server.simulator.time[0] - start < time.monotonic() - begin + 0.1


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
    transport.command("insert_entity", messages.InsertEntity("cross", CROSS, place))
    transport.command("set_joint_state", messages.JointState("cross::u", (0.1, 0.2), (3.0, 4.0)))
    axes = World(RemoteSimulator(transport)).joints.select(["cross::u", "cross::u::2"])
    assert axes.position.tolist() == [[0.1, 0.2]] * 2
    assert np.allclose(axes.velocity, [3.0, 4.0])
    transport.command("set_joint_property", messages.JointProp("cross::u", max_force=5.0))
    axes = World(RemoteSimulator(transport)).joints.select(["cross::u", "cross::u::2"])
    assert axes.effort_limit.tolist() == [[5.0, 5.0]] * 2
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
        ("insert_entity", messages.InsertEntity("x", PROGRAM), "xacro, which is code"),
    ):
        with pytest.raises(RemoteError, match=reason):
            transport.command(topic, message)
    assert list(RemoteSimulator(transport).entities.models) == ["pole", "cross"]


def test_properties_in_the_messages_of_the_paper(serve, session):
    """A mass shows in how a force acts, damping in how a joint slows; refusals change nothing."""
    serve("props", 2)
    transport = session("props")
    world = World(RemoteSimulator(transport))
    world.spawn(BALL, "ball", Pose((0, 0, 50)))
    damped = POLE.replace("</xyz>", "</xyz><dynamics><damping>.5</damping></dynamics>")
    world.spawn(GazeboXMLLoader().load_model(damped), "pole", Pose((9, 0, 50)))
    transport.command("set_entity_prop", messages.EntityProp("ball", messages.Mass(4.0), 0.0, 0.3))
    transport.command("set_entity_prop", messages.EntityProp("pole::a", messages.Mass(3.0)))
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
    heavy = messages.Mass(2.0)
    for topic, message, reason in (
        ("set_entity_prop", messages.EntityProp("bell", messages.Mass(1.0)), "did you mean 'ball'"),
        (
            "set_entity_prop",
            messages.EntityProp("ball", messages.Mass(-1.0)),
            "mass of 'ball' must be finite",
        ),
        (
            "set_entity_prop",
            messages.EntityProp("ball", heavy, velocity_damping=1.0),
            "only joints have damping",
        ),
        ("set_entity_prop", messages.EntityProp("pole", heavy, 0.0, 0.5), "has no collisions"),
        (
            "set_entity_prop",
            messages.EntityProp("ball", messages.Mass(2.0, (1.0, 1.0, 1.0))),
            "moments of inertia only grow in proportion",
        ),
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


def test_wrenches_and_efforts_act_until_the_next_one(serve, session):
    """Speeds are those of mechanics, for a model, a link and a joint; a reset ends them."""
    serve("pushed", 2)
    transport = session("pushed")
    remote = RemoteSimulator(transport)
    world = World(remote, steps_per_tick=50)
    world.spawn(FLOATING, "disc", Pose((0, 0, 5)))
    world.spawn(SLIDER, "slider", Pose((0, 9, 5)))
    here = messages.Pose(messages.Point(0.0, 0.0, 5.0))

    def push(name, *force, turn=0.0):
        wrench = messages.Wrench(messages.Point(*force), messages.Point(0.0, 0.0, turn))
        state = messages.EntityState(name, here, messages.Twist(), wrench)
        transport.command("set_entity_state", state)

    def pull(effort):
        transport.command("set_joint_state", messages.JointState("slider::x", effort=(effort,)))

    disc, x = world.models.select(["disc"]), world.joints.select(["slider::x"])
    seconds = 100 * remote.timestep
    push("disc", 100.0, turn=3.0)
    pull(10.0)
    world.tick()
    world.tick()
    assert disc.twist[:, 0, 0] == pytest.approx([100.0 / 2.0 * seconds] * 2)
    assert disc.twist[:, 0, 5] == pytest.approx([3.0 / 0.5 * seconds] * 2)
    assert x.velocity[:, 0] == pytest.approx([10.0 / 4.0 * seconds] * 2)
    push("disc::link", 0.0, -8.0)
    pull(0.0)
    world.tick()
    world.tick()
    assert disc.twist[:, 0, 1] == pytest.approx([-8.0 / 2.0 * seconds] * 2)
    assert disc.twist[:, 0, [0, 5]] == pytest.approx(np.zeros((2, 2)))
    assert x.velocity[:, 0] == pytest.approx([10.0 / 4.0 * seconds] * 2)
    push("disc", 100.0)
    world.reset(worlds=np.array([1]))
    world.tick()
    world.tick()
    assert disc.twist[:, 0, 0] == pytest.approx([100.0 / 2.0 * seconds, 0.0])
    for message in (
        messages.JointState("slider::x"),
        messages.JointState("slider::x", (0.1,), effort=(1.0, 2.0)),
    ):
        with pytest.raises(RemoteError, match="as many angles as velocities and efforts"):
            transport.command("set_joint_state", message)
    with pytest.raises(RemoteError, match="wrench of 'disc' must be finite"):
        push("disc", float("nan"))


def test_a_wrench_ends_with_its_model_and_one_after_a_reset_acts(serve, session):
    """A deleted model does not stop the physics; a push between reset and step is not lost."""
    serve("dropped")
    transport = session("dropped")
    world = World(RemoteSimulator(transport), steps_per_tick=100)
    push = messages.Wrench(messages.Point(10.0))

    def press(name):
        state = messages.EntityState(name, messages.Pose(), messages.Twist(), push)
        transport.command("set_entity_state", state)

    for name in ("first", "second"):
        world.spawn(FLOATING, name, Pose())
    press("first")
    world.tick()
    world.reset()
    press("second")
    world.tick()
    speeds = world.models.select(["first", "second"]).twist[0, :, 0]
    assert speeds == pytest.approx([0.0, 10.0 / 2.0 * 0.1])
    for name in ("first", "second"):
        world.delete(name)
    world.tick()
    assert world.time[0] == pytest.approx(0.2)


def test_a_new_subscriber_gets_the_state_of_the_whole_world(serve, session):
    """Each once, also a late one: entities, clocks, gravity and the time step."""
    serve("whole")
    transport = session("whole")
    world = World(RemoteSimulator(transport), steps_per_tick=100)
    world.spawn(FLOATING, "disc", Pose((1, 2, 5)))
    wrench = messages.Wrench(messages.Point(4.0))
    place = messages.Pose(messages.Point(1.0, 2.0, 5.0))
    state = messages.EntityState("disc", place, messages.Twist(), wrench)
    transport.command("set_entity_state", state)
    world.tick()
    for _ in range(2):
        seen: list[messages.WorldState] = []
        with session("whole") as own:
            own.subscribe("state", messages.WorldState, seen.append)
            wait(lambda seen=seen: seen)
        assert [each.entity_name for each in seen[0].entity_states] == ["disc", "disc::link"]
        model, link = seen[0].entity_states
        assert model.twist.linear_velocity.x == pytest.approx(4.0 / 2.0 * 0.1)
        assert (link.pose, link.twist, link.wrench) == (model.pose, model.twist, wrench)
        assert (seen[0].gravity.z, seen[0].time_step) == (-9.8, 0.001)
        assert (seen[0].stats.sim_time.nanoseconds, seen[0].stats.model_count) == (100_000_000, 1)


def test_the_state_has_the_gravity_of_the_engine(transport):
    """Also if the world was made elsewhere, as that of a task, so that nobody can tell it."""
    transport.set_topic_namespace("moon")
    moon = MujocoSimulator(WorldDescription(gravity=(0.0, 0.5, -1.62)))
    seen: list[messages.WorldState] = []
    with PhysicsServer(World(moon), transport) as server:
        transport.subscribe("state", messages.WorldState, seen.append)

        def published():
            server.run_once()
            return seen

        wait(published)
    assert seen[0].gravity == messages.Point(0.0, 0.5, -1.62)


def test_bodies_at_rest_are_not_sent(transport):
    """A box and a ball stand on the ground: updates hold the time, and no rows."""
    transport.set_topic_namespace("resting")
    server = PhysicsServer(MujocoSimulator(), transport, rate=1e9, steps=10)
    world = World(server.simulator)
    world.spawn(GROUND, "ground", Pose())
    world.spawn(BALL, "ball", Pose((0, 0, 0.1)))
    world.spawn(BALL, "other", Pose((1, 0, 0.2)))
    heard: list[bytes] = []
    key = transport.key("entity_state_update")
    transport.session.declare_subscriber(key, lambda s: heard.append(s.payload.to_bytes()))
    wait(lambda: server.run_once() or heard)
    for _ in range(400):
        server.run_once()
    heard.clear()
    wait(lambda: server.run_once() or len(heard) > 9)
    assert [*unpack(heard[-1]).arrays] == ["time"]
    server.close()


def test_a_world_is_served_with_what_runs_in_it(session):
    """Its tracker runs in each tick, sees the changes of others, and starts anew with a reset."""
    with World(MujocoSimulator(), steps_per_tick=5) as world:
        world.spawn(FLOATING, "disc", Pose((0, 0, 5)))
        disc, seen = world.models.select(["disc"]), []

        class Watch:
            def update_tracker(self, delta_time, sim_time):
                seen.append((float(sim_time[0]), float(disc.pose[0, 0, 0])))

        world.trackers.add(Watch())
        with running(PhysicsServer(world, session("ticked"), paused=True)):
            remote = RemoteSimulator(session("ticked"))
            remote.step(10)
            assert len(seen) == 2
            other = World(remote, steps_per_tick=5)
            other.models.select(["disc"]).pose = Pose((3, 0, 5))
            other.tick()
            assert seen[-1] == (pytest.approx(0.01), 3.0)
            with pytest.raises(ValueError, match=r"advances by 5 physics steps at once.* got 7"):
                remote.step(7)
            other.reset()
            other.tick()
            assert seen[-1] == (0.0, 0.0)
        world.claim()
        assert world.ticks.tolist() == [1]


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
        ({"call": "spawn", "models": [["x", PROGRAM]]}, pose, "xacro, which is code"),
    ):
        answer = unpack(transport.request("call", pack(header, arrays)))
        assert message in answer.header["text"], answer.header
    remote.step()
    assert remote.time.tolist() == pytest.approx([0.001])


FORGETFUL = """
import threading
from deepsim_sync import World
from deepsim_transport import FollowedSimulator, Transport, WorldMirror
from deepsim_transport.messages import WorldStatistics
transport = Transport("127.0.0.1", {port}, namespace="kept")
heard = threading.Event()
transport.subscribe("world_stats", WorldStatistics, lambda statistics: heard.set())
mirror, world = WorldMirror(transport), World(FollowedSimulator(transport))
world.tick()
heard.wait()
print("heard", flush=True)
{then}
"""


@pytest.mark.parametrize(
    ("then", "status"),
    [("", 0), ("1 / 0", 1), ("while True: mirror.update(timeout=1.0)", -signal.SIGINT)],
)
def test_a_program_that_forgets_to_close_ends(serve, master, then, status):
    """At its last line, after an exception, and at one Ctrl-C, though it follows and subscribes."""
    serve("kept", paused=False)
    program = FORGETFUL.format(port=master.port, then=then)
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == "heard\n"
        if "while" in then:
            process.send_signal(signal.SIGINT)
        process.communicate(timeout=60.0)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == status
