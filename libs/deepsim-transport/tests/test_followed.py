# SPDX-License-Identifier: Apache-2.0
"""Worlds that follow a physics process which runs by itself."""

from __future__ import annotations

import pytest
from transport_worlds import BALL, wait

from deepsim_math import Pose
from deepsim_sync import UnknownEntityError, World
from deepsim_transport import FollowedSimulator, RemoteSimulator, WorldMirror


def ticked(world, condition):
    """Ticks until something holds."""
    wait(lambda: world.tick() or condition())


def test_a_world_follows_a_fall_that_it_does_not_step(serve, session):
    """The time and the height of a tick are of one instant of the physics."""
    serve("followed", 2, paused=True)
    World(RemoteSimulator(session("followed"))).spawn(BALL, "ball", Pose((0, 0, 5000)))
    simulator = FollowedSimulator(session("followed"))
    world = World(simulator)
    ball = world.models.select(["ball"])
    seen = []

    def falls() -> bool:
        if not seen or world.time[0] > seen[-1][0]:
            seen.append((world.time[0], *ball.pose[:, 0, 2]))
        return len(seen) >= 5

    simulator.resume()
    ticked(world, falls)
    for instant, *heights in seen:
        fallen = 0.5 * 9.8 * instant * (instant + simulator.timestep)  # of semi-implicit steps
        assert heights == pytest.approx([5000.0 - fallen] * 2, rel=1e-6)
    assert simulator.worlds == 2
    simulator.close()


def test_pauses_are_those_of_the_physics_and_those_of_others_show(serve, session):
    serve("rests", paused=False)
    mine, other = (FollowedSimulator(session("rests")) for _ in range(2))
    first, second = World(mine), World(other)
    mine.pause()
    ticked(first, lambda: mine.paused)
    ticked(second, lambda: other.paused)
    before = float(RemoteSimulator(session("rests")).time[0])
    other.advance(7)
    after = float(RemoteSimulator(session("rests")).time[0])
    assert after == pytest.approx(before + 7 * mine.timestep)
    ticked(first, lambda: first.time[0] == pytest.approx(after))
    assert mine.paused
    other.resume()
    ticked(first, lambda: not mine.paused and first.time[0] > after)
    mine.close()
    other.close()


def test_changes_read_back_at_once_and_reach_the_physics(serve, session):
    """Poses, colours, models that come and go, and a reset."""
    serve("changed", paused=True)
    world = World(FollowedSimulator(session("changed")))
    world.spawn(BALL, "ball", Pose((0, 0, 5)))
    assert list(world.entities.models) == ["ball"]
    ball, shown = world.models.select(["ball"]), world.visuals.select(["ball::link::v"])
    assert shown.diffuse[0, 0].tolist() == pytest.approx([0.2, 0.4, 0.6, 1.0])
    ball.pose = [1, 2, 3, 0, 0, 0, 1]
    shown.diffuse = [1, 0, 0, 1]
    world.flush()
    assert ball.pose[0, 0, :3].tolist() == [1, 2, 3]
    world.tick()
    assert ball.pose[0, 0, :3].tolist() == [1, 2, 3]
    assert world.links.select(["ball::link"]).pose[0, 0, :3].tolist() == [1, 2, 3]
    assert shown.diffuse[0, 0].tolist() == [1, 0, 0, 1]
    other = World(RemoteSimulator(session("changed")))
    assert other.models.select(["ball"]).pose[0, 0, :3].tolist() == [1, 2, 3]
    assert other.visuals.select(["ball::link::v"]).diffuse[0, 0].tolist() == [1, 0, 0, 1]
    world.simulator.advance(10)
    ticked(world, lambda: world.time[0] == pytest.approx(0.01))
    world.reset()
    assert world.time.tolist() == [0.0]
    assert ball.pose[0, 0, :3].tolist() == [0, 0, 5]
    other.spawn(BALL, "second", Pose((3, 0, 1)))
    ticked(world, lambda: "second" in world.entities.models)
    assert world.models.select(["second"]).pose[0, 0, 0] == 3.0
    world.delete("ball")
    assert list(world.entities.models) == ["second"]
    with pytest.raises(UnknownEntityError):
        world.delete("ball")
    world.close()


def test_a_physics_that_was_killed_and_came_back_is_taken_up(serve, session):
    """A mirror and a world that knew two models know those of the new process."""
    process = serve("again", paused=False)
    before = World(RemoteSimulator(session("again")))
    for name in ("one", "two"):
        before.spawn(BALL, name, Pose((0, 0, 5000)))
    mirror = WorldMirror(session("again"))
    world = World(FollowedSimulator(session("again")))
    heights = world.models.select(["two"])
    ticked(world, lambda: world.time[0] > 0.1 and heights.pose[0, 0, 2] < 5000)
    process.kill()
    process.wait()

    def stands() -> bool:
        stood = world.time[0]
        world.tick()
        return bool(world.time[0] == stood)

    wait(stands)
    serve("again", paused=True)
    after = World(RemoteSimulator(session("again")))
    for name in ("other", "more"):  # as many as before: the generations have the same number
        after.spawn(BALL, name, Pose((7, 0, 5000)))
    ticked(world, lambda: list(world.entities.models) == ["other", "more"])
    assert world.models.select(["other"]).pose[0, 0, 0] == 7.0
    assert world.time.tolist() == [0.0]
    assert world.simulator.paused
    wait(lambda: mirror.update() or list(mirror.tables.entities.models) == ["other", "more"])
    world.simulator.resume()
    ticked(world, lambda: world.time[0] > 0.0)
    assert mirror.malformed == 0
    mirror.close()
    world.close()
