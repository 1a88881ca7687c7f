# SPDX-License-Identifier: Apache-2.0
"""What only this engine has: arguments, capacities, transfers, columns on the device."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import GazeboXMLLoader, MjcfModel, ModelSpawner
from deepsim_sync import CameraMount, SimulationError, SpawnError, SpawnRequest, World

deepsim_warp = pytest.importorskip("deepsim_warp", reason="make warp installs it")
WarpSimulator = deepsim_warp.WarpSimulator

BOX = """<sdf version="1.7"><model name="box"><link name="link">
  <inertial><mass>1</mass></inertial>
  <collision name="c"><geometry><box><size>0.2 0.2 0.2</size></box></geometry></collision>
</link></model></sdf>"""
GROUND = """<sdf version="1.7"><model name="ground"><static>true</static><link name="link">
  <collision name="c"><geometry><plane><normal>0 0 1</normal><size>9 9</size></plane></geometry>
  </collision></link></model></sdf>"""
ARM = """<sdf version="1.7"><model name="arm">
  <joint name="fixed" type="fixed"><parent>world</parent><child>base</child></joint>
  <link name="base"/>
  <link name="upper"><pose>0 0 0.5 0.1 0 0</pose><inertial><mass>2</mass>
    <inertia><ixx>.1</ixx><iyy>.1</iyy><izz>.1</izz></inertia></inertial></link>
  <link name="hand"><pose>0.3 0 0.9 0 0.2 0</pose><inertial><mass>1</mass>
    <inertia><ixx>.05</ixx><iyy>.05</iyy><izz>.05</izz></inertia></inertial></link>
  <joint name="shoulder" type="revolute"><parent>base</parent><child>upper</child>
    <axis><xyz>0 1 0</xyz><limit><effort>80</effort></limit></axis></joint>
  <joint name="elbow" type="revolute"><parent>upper</parent><child>hand</child>
    <axis><xyz>1 0 0</xyz><limit><effort>30</effort></limit></axis></joint>
