# SPDX-License-Identifier: Apache-2.0
"""The simulator, connected to a simulated server."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Callable

import numpy as np
import pytest

from deepsim_gazebo import (
    CallLostError,
    CallRefusedError,
    GazeboError,
    GazeboSimulator,
    UnreachableError,
)
from deepsim_math import Pose
from deepsim_sync import (
    ALL_COLUMNS,
    Cells,
    Changes,
    DuplicateEntityError,
    SimulationError,
    Simulator,
    SpawnError,
    SpawnRequest,
    Tables,
    Transform,
    UnknownEntityError,
    World,
)
from deepsim_sync.testing import TableModel

Connect = Callable[..., GazeboSimulator]
FAR = (9.0, 8.0, 7.0, 0.0, 0.0, 0.0, 1.0)
MODELS = [("models", "pose")]


def changes(simulator: GazeboSimulator, kind: Any, column: str, **values: Any) -> Changes:
    """Returns changes by names of rows, where ``__`` stands for ``::``."""
    names = simulator.entities.names(kind)
    rows = names.rows(name.replace("__", "::") for name in values)
    cells = Cells(np.zeros(len(rows), dtype=np.intp), rows, np.array([*values.values()]))
    return Changes(simulator.entities.generation, {(kind, column): cells})


def tables_of(simulator: GazeboSimulator, columns: Any = ALL_COLUMNS) -> Tables:
    tables = Tables(simulator.entities)
    simulator.read(tables, columns)
    return tables


def test_one_world_without_optional_capabilities(simulator: GazeboSimulator) -> None:
    """Except those that the plugin offers, and cameras if the server renders."""
    port: Simulator = simulator
    assert port.worlds == 1
    assert port.time.shape == (1,)
    assert port.cameras is not None
    assert None not in (port.contacts, port.physics, port.dynamics, port.sensors)
    assert port.depth_cameras is not None
    assert port.snapshots is None


def test_the_only_world_can_be_chosen(simulator: GazeboSimulator, server: Any) -> None:
    """By its number; an empty choice does nothing, and any other is refused."""
    simulator.step(5, np.array([0]))
    simulator.reset(np.array([0]), [3])
    simulator.step(2)
    server.calls.clear()
    nothing = np.array([], dtype=np.intp)
    simulator.step(1, nothing)
    simulator.reset(nothing)
    assert server.calls == []
    for other in ([1], [0, 1]):
        with pytest.raises(ValueError, match="Gazebo has one world, number 0, got"):
            simulator.step(1, np.array(other))
        with pytest.raises(ValueError, match="Gazebo has one world, number 0, got"):
            simulator.reset(np.array(other))
    assert simulator.time == [0.002]


def test_all_tables_are_read_in_one_call(simulator: GazeboSimulator, server: Any) -> None:
    """Every column is filled, and names are requested once per generation."""
    for name, shape in (("a", "free"), ("b", "pair"), ("c", "lamp")):
        simulator.spawn([SpawnRequest(shape, name, Pose((1, 2, 3)))])
    server.world.write(_appearance(server.world))
    server.calls.clear()
    tables = tables_of(simulator)
    assert server.calls == ["get_names", "exchange"]
    expected = Tables(server.world.entities)
    server.world.read(expected)
    for kind, columns in {
        "models": ("pose", "twist"),
        "links": ("pose", "twist"),
        "visuals": ("ambient", "transparency", "visible"),
        "lights": ("diffuse", "attenuation"),
    }.items():
        assert list(tables.entities.names(kind)) == list(server.world.entities.names(kind))
        for column in columns:
            np.testing.assert_array_equal(
                tables.columns[kind, column], expected.columns[kind, column]
            )
    tables_of(simulator)
    assert server.calls == ["get_names", "exchange", "exchange"]


def _appearance(world: Any) -> Changes:
    row = np.zeros(1, dtype=np.intp)
    return Changes(
        world.entities.generation,
        {
            ("visuals", "ambient"): Cells(row, row + 1, np.array([[0.1, 0.2, 0.3, 0.4]])),
            ("visuals", "transparency"): Cells(row, row + 2, np.array([0.5])),
            ("visuals", "visible"): Cells(row, row + 1, np.array([False])),
            ("lights", "attenuation"): Cells(row, row, np.array([[1.0, 0.5, 0.25]])),
            ("models", "twist"): Cells(row, row + 1, np.array([[1.0, 2, 3, 4, 5, 6]])),
        },
    )


def test_a_step_prefetches_tables_that_were_read(simulator: GazeboSimulator, server: Any) -> None:
    """From the second tick on, writing, stepping and reading are one round trip."""
    simulator.spawn([SpawnRequest("free", "ball", Pose())])
    push = changes(simulator, "models", "twist", ball=(1, 0, 0, 0, 0, 0))
    tables = tables_of(simulator, MODELS)
    server.calls.clear()
    for tick in range(1, 4):
        assert simulator.step(10, None, push) == ()
        simulator.read(tables, MODELS)
        assert server.calls == ["exchange"] * tick
        assert tables.models.pose[0, 0, 0] == pytest.approx(0.01 * tick)
        np.testing.assert_allclose(simulator.time, [0.01 * tick])
    simulator.read(tables, MODELS)
    assert server.calls == ["exchange"] * 4, "an answer is used once: others may have written"


def test_columns_of_one_instant_are_one_round_trip(simulator: GazeboSimulator, server: Any) -> None:
    """Each column of an answer is used once, until rows are written or time goes on."""
    simulator.spawn([SpawnRequest("free", "ball", Pose())])
    pose, twist = ("models", "pose"), ("models", "twist")
    tables = tables_of(simulator, [pose])
    server.calls.clear()
    simulator.read(tables, [twist])
    assert server.calls == []
    simulator.read(tables, [twist])
    assert server.calls == ["exchange"]
    simulator.write(changes(simulator, "models", "pose", ball=FAR))
    simulator.read(tables, [pose])
    assert server.calls == ["exchange"] * 3
    np.testing.assert_array_equal(tables.models.pose[0], [FAR])


def test_only_tables_that_were_read_are_prefetched(simulator: GazeboSimulator, server: Any) -> None:
    """A read of more tables is one request, all at one instant."""
    simulator.spawn([SpawnRequest("lamp", "lamp", Pose())])
    tables = tables_of(simulator, MODELS)
    server.calls.clear()
    simulator.step()
    simulator.read(tables, [*MODELS, ("lights", "diffuse")])
    assert server.calls == ["exchange", "exchange"]
    simulator.step()
    simulator.step()
    simulator.read(tables, MODELS)
    assert server.calls == ["exchange"] * 5


def test_long_steps_are_sent_in_parts(simulator: GazeboSimulator, server: Any) -> None:
    """At most 1000 steps per call; the sum is exact."""
    simulator.step(2500)
    assert server.calls == ["exchange"] * 3
    assert server.world.calls("step") == [1000, 1000, 500]
    assert simulator.time == [2.5]


def test_refused_rows_are_named(simulator: GazeboSimulator, server: Any) -> None:
    """Table, column, entity and reason; other rows apply, and no step is made."""
    simulator.spawn([SpawnRequest("static", "wall", Pose())])
    simulator.spawn([SpawnRequest("free", "ball", Pose())])
    push = (1, 0, 0, 0, 0, 0)
    batch = changes(simulator, "models", "twist", ball=push, wall=push)
    (refusal,) = simulator.step(5, None, batch)
    assert refusal[:3] == ("models", "twist", "wall")
    assert "no velocity" in refusal.reason
    assert simulator.time == [0.0]
    assert tables_of(simulator).models.twist[0, 1, 0] == 1.0


def test_stale_rows_are_found_again_by_name(simulator: GazeboSimulator, server: Any) -> None:
    """After another client deleted a model: its row is refused, the others are written."""
    for name in "abc":
        simulator.spawn([SpawnRequest("free", name, Pose())])
    batch = changes(simulator, "models", "pose", a=FAR, c=FAR, b=FAR)
    server.world.delete("a")
    (refusal,) = simulator.write(batch)
    assert refusal[:3] == ("models", "pose", "a")
    assert "deleted" in refusal.reason
    tables = tables_of(simulator)
    assert list(tables.entities.models) == ["b", "c"]
    np.testing.assert_array_equal(tables.models.pose[0], [FAR, FAR])


def test_rows_that_the_server_forgot_are_sent_again(
    simulator: GazeboSimulator, server: Any
) -> None:
    """A server finds the rows of recent generations itself; this one has forgotten them."""
    simulator.spawn([SpawnRequest("free", "a", Pose())])
    simulator.spawn([SpawnRequest("free", "b", Pose())])
    batch = changes(simulator, "models", "pose", b=FAR)
    simulator.delete("a")
    server.calls.clear()
    assert simulator.write(batch) == ()
    assert server.calls == ["exchange", "get_names", "exchange"]
    np.testing.assert_array_equal(tables_of(simulator).models.pose[0], [FAR])


def test_no_step_is_made_where_rows_were_lost(simulator: GazeboSimulator, server: Any) -> None:
    """A deleted model's row is a refusal like any other."""
    simulator.spawn([SpawnRequest("free", "a", Pose())])
    batch = changes(simulator, "models", "pose", a=FAR)
    server.world.delete("a")
    assert [refusal.name for refusal in simulator.step(3, None, batch)] == ["a"]
    assert simulator.time == [0.0]


