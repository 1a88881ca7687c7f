# SPDX-License-Identifier: Apache-2.0
"""Behaviours of a world, by name and by tag."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_sync import (
    Behaviour,
    BehaviourManager,
    DuplicateEntityError,
    UnknownEntityError,
    World,
)


def test_behaviours_register_themselves(world: World) -> None:
    """They are found by name, and come in the order of their making."""
    ball, robot = Behaviour("ball"), Behaviour("robot")
    manager = BehaviourManager.get_instance()
    assert manager.get("robot") is robot
    assert list(manager) == [ball, robot]
    assert len(manager) == 2
    assert "ball" in manager
    assert "wall" not in manager


def test_an_unknown_behaviour_is_told(world: World) -> None:
    Behaviour("ball")
    with pytest.raises(UnknownEntityError, match="no behaviour is named 'bal'; did you mean"):
        world.behaviours.get("bal")


def test_tags_find_groups(world: World) -> None:
    """In the order of registration; asking for an unknown tag leaves no trace."""
    robot = Behaviour("robot", tags=["agent", "blue"])
    Behaviour("wall", tags=["obstacle"])
    ball = Behaviour("ball", tags=["agent"])
    assert world.behaviours.find_by_tag("agent") == (robot, ball)
    assert world.behaviours.find_by_tag("blue") == (robot,)
    assert world.behaviours.find_by_tag("ghost") == ()


def test_a_name_is_taken_once(world: World) -> None:
    """The first one stays, in its name and in its tags."""
    first = Behaviour("ball", tags=["toy"])
    with pytest.raises(DuplicateEntityError, match="a behaviour named 'ball' exists already"):
        Behaviour("ball", tags=["toy"])
    assert world.behaviours.get("ball") is first
    assert world.behaviours.find_by_tag("toy") == (first,)


def test_a_removed_behaviour_is_forgotten(world: World) -> None:
    """Its model stays, and its name can be used again."""
    first = Behaviour("ball", tags=["toy"])
    world.behaviours.remove(first)
    assert "ball" not in world.behaviours
    assert world.behaviours.find_by_tag("toy") == ()
    assert "ball" in world.entities.models
    second = Behaviour("ball")
    with pytest.raises(UnknownEntityError, match="'ball'"):
        world.behaviours.remove(first)
    assert world.behaviours.get("ball") is second


def test_updates_go_to_all_in_order(world: World) -> None:
    notes: list[str] = []
    for name in ("wall", "ball"):
        behaviour = Behaviour(name)
        behaviour.on_update = lambda name=name: notes.append(f"update {name}")
        behaviour.on_reset = lambda name=name: notes.append(f"reset {name}")
    world.behaviours.update()
    world.behaviours.reset(np.arange(1))
    assert notes == ["update wall", "update ball", "reset wall", "reset ball"]


def test_behaviours_may_come_and_go_during_a_tick(world: World) -> None:
    """One that is removed runs no more; one that is added runs from the next tick on."""
    notes: list[str] = []
    first, victim = Behaviour("ball"), Behaviour("robot")

    def replace(delta_time: float, sim_time: float) -> None:
        notes.append("first")
        if "robot" in world.behaviours:
            world.behaviours.remove(victim)
            Behaviour("wall").on_fixed_update = lambda dt, t: notes.append("new")

    first.on_fixed_update = replace
    victim.on_fixed_update = lambda dt, t: notes.append("victim")
    world.tick()
    assert notes == ["first"]
    world.tick()
    assert notes == ["first", "first", "new"]