</model></sdf>"""


def simulator(worlds=1, **options):
    return WarpSimulator(worlds=worlds, device="cpu", **options)


def spawn(engine, *models):
    """Spawns SDF texts by name, each at a position."""
    loader = GazeboXMLLoader()
    engine.spawn(
        [SpawnRequest(loader.load_model(sdf), name, (*at, 0, 0, 0, 1)) for sdf, name, at in models]
    )


# Arguments


def test_without_a_gpu_it_says_so(monkeypatch):
    """The CPU device is for tests, and nobody should take it for a fast engine."""
    monkeypatch.setattr(deepsim_warp.simulator.wp, "is_cuda_available", lambda: False)
    with pytest.warns(UserWarning, match="no GPU"):
        WarpSimulator()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"device": "cuda:77"}, "cuda:77"),
        ({"contacts": 0}, "contacts must be at least 1, got 0"),
        ({"constraints": -1}, "constraints must be at least 1, got -1"),
        ({"worlds": 0}, "worlds must be at least 1, got 0"),
    ],
)
def test_unusable_arguments_are_refused_by_name(options, message):
    with pytest.raises(ValueError, match=message):
        WarpSimulator(**{"device": "cpu", **options})


def test_models_that_the_engine_cannot_step_are_refused_and_nothing_changes():
    """MuJoCo Warp lacks PID actuators that are not the servo of a joint."""
    engine = simulator()
    spawn(engine, (BOX, "box", (0, 0, 1)))
    text = """<mujoco><worldbody><body><freejoint/><geom size=".1"/><site name="s"/></body>
      </worldbody><actuator><general name="pull" site="s" dyntype="pid"
        gaintype="pid" biastype="affine" actdim="1" gear="0 0 1 0 0 0"/></actuator></mujoco>"""
    generation = engine.entities.generation
    with pytest.raises(SpawnError, match="pull"):
        engine.spawn([SpawnRequest(MjcfModel(text), "puller", (0, 0, 5, 0, 0, 0, 1))])
    assert list(engine.entities.models) == ["box"]
    assert engine.entities.generation == generation
    engine.step(3)


# Capacities


@pytest.mark.parametrize(("option", "named"), [("contacts", [0, 1, 2]), ("constraints", [1])])
def test_too_many_contacts_name_the_worlds_and_the_argument(option, named):
    """Any world may have lost one of the contacts, but constraints are those of the world.

    The other worlds go on.
    """
    engine = simulator(3, **{option: 1})
    spawn(engine, (GROUND, "ground", (0, 0, 0)))
    box = GazeboXMLLoader().load_model(BOX)
    poses = np.tile([0.0, 0, 5, 0, 0, 0, 1], (3, 1))
    poses[1, 2] = 0.1
    engine.spawn([SpawnRequest(box, "box", poses)])
    with pytest.raises(SimulationError, match=f"raise {option} of WarpSimulator") as caught:
        engine.step(5)
    assert list(caught.value.worlds) == named
    if option == "constraints":
        engine.step(5, np.array([0, 2]))
        assert engine.time[[0, 2]] == pytest.approx(0.01)
    engine.reset()
    assert np.isfinite(engine.snapshots.get_state().integration).all()


# Transfers


def test_a_tick_takes_one_upload_and_one_download():
    """However many steps it has, and whatever is read and written."""
    engine = simulator(3)
    world = World(engine, steps_per_tick=4)
    ModelSpawner(ARM).spawn(world, "arm")
    world.joints.put(stiffness=20.0, damping=2.0)
    for _ in range(3):
        world.tick()
    before = (engine.transfers.uploads, engine.transfers.downloads, engine.transfers.models)
    for tick in range(10):
        world.joints.put(target_position=0.1 * tick)
        world.tick()
        assert np.isfinite(world.joints.position).all()
        assert np.isfinite(world.joints.effort).all()
    after = (engine.transfers.uploads, engine.transfers.downloads, engine.transfers.models)
    assert np.subtract(after, before).tolist() == [10, 10, 0]


# Columns on the device


def test_columns_are_those_of_the_tables():
    """After steps, writes, resets and in a part of the worlds."""
    engine = simulator(3)
    world = World(engine)
    ModelSpawner(BOX).spawn(world, "box", Pose((1, 2, 3)))
    ModelSpawner(ARM).spawn(world, "arm", Pose((4, 5, 6)))
    position = engine.column("joints", "position")
    pose = engine.column("links", "pose")
    assert position.names == ("arm::shoulder", "arm::elbow")
    assert pose.shape == (3, len(world.entities.links), 7)
    world.joints.put(np.array([1]), position=[[0.3, -0.2]])
    for _ in range(3):
        for _ in range(5):
            world.tick()
        seen = np.from_dlpack(position)
        np.testing.assert_allclose(seen, world.joints.position, atol=1e-6)
        places = np.from_dlpack(pose)
        np.testing.assert_allclose(places, world.links.pose, atol=1e-5)
        assert seen.dtype == np.float32
        engine.reset(np.array([2]))
    engine.step(2, np.array([0]))
    again = np.from_dlpack(position)
    assert again.__array_interface__["data"] == seen.__array_interface__["data"]
    np.testing.assert_allclose(seen[2], 0.0, atol=1e-6)


def test_columns_that_do_not_exist_or_are_outdated_are_refused():
    engine = simulator(2)
    spawn(engine, (ARM, "arm", (0, 0, 1)))
    with pytest.raises(ValueError, match="no column models twist"):
        engine.column("models", "twist")
    column = engine.column("joints", "velocity")
    spawn(engine, (BOX, "box", (0, 0, 5)))
    with pytest.raises(ValueError, match="ask for the column again"):
        np.from_dlpack(column)


# Cameras

SEEN = """<sdf version="1.7"><world name="w"><scene><background>.2 .3 .4 1</background></scene>
  <light name="sun" type="directional"><cast_shadows>true</cast_shadows>
    <direction>.3 .2 -1</direction><diffuse>.8 .8 .8 1</diffuse></light>
  <model name="ground"><static>true</static><link name="link"><visual name="v"><geometry><plane>
    <normal>0 0 1</normal><size>50 50</size></plane></geometry></visual></link></model>
  <model name="ball"><static>true</static><link name="link"><visual name="v"><geometry><sphere>
    <radius>.4</radius></sphere></geometry><material><ambient>1 0 0 1</ambient>
    <diffuse>1 0 0 1</diffuse></material></visual></link></model>
  <model name="eye"><pose>-2 0 .8 0 .2 0</pose><static>true</static><link name="link">
    <sensor name="{type}" type="{type}"><camera><horizontal_fov>1.2</horizontal_fov>
    <image><width>80</width><height>60</height></image>
    <clip><near>.1</near><far>30</far></clip></camera></sensor></link></model>
