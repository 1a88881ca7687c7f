# SPDX-License-Identifier: Apache-2.0
"""Rows of a world: read in one batch, changed at once, written in one batch."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from deepsim_math import Color, Material, Pose, Twist
from deepsim_sync import (
    Behaviour,
    Changes,
    GetLinkStateTracker,
    GetModelStateTracker,
    GetVisualTracker,
    Kind,
    LinkTransform,
    Priority,
    Refusal,
    SpawnRequest,
    Transform,
    World,
    WriteRefusedError,
)
from deepsim_sync.testing import TableModel, TableSimulator

PAINT = "robot::base::visual"


class Counter:
    """A user's tracker that does something every tick."""

    def __init__(self, work: Callable[[], object]) -> None:
        self.work = work

    def update_tracker(self, delta_time: float, sim_time: NDArray[np.float64]) -> None:
        self.work()


def written(changes: Changes) -> dict[tuple[Kind, str], list[int]]:
    return {key: cells.rows.tolist() for key, cells in changes.cells.items()}


def test_one_read_and_one_write_per_tick(world: World, simulator: TableSimulator) -> None:
    """However many trackers read and write rows of all kinds, a tick is two calls and a step."""

    def work() -> None:
        for name in ("ball", "robot"):
            transform = Transform(world, name)
            transform.pose = Pose((*transform.pose.position[:2], 3.0))
            transform.twist = Twist((1, 0, 0))
            transform.transparency = 0.5
            transform.material = Material(diffuse=Color(1, 0, 0))
        world.put("lights", {"diffuse": (0.5, 0.5, 0.5, 1)})
        GetModelStateTracker.get_instance().get_model_states(reference_frame="robot")
        GetLinkStateTracker.get_instance().get_link_states()
        GetVisualTracker.get_instance().get_visuals()

    for priority in (Priority.HIGH, Priority.NORMAL, Priority.NORMAL):
        world.trackers.add(Counter(work), priority)
    Behaviour("ball").on_fixed_update = lambda delta_time, sim_time: work()
    base = LinkTransform(world, "robot::base")
    world.trackers.add(Counter(lambda: setattr(base, "pose", Transform(world, "robot").pose)))
    world.tick()
    simulator.log.clear()
    for _ in range(3):
        world.tick()
    assert [call.method for call in simulator.log] == ["read", "write", "step"] * 3


def test_what_nobody_uses_is_not_read(world: World, simulator: TableSimulator) -> None:
    """A column is read from the tick after its first use on."""
    world.tick()
    assert simulator.calls("read") == []
    assert world.models.pose.shape == (1, 3, 7)
    world.tick()
    world.tick()
    assert simulator.calls("read") == [(("models", "pose"),)] * 2


def test_reading_again_costs_nothing(world: World, simulator: TableSimulator) -> None:
    """Rows are read once per instant."""
    for _ in range(5):
        assert world.links.pose.shape == (1, 4, 7)
        assert world.visuals.visible.all()
    assert simulator.calls("read") == [(("links", "pose"),), (("visuals", "visible"),)]


def test_what_was_put_reads_back_at_once(world: World, simulator: TableSimulator) -> None:
    """Before it is sent, after it was sent, and after it was read again."""
    world.put("models", {"pose": (1, 2, 3, 0, 0, 0, 1)}, [0])
    np.testing.assert_array_equal(world.models.pose[0, 0], (1, 2, 3, 0, 0, 0, 1))
    assert simulator.calls("write") == []
    world.flush()
    np.testing.assert_array_equal(world.models.pose[0, 0], (1, 2, 3, 0, 0, 0, 1))
    world.tick()
    np.testing.assert_array_equal(world.models.pose[0, 0], (1, 2, 3, 0, 0, 0, 1))


def test_what_is_put_after_the_setters_goes_with_the_next_tick(world: World) -> None:
    """A read in between does not undo it, and brings the rest of the row."""
    ball = Transform(world, "ball")
    ball.twist = Twist((0, 1, 0))

    def move() -> None:
        if world.ticks == 0:
            ball.pose = Pose((7, 7, 7))

    world.trackers.add(Counter(move), Priority.LOW)
    world.tick()
    assert ball.pose == Pose((7, 7, 7))
    assert ball.twist == Twist((0, 1, 0))
    world.tick()
    assert ball.pose == Pose((7, 7.01, 7))


def test_links_follow_when_the_batch_is_sent(world: World) -> None:
    """A model's links read as before until then."""
    base = LinkTransform(world, "robot::base")
    Transform(world, "robot").pose = Pose((0, 8, 0))
    assert base.pose == Pose((5, 0, 0))
    world.flush()
    assert base.pose == Pose((0, 8, 0))


def test_only_what_was_put_is_written(world: World, simulator: TableSimulator) -> None:
    """A batch holds the changed rows of the changed columns, once each."""
    world.put("models", {"pose": np.eye(7)[[6, 6]]}, [0, 2])
    world.put("models", {"pose": (0, 0, 0, 0, 0, 0, 1)}, [2])
    world.put("visuals", {"transparency": 0.5}, [1])
    world.flush()
    (changes,) = simulator.calls("write")
    assert written(changes) == {("models", "pose"): [0, 2], ("visuals", "transparency"): [1]}
    assert changes.generation == simulator.entities.generation
    np.testing.assert_array_equal(changes.cells["models", "pose"].worlds, [0, 0])


