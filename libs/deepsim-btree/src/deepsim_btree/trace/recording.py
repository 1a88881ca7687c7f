# SPDX-License-Identifier: Apache-2.0
"""Recording, the steps seen by a trace, with saving, loading, comparison and an HTML page."""

from __future__ import annotations

import json
import os
import warnings
from collections import deque
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from types import MappingProxyType
from typing import Any, Mapping, NamedTuple

from deepsim_btree.arguments import check_count
from deepsim_btree.snapshot import CURRENT, OLDER, NodeInfo, Snapshot

VERSION = 1


class Step(NamedTuple):
    """One moment of a `Recording`, after a tick, a halt or a reset that changed something.

    >>> from deepsim_btree import Success, Tree
    >>> from deepsim_btree.trace import Trace
    >>> tree = Tree(Success())
    >>> with Trace(tree) as trace:
    ...     status = tree.tick()
    >>> step = trace.recording.steps[-1]
    >>> step.call, step.tick, step.snapshot.states
    ('tick', 1, 'S')
    """

    call: str
    """What happened: ``"start"`` (of the trace), ``"tick"``, ``"halt"`` or ``"reset"``."""
    tick: int
    """Number of ticks of the tree so far, counted from its last reset."""
    time: float | None
    """Time on the tree's clock [s]; None without a clock and before the first tick."""
    snapshot: Snapshot
    """The state of the tree; `render_text`, `render_dot` and `render_mermaid` draw it."""
    error: str | None
    """Message of the `TickError` that was raised, if any."""
    blackboard: Mapping[str, str] = MappingProxyType({})
    """Entries of the blackboards as texts, by name; empty unless the `Trace` records them."""


class Recording:
    """The steps that a `Trace` has recorded, in order.

    >>> from deepsim_btree import Tree
    >>> from deepsim_btree.testing import Scripted
    >>> from deepsim_btree.trace import Trace
    >>> tree = Tree(Scripted("RSF", "drive"))
    >>> with Trace(tree) as trace:
    ...     statuses = [tree.tick() for _ in range(3)]
    >>> trace.recording.at(2).status(0).name
    'SUCCESS'

    Args:
        steps: The recorded steps.
        limit: Number of latest steps to keep; None for all.

    Attributes:
        steps: A deque of `Step`.
        last_tick: Number of ticks of the tree at the end. Ticks without a step had the same outcome
            as the step before them.
        last_time: Time on the tree's clock at the end [s]; None without a clock and before the
            first tick.

    Raises:
        ValueError: `limit` is less than 1.
    """

    def __init__(self, steps: Iterable[Step] = (), *, limit: int | None = None) -> None:
        if limit is not None:
            check_count("limit", limit, 1)
        self.steps: deque[Step] = deque(steps, limit)
        self.last_tick = self.steps[-1].tick if self.steps else 0
        self.last_time = self.steps[-1].time if self.steps else None

    def at(self, tick: int) -> Snapshot:
        """Returns the state of the tree after a tick, which is counted from the latest reset.

        Raises:
            ValueError: The tick is earlier or later than all recorded ticks.
        """
        if tick <= self.last_tick:
            for step in reversed(self.steps):
                if step.tick <= tick:
                    return step.snapshot
        raise ValueError(f"tick {tick} was not recorded")

    def difference(self, other: Recording) -> str | None:
        """Describes where another recording first differs; returns None if they are equal.

        Two runs of a tree with the same seed in the same world are equal. So this method finds the
        tick at which a change of the code or of the world first has an effect.
        """
        for mine, its in zip(self.steps, other.steps):
            if mine != its:
                return _difference(mine, its)
        if len(self.steps) != len(other.steps):
            longer = max(self.steps, other.steps, key=len)
            first = longer[min(len(self.steps), len(other.steps))]
            return f"only one recording has the step {first.call} at tick {first.tick}"
        return None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the recording to a file of JSON lines in UTF-8."""
        Path(path).write_text("\n".join(self.lines()) + "\n", encoding="utf-8")

    def lines(self) -> list[str]:
        """Returns the lines of the file that `save` writes."""
        return [head_line(), *StepLines().of(self.steps), end_line(self.last_tick, self.last_time)]

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Recording:
        """Reads a file written by `save` or by a `Trace` with a stream.

        Raises:
            OSError: The file cannot be opened.
            ValueError: The file is not a recording; the message names the file and the line.

        Warns:
            UserWarning: The last line breaks off, as on a full disk: it is left out.
        """
        if Path(path).exists() and not Path(path).is_file():  # a pipe would be waited for
            raise ValueError(f"{path}: no trace: it is not a regular file")
        recording = cls()
        layout: tuple[NodeInfo, ...] = ()
        blackboard: Mapping[str, str] = {}
        number = 0
        for number, text in enumerate(Path(path).read_bytes().splitlines(keepends=True), 1):
            try:
                fields = json.loads(text)
            except (ValueError, RecursionError) as error:
                if number > 1 and not text.endswith(b"\n"):
                    warnings.warn(f"{path}:{number} breaks off and is left out", stacklevel=2)
                    break
                raise ValueError(f"{path}:{number}: no line of a trace: {error}") from error
            try:
                if number == 1:
                    _check_head(fields)
                elif "nodes" in fields:
                    layout = tuple(NodeInfo(*node) for node in fields["nodes"])
                elif "end" in fields:
                    recording.last_tick = int(fields["end"])
                    recording.last_time = fields.get("time")
                else:
                    if "blackboard" in fields:
                        blackboard = _written(blackboard, fields["blackboard"])
                    step = _step(fields, layout, blackboard)
                    recording.steps.append(step)
                    recording.last_tick, recording.last_time = step.tick, step.time
            except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError) as error:
                raise ValueError(f"{path}:{number}: no line of a trace: {error}") from error
        if not number:
            raise ValueError(f"{path}:1: no trace: the file is empty")
        return recording


def head_line() -> str:
    """Returns the first line of a recording's file."""
    return json.dumps({"format": "deepsim-btree trace", "version": VERSION})