def test_a_generation_that_never_was_is_an_error(simulator: GazeboSimulator) -> None:
    """Its rows are unknown."""
    simulator.spawn([SpawnRequest("free", "a", Pose())])
    batch = changes(simulator, "models", "pose", a=FAR)
    with pytest.raises(ValueError, match="generation 7 of the entities, which is unknown"):
        simulator.write(Changes(7, batch.cells))


def test_old_tables_are_filled_by_name(simulator: GazeboSimulator, server: Any) -> None:
    """Tables of an earlier generation are filled for all entities that still exist."""
    for x, name in enumerate("abc"):
        simulator.spawn([SpawnRequest("free", name, Pose((x, 0, 0)))])
    tables = tables_of(simulator)
    tables.models.pose[0, :, 1] = 5.0
    server.world.delete("b")
    simulator.read(tables, MODELS)
    np.testing.assert_array_equal(tables.models.pose[0, :, :2], [[0, 0], [1, 5], [2, 0]])


def test_entities_that_keep_changing_are_reported(simulator: GazeboSimulator, server: Any) -> None:
    """Another client that spawns between any two calls is named as the cause."""
    simulator.spawn([SpawnRequest("free", "a", Pose())])
    tables = Tables(simulator.entities)
    batch = changes(simulator, "models", "pose", a=FAR)
    names = iter(range(1000))
    server.meddle = lambda: server.world.spawn(
        [SpawnRequest(TableModel(), f"guest{next(names)}", Pose())]
    )
    with pytest.raises(GazeboError, match="cannot write pose of models: entities were added"):
        simulator.write(batch)
    simulator.read(tables)  # needs no names: it can say which rows there are
    np.testing.assert_array_equal(tables.models.pose[0, 0, :3], 0)


