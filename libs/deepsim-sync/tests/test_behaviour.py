# SPDX-License-Identifier: Apache-2.0
"""A behaviour: its life-cycle and its hooks."""

from __future__ import annotations

from typing import Any

import pytest

from deepsim_math import Pose, Twist
from deepsim_sync import (
    Behaviour,
    DuplicateEntityError,
    SpawnError,
    UnknownEntityError,
    World,
)
from deepsim_sync.testing import TableModel, TableSimulator


class Diary(Behaviour):
    """Writes down which hooks were called."""

    def __init__(self, name: str, **options: object) -> None:
        super().__init__(name, **options)  # type: ignore[arg-type]
        self.notes: list[str] = []

    def on_spawn(self) -> None:
        self.notes.append("spawn")

    def on_delete(self) -> None:
        self.notes.append("delete")

    def on_enable(self) -> None:
        self.notes.append("enable")

    def on_disable(self) -> None:
        self.notes.append("disable")

    def on_reset(self) -> None:
        self.notes.append("reset")

    def on_update(self) -> None:
        self.notes.append("update")

    def on_fixed_update(self, delta_time: float, sim_time: float) -> None:
        self.notes.append(f"fixed {delta_time:.2f} {sim_time:.2f}")


def test_a_behaviour_of_a_model_that_is_there(world: World) -> None:
    """Name, tags and transform; no spawner is needed."""
    ball = Behaviour("ball", tags=["toy", "round", "toy"])
    assert ball.name == "ball"
    assert ball.tags == {"toy", "round"}
    assert ball.is_spawned
    assert ball.enabled
    assert ball.world is world
    assert ball.transform.pose == Pose((0, 0, 1))
    assert repr(ball) == "<Behaviour 'ball'>"


def test_spawn_and_delete(world: World, spawner: Any) -> None:
    """The hooks are called when it is done; the behaviour can be spawned again."""
    behaviour = Diary("new", spawner=spawner())
    assert not behaviour.is_spawned
    for _ in range(2):
        behaviour.spawn()
        assert behaviour.is_spawned
        assert behaviour.transform.pose == Pose((0, 0, 7))
        behaviour.delete()
        assert not behaviour.is_spawned
    assert behaviour.notes == ["spawn", "delete"] * 2


def test_the_initial_pose_is_where_it_spawns(world: World, spawner: Any) -> None:
    """Over the pose that the description says."""
    behaviour = Behaviour("new", spawner=spawner(), initial_pose=Pose((1, 2, 3)))
    behaviour.spawn()
    assert behaviour.transform.pose == Pose((1, 2, 3))


def test_the_hook_sees_the_model(world: World, spawner: Any) -> None:
    """on_spawn may use the transform."""
    behaviour = Behaviour("new", spawner=spawner())
    behaviour.on_spawn = lambda: setattr(behaviour.transform, "twist", Twist((1, 0, 0)))
    behaviour.spawn()
    assert behaviour.transform.twist == Twist((1, 0, 0))


def test_spawning_without_a_spawner_is_an_error(world: World) -> None:
    with pytest.raises(ValueError, match="behaviour 'ball' has no spawner"):
        Behaviour("ball").spawn()


def test_a_constructor_that_forgets_its_base_is_told_when_spawning(world: World) -> None:
    class Forgetful(Behaviour):
        def __init__(self) -> None:
            self.speed = 0.0

    with pytest.raises(TypeError, match=r"Forgetful\.__init__ must call super\(\)"):
        Forgetful().spawn()


def test_a_behaviour_whose_constructor_raises_is_not_in_the_world(world: World) -> None:
    """Its name is free again, and the ticks do not meet a half-made object."""

    class Half(Behaviour):
        def __init__(self, name: str, wheels: int) -> None:
            super().__init__(name)
            self.diameter = 1 / wheels

        def on_fixed_update(self, delta_time: float, sim_time: float) -> None:
            self.transform.twist = Twist((self.diameter, 0, 0))

    class Whole(Half):
        def __init__(self, name: str) -> None:
            super().__init__(name, 4)
            raise KeyboardInterrupt

    with pytest.raises(ZeroDivisionError):
        Half("ball", 0)
    with pytest.raises(KeyboardInterrupt):
        Whole("ball")
    assert list(world.behaviours) == []
    world.tick()
    assert Half("ball", wheels=2).world is world


def test_spawning_twice_is_an_error(world: World, spawner: Any) -> None:
    """The model that is there stays, and the hook is not called again."""
    behaviour = Diary("new", spawner=spawner())
    behaviour.spawn()
    with pytest.raises(DuplicateEntityError, match="'new'"):
        behaviour.spawn()
    assert behaviour.notes == ["spawn"]


def test_a_spawn_that_fails_calls_no_hook(world: World, spawner: Any) -> None:
    behaviour = Diary("new", spawner=spawner(TableModel(links=())))
    with pytest.raises(SpawnError, match="'new'"):
        behaviour.spawn()
    assert behaviour.notes == []


def test_a_model_without_a_spawner_can_be_deleted(world: World) -> None:
    """Once: what is not there cannot be deleted."""
    ball = Diary("ball")
    ball.delete()
    assert "ball" not in world.entities.models
    with pytest.raises(UnknownEntityError, match="'ball'"):
        ball.delete()
    assert ball.notes == ["delete"]


def test_updates_reach_the_hooks_while_enabled(world: World) -> None:
    """Update once per step of the environment, fixed_update once per tick."""
    ball = Diary("ball")
    world.tick()
    world.behaviours.update()
    ball.disable()
    world.tick()
    world.behaviours.update()
    ball.enable()
    world.tick()
    assert ball.notes == ["fixed 0.01 0.00", "update", "disable", "enable", "fixed 0.01 0.02"]


def test_enabling_twice_is_enabling_once(world: World) -> None:
    """The hooks are called when something changes."""
    ball = Diary("ball")
    ball.enable()
    ball.disable()
    ball.disable()
    ball.enable()
    assert ball.notes == ["disable", "enable"]


def test_reset_puts_the_model_to_its_initial_pose(world: World) -> None:
    """At rest, before the hook is called."""
    ball = Diary("ball", initial_pose=Pose((4, 0, 0)))
    ball.transform.twist = Twist((1, 2, 3))
    ball.reset()
    assert ball.transform.pose == Pose((4, 0, 0))
    assert ball.transform.twist == Twist()
    assert ball.notes == ["reset"]


def test_reset_without_an_initial_pose_moves_nothing(world: World) -> None:
    """Nor does the reset of a behaviour that has no model now."""
    ball = Behaviour("ball")
    ball.transform.pose = Pose((3, 3, 3))
    ball.reset()
    assert ball.transform.pose == Pose((3, 3, 3))
    Behaviour("new", initial_pose=Pose()).reset()


def test_a_static_model_can_be_reset(world: World) -> None:
    """It is told to rest, which is no velocity."""
    wall = Behaviour("wall", initial_pose=Pose((1, 0, 0)))
    wall.transform.pose = Pose((2, 0, 0))
    wall.reset()
    world.tick()
    assert wall.transform.pose == Pose((1, 0, 0))


def test_a_behaviour_moves_its_model(world: World, simulator: TableSimulator) -> None:
    """As examples/ do: a pose per tick, and the static model goes along."""

    class Shuttle(Behaviour):
        def on_fixed_update(self, delta_time: float, sim_time: float) -> None:
            self.transform.pose = Pose((2 * sim_time, 0, 0))

    Shuttle("wall")
    for _ in range(11):
        world.tick()
    assert world.models.pose[0, 2, 0] == pytest.approx(0.2)
    assert len(simulator.calls("write")) == 11
