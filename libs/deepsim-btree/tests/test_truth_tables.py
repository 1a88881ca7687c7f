# SPDX-License-Identifier: Apache-2.0
"""Every row of docs/truth-tables.md is a test; the data of both is truth_tables.json."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import deepsim_btree as bt

HERE = Path(__file__).parent
DATA = json.loads((HERE / "truth_tables.json").read_text(encoding="utf-8"))
NODES = [entry for group in DATA["groups"] for entry in group["nodes"]]
CASES = [
    pytest.param(case, id=f"{entry['node']}-{case['shows']}")
    for entry in NODES
    for case in entry["cases"]
]
LETTERS = {status.name[0]: status for status in list(bt.Status)[:4]}
PUBLIC = {name: getattr(bt, name) for name in bt.__all__}
CLASSES = {name: value for name, value in PUBLIC.items() if isinstance(value, type)}


class Column:
    """The column of the table that is being played; the functions of a case read it."""

    def __init__(self, rows: dict[str, str]) -> None:
        self.rows = {label: row.split() for label, row in rows.items()}
        self.index = 0

    def clock(self) -> float:
        return float(self.rows["clock [s]"][self.index])

    def yes(self) -> bool:
        return self.rows["yes()"][self.index] == "True"

    def answer(self) -> bt.Status:
        return LETTERS[self.rows["answer()"][self.index]]

    def mode(self) -> str:
        return self.rows["mode()"][self.index]

    def download(self) -> Download:
        return Download(self)

    def work(self):
        while self.rows["work()"][self.index] == "yield":
            yield
        return LETTERS.get(self.rows["work()"][self.index])


class Download:
    """A future that is done when the column says so."""

    def __init__(self, column: Column) -> None:
        self.column = column

    def done(self) -> bool:
        return self.result() is not bt.Status.RUNNING

    def result(self) -> bt.Status:
        return LETTERS[self.column.rows["download()"][self.column.index]]

    def cancel(self) -> None:
        raise AssertionError("the table has no halt")


def cell(events: list[str]) -> str:
    """Write down what happened to one leaf in one column as the tables do."""
    answers = "".join(event for event in events if len(event) == 1)
    halted = "end I" in events and not answers.endswith("I")
    return answers + "x" * halted or "-"


def played(case, column, leaf_of, log):
    """Return what happened to each leaf, and the answers, in each column."""
    names = [name for name in column.rows if len(name) == 1]
    scripts = {name: "".join(filter("SFRI".__contains__, case["rows"][name])) for name in names}
    leaves = {name: leaf_of(script or "S", name) for name, script in scripts.items()}
    functions = {n: getattr(column, n) for n in ("yes", "answer", "mode", "work", "download")}
    root = eval(case["tree"], {**PUBLIC, **leaves, **functions})
    tree = bt.Tree(root, clock=column.clock if "clock [s]" in column.rows else None)
    found: dict[str, list[str]] = {name: [] for name in (*names, "result")}
    for call in case.get("calls", "tick " * len(column.rows["result"])).split():
        del log[:]
        getattr(tree, call)()
        column.index += 1
        for name in names:
            found[name].append(cell([event for who, event in log if who == name]))
        found["result"].append(tree.status.name[0])
    return found


@pytest.mark.parametrize("case", CASES)
def test_case(leaf, log, case):
    """The children are ticked and halted, and the tree answers, as the table says."""
    column = Column(case["rows"])
    found = played(case, column, leaf, log)
    assert found == {name: column.rows[name] for name in found}


@pytest.mark.parametrize("letter", "SFRI")
@pytest.mark.parametrize("row", DATA["answers"], ids=lambda row: row["tree"])
def test_answer(leaf, log, row, letter):
    """A translating decorator answers as its row says, and halts its child where that has an x."""
    tree = bt.Tree(eval(row["tree"], {**PUBLIC, "a": leaf(letter, "a")}))
    answer = tree.tick().name[0]
    halted = "x" * (letter == "R" and ("a", "end I") in log)
    assert answer + halted == row[letter]


@pytest.mark.parametrize("case", DATA["halting"], ids=lambda case: case["shows"])
def test_halting_order(leaf, case):
    """The nodes are terminated in the order that the page says."""
    order = []

    def logging(cls):
        def terminate(self, new_status):
            order.append(self.name)

        return type(cls.__name__, (cls,), {"terminate": terminate})

    parents = (bt.Composite, bt.Decorator)
    classes = {n: logging(cls) for n, cls in CLASSES.items() if issubclass(cls, parents)}
    root = eval(case["tree"], {**PUBLIC, **classes, **{n: logging(bt.Running)(n) for n in "abc"}})
    tree = bt.Tree(root)
    for call in case["calls"].split():
        getattr(tree, call)()
    assert ", ".join(order) == case["order"]


@pytest.mark.parametrize("row", DATA["memory"], ids=lambda row: f"{row['node']}-{row['remembers']}")
def test_memory_is_proved(row):
    """What the page says about memory refers to a table of that node."""
    shown = [case["shows"] for e in NODES if e["node"] == row["node"] for case in e["cases"]]
    assert row["see"] in shown


def test_every_node_has_a_table():
    """No public node is missing on the page but the three bases without behaviour of their own."""
    nodes = {name for name, value in CLASSES.items() if issubclass(value, bt.Behaviour)}
    documented = {entry["node"] for entry in NODES}
    documented |= {row["tree"].partition("(")[0] for row in DATA["answers"]}
    assert nodes - {"Composite", "Decorator", "PortLeaf"} == documented


def test_the_page_is_up_to_date():
    """docs/truth-tables.md is what tools/truth_tables.py makes of the data."""
    script = HERE.parent / "tools" / "truth_tables.py"
    command = [sys.executable, str(script), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