def end_line(tick: int, time: float | None) -> str:
    """Returns the last line of a recording's file, with the final number of ticks and time [s]."""
    return json.dumps({"end": tick} if time is None else {"end": tick, "time": time})


class StepLines:
    """A converter of steps to lines of JSON with only the differences from the previous step."""

    def __init__(self) -> None:
        self._layout: tuple[NodeInfo, ...] | None = None
        self._blackboard: Mapping[str, str] = {}

    def of(self, steps: Iterable[Step]) -> Iterator[str]:
        """Yields the lines for the next steps, with a line for the nodes wherever these change."""
        for step in steps:
            layout, states, feedback = step.snapshot
            if layout is not self._layout:
                self._layout = layout
                yield json.dumps({"nodes": layout})
            fields: dict[str, Any] = {"call": step.call, "tick": step.tick, "time": step.time}
            fields.update(states=states, feedback=feedback, error=step.error)
            if step.blackboard is not self._blackboard:
                fields["blackboard"] = _writes(self._blackboard, step.blackboard)
                self._blackboard = step.blackboard
            yield json.dumps(
                {key: value for key, value in fields.items() if value not in (None, {})}
            )


def _writes(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, str | None]:
    """Returns the entries that were written, with None for deleted ones."""
    gone: dict[str, str | None] = {name: None for name in before if name not in after}
    new = {name: text for name, text in after.items() if before.get(name) != text}
    return {**gone, **new}


def _written(before: Mapping[str, str], writes: Mapping[str, str | None]) -> dict[str, str]:
    """Returns the entries after the changes that `_writes` has returned."""
    after = {**before, **writes}
    return {str(name): str(text) for name, text in after.items() if text is not None}


def _check_head(fields: dict[str, Any]) -> None:
    if fields.get("format") != "deepsim-btree trace":
        raise ValueError('it must start with {"format": "deepsim-btree trace", ...}')
    if fields.get("version") != VERSION:
        raise ValueError(f"version {fields.get('version')}, but only {VERSION} is known")


def _step(
    fields: dict[str, Any], layout: tuple[NodeInfo, ...], blackboard: Mapping[str, str]
) -> Step:
    states = fields["states"]
    if len(states) != len(layout) or not set(states) <= {*CURRENT, *OLDER}:
        raise ValueError(f"{states!r} are no states of {len(layout)} nodes")
    feedback = {int(position): text for position, text in fields.get("feedback", {}).items()}
    snapshot = Snapshot(layout, states, feedback)
    time, error = fields.get("time"), fields.get("error")
    return Step(fields["call"], fields["tick"], time, snapshot, error, blackboard)


def _difference(mine: Step, its: Step) -> str:
    if (mine.call, mine.tick) != (its.call, its.tick):
        return f"{mine.call} at tick {mine.tick}, but {its.call} at tick {its.tick}"
    where = f"{mine.call} at tick {mine.tick}"
    if mine.snapshot.nodes != its.snapshot.nodes:
        return f"{where}: the trees have other nodes"
    if mine.time != its.time:
        return f"{where}: time {mine.time}, but {its.time}"
    for node, state, other in zip(mine.snapshot.nodes, mine.snapshot.states, its.snapshot.states):
        if state != other:
            return f"{where}: node {node.name} is {state}, but {other}"
    for name in sorted({*mine.blackboard, *its.blackboard}):
        values = mine.blackboard.get(name), its.blackboard.get(name)
        if values[0] != values[1]:
            return f"{where}: entry {name} is {values[0]}, but {values[1]}"
    return f"{where}: feedback or errors differ"


# The parts of the page's script, in their order.
_SCRIPTS = ("run", "choice", "nodes", "timeline", "panel", "controls", "live")


def render_html(recording: Recording, title: str = "Behaviour tree") -> str:
    """Returns an HTML page that shows a recording: the tree, its timeline and its blackboard.

    The page opens at the last step. One can step, scrub, play, search, and jump between changes of
    a node. The page is a single file that loads no others, so it can be sent by e-mail.

    Args:
        recording: The recording.
        title: Text at the top of the page.

    Raises:
        ValueError: The recording is empty.
    """
    if not recording.steps:
        raise ValueError("the recording is empty: nothing can be shown")
    return render_page(title, recording.lines())


def render_page(title: str, lines: Iterable[str] = ()) -> str:
    """Returns the page with the lines of a recording; without lines, it gets them from a server."""
    folder = Path(__file__).parent / "page"
    script = "\n".join((folder / f"{name}.js").read_text(encoding="utf-8") for name in _SCRIPTS)
    data = json.dumps([json.loads(line) for line in lines], separators=(",", ":"))
    page = (folder / "page.html").read_text(encoding="utf-8")
    page = page.replace("@STYLE@", (folder / "page.css").read_text(encoding="utf-8"))
    page = page.replace("@SCRIPT@", script).replace("@TITLE@", escape(title, quote=False))
    before, after = page.rsplit("@DATA@", 1)
    return before + data.replace("<", "\\u003c") + after  # a name may be "</script>"
