# SPDX-License-Identifier: Apache-2.0
"""Scenes of ours beside the same in plain MJCF, stepped by MuJoCo itself, with unequal partners.

The plain scenes say what a contact of two surfaces of SDF is by a `<pair>`: the lower sliding and
torsional coefficients, the larger patch and rolling friction, and the lower given restitution.
"""

from __future__ import annotations

import math
import warnings

import mujoco
import numpy as np
import pytest
from contact_scenes import Scene, ball, body, ground

from deepsim_math import Euler, Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import (
    Box,
    GazeboXMLLoader,
    MjcfModel,
    Physics,
    Sphere,
    Surface,
    WorldDescription,
)
from deepsim_sync import World

G = 9.8
STEPS = pytest.mark.parametrize("step", [0.001, 0.002, 0.005])
OPTIONS = 'cone="elliptic" impratio="10" tolerance="1e-10" integrator="implicitfast"'
PATCH = 3 * math.pi / 16
"""Gazebo's torque of a patch over mu, radius and normal force."""


def plain(step: float, shape: str, pair: str, twist: tuple[float, ...], seconds: float) -> object:
    """Returns position and twist of a body on a plane after a time, stepped by MuJoCo."""
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco><option timestep="{step}" gravity="0 0 -{G}" {OPTIONS}/><worldbody>
        <geom name="floor" type="plane" size="9 9 1"/><body pos="0 0 0.1"><freejoint/>
        <inertial pos="0 0 0" mass="1" diaginertia="0.0067 0.0067 0.0067"/>
        <geom name="body" {shape}/></body></worldbody><contact>
        <pair geom1="floor" geom2="body" solref="{3 * step} 1.5" solimp="0.99 0.99 0.001" {pair}/>
        </contact></mujoco>"""
    )
    data = mujoco.MjData(model)
    for _ in range(round(0.1 / step)):
        mujoco.mj_step(model, data)
    data.qvel[:] = twist
    for _ in range(round(seconds / step)):
        mujoco.mj_step(model, data)
    turn = np.empty(9)  # the angular velocity of a free joint is in the axes of the body
    mujoco.mju_quat2Mat(turn, data.qpos[3:7])
    return np.concatenate([data.qpos[:3], data.qvel[:3], turn.reshape(3, 3) @ data.qvel[3:]])


def ours(
    step: float,
    shape: object,
    surfaces: tuple[Surface, Surface],
    twist: tuple[float, ...],
    seconds: float,
) -> object:
    """Returns the same of a body of ours; the first surface is the ground's."""
    floor, own = surfaces
    scene = Scene([ground(floor), body(shape, own)], [Pose(), Pose((0, 0, 0.1))], step=step)
    scene.run(0.1)
    scene.throw(1, twist)
    scene.run(seconds)
    return np.concatenate([scene.read("pose")[0, 1, :3], scene.read("twist")[0, 1]])


PARTNERS = [
    pytest.param(Surface(1, 1), Surface(1.5, 1.5, torsional_mu=1.0, patch_radius=0.05), id="body"),
    pytest.param(Surface(1.5, 1.5, torsional_mu=1.0, patch_radius=0.05), Surface(1, 1), id="floor"),
    pytest.param(
        Surface(0.5, 0.5, torsional_mu=0.4),
        Surface(0.8, 0.8, torsional_mu=0.9, patch_radius=0.03),
        id="both",
    ),
    pytest.param(
        Surface(0.5, 0.5, torsional_mu=0.4, patch_radius=0.02),
        Surface(0.8, 0.8, torsional_mu=0.9, patch_radius=0.03),
        id="two patches",
    ),
    pytest.param(Surface(0.3, 0.3), Surface(0.9, 0.9, rolling_mu=0.004), id="rolling"),
    pytest.param(Surface(0.3, 0.3), Surface(0.3, 0.3), id="equals"),
]


def pair(floor: Surface, own: Surface) -> str:
    """Returns the settings of a pair by Gazebo's rule."""
    turning = PATCH * min(floor.torsional_mu, own.torsional_mu)
    turning *= max(floor.patch_radius, own.patch_radius)
    rolling, mu = max(floor.rolling_mu, own.rolling_mu), min(floor.mu, own.mu)
    condim = 6 if rolling else 4 if turning else 3
    return f'condim="{condim}" friction="{mu} {mu} {turning} {rolling} {rolling}"'


