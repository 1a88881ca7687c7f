# SPDX-License-Identifier: Apache-2.0
"""Light, pose, physics and cameras."""

from __future__ import annotations

import math

import numpy as np
import pytest

from deepsim_fx import CameraRandomizer, LightRandomizer, PhysicsRandomizer, PoseRandomizer
from deepsim_math import Euler, Pose
from deepsim_sync import Transform, UnknownEntityError, UnsupportedError, World
from deepsim_sync.testing import TableSimulator

BULB, GLOW = "lamp::link::bulb", "lamp::link::glow"
EYE = "car::body::eye"


# Lights


def test_each_light_has_its_own_colour(garage):
    world = garage()
    LightRandomizer("lamp::*", color=("uniform", 0.25, 0.5), world=world).randomize()
    diffuse = world.lights.diffuse[0]
    assert ((diffuse[:, :3] >= 0.25) & (diffuse[:, :3] <= 0.5)).all()
    assert (diffuse[:, 3] == 1.0).all()
    assert diffuse[0].tolist() != diffuse[1].tolist()


@pytest.mark.parametrize("term", ["constant", "linear", "quadratic"])
def test_a_term_of_attenuation_changes_alone(garage, term):
    world = garage()
    world.put("lights", {"attenuation": [(1.0, 0.5, 0.25)]})
    before = world.lights.attenuation[0].tolist()
    column = ["constant", "linear", "quadratic"].index(term)
    LightRandomizer(BULB, color=None, world=world, **{term: ("uniform", 2, 3)}).randomize()
    bulb, glow = world.lights.attenuation[0].tolist()
    assert 2.0 <= bulb[column] <= 3.0
    assert bulb[:column] + bulb[column + 1 :] == before[0][:column] + before[0][column + 1 :]
    assert glow == before[1]


def test_a_light_is_never_moved(garage):
    """Nothing is sent but colours and attenuation, of the named light alone."""
    world = garage()
    world.flush()
    sent = len(world.simulator.calls("write"))
    poses = world.models.pose.tobytes() + world.links.pose.tobytes()
    LightRandomizer(
        GLOW, color=0.5, specular=0.1, constant=1, linear=0.2, quadratic=0.1, world=world
    ).randomize()
    world.tick()
    (changes,) = world.simulator.calls("write")[sent:]
    assert sorted(changes.cells) == [
        ("lights", "attenuation"),
        ("lights", "diffuse"),
        ("lights", "specular"),
    ]
    row = world.entities.lights.row(GLOW)
    assert all(cells.rows.tolist() == [row] for cells in changes.cells.values())
    assert world.models.pose.tobytes() + world.links.pose.tobytes() == poses


@pytest.mark.parametrize(
    ("lights", "options", "message"),
    [
        ("sun", {}, r"no light matches \['sun'\]; there are lamp::link::bulb, lamp::link::glow"),
        (BULB, {"linear": ("uniform", -2, -1)}, "linear attenuation must be >= 0, .* drew -1"),
        (BULB, {"color": ("uniform", 2, 3)}, r"colours must lie in 0\.\.1"),
    ],
)
def test_light_that_cannot_be_is_refused(garage, lights, options, message):
    world = garage()
    before = world.lights.diffuse.tobytes()
    with pytest.raises(ValueError, match=message):
        LightRandomizer(lights, world=world, **options).randomize()
    assert world.lights.diffuse.tobytes() == before


# Poses


def test_a_model_is_put_where_its_distribution_says(garage):
    world = garage()
    car = Transform(world, "car")
    randomizer = PoseRandomizer(
        car,
        position=[("uniform", -1, 1), ("choice", [2, 3]), 0.5],
        rotation=(0, 0, ("uniform", 0, 1)),
    )
    places = []
    for _ in range(50):
        randomizer.randomize()
        places.append(car.pose.position)
        roll, pitch, yaw = car.pose.orientation.to_euler()
        assert (roll, pitch) == pytest.approx((0.0, 0.0))
        assert 0.0 <= yaw <= 1.0
    x, y, z = np.array(places).T
    assert x.min() < -0.5 < 0.5 < x.max()
    assert set(y) == {2.0, 3.0}
    assert set(z) == {0.5}


def test_a_pose_may_be_relative_to_another(garage):
    """A metre ahead of an origin that faces +y is a metre along +y."""
    world = garage()
    origin = Pose((5, 0, 1), Euler(0, 0, math.pi / 2))
    PoseRandomizer("car", position=(1, 0, 0), origin=origin, world=world).randomize()
    assert Transform(world, "car").pose.isclose(Pose((5, 1, 1), Euler(0, 0, math.pi / 2)))


def test_a_pose_leaves_the_velocity(garage):
    world = garage()
    row = world.entities.models.row("car")
    world.put("models", {"twist": [(1, 2, 3, 0, 0, 0)]}, [row])
    PoseRandomizer("car", position=("uniform", -9, 9), world=world).randomize()
    assert world.models.twist[0, row].tolist() == [1, 2, 3, 0, 0, 0]


