# SPDX-License-Identifier: Apache-2.0
"""What bodies do that touch, against theory, at the default settings."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from contact_scenes import (
    BEFORE,
    G,
    Scene,
    ball,
    body,
    bounces,
    carried,
    creep,
    cube,
    grasped,
    ground,
    impact,
    kick,
    precession,
    slide,
    spun_down,
    sunk,
    tilted,
    tumbling,
)

from deepsim_math import Euler, Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import (
    Box,
    GazeboXMLLoader,
    Inertial,
    JointDescription,
    LinkDescription,
    ModelDescription,
    MujocoOptions,
    Sphere,
    Surface,
    UnsupportedElementWarning,
    VelocityDecay,
)
from deepsim_sync import SimulationError

Measure = Callable[..., float]


@pytest.mark.parametrize(
    ("measure", "low", "high"),
    [
        pytest.param(lambda **o: slide(45.0, **o), 0.98, 1.02, id="slope across a diagonal"),
        pytest.param(lambda **o: slide(22.5, steepness=1.5, **o), 0.95, 1.05, id="any direction"),
        pytest.param(lambda **o: creep(0.0, **o), 0.0, 5e-5, id="creep"),
        pytest.param(lambda **o: creep(22.5, **o), 0.0, 5e-5, id="creep aside"),
        pytest.param(impact, 0.0, 6e-3, id="impact depth"),
        pytest.param(lambda **o: sunk([1.0] * 10, **o), 0.0, 1e-4, id="stack of ten"),
        pytest.param(lambda **o: sunk([1.0, 100.0], **o), 0.0, 3e-4, id="100 kg on 1 kg"),
        pytest.param(lambda **o: sunk([1.0, 1000.0], **o), 0.0, 2e-3, id="1000 kg on 1 kg"),
        pytest.param(grasped, 0.0, 5e-4, id="grasp"),
    ],
)
def test_contacts_are_as_theory_has_them(measure: Measure, low: float, high: float) -> None:
    """Lengths in m; slopes over theory. MuJoCo's own settings pass none of them."""
    assert low <= measure() <= high
    assert not low <= measure(options=BEFORE) <= high


@pytest.mark.parametrize("step", [0.0005, 0.002])
def test_contacts_count_in_steps_so_that_another_step_keeps_them(step: float) -> None:
    """How deep a resting body sinks in grows with the square of the step: g times it."""
    assert slide(45.0, step=step) == pytest.approx(1.0, abs=0.02)
    ratio = sunk([1.0] * 5, step=step) / sunk([1.0] * 5)
    assert ratio == pytest.approx((step / 0.001) ** 2, rel=0.2)


@pytest.mark.parametrize("restitution", [0.1, 0.2, 0.5, 0.8, 1.0])
def test_a_ball_returns_at_its_restitution(restitution: float) -> None:
    assert np.mean(bounces(restitution)) == pytest.approx(restitution, abs=0.03)


@pytest.mark.parametrize(
    ("of_ground", "of_ball", "returned"),
    [
        pytest.param(0.2, 0.8, 0.2, id="the lower counts"),
        pytest.param(0.8, 0.2, 0.2, id="the lower counts, of the ball"),
        pytest.param(0.0, 0.8, 0.8, id="none says nothing"),
        pytest.param(0.8, 0.0, 0.8, id="none of the ball"),
        pytest.param(0.0, 0.0, 0.0, id="none of both"),
    ],
)
def test_the_restitution_of_a_pair(of_ground: float, of_ball: float, returned: float) -> None:
    assert np.mean(bounces(of_ball, of_ground, 20)) == pytest.approx(returned, abs=0.03)


def test_scaled_friction_leaves_the_restitution() -> None:
    """Both are told by one priority."""
    scene = Scene([ground(Surface(restitution=0.2)), ball(0.8)], [Pose(), Pose((0, 0, 0.6))])
    links = scene.simulator.entities.links
    before = scene.simulator.snapshots.get_state()
    scene.run(0.5)
    plain = scene.read("twist")[0, 1, 2]
    scene.simulator.snapshots.set_state(before)
    scene.simulator.physics.scale("friction", [*links], 0.5)
    scene.run(0.5)
    assert scene.read("twist")[0, 1, 2] == pytest.approx(plain)


def test_a_kick_is_as_fast_as_gazebos_without_friction_and_with_more_damping() -> None:
    """Gazebo 11: 1.508 m/s. With friction the ball hops, and is hit again."""
    damped = MujocoOptions(contact_damping=3.0)
    assert kick(0.0, options=damped) == pytest.approx(1.508, rel=0.02)
    assert kick(0.0) > 1.508 * 1.03


def test_a_belt_carries_a_box() -> None:
    """Along its own axes, with whatever shape."""
    assert carried() == pytest.approx((0.5, 0.0), abs=1e-3)
    assert carried(0.5) == pytest.approx((0.5 * np.cos(0.5), 0.5 * np.sin(0.5)), abs=1e-3)
    plane = ground(Surface(velocity=(0.0, 0.0, 0.5)))
    wall = Scene([plane, cube(0.9)], [Pose((0, 0, 0), Euler(0, np.pi / 2, 0)), Pose((0.1, 0, 1))])
    wall.run(0.001)
    assert wall.read("twist")[0, 1, 2] > -G  # nothing presses it: it falls


