# SPDX-License-Identifier: Apache-2.0
"""Rows that are refused, that move, and that are read while the world runs."""

from __future__ import annotations

import struct
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from deepsim_conformance.models import BLOCK, BOX, HINGED, LAMP
from deepsim_gazebo import (
    BatchStateClient,
    CallRefusedError,
    ExchangeRequest,
    ExchangeStatus,
    GazeboSimulator,
)
from deepsim_math import Pose
from deepsim_sync import (
    COLUMNS,
    Cells,
    Changes,
    Key,
    Kind,
    SimulationError,
    SpawnRequest,
    Tables,
)

Connect = Callable[..., GazeboSimulator]
FAR = (9.0, 8.0, 7.0, 0.0, 0.0, 0.0, 1.0)
MODELS: list[Key] = [("models", "pose"), ("models", "twist")]
PUSH = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def one(simulator: GazeboSimulator, kind: Kind, column: str, row: int, value: Any) -> Changes:
    width = COLUMNS[kind][column].shape
    rows = np.array([row], dtype=np.intp)
    cells = Cells(rows * 0, rows, np.asarray(value, dtype=np.float64).reshape(1, *width))
    return Changes(simulator.entities.generation, {(kind, column): cells})


def tables_of(simulator: GazeboSimulator) -> Tables:
    tables = Tables(simulator.entities)
    simulator.read(tables)
    return tables


@pytest.mark.parametrize(
    ("kind", "column", "name", "value"),
    [
        ("models", "pose", "box", [np.nan, 0, 0, 0, 0, 0, 1]),
        ("models", "pose", "box", [0, 0, 0, 0, 0, 0, 0]),
        ("models", "twist", "box", [np.inf, 0, 0, 0, 0, 0]),
        ("models", "pose", "box", [0, 1e300, 0, 0, 0, 0, 1]),
        ("models", "twist", "wall", PUSH),
        ("links", "twist", "wall::link", PUSH),
        ("links", "pose", "gate::door", FAR),
        ("visuals", "diffuse", "box::link::paint", [2, 0, 0, 1]),
        ("visuals", "transparency", "box::link::paint", -0.5),
        ("lights", "specular", "lamp::link::bulb", [np.nan, 0, 0, 1]),
        ("lights", "attenuation", "lamp::link::bulb", [np.inf, 0, 0]),
    ],
)
def test_bad_rows_are_refused_by_name(
    gazebo: GazeboSimulator, kind: Kind, column: str, name: str, value: Any
) -> None:
    """Values that the port's checks refuse earlier; nothing changes and no step is made."""
    for x, (model, sdf) in enumerate(
        (("box", BOX), ("wall", BLOCK), ("gate", HINGED), ("lamp", LAMP))
    ):
        gazebo.spawn([SpawnRequest(sdf, model, Pose((3 * x, 0, 5)))])
    before = tables_of(gazebo)
    batch = one(gazebo, kind, column, gazebo.entities.names(kind).row(name), value)
    (refusal,) = gazebo.step(5, None, batch)
    assert refusal[:3] == (kind, column, name)
    assert refusal.reason
    assert gazebo.time == [0.0]
    after = tables_of(gazebo)
    for table in COLUMNS:
        for each in COLUMNS[table]:
            np.testing.assert_array_equal(after.columns[table, each], before.columns[table, each])


def test_another_client_moves_the_rows(gazebo: GazeboSimulator, connect: Connect) -> None:
    """After another client deleted a model: later rows are found, its own is refused."""
    for x, name in enumerate("abc"):
        gazebo.spawn([SpawnRequest(BOX, name, Pose((3 * x, 0, 5)))])
    rows = np.arange(3, dtype=np.intp)
    cells = Cells(rows * 0, rows, np.array([FAR] * 3))
    batch = Changes(gazebo.entities.generation, {("models", "pose"): cells})
    old = Tables(gazebo.entities)
    connect().delete("b")
    (refusal,) = gazebo.write(batch)
    assert refusal[:3] == ("models", "pose", "b")
    assert list(gazebo.entities.models) == ["a", "c"]
    np.testing.assert_array_equal(tables_of(gazebo).models.pose[0], [FAR, FAR])
    gazebo.read(old, MODELS)
    np.testing.assert_array_equal(old.models.pose[0, [0, 2]], [FAR, FAR])


def test_the_server_finds_rows_of_earlier_generations(gazebo: GazeboSimulator) -> None:
    """Of the 16 before the present one, by name; their names can be asked for."""
    for x, name in enumerate("abc"):
        gazebo.spawn([SpawnRequest(BOX, name, Pose((3 * x, 0, 5)))])
    client = BatchStateClient()
    old = client.names().entities
    gazebo.delete("b")
    rows = np.arange(4, dtype=np.intp)
    cells = {("models", "pose"): Cells(rows * 0, rows, np.array([FAR] * 4))}
    request = ExchangeRequest(old.generation, cells, kinds=("models",))
    reply = client.exchange(request)
    assert reply.status is ExchangeStatus.REFUSED
    assert [(refusal.position, refusal.reason) for refusal in reply.refusals] == [
        (1, "it was deleted"),
        (3, "there was no row 3, only 3"),
    ]
    np.testing.assert_array_equal(reply.tables["models"][:, :7], [FAR, FAR])
    again = client.names(old.generation).entities
    assert (again.generation, list(again.models)) == (old.generation, ["a", "b", "c"])
    for number in range(16):
        gazebo.spawn([SpawnRequest(BOX, f"d{number}", Pose((3 * number, 9, 5)))])
    assert client.exchange(request).status is ExchangeStatus.STALE
    assert client.names(old.generation).entities.generation > old.generation
    client.close()