def test_faults_of_the_server_are_reported(simulator: GazeboSimulator, server: Any) -> None:
    """A malformed request, a world that cannot step, and an unknown status."""
    server.fault = 3
    with pytest.raises(CallRefusedError, match="as the test wants it"):
        simulator.step()
    server.fault = 4
    with pytest.raises(SimulationError, match="cannot step: as the test wants it") as error:
        simulator.step()
    assert error.value.worlds == (0,)
    server.fault = 77
    with pytest.raises(GazeboError, match="status 77"):
        simulator.step()
    simulator.step()
    assert simulator.time == [0.001]


def test_a_lost_server_costs_one_error(
    simulator: GazeboSimulator,
    server: Any,
) -> None:
    """The current call fails; later ones use the same server again, which is paused first."""
    tables_of(simulator)
    simulator.reset()
    server.kill()
    with pytest.raises(CallLostError, match=r"exchange .* broke .* asked: 10 steps; read models"):
        simulator.step(10)
    with pytest.raises(UnreachableError, match="nobody listens there"):
        simulator.step(10)
    server.start()
    server.calls.clear()
    simulator.step(10)
    assert server.calls == ["pause", "get_names", "exchange"]
    simulator.spawn([SpawnRequest("free", "b", Pose())])
    assert list(simulator.entities.models) == ["b"]


def test_a_restarted_server_is_a_world_that_diverged(
    simulator: GazeboSimulator, server: Any
) -> None:
    """Every call says so until a reset, which spawns again what was there."""
    simulator.spawn([SpawnRequest("free", name, Pose((0, 0, 4))) for name in ("a", "b", "c")])
    simulator.delete("b")
    server.kill()
    with pytest.raises(CallLostError):
        simulator.step()
    server.world.delete("a")
    server.world.delete("c")
    server.first_generation = 5000
    server.start()
    for call in (simulator.step, lambda: simulator.read(Tables(simulator.entities))):
        with pytest.raises(SimulationError, match="gzserver was restarted") as caught:
            call()
        assert caught.value.worlds == (0,)
    with pytest.raises(SimulationError, match="reset the world"):
        simulator.spawn([SpawnRequest("free", "d", Pose())])
    simulator.reset()
    simulator.step(10)
    assert list(simulator.entities.models) == ["a", "c"]
    assert tables_of(simulator).models.pose[0, :, 2].tolist() == [4, 4]


def test_names_of_models_are_checked(simulator: GazeboSimulator, server: Any) -> None:
    """As the port requires; the server's reason is in the message."""
    simulator.spawn([SpawnRequest("free", "a", Pose())])
    with pytest.raises(DuplicateEntityError, match="'a' exists already"):
        simulator.spawn([SpawnRequest("free", "a", Pose())])
    with pytest.raises(SpawnError, match="cannot spawn model 'b': no such shape: <sdf/>"):
        simulator.spawn([SpawnRequest("<sdf/>", "b", Pose())])
    with pytest.raises(DuplicateEntityError, match="'b' exists already"):
        simulator.spawn([SpawnRequest("free", "b", Pose())] * 2)
    with pytest.raises(SpawnError, match="has no '::'"):
        simulator.spawn([SpawnRequest("free", "b::c", Pose())])
    with pytest.raises(TypeError, match=r"object with to_sdf\(\), got 5"):
        simulator.spawn([SpawnRequest(5, "b", Pose())])
    with pytest.raises(UnknownEntityError, match="no model is named 'aa'; did you mean 'a'"):
        simulator.delete("aa")
    assert list(simulator.entities.models) == ["a"]


