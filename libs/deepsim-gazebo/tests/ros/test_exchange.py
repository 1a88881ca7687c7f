# SPDX-License-Identifier: Apache-2.0
"""Requests and replies of an exchange against a plain encoder, and against damage."""

from __future__ import annotations

import contextlib
import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepsim_gazebo import ExchangeReply, ExchangeRequest, ExchangeStatus, GazeboError
from deepsim_gazebo.protocol.layout import SERVED, TABLES
from deepsim_sync import COLUMNS, Cells, Kind

WIDTHS: dict[Kind, int] = {"models": 13, "links": 22, "visuals": 18, "lights": 19, "joints": 10}
CELLS = {
    (kind, column): (table, number, int(np.prod(COLUMNS[kind][column].shape)))
    for table, (kind, columns) in enumerate(SERVED.items())
    for number, column in enumerate(columns)
}

u32 = st.integers(0, 2**32 - 1)
u64 = st.integers(0, 2**64 - 1)
finite = st.floats(allow_nan=False, allow_infinity=False)


def wire_string(text: str) -> bytes:
    body = text.encode()
    return struct.pack("<I", len(body)) + body


@st.composite
def changes(draw: Any) -> dict[Any, Cells]:
    batch = {}
    for key in draw(st.lists(st.sampled_from(sorted(CELLS)), unique=True)):
        rows = draw(st.lists(st.integers(0, 5000), max_size=5))
        count = len(rows) * CELLS[key][2]
        values = draw(st.lists(finite, min_size=count, max_size=count))
        shaped = np.array(values).reshape(len(rows), *COLUMNS[key[0]][key[1]].shape)
        batch[key] = Cells(np.zeros(len(rows), dtype=np.intp), np.array(rows, np.intp), shaped)
    return batch


@given(
    u64, changes(), u32, st.booleans(), st.sets(st.sampled_from(TABLES)), st.lists(u32, max_size=3)
)
def test_requests_are_what_ros_expects(
    generation: int,
    batch: dict[Any, Cells],
    steps: int,
    more: bool,
    kinds: set[Kind],
    sensors: list[int],
) -> None:
    """Field by field, in the order of Exchange.srv and Cells.msg."""
    expected = struct.pack("<QI", generation, len(batch))
    for key, (_, rows, values) in batch.items():
        table, column, _ = CELLS[key]
        numbers = values.ravel().tolist()
        expected += struct.pack(f"<BBI{len(rows)}I", table, column, len(rows), *rows.tolist())
        expected += struct.pack(f"<I{len(numbers)}d", len(numbers), *numbers)
    mask = sum(1 << TABLES.index(kind) for kind in kinds)
    expected += struct.pack("<I?B", steps, more, mask)
    expected += struct.pack(f"<I{len(sensors)}I", len(sensors), *sensors)
    assert ExchangeRequest(generation, batch, steps, more, kinds, sensors).pack() == expected


@st.composite
def replies(draw: Any) -> dict[str, Any]:
    tables = {}
    for kind in TABLES:
        count = draw(st.integers(0, 3)) * WIDTHS[kind]
        tables[kind] = draw(st.lists(finite, min_size=count, max_size=count))
    return {
        "status": draw(st.sampled_from(ExchangeStatus)),
        "message": draw(st.text(max_size=20)),
        "instant": (draw(u64), draw(u64)),
        "time": (draw(u32), draw(st.integers(0, 10**9 - 1))),
        "timestep": draw(finite),
        "refusals": draw(st.lists(st.tuples(u32, u32, st.text(max_size=20)), max_size=4)),
        "tables": tables,
        "measured": draw(st.lists(finite, max_size=3)),
    }


def wire(reply: dict[str, Any]) -> bytes:
    parts = [struct.pack("<B", reply["status"]), wire_string(reply["message"])]
    parts.append(struct.pack("<QQIId", *reply["instant"], *reply["time"], reply["timestep"]))
    parts.append(struct.pack("<I", len(reply["refusals"])))
    for change, position, reason in reply["refusals"]:
        parts.append(struct.pack("<II", change, position) + wire_string(reason))
    for numbers in (*reply["tables"].values(), reply["measured"]):
        parts.append(struct.pack(f"<I{len(numbers)}d", len(numbers), *numbers))
    return b"".join(parts)


@given(replies())
def test_replies_are_read_as_they_were_written(reply: dict[str, Any]) -> None:
    """All fields, and every table as rows."""
    read = ExchangeReply.unpack(wire(reply), TABLES)
    assert read.status is reply["status"]
    assert read.message == reply["message"]
    assert read.instant[:2] == reply["instant"]
    seconds, nanoseconds = reply["time"]
    assert read.instant.time == pytest.approx(seconds + nanoseconds / 1e9, rel=1e-15)
    assert read.instant.timestep == reply["timestep"]
    assert [tuple(refusal) for refusal in read.refusals] == reply["refusals"]
    for kind, numbers in reply["tables"].items():
        assert read.tables[kind].shape == (len(numbers) // WIDTHS[kind], WIDTHS[kind])
        assert read.tables[kind].ravel().tolist() == numbers
    assert read.measured.tolist() == reply["measured"]


@given(replies(), st.data())
def test_damaged_replies_are_refused(reply: dict[str, Any], data: st.DataObject) -> None:
    """Cut off anywhere, or with something after it."""
    body = wire(reply)
    cut = data.draw(st.integers(0, len(body) - 1))
    for damaged in (body[:cut], body + b"\0"):
        with pytest.raises(GazeboError, match="the answer of exchange"):
            ExchangeReply.unpack(damaged, TABLES)


@given(st.binary(max_size=200))
def test_junk_is_refused(junk: bytes) -> None:
    """Any announced length gives a GazeboError or a reply, and allocates nothing."""
    with contextlib.suppress(GazeboError):
        ExchangeReply.unpack(junk, TABLES)


def test_an_incomplete_row_is_refused() -> None:
    """The table is named."""
    body = wire(
        {
            "status": 0,
            "message": "",
            "instant": (1, 2),
            "time": (0, 0),
            "timestep": 0.001,
            "refusals": [],
            "tables": {kind: [1.0] * 14 * (kind == "links") for kind in TABLES},
            "measured": [],
        }
    )
    with pytest.raises(GazeboError, match="14 numbers for links, of 22 per row"):
        ExchangeReply.unpack(body, TABLES)


def test_requests_describe_themselves() -> None:
    """For error messages."""
    rows = np.arange(3, dtype=np.intp)
    cells = Cells(rows * 0, rows, np.zeros((3, 7)))
    request = ExchangeRequest(
        1, {("models", "pose"): cells}, 10, kinds=["models", "lights"], sensors=[4]
    )
    text = "set 3 cells; 10 steps; read models, lights; measure with 1 sensors"
    assert str(request) == text
    assert str(ExchangeRequest(1)) == "the time"