# Physics


def factors(world, name):
    return world.simulator.physics.factors(name)[0].tolist()


def test_each_link_has_factors_of_its_own_or_all_have_one(garage):
    world = garage()
    PhysicsRandomizer("car", mass=("log-uniform", 0.5, 2), damping=3, world=world).randomize()
    assert len({*factors(world, "mass")[:3]}) == 3
    assert all(0.5 <= factor <= 2 for factor in factors(world, "mass"))
    assert factors(world, "damping") == [3.0, 3.0, 3.0, 1.0]
    assert factors(world, "friction") == [1.0] * 4
    PhysicsRandomizer("car", friction=("uniform", 2, 3), per_link=False, world=world).randomize()
    assert len({*factors(world, "friction")[:3]}) == 1
    assert factors(world, "friction")[3] == 1.0


def test_links_may_be_filtered(garage):
    world = garage()
    PhysicsRandomizer("car", friction=0.5, links="wheel_*", world=world).randomize()
    assert factors(world, "friction") == [1.0, 0.5, 0.5, 1.0]


def test_factors_do_not_add_up_and_end_with_the_episode(garage):
    world = garage()
    randomizer = PhysicsRandomizer("car", mass=2, world=world)
    randomizer.randomize()
    randomizer.randomize()
    assert factors(world, "mass")[:3] == [2.0] * 3
    world.reset()
    assert factors(world, "mass") == [1.0] * 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mass": ("uniform", -1, 0)}, "factors of mass must be > 0, 'physics of car' drew -"),
        ({"friction": 0}, "factors of friction must be > 0, 'physics of car' drew 0"),
        ({"mass": 1, "links": "arm"}, r"no link of model 'car' matches \['arm'\]"),
    ],
)
def test_factors_that_cannot_be_are_refused(garage, options, message):
    world = garage()
    with pytest.raises(ValueError, match=message):
        PhysicsRandomizer("car", world=world, **options).randomize()
    assert factors(world, "mass") == [1.0] * 4


@pytest.mark.parametrize(
    "make",
    [
        lambda world: PhysicsRandomizer("car", world=world),
        lambda world: LightRandomizer(BULB, color=None, world=world),
    ],
)
def test_a_randomizer_with_nothing_to_draw_is_refused(garage, make):
    with pytest.raises(ValueError, match="has nothing to draw"):
        make(garage())


# Cameras


def test_a_camera_moves_along_its_own_axes(garage):
    world = garage()
    described = world.simulator.camera_mounts.described(EYE)
    for _ in range(2):  # offsets do not add up
        CameraRandomizer(
            EYE, position=(0.1, 0, 0), rotation=(0, 0.2, 0), horizontal_fov=1.5, world=world
        ).randomize()
        mount = world.simulator.camera_mounts.get(EYE)
        expected = described.pose @ Pose((0.1, 0, 0), Euler(0, 0.2, 0))
        assert mount.pose.isclose(expected)
        assert mount.horizontal_fov == 1.5


def test_without_a_distribution_the_angle_of_view_stays(garage):
    world = garage()
    CameraRandomizer(EYE, position=("normal", 0, 0.1), world=world).randomize()
    mount = world.simulator.camera_mounts.get(EYE)
    described = world.simulator.camera_mounts.described(EYE)
    assert mount.horizontal_fov == described.horizontal_fov
    assert mount.pose.position != described.pose.position


def test_a_lens_that_cannot_be_is_refused(garage):
    world = garage()
    with pytest.raises(ValueError, match=rf"horizontal_fov of camera '{EYE}' must lie in \(0, pi"):
        CameraRandomizer(EYE, horizontal_fov=4, world=world).randomize()


def test_an_unknown_camera_is_named(garage):
    with pytest.raises(UnknownEntityError, match="no camera is named 'eye'"):
        CameraRandomizer("eye", world=garage()).randomize()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda world: PhysicsRandomizer("car", mass=1, world=world), "scale physics: .*`physics`"),
        (lambda world: CameraRandomizer(EYE, world=world), "move cameras: .*`camera_mounts`"),
    ],
)
def test_a_simulator_without_the_capability_is_told(make, message):
    with pytest.raises(UnsupportedError, match=f"TableSimulator cannot {message} is None"):
        make(World(TableSimulator()))


@pytest.mark.parametrize("value", ["friction_coefficient", "center_of_mass"])
def test_a_simulator_that_scales_only_refuses_values(garage, value):
    """An engine with factors alone, such as Gazebo, says so when the randomizer is made."""
    with pytest.raises(UnsupportedError, match=f"cannot set {value}: it scales mass"):
        PhysicsRandomizer("car", **{value: 0.5}, world=garage())
