# SPDX-License-Identifier: Apache-2.0
"""The paper's getters and setters of model and link states."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepsim_math import Pose, Quaternion, Twist, Vector3
from deepsim_sync import (
    GetLinkStateTracker,
    GetModelStateTracker,
    LinkState,
    ModelState,
    SetLinkStateTracker,
    SetModelStateTracker,
    SpawnRequest,
    UnknownEntityError,
    World,
)
from deepsim_sync.testing import TableModel, TableSimulator

coordinates = st.floats(-10, 10).map(lambda number: round(number, 3))
vectors = st.builds(Vector3, coordinates, coordinates, coordinates)
rotations = st.builds(Quaternion.from_euler, coordinates, coordinates, coordinates)
poses = st.builds(Pose, vectors, rotations)
twists = st.builds(Twist, vectors, vectors)


def drone_and_ship(pose: Pose, twist: Twist) -> World:
    """Two free models; the ship is somewhere, and moves."""
    simulator = TableSimulator()
    simulator.spawn([SpawnRequest(TableModel(links=("hull",)), "ship", Pose())])
    simulator.spawn([SpawnRequest(TableModel(links=("body",)), "drone", Pose())])
    world = World(simulator)
    world.get(SetModelStateTracker).set_model_state(ModelState("ship", pose, twist))
    return world


@given(poses, twists, poses, twists, st.sampled_from(["ship", "ship::hull", "world", "map", ""]))
def test_set_in_a_frame_then_get_in_the_frame(
    ship: Pose, motion: Twist, pose: Pose, twist: Twist, frame: str
) -> None:
    """Setting and getting are inverses in every frame, moving ones too."""
    world = drone_and_ship(ship, motion)
    world.flush()
    world.get(SetModelStateTracker).set_model_state(ModelState("drone", pose, twist, frame))
    seen = world.get(GetModelStateTracker).get_model_state("drone", frame)
    assert seen.pose.isclose(pose, abs_tol=1e-6)
    assert seen.twist.isclose(twist, abs_tol=1e-6)
    assert seen.reference_frame == frame
    world.flush()
    world.get(SetLinkStateTracker).set_link_state(LinkState("drone::body", pose, twist, frame))
    link = world.get(GetLinkStateTracker).get_link_state("drone::body", frame)
    assert link.pose.isclose(pose, abs_tol=1e-6)
    assert link.twist.isclose(twist, abs_tol=1e-6)


@given(poses, twists, poses, twists)
def test_a_state_in_a_frame_against_matrices(
    ship: Pose, motion: Twist, pose: Pose, twist: Twist
) -> None:
    """The world state is that of homogeneous matrices, and velocities add along turned axes."""
    world = drone_and_ship(ship, motion)
    world.get(SetModelStateTracker).set_model_state(ModelState("drone", pose, twist, "ship"))
    seen = world.get(GetModelStateTracker).get_model_state("drone")
    linear, angular = matrix(ship)[:3, :3] @ np.reshape(twist, (2, 3))[..., None]
    np.testing.assert_allclose(matrix(seen.pose), matrix(ship) @ matrix(pose), atol=1e-9)
    np.testing.assert_allclose(seen.twist.linear, linear[:, 0] + motion.linear, atol=1e-9)
    np.testing.assert_allclose(seen.twist.angular, angular[:, 0] + motion.angular, atol=1e-9)


def matrix(pose: Pose) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Homogeneous matrix, by the textbook formula of a quaternion's rotation matrix."""
    x, y, z, w = pose.orientation.normalized()
    homogeneous = np.eye(4)
    homogeneous[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    homogeneous[:3, 3] = pose.position
    return homogeneous


def test_states_come_by_name_in_the_order_asked_for(world: World) -> None:
    getter = world.get(GetModelStateTracker)
    assert list(getter.get_model_states(["wall", "ball"])) == ["wall", "ball"]
    assert list(getter.get_model_states()) == ["ball", "robot", "wall"]
    assert getter.get_model_states([]) == {}
    states = getter.get_model_states(iter(["robot"]))
    assert states == {"robot": ModelState("robot", Pose((5, 0, 0)))}


def test_link_states_come_by_name(world: World) -> None:
    getter = world.get(GetLinkStateTracker)
    assert list(getter.get_link_states()) == [
        "ball::link",
        "robot::base",
        "robot::arm",
        "wall::link",
    ]
    arm = getter.get_link_state("robot::arm", "robot")
    assert arm == LinkState("robot::arm", Pose((1, 0, 0)), Twist(), "robot")


def test_setting_many_reads_back_at_once(world: World) -> None:
    """Any iterable of states will do; of two for one model the later counts."""
    setter = world.get(SetModelStateTracker)
    setter.set_model_states(
        ModelState(name, Pose((x, 0, 0))) for x, name in enumerate(["ball", "robot", "ball"])
    )
    states = world.get(GetModelStateTracker).get_model_states(["ball", "robot"])
    assert [state.pose.position.x for state in states.values()] == [2, 1]
    setter.set_model_states([])
    world.flush()


@pytest.mark.parametrize(
    ("name", "frame", "message"),
    [
        ("bal", "", "no model is named 'bal'; did you mean 'ball'"),
        ("ball", "robt", "no reference frame is named 'robt'; did you mean 'robot'"),
        ("ball", "robot::bas", "no reference frame is named 'robot::bas'; did you mean"),
    ],
)
def test_unknown_names_are_told(world: World, name: str, frame: str, message: str) -> None:
    """Getting and setting say the same."""
    with pytest.raises(UnknownEntityError, match=message):
        world.get(GetModelStateTracker).get_model_state(name, frame)
    with pytest.raises(UnknownEntityError, match=message):
        world.get(SetModelStateTracker).set_model_state(ModelState(name, reference_frame=frame))


def test_getters_of_a_tick_see_one_instant(world: World, simulator: TableSimulator) -> None:
    """Model and link states of a tick come from the same read."""
    models, links = world.get(GetModelStateTracker), world.get(GetLinkStateTracker)
    models.get_model_states()
    links.get_link_states()
    world.tick()
    simulator.log.clear()
    world.tick()
    assert [{kind for kind, _ in keys} for keys in simulator.calls("read")] == [{"models", "links"}]