</world></sdf>"""
BALL = 1  # row of the model


def test_cameras_see_in_each_world_what_mujoco_sees():
    """Silhouettes and depths agree, colours nearly; balls, colours and mounts differ by world."""
    found = []
    for engine in (WarpSimulator, MujocoSimulator):
        seen = {}
        for kind in ("rgbd_camera", "segmentation_camera"):
            described = GazeboXMLLoader().load_world(SEEN.format(type=kind))
            options = {"device": "cpu"} if engine is WarpSimulator else {}
            made = engine(described, worlds=3, **options)
            world, name = World(made), f"eye::link::{kind}"
            places = world.models.pose.copy()
            places[:, BALL] = [[0, y, 0.5, 0, 0, 0, 1] for y in (-0.3, 0, 0.3)]
            world.models.put(pose=places)
            colours = world.visuals.diffuse[1:2].copy()
            colours[:, world.entities.visuals.row("ball::link::v")] = 0, 0, 1, 1
            world.visuals.put(np.array([1]), diffuse=colours)
            made.camera_mounts.set(name, CameraMount(Pose((-1, 0, 0)), 0.8), np.array([2]))
            world.tick()
            seen |= made.sensors.read(name)
        found.append(seen)
    mine, its = found
    assert (mine["models"] == its["models"]).mean() > 0.998
    assert all((mine["models"][world] == BALL).any() for world in range(3))
    solid = np.isfinite(its["depth"])
    assert (np.isfinite(mine["depth"]) == solid).mean() > 0.998
    both = solid & np.isfinite(mine["depth"]) & (mine["models"] == its["models"])
    np.testing.assert_allclose(mine["depth"][both], its["depth"][both], rtol=1e-4)
    assert np.abs(mine["rgb"].astype(int) - its["rgb"]).mean() < 8.0
    for world, (most, least) in enumerate(((0, 2), (2, 0), (0, 2))):  # red, blue, red
        ball = mine["rgb"][world][mine["models"][world] == BALL].mean(axis=0)
        assert ball[most] > 3.0 * ball[least]


# Actuators

MIXED = """<mujoco><worldbody><body><joint name="j" axis="0 1 0"/><geom size=".1" pos=".2 0 0"/>
    <site name="s" pos=".2 0 0"/></body></worldbody>
  <actuator><position name="hold" joint="j" kp="5" kv="1"/>
    <general name="pull" site="s" gear="0 0 1 0 0 0" dyntype="filter" dynprm=".1" gainprm="2"/>
  </actuator></mujoco>"""


def test_servos_and_actuators_with_states_act_beside_each_other():
    """As on MuJoCo: the servo follows its target, and the filter fills."""
    ends = []
    for engine in (simulator(2), MujocoSimulator(worlds=2)):
        world = World(engine, steps_per_tick=4)
        ModelSpawner(MjcfModel(MIXED)).spawn(world, "mixed", Pose((0, 0, 1)))
        world.joints.put(target_position=0.5)
        world.actuators.put(target=1.0)
        for _ in range(20):
            world.tick()
        ends.append((world.joints.position.copy(), world.actuators.activation.copy()))
    for found, wanted in zip(*ends, strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-5)
    assert ends[1][1].min() > 0.3


# Graphs


def test_a_graph_follows_spawns_bindings_and_gains():
    """Whatever is captured is captured anew: the arm moves as MuJoCo has it."""
    ends = []
    for engine in (simulator(2), MujocoSimulator(worlds=2)):
        world = World(engine, steps_per_tick=3)
        ModelSpawner(ARM).spawn(world, "arm", Pose((0, 0, 1)))
        for stiffness in (0.0, 30.0, 60.0):
            world.joints.put(stiffness=stiffness, damping=0.1 * stiffness, target_position=0.3)
            for _ in range(4):
                world.tick()
            assert np.isfinite(world.joints.effort).all()
        ModelSpawner(BOX).spawn(world, "box", Pose((0, 3, 1)))
        for _ in range(4):
            world.tick()
        ends.append((world.joints.position.copy(), world.links.pose.copy(), world.joints.effort))
    for found, wanted in zip(*ends, strict=True):
        np.testing.assert_allclose(found, wanted, atol=2e-5)