def test_factors_of_links_of_earlier_generations(gazebo: GazeboSimulator) -> None:
    """Their links are found by name; if one is gone, nothing is scaled."""
    for x, name in enumerate("abc"):
        gazebo.spawn([SpawnRequest(BOX, name, Pose((3 * x, 0, 5)))])
    client = BatchStateClient()
    old = client.names().entities
    gazebo.delete("b")

    def body(row: int) -> bytes:
        head = struct.pack("<QB", old.generation, 0)  # the mass
        return head + struct.pack("<II", 1, row) + struct.pack("<Id", 1, 2.0)

    client.do("scale_links", body(2), "the mass of c")
    assert gazebo.physics.factors("mass").tolist() == [[1.0, 2.0]]
    with pytest.raises(CallRefusedError, match="link 'b::link' was deleted"):
        client.do("scale_links", body(1), "the mass of b")
    client.close()


def test_a_client_that_spawns_disturbs_no_other(gazebo: GazeboSimulator, connect: Connect) -> None:
    """Writes, steps and reads succeed, though rows change between any two calls."""
    gazebo.spawn([SpawnRequest(BOX, "box", Pose((0, 0, 50)))])
    other = connect()
    stop, failures, spawned = threading.Event(), [], []

    def run() -> None:
        try:
            while not stop.is_set():
                other.spawn([SpawnRequest(BOX, "guest", Pose((0, 9, 50)))])
                other.delete("guest")
                spawned.append(1)
        except BaseException as error:
            failures.append(error)

    spawner = threading.Thread(target=run)
    spawner.start()
    try:
        for x in range(300):
            row = gazebo.entities.models.row("box")
            pose = (x, *FAR[1:])
            assert gazebo.step(1, None, one(gazebo, "models", "pose", row, pose)) == ()
            tables = tables_of(gazebo)
            assert tables.models.pose[0, tables.entities.models.row("box"), 0] == x
    finally:
        stop.set()
        spawner.join(20)
    assert not failures
    assert len(spawned) > 10


def test_clients_see_each_other(gazebo: GazeboSimulator, connect: Connect) -> None:
    """Writes and steps of one are read by the other, through memory and through ROS."""
    gazebo.spawn([SpawnRequest(BOX, "box", Pose((0, 0, 5)))])
    others = [connect(shared_memory=False), connect(shared_memory=True)]
    for number, other in enumerate(others, start=1):
        tables = tables_of(other)
        gazebo.write(one(gazebo, "models", "pose", 0, FAR))
        gazebo.step(10)
        other.read(tables)
        np.testing.assert_array_equal(tables.models.pose, tables_of(gazebo).models.pose)
        np.testing.assert_allclose(other.time, [0.01 * number])


@pytest.mark.parametrize("shared_memory", [False, True])
def test_no_read_is_torn(gazebo: GazeboSimulator, connect: Connect, shared_memory: bool) -> None:
    """Bodies that fall together have equal heights in every read while another client steps."""
    for x in range(10):
        gazebo.spawn([SpawnRequest(BOX, f"box{x}", Pose((3 * x, 0, 500)))])
    reader = connect(shared_memory=shared_memory)
    tables = tables_of(reader)
    stop, failures = threading.Event(), []

    def run() -> None:
        try:
            while not stop.is_set():
                gazebo.step()
        except BaseException as error:
            failures.append(error)

    stepper = threading.Thread(target=run)
    stepper.start()
    seen: set[Any] = set()
    try:
        while len(seen) < 100 and not failures:
            reader.read(tables)
            assert len({*tables.models.pose[0, :, 2], *tables.links.pose[0, :, 2]}) == 1
            assert len({*tables.models.twist[0, :, 2], *tables.links.twist[0, :, 2]}) == 1
            seen.add(tables.models.pose[0, 0, 2])
    finally:
        stop.set()
        stepper.join(20)
    assert not failures


def test_one_round_trip_is_one_tick(gazebo: GazeboSimulator, empty: SimpleNamespace) -> None:
    """Written rows, steps and read rows belong together, for thousands of ticks."""
    gazebo.load(SimpleNamespace(**{**vars(empty), "gravity": (0.0, 0.0, 0.0)}))
    gazebo.spawn([SpawnRequest(BOX, "box", Pose((0, 0, 5)))])
    gazebo.write(one(gazebo, "models", "twist", 0, PUSH))
    tables = tables_of(gazebo)
    generator = np.random.default_rng(3)
    time = 0
    for _ in range(2000):
        x, steps = float(generator.uniform(-50, 50)), int(generator.integers(1, 5))
        pose = (x, *FAR[1:])
        assert gazebo.step(steps, None, one(gazebo, "models", "pose", 0, pose)) == ()
        gazebo.read(tables, MODELS)
        time += steps
        assert gazebo.time == [time / 1000]
        assert tables.models.pose[0, 0, 0] == pytest.approx(x + 0.001 * steps, abs=1e-9)


@pytest.mark.parametrize("speed", [1e150, 1e300])
def test_a_diverged_world_is_reported(gazebo: GazeboSimulator, speed: float) -> None:
    """A state that is not finite or beyond all physics is an error; a reset ends it."""
    gazebo.spawn([SpawnRequest(BOX, "box", Pose((0, 0, 5)))])
    gazebo.write(one(gazebo, "models", "twist", 0, [speed, 0, 0, speed, speed, 0]))
    with pytest.raises(SimulationError, match="box"):
        gazebo.step(5)
    gazebo.reset()
    gazebo.step(5)
    assert np.isfinite(tables_of(gazebo).models.pose).all()