@STEPS
@pytest.mark.parametrize(("floor", "own"), PARTNERS)
@pytest.mark.parametrize(
    "twist", [(0, 0, 0, 0, 0, 10.0), (1.0, 0.5, 0, 0, 0, 3.0)], ids=["spins", "slides"]
)
def test_a_ball_spins_slides_and_rolls_as_gazebos_rule_says(
    step: float, floor: Surface, own: Surface, twist: tuple[float, ...]
) -> None:
    expected = plain(step, 'type="sphere" size="0.1"', pair(floor, own), twist, 0.3)
    assert ours(step, Sphere(0.1), (floor, own), twist, 0.3) == pytest.approx(expected, abs=1e-6)


@STEPS
@pytest.mark.parametrize(("floor", "own"), PARTNERS)
def test_a_box_slides_as_in_plain_mujoco(step: float, floor: Surface, own: Surface) -> None:
    twist = (1.0, 0.4, 0, 0, 0, 2.0)
    expected = plain(step, 'type="box" size="0.1 0.1 0.1"', pair(floor, own), twist, 0.05)
    there = ours(step, Box((0.2, 0.2, 0.2)), (floor, own), twist, 0.05)
    assert there == pytest.approx(expected, abs=1e-5)


@STEPS
def test_bodies_of_unequal_friction_collide_as_in_plain_mujoco(step: float) -> None:
    """A spinning ball with a patch runs into a heavier, slippery box; the ground has 0.7."""
    hard = f'solref="{3 * step} 1.5" solimp="0.99 0.99 0.001"'
    turning = PATCH * 0.05
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco><option timestep="{step}" gravity="0 0 -{G}" {OPTIONS}/><worldbody>
        <geom name="floor" type="plane" size="9 9 1"/><body pos="0 0 0.1"><freejoint/>
        <inertial pos="0 0 0" mass="1" diaginertia="0.0067 0.0067 0.0067"/>
        <geom name="ball" size="0.1"/></body><body pos="0.3 0.03 0.1"><freejoint/>
        <inertial pos="0 0 0" mass="3" diaginertia="0.02 0.02 0.02"/>
        <geom name="box" type="box" size="0.1 0.1 0.1"/></body></worldbody><contact>
        <pair geom1="floor" geom2="ball" {hard} condim="4" friction="0.7 0.7 {turning} 0 0"/>
        <pair geom1="floor" geom2="box" {hard} condim="3" friction="0.3 0.3 0 0 0"/>
        <pair geom1="ball" geom2="box" {hard} condim="4" friction="0.3 0.3 {turning} 0 0"/>
        </contact></mujoco>"""
    )
    data = mujoco.MjData(model)
    spinning = Surface(1.2, 1.2, torsional_mu=1.0, patch_radius=0.05)
    scene = Scene(
        [
            ground(Surface(0.7, 0.7)),
            body(Sphere(0.1), spinning),
            body(Box((0.2, 0.2, 0.2)), Surface(0.3, 0.3), 3.0, 0.02),
        ],
        [Pose(), Pose((0, 0, 0.1)), Pose((0.3, 0.03, 0.1))],
        step=step,
    )
    data.qvel[:6] = 2.0, 0, 0, 0, 0, 20.0
    scene.throw(1, (2.0, 0, 0, 0, 0, 20.0))
    for _ in range(round(0.15 / step)):
        mujoco.mj_step(model, data)
    scene.run(0.15)
    there = scene.read("pose")[0, 1:, :3]
    assert there == pytest.approx(np.array([data.qpos[:3], data.qpos[7:10]]), abs=1e-5)
    assert there[1, 0] > 0.31


@pytest.mark.parametrize(
    ("of_ground", "of_ball"), [((0.5, 0.0), (1.0, 0.8)), ((1.0, 0.8), (0.5, 0.0))]
)
def test_a_ball_bounces_on_a_more_slippery_partner_without_restitution(
    of_ground: tuple[float, float], of_ball: tuple[float, float]
) -> None:
    """The given restitution counts, whoever has the lower friction."""
    phases = 20
    lift = np.tile(np.asarray(Pose()), (phases, 1))
    lift[:, 2] = 0.6 + 0.0011 * np.arange(phases)
    floor = ground(Surface(of_ground[0], of_ground[0], of_ground[1]))
    scene = Scene([floor, ball(of_ball[1], of_ball[0])], [Pose(), lift], worlds=phases)
    highest = np.zeros(phases)
    for _ in range(450):
        scene.run(0.001)
        speed, height = scene.read("twist")[:, 1, 2], scene.read("pose")[:, 1, 2]
        highest = np.where(height > 0.1, np.maximum(highest, speed), highest)
    assert (highest / np.sqrt(2 * G * (lift[:, 2] - 0.1))).mean() == pytest.approx(0.8, abs=0.03)


RAMP = math.atan(0.5)
ON_RAMP = """<mujoco model="s"><worldbody><body name="ramp" euler="0 {tilt} 0">
<geom type="box" size="20 1 .1" pos="0 0 -.1" friction="{floor}"/></body>
<body name="box" pos="0 0 {z}" euler="0 {tilt} 0"><freejoint/>
<geom type="box" size=".1 .1 .05" density="1000" friction="{box}" {extra}/></body>
</worldbody></mujoco>"""


@pytest.mark.parametrize(
    ("of_box", "of_floor", "extra"),
    [(0.3, 1, ""), (1, 0.3, ""), (0.3, 1, 'priority="1"'), (0.3, 0.3, ""), (0.3, 1, 'condim="6"')],
)
def test_mjcf_among_itself_keeps_the_rule_of_mujoco(
    of_box: float, of_floor: float, extra: str
) -> None:
    """The larger friction counts, unless a priority says otherwise."""
    tilt, z = math.degrees(RAMP), 0.0505 / math.cos(RAMP)
    text = ON_RAMP.format(tilt=tilt, z=z, floor=of_floor, box=of_box, extra=extra)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    while data.time < 1.0:
        mujoco.mj_step(model, data)
    moved = np.linalg.norm(data.qpos[:3] - model.qpos0[:3])
    world = World(MujocoSimulator(WorldDescription(gravity=(0, 0, -9.81))))
    world.spawn(MjcfModel(text), "s", Pose())
    box = world.links.select(["s::box"])
    start = box.pose[0, 0, :3].copy()
    for _ in range(1000):
        world.tick()
    there = np.linalg.norm(box.pose[0, 0, :3] - start)
    assert there == pytest.approx(moved, abs=0.01 + 0.03 * moved)


FOOT = """<mujoco model="foot"><worldbody><body name="foot"><freejoint/>
<geom type="sphere" size=".05" density="1000" condim="6" friction="{mu} .02 .002"/></body>
</worldbody></mujoco>"""


@pytest.mark.parametrize("of_ground", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("of_foot", [0.3, 1.5])
def test_a_foot_of_mjcf_keeps_its_torsional_friction_on_any_ground(
    of_ground: float, of_foot: float
) -> None:
    """MJCF counts as friction 1 unless the surface of SDF is slipperier."""
    hard = 'solref="0.003 1.5" solimp="0.99 0.99 0.001"'
    pair = f"""<contact><pair geom1="floor" geom2="foot" condim="6" {hard}
    friction="0.5 0.5 .02 .002 .002"/></contact>"""
    prior = 'priority="1"' if of_ground > 1.0 else ""  # whose lower friction counts
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco><option timestep="0.001" gravity="0 0 -{G}" {OPTIONS}/><worldbody>
        <geom name="floor" type="plane" size="9 9 1" friction="1" {hard}/>
        <body pos="0 0 0.05"><freejoint/><geom name="foot" size=".05" density="1000" condim="6"
        friction="{of_foot} .02 .002" {prior}/></body></worldbody>{pair * (of_ground < 1.0)}
        </mujoco>"""
    )
    data = mujoco.MjData(model)
    world = World(MujocoSimulator(WorldDescription(gravity=(0, 0, -G))))
    world.spawn(ground(Surface(of_ground, of_ground)), "ground", Pose())
    world.spawn(MjcfModel(FOOT.format(mu=of_foot)), "foot", Pose((0, 0, 0.05)))
    foot = world.links.select(["foot::foot"])
    for twist in ((0, 0, 0, 0, 0, 10.0), (2.0, 0, 0, 0, 0, 0)):
        mujoco.mj_resetData(model, data)
        data.qvel[:] = twist
        foot.pose = [[[0, 0, 0.05, 0, 0, 0, 1]]]
        foot.twist = [[twist]]
        for _ in range(300):
            world.tick()
            mujoco.mj_step(model, data)
        assert foot.pose[0, 0, :3] == pytest.approx(data.qpos[:3], abs=1e-5)
        assert foot.twist[0, 0, :3] == pytest.approx(data.qvel[:3], abs=1e-5)
        assert abs(foot.twist[0, 0, 5]) < 1.0