def test_nothing_put_is_nothing_written(world: World, simulator: TableSimulator) -> None:
    """A flush without changes is no call."""
    world.flush()
    world.tick()
    world.put("models", {"pose": np.empty((0, 7))}, [])
    world.put("models", {})
    world.flush()
    assert simulator.calls("write") == []


def test_what_was_got_is_the_callers_own(world: World) -> None:
    """Each use is a new array, which later reads and puts leave alone."""
    pose = world.models.pose
    assert pose.flags.c_contiguous
    kept = pose.copy()
    world.put("models", {"pose": (7, 7, 7, 0, 0, 0, 1)})
    world.tick()
    np.testing.assert_array_equal(pose, kept)
    pose[:] = 9.0
    assert world.models.pose[0, 0, 0] == 7.0


def test_refused_rows_are_reported_after_the_others_were_applied(world: World) -> None:
    """The error names each row with its reason, and the world goes on with what is true."""
    wall, ball = Transform(world, "wall"), Transform(world, "ball")
    wall.twist = Twist((1, 0, 0))
    LinkTransform(world, "robot::arm").pose = Pose()
    ball.twist = Twist((2, 0, 0))
    with pytest.raises(WriteRefusedError) as caught:
        world.flush()
    assert [refusal[:3] for refusal in caught.value.refusals] == [
        ("models", "twist", "wall"),
        ("links", "pose", "robot::arm"),
    ]
    assert "twist of model 'wall': a static model has no velocity" in str(caught.value)
    assert wall.twist == Twist()
    assert LinkTransform(world, "robot::arm").pose == Pose((6, 0, 0))
    assert ball.twist == Twist((2, 0, 0))


class Whitewash(TableSimulator):
    """Refuses to have its visuals changed."""

    def write(self, changes: Changes) -> list[Refusal]:
        (cells,) = changes.cells.values()
        return [
            Refusal("visuals", "transparency", self.entities.visuals[row], "it is painted over")
            for row in cells.rows
        ]


def test_a_refused_look_reads_as_it_is(world: World) -> None:
    """Like every refused row, it is what the simulator says again."""
    simulator = Whitewash()
    simulator.spawn([SpawnRequest(TableModel(), "ball", Pose())])
    ball = Transform(World(simulator), "ball")
    ball.transparency = 0.5
    with pytest.raises(WriteRefusedError, match="painted over"):
        ball.world.flush()
    assert ball.transparency == {"ball::link::visual": 0.0}


def test_a_tick_with_refused_rows_does_not_step(world: World, simulator: TableSimulator) -> None:
    """The next one does, and does not report them again."""
    Transform(world, "wall").twist = Twist((1, 0, 0))
    with pytest.raises(WriteRefusedError, match="wall"):
        world.tick()
    assert (world.time, world.ticks) == (0.0, 0)
    world.tick()
    assert (world.time, world.ticks) == (simulator.timestep, 1)


def test_many_refusals_make_a_short_message(world: World) -> None:
    """The message shows five rows; the error holds all."""
    for i in range(8):
        world.spawn(TableModel(static=True), f"post{i}", Pose())
        Transform(world, f"post{i}").pose = Pose((i, 0, 0))
    world.put("models", {"twist": np.ones(6)})
    with pytest.raises(WriteRefusedError, match=r"^9 row\(s\) refused: .*; and 4 more$") as caught:
        world.flush()
    assert len(caught.value.refusals) == 9


def test_spawn_and_delete_send_first_what_was_put(world: World, simulator: TableSimulator) -> None:
    """So a model that is deleted takes its changes along, and none is lost."""
    Transform(world, "ball").pose = Pose((1, 1, 1))
    world.spawn(TableModel(), "new", Pose())
    Transform(world, "ball").twist = Twist((1, 0, 0))
    world.delete("ball")
    assert [call.method for call in simulator.log if call.method != "read"] == [
        "write",
        "spawn",
        "write",
        "delete",
    ]
    world.flush()
    assert list(world.models.names) == ["robot", "wall", "new"]


def test_dropping_changes_of_some_worlds_leaves_later_ones_whole() -> None:
    """A reset of a world drops its unsent changes of a whole table, and no others or later ones."""
    world = World(TableSimulator(worlds=2, timestep=0.5))
    for name in ("ball", "cube"):
        world.spawn(TableModel(gravity=False), name, Pose())
    for speed in (1.0, 2.0):
        world.models.twist = (speed, 0, 0, 0, 0, 0)
        world.reset(worlds=np.array([0]))
        world.flush()
        assert world.models.twist[:, :, 0].tolist() == [[0.0, 0.0], [speed, speed]]
    world.models.twist = (3, 0, 0, 0, 0, 0)
    world.models.select(["cube"]).put(twist=(4, 0, 0, 0, 0, 0), worlds=[1])
    world.flush()
    assert world.models.twist[:, :, 0].tolist() == [[3.0, 3.0], [3.0, 4.0]]


def test_a_model_overrules_whole_tables_of_links_once() -> None:
    """A model that is put after all links decides on its own links; the next batch has all."""
    world = World(TableSimulator())
    for name in ("ball", "cube"):
        world.spawn(TableModel(gravity=False), name, Pose())
    still, moving = [0.0] * 6, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    world.links.twist = moving
    world.models.select(["ball"]).twist = still
    world.flush()
    assert world.links.twist[0].tolist() == [still, moving]
    world.links.twist = moving
    world.flush()
    assert world.links.twist[0].tolist() == [moving, moving]