def test_energy_and_precession_of_what_spins_fast() -> None:
    """The guide names rk4 for them: at 10 rad/s the default loses 2.6 % in 10 s."""
    precise = MujocoOptions("rk4")
    assert abs(tumbling(options=precise)) < 5e-3
    assert precession(options=precise) == pytest.approx(1.0, abs=0.02)
    assert -0.03 < tumbling() < -0.02
    with pytest.raises(SimulationError, match="diverged"):
        precession()


def test_what_turns_on_the_spot_stops_by_its_torsional_friction() -> None:
    """The rate falls by (3 pi / 16) mu r m g / I, and not at all without a patch."""
    for radius in (0.0, 0.05):
        surface = Surface(torsional_mu=0.5, patch_radius=radius)
        scene = Scene([ground(surface), body(Sphere(0.1), surface)], [Pose(), Pose((0, 0, 0.1))])
        scene.run(0.1)
        scene.throw(1, (0, 0, 0, 0, 0, 8.0))
        scene.run(0.2)
        slowed = 8.0 - scene.read("twist")[0, 1, 5]
        assert slowed == pytest.approx(
            3 * np.pi / 16 * 0.5 * radius * G / 0.0067 * 0.2, rel=0.02, abs=1e-6
        )


def test_a_patch_counts_on_a_ground_without_one() -> None:
    assert spun_down() == pytest.approx(1.0, abs=0.03)


def test_what_rolls_stops_by_its_rolling_friction() -> None:
    """The speed falls by g k / (r (1 + I / m r^2)) for a lever arm k."""
    for lever in (0.0, 0.005):
        surface = Surface(rolling_mu=lever)
        scene = Scene([ground(surface), body(Sphere(0.1), surface)], [Pose(), Pose((0, 0, 0.1))])
        scene.run(0.1)
        scene.throw(1, (1.0, 0, 0, 0, 10.0, 0))
        scene.run(1.0)
        slowed = 1.0 - scene.read("twist")[0, 1, 0]
        assert slowed == pytest.approx(G * lever / 0.1 / 1.67, rel=0.03, abs=3e-3)


@pytest.mark.parametrize("share", [0.01, 0.3])
def test_a_velocity_decays_by_a_share_in_each_step_as_in_gazebo(share: float) -> None:
    """Gazebo 11: 0.99 after one step and 0.3624 = 0.99^101 after 101, turning too."""
    inertial = Inertial(2.0, ixx=0.01, iyy=0.02, izz=0.025)
    decay = VelocityDecay(share, share / 2)
    link = LinkDescription("l", inertial=inertial, gravity=False, velocity_decay=decay)
    scene = Scene([ModelDescription("m", links=(link,))], [Pose((0, 0, 1), Euler(0.3, 0.2, 0.1))])
    scene.throw(0, (1, 2, 3, 0, 0, 0))
    scene.run(0.01)
    assert scene.read("twist")[0, 0] == pytest.approx(
        [*((1 - share) ** 10 * np.array([1, 2, 3])), 0, 0, 0], rel=1e-6, abs=1e-9
    )
    scene.throw(0, (0, 0, 0, 1e-3, 2e-3, 3e-3))
    scene.run(0.01)
    turning = (1 - share / 2) ** 10 * np.array([1e-3, 2e-3, 3e-3])
    assert scene.read("twist")[0, 0, 3:] == pytest.approx(turning, rel=1e-3)
    scene.simulator.delete("m0")


def test_decay_of_links_that_joints_hold_is_named() -> None:
    links = [
        LinkDescription(name, inertial=Inertial(), velocity_decay=VelocityDecay(0.1, 0.1))
        for name in ("a", "b")
    ]
    joint = JointDescription("j", "ball", "a", "b")
    chain = ModelDescription("m", links=tuple(links), joints=(joint,))
    with pytest.warns(UnsupportedElementWarning, match=r"velocity decay .* of a and 1 more not"):
        Scene([chain], [Pose()])


def test_a_world_file_chooses_the_engines_options() -> None:
    text = """<sdf version="1.6"><world name="w"><physics type="ode">
    <max_step_size>0.002</max_step_size><mujoco><integrator>rk4</integrator><cone>pyramidal</cone>
    <impratio>2</impratio><contact_steps>4</contact_steps></mujoco></physics></world></sdf>"""
    world = GazeboXMLLoader().load_world(text)
    assert world.physics.mujoco == MujocoOptions("rk4", "pyramidal", 2.0, 4.0)
    box = body(Box((0.2, 0.2, 0.2)))
    there = Scene([box], [Pose()], tilted(0), world.physics.mujoco).simulator
    assert isinstance(there, MujocoSimulator)
