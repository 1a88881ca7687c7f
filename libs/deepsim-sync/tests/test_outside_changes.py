# SPDX-License-Identifier: Apache-2.0
"""Entities that come and go behind the world's back, as they do on a shared Gazebo."""

from __future__ import annotations

import pytest

from deepsim_math import Pose, Twist
from deepsim_sync import SpawnRequest, Transform, UnknownEntityError, World, WriteRefusedError
from deepsim_sync.testing import TableModel, TableSimulator


def test_pending_changes_follow_their_entity(world: World, simulator: TableSimulator) -> None:
    """They reach it by name, in whatever row it is now."""
    Transform(world, "robot").pose = Pose((1, 2, 3))
    Transform(world, "wall").transparency = 0.5
    simulator.delete("ball")
    simulator.spawn([SpawnRequest(TableModel(), "first", Pose((4, 4, 4)))])
    assert Transform(world, "robot").pose == Pose((1, 2, 3))
    world.tick()
    assert list(world.models.names) == ["robot", "wall", "first"]
    assert Transform(world, "robot").pose == Pose((1, 2, 3))
    assert Transform(world, "first").pose == Pose((4, 4, 4))
    assert Transform(world, "wall").transparency == {"wall::link::visual": 0.5}


def test_changes_of_a_deleted_entity_are_reported(world: World, simulator: TableSimulator) -> None:
    """The others are applied, and the next flush is clean."""
    Transform(world, "ball").twist = Twist((1, 0, 0))
    Transform(world, "robot").twist = Twist((2, 0, 0))
    simulator.delete("ball")
    with pytest.raises(WriteRefusedError, match="twist of model 'ball': it was deleted"):
        world.flush()
    assert Transform(world, "robot").twist == Twist((2, 0, 0))
    world.flush()


def test_a_loss_is_reported_even_if_nothing_else_is_pending(
    world: World, simulator: TableSimulator
) -> None:
    """A change is never dropped in silence."""
    Transform(world, "ball").pose = Pose((1, 0, 0))
    simulator.delete("ball")
    assert world.models.pose.shape == (1, 2, 7)
    with pytest.raises(WriteRefusedError, match="'ball'"):
        world.tick()
    world.tick()


def test_a_reset_voids_losses_of_pose_and_twist(world: World, simulator: TableSimulator) -> None:
    """Like every pending change of pose and twist; those of looks are reported still."""
    Transform(world, "ball").pose = Pose((1, 0, 0))
    simulator.delete("ball")
    world.refresh()
    world.reset()
    Transform(world, "robot").transparency = 0.5
    simulator.delete("robot")
    with pytest.raises(WriteRefusedError, match="transparency of visual 'robot::base::visual'"):
        world.reset()


def test_handles_find_their_rows_again(world: World, simulator: TableSimulator) -> None:
    """By name; one of a deleted entity says so."""
    models, some = world.models, world.models.select(["wall", "ball"])
    simulator.delete("robot")
    assert list(models.names) == ["ball", "wall"]
    assert models.pose.shape == (1, 2, 7)
    assert some.rows.tolist() == [1, 0]
    assert some.pose[0, :, 0].tolist() == [9.0, 0.0]
    simulator.delete("ball")
    for use in (lambda: some.pose, lambda: some.put(twist=Twist()), lambda: some.names):
        with pytest.raises(UnknownEntityError, match="'ball'"):
            use()
    simulator.spawn([SpawnRequest(TableModel(), "ball", Pose((3, 0, 0)))])
    assert some.pose[0, :, 0].tolist() == [9.0, 3.0]
