# SPDX-License-Identifier: Apache-2.0
"""Control, which stops and resumes a tree between two ticks, and Profile, which times its nodes."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from typing import Any

from deepsim_btree.behaviour import Behaviour
from deepsim_btree.status import Status
from deepsim_btree.trace import Step
from deepsim_btree.tree import Tree

_GRACE = 3.0  # time for which a stopped tree waits for a page to be reloaded [s]


class Control:
    """A switch with which pages in the browser stop and resume the thread of a tree.

    A stopped tree continues when the last page is closed.

    Attributes:
        watchers: Number of pages that are open.
        version: A number that grows with every change.
        is_measuring: Whether a page has asked to measure the times of nodes.
    """

    def __init__(self) -> None:
        self.watchers = 0
        self.version = 0
        self.is_measuring = False
        self._changed = threading.Condition()
        self._is_stopped = False
        self._is_closed = False
        self._reason = ""
        self._ticks = 0  # number of ticks that a stopped tree may make
        self._stops: dict[str, str] = {}  # from paths of nodes to the letters of statuses
        self._places: dict[str, int] = {}
        self._layout: object = None
        self._states = ""

    def line(self) -> str:
        """Returns the state as a line of JSON for pages."""
        with self._changed:
            stops = sorted(self._stops.items())
            state = {"stopped": self._is_stopped, "reason": self._reason, "stops": stops}
            return json.dumps({"control": {**state, "measuring": self.is_measuring}})

    def command(self, fields: dict[str, Any]) -> None:
        """Executes a command from a page.

        Args:
            fields: ``{"stopped": bool}``, ``{"tick": True}`` (a single one while stopped),
                ``{"measuring": bool}``, or ``{"path": path of a node, "stop": letters of R, S and
                F}``.

        Raises:
            ValueError: `fields` is none of these commands.
        """
        with self._changed:
            if fields == {"stopped": True} or fields == {"stopped": False}:
                self._is_stopped, self._reason, self._ticks = fields["stopped"], "", 0
            elif fields == {"tick": True}:
                self._ticks = int(self._is_stopped)
            elif fields == {"measuring": True} or fields == {"measuring": False}:
                self.is_measuring = fields["measuring"]
            else:
                self._set_stop(fields)
            self._notify()

    def watch(self, count: int) -> None:
        """Counts pages that were opened (1) or left (-1)."""
        with self._changed:
            self.watchers += count
            self._changed.notify_all()

    def close(self) -> None:
        """Lets the tree continue; from then on, nothing stops it."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def look(self, step: Step) -> None:
        """Stops the tree if a step reaches a breakpoint; called by the thread of the tree."""
        nodes, states, _ = step.snapshot
        before, self._states = self._states, states
        if nodes is not self._layout:
            self._layout, before = nodes, ""
            self._places.clear()
        if not self._stops or not self.watchers:
            return
        if not self._places:
            self._places = {path: place for place, path in enumerate(step.snapshot.paths())}
        with self._changed:
            for path, letters in self._stops.items():
                place = self._places.get(path, -1)
                letter = states[place] if place >= 0 else ""
                if letter and letter in letters and before[place : place + 1] != letter:
                    self._is_stopped, self._ticks = True, 0
                    self._reason = f"{path} is {step.snapshot.status(place).name}"
                    self._notify()
                    break

    def hold(self) -> None:
        """Waits while the tree is stopped; called by the thread of the tree after each tick."""
        if not self._is_stopped:
            return
        with self._changed:
            alone_since: float | None = None
            while self._is_stopped and not self._is_closed and not self._ticks:
                if self.watchers:
                    alone_since = None
                elif alone_since is None:
                    alone_since = time.monotonic()
                elif time.monotonic() - alone_since > _GRACE:
                    self._is_stopped, self._reason = False, ""
                    self._notify()
                    break
                self._changed.wait(0.2)
            self._ticks = max(0, self._ticks - 1)

    def _set_stop(self, fields: dict[str, Any]) -> None:
        path, letters = fields.get("path"), fields.get("stop")
        if len(fields) != 2 or not isinstance(path, str) or not isinstance(letters, str):
            raise ValueError(f"expected stopped, tick, measuring, or path and stop, got {fields!r}")
        if not set(letters) <= set("RSF"):
            raise ValueError(f"stop must have letters of RSF, got {letters!r}")
        if letters:
            self._stops[path] = letters
        else:
            self._stops.pop(path, None)

    def _notify(self) -> None:
        self.version += 1
        self._changed.notify_all()


class Profile:
    """A stopwatch for each node of a tree, from `start` until `stop`.

    Args:
        tree: The tree.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._is_on = False
        self._spent: dict[Behaviour, list[float]] = {}  # ticks and time [s]

    def switch(self, is_on: bool) -> None:
        """Starts or stops the measurement; called by the thread of the tree."""
        if is_on is not self._is_on:
            self._is_on = is_on
            (self._tree.wrap if is_on else self._tree.unwrap)(self._measure)

    def spent(self) -> list[list[float]]:
        """Returns the number of ticks and their total time [s] for each node, in tree order."""
        nodes = self._tree.root.walk()
        return [list(self._spent.get(node, (0, 0.0))) for node in nodes]

    def _measure(self, node: Behaviour, tick: Callable[[], Status]) -> Status:
        start = time.perf_counter()
        try:
            return tick()
        finally:
            spent = self._spent.setdefault(node, [0, 0.0])
            spent[0] += 1
            spent[1] += time.perf_counter() - start