def test_a_failed_spawn_leaves_no_model(simulator: GazeboSimulator, server: Any) -> None:
    """The models of all its calls are removed again."""
    requests = [SpawnRequest("free", f"m{number}", Pose()) for number in range(150)]
    with pytest.raises(SpawnError, match="'bad': no such shape"):
        simulator.spawn([*requests, SpawnRequest("nonsense", "bad", Pose())])
    assert not simulator.entities.models
    simulator.spawn(requests)
    assert len(simulator.entities.models) == 150
    assert server.calls.count("spawn_models") == 4
    assert server.calls.count("delete_models") == 2


def test_spawning_is_one_call(simulator: GazeboSimulator, server: Any) -> None:
    """Names are requested when they are needed, not after each model."""
    for number in range(5):
        simulator.spawn(
            [SpawnRequest(SimpleNamespace(to_sdf=lambda: "free"), f"m{number}", Pose())]
        )
    assert server.calls == ["spawn_models"] * 5
    assert len(simulator.entities.models) == 5


def test_a_described_world_takes_the_place_of_the_old_one(
    simulator: GazeboSimulator, server: Any
) -> None:
    """Deletes, sets step size and gravity, spawns, and goes back to time 0."""
    simulator.spawn([SpawnRequest("free", "old", Pose())])
    simulator.step(5)
    described = SimpleNamespace(
        models=[_placed("box", "free", 1.0), _placed("wall", "static", 2.0)],
        lights=[_placed("sun", "lamp", 3.0)],
        physics=SimpleNamespace(max_step_size=0.002),
        gravity=(0.0, 0.0, -3.7),
    )
    simulator.load(described)
    assert list(simulator.entities.models) == ["sun", "box", "wall"]
    np.testing.assert_array_equal(tables_of(simulator).models.pose[0, :, 0], [3.0, 1.0, 2.0])
    assert server.gravity == [0.0, 0.0, -3.7]
    assert (simulator.time.tolist(), simulator.timestep) == ([0.0], 0.002)
    described.models = [_placed("odd", "nonsense", 0.0)]
    described.lights = []
    with pytest.raises(SpawnError, match="'odd': no such shape"):
        simulator.load(described)
    described.physics.max_step_size = 0.0
    with pytest.raises(CallRefusedError, match="timestep must be > 0 s"):
        simulator.load(described)
    described.gravity = (0.0, -9.8)
    with pytest.raises(ValueError, match=r"gravity must be 3 numbers, got \(0.0, -9.8\)"):
        simulator.load(described)


def _placed(name: str, shape: str, x: float) -> Any:
    return SimpleNamespace(name=name, pose=Pose((x, 0, 0)), to_sdf=lambda: shape)


def test_a_world_ticks_on_it(simulator: GazeboSimulator, server: Any) -> None:
    """A tick with writes, steps and reads takes one round trip."""
    simulator.spawn([SpawnRequest("free", "ball", Pose())])
    world = World(simulator)
    ball = Transform(world, "ball")
    ball.twist = (1, 0, 0, 0, 0, 0)
    for tick in range(13):
        if tick == 3:
            server.calls.clear()
        ball.pose = Pose((ball.pose.position.x, 0, 1))
        world.tick()
    assert server.calls == ["exchange"] * 10
    assert ball.pose.position.isclose((0.013, 0, 1))


def test_pause_and_resume_are_passed_on(simulator: GazeboSimulator, server: Any) -> None:
    """For worlds that run freely."""
    simulator.resume()
    simulator.pause()
    assert server.calls == ["unpause", "pause"]


@pytest.mark.parametrize("n", [0, -3])
def test_time_does_not_go_back(simulator: GazeboSimulator, n: int) -> None:
    """A step is one at least."""
    with pytest.raises(ValueError, match=f"got {n}"):
        simulator.step(n)


def test_the_namespace_is_the_users(connect: Connect) -> None:
    """With or without slashes; errors show it. A timeout must be positive."""
    for namespace, name in (("elsewhere/", "/elsewhere/pause"), ("/", "/pause")):
        with pytest.raises(UnreachableError, match=f"has no service {name}:"):
            connect(namespace=namespace)
    with pytest.raises(ValueError, match="timeout must be > 0 s, got 0"):
        connect(timeout=0)