def pushed(factor: float, of_ground: float = 1.0) -> float:
    """Returns how far a cube slides that is pushed at 2 m/s, by a factor of its friction [m]."""
    simulator = MujocoSimulator()
    world = World(simulator)
    world.spawn(ground(Surface(of_ground, of_ground)), "ground", Pose())
    world.spawn(body(Box((0.2, 0.2, 0.1))), "box", Pose((0, 0, 0.05)))
    simulator.physics.scale("friction", ["box::l"], factor)
    box = world.models.select(["box"])
    box.twist = [[[2.0, 0, 0, 0, 0, 0]]]
    for _ in range(1000):
        world.tick()
    return float(box.pose[0, 0, 0])


def test_a_factor_says_where_a_higher_friction_has_no_effect() -> None:
    """Of a pair the lower value counts, here the ground's; with factors <= 1 nothing is said."""
    with pytest.warns(UserWarning, match=r"friction of 'box::l' to 2, .* 'ground::l' has 1"):
        inert = pushed(2.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert pushed(1.0) == pytest.approx(inert)
        assert pushed(0.5) == pytest.approx(2 * inert, rel=0.02)
        assert pushed(2.0, of_ground=5.0) == pytest.approx(inert / 2, rel=0.03)


def test_factors_of_friction_leave_what_the_other_surface_has() -> None:
    """The ball's patch still counts when its mu exceeds the ground's, and the lower mu as well."""
    own = Surface(0.8, 0.8, torsional_mu=1.0, patch_radius=0.05)
    spins = []
    for mu, factor in ((0.8, 2.0), (1.6, 1.0)):
        surface = Surface(mu, mu, torsional_mu=own.torsional_mu, patch_radius=own.patch_radius)
        scene = Scene([ground(), body(Sphere(0.1), surface)], [Pose(), Pose((0, 0, 0.1))])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scene.simulator.physics.scale("friction", ["m1::l"], factor)
        scene.run(0.1)
        scene.throw(1, (2.0, 0, 0, 0, 0, 30.0))
        scene.run(0.1)
        spins.append(scene.read("twist")[0, 1])
    assert spins[0] == pytest.approx(spins[1], abs=1e-9)
    assert 0.0 < spins[0][5] < 29.0


@pytest.mark.parametrize("scaled", ["m1::l", "m2::l"])
@pytest.mark.parametrize(
    "more", [{"torsional_mu": 1.0, "patch_radius": 0.05}, {"rolling_mu": 0.01}]
)
def test_factors_between_moving_bodies_leave_what_the_other_surface_has(
    more: dict[str, float], scaled: str
) -> None:
    """A ball with a patch on a heavy box that slides; as if described with the scaled friction."""
    twists = []
    for factor in (0.25, 4.0):
        for described in (False, True):
            mu = {"m1::l": 0.6, "m2::l": 0.6}
            mu[scaled] *= factor if described else 1.0
            on_box = Surface(mu["m2::l"], mu["m2::l"], **more)
            box = body(Box((1, 1, 0.2)), Surface(mu["m1::l"], mu["m1::l"]), 50.0, 5.0)
            places = [Pose(), Pose((0, 0, 0.1)), Pose((0, 0, 0.3))]
            scene = Scene([ground(Surface(5, 5)), box, body(Sphere(0.1), on_box)], places)
            if not described:
                scene.simulator.physics.scale("friction", [scaled], factor)
            scene.run(0.1)
            scene.throw(1, (1.0, 0, 0, 0, 0, 0))
            scene.throw(2, (0.5, 0, 0, 0, 0, 30.0))
            scene.run(0.2)
            twists.append(scene.read("twist")[0, 2])
        assert twists[-2] == pytest.approx(twists[-1], abs=1e-9)
    assert 0.1 < abs(twists[0][5]) < 29.9 or "rolling_mu" in more


def test_mu_alone_means_both_directions_and_warns_of_nothing() -> None:
    for text in (
        """<sdf version="1.7"><model name="m"><link name="l"><collision name="c"><geometry><box>
        <size>1 1 1</size></box></geometry><surface><friction><ode><mu>0.4</mu></ode></friction>
        </surface></collision></link></model></sdf>""",
        """<robot name="m"><link name="l"><inertial><mass value="1"/><inertia ixx="1" ixy="0"
        ixz="0" iyy="1" iyz="0" izz="1"/></inertial><collision><geometry><box size="1 1 1"/>
        </geometry></collision></link><gazebo reference="l"><mu1>0.4</mu1></gazebo></robot>""",
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = GazeboXMLLoader().load_model(text)
            world = World(MujocoSimulator(WorldDescription(physics=Physics(0.001))))
            world.spawn(model, "m", Pose((0, 0, 1), Euler(0, 0, 0)))
        assert model.links[0].collisions[0].surface.mu2 == 0.4
