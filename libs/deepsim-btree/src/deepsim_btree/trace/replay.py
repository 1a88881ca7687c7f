# SPDX-License-Identifier: Apache-2.0
"""Replay of a recording by a tree whose leaves repeat their recorded answers."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from deepsim_btree.behaviour import Behaviour
from deepsim_btree.errors import BusyError
from deepsim_btree.levels import all_paths
from deepsim_btree.snapshot import CURRENT
from deepsim_btree.status import INVALID, RUNNING, Status
from deepsim_btree.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .recording import Recording, Step


def replay(
    recording: Recording,
    root: Behaviour,
    *,
    seed: int = 0,
    blackboard: Mapping[str, Any] | None = None,
) -> Tree:
    """Returns a tree whose leaves repeat their recorded answers, to study a run without its world.

    For example, a run on a robot can be watched later in a `TreeViewer`, tick by tick and with
    breakpoints. If the control nodes differ from the recorded ones, the replay shows where they
    decide differently: a leaf that is ticked but did not run in that tick of the recording raises
    an error. The tree's clock gives the recorded times.

    Control nodes run normally. Those that call a function, such as a `Guard`, or read a blackboard
    entry repeat their decisions only if the function or entry gives the same values as before.
    Halts between two ticks are not replayed: call `Tree.halt` yourself.

    >>> from deepsim_btree import Action, Sequence, Success
    >>> from deepsim_btree.trace import Trace
    >>> answers = iter([Status.RUNNING, Status.FAILURE])
    >>> make = lambda drive: Sequence([Success("ready"), Action(drive, name="drive")], "go")
    >>> tree = Tree(make(lambda: next(answers)))
    >>> with Trace(tree) as trace:
    ...     statuses = tree.tick(), tree.tick()
    >>> again = replay(trace.recording, make(print))
    >>> again.tick().name, again.tick().name
    ('RUNNING', 'FAILURE')

    Args:
        recording: A recording that begins with the first tick; only its first episode is replayed.
        root: A node like the recorded root. Its control nodes are copied; its leaves are replaced
            with recorded ones of the same paths.
        seed: The seed of the recorded tree.
        blackboard: The blackboard or its initial entries, as for `Tree`.

    Raises:
        ValueError: The recording begins after the first tick.
        BusyError: The root is RUNNING.
    """
    episode: list[Step] = []
    for step in recording.steps:
        if step.call == "reset" and episode:
            break
        episode.append(step)
    if not episode or episode[0].tick > 0:
        first = episode[0].tick if episode else None
        raise ValueError(f"the recording must begin before the first tick, not at {first}")
    last = recording.last_tick if len(episode) == len(recording.steps) else episode[-1].tick
    run = _Run(episode, last)
    twin = _copied(root, run)
    for node in twin.walk():
        node.reset()
    has_clock = any(step.time is not None for step in episode)
    tree = Tree(twin, clock=run.time if has_clock else None, seed=seed, blackboard=blackboard)
    run.tree = tree
    return tree


def _copied(root: Behaviour, run: _Run) -> Behaviour:
    """Returns a copy of a tree's control nodes with `Recorded` leaves.

    Raises:
        BusyError: The root is RUNNING.
    """
    if root.status is RUNNING:
        raise BusyError(f"{root.path} is RUNNING: halt() its tree before its nodes are copied")
    paths = all_paths(root)
    start = len(root.path) - len(root.name)  # recorded paths begin with the recorded root
    memo: dict[int, Any] = {id(root._owner): None}
    for node in root.walk():
        if not node.children:
            memo[id(node)] = Recorded(paths[id(node)][start:], node.name, run)
    twin: Behaviour = copy.deepcopy(root, memo)
    for parent in twin.walk():
        for child in parent.children:
            child._owner = parent  # type: ignore[assignment]
    return twin


class _Run:
    """The answers of leaves in one recorded episode, by tick and path."""

    def __init__(self, episode: list[Step], last_tick: int) -> None:
        self.last_tick = last_tick
        self.tree: Tree | None = None
        self._steps = {step.tick: step for step in episode if step.call == "tick"}
        self._first = episode[0]
        self._step = self._first
        self._step_tick = 0
        self._places: dict[str, int] = {}
        self._layout: object = None

    def __deepcopy__(self, memo: object) -> _Run:
        return self  # it only caches what it reads from the recording

    def step(self, tick: int) -> Step:
        """Returns the step with the outcome of a tick."""
        if tick < self._step_tick:  # the tree was reset
            self._step, self._step_tick = self._first, 0
        while self._step_tick < tick:
            self._step_tick += 1
            self._step = self._steps.get(self._step_tick, self._step)
        return self._step

    def time(self) -> float:
        """Returns the recorded time of the tick that begins, or the last known time [s]."""
        assert self.tree is not None, "a tree reads its clock in a tick"
        time = self.step(self.tree.tick_count + 1).time
        return 0.0 if time is None else time

    def answer(self, path: str, tick: int) -> Status:
        """Returns the recorded answer of the leaf at a path in a tick.

        Raises:
            RuntimeError: The leaf did not run in that tick of the recording, raised an error or
                does not exist.
        """
        if tick > self.last_tick:
            raise RuntimeError(f"the recording ends with tick {self.last_tick}")
        snapshot = self.step(tick).snapshot
        if snapshot.nodes is not self._layout:
            self._layout = snapshot.nodes
            self._places = {path: place for place, path in enumerate(snapshot.paths())}
        place = self._places.get(path)
        if place is None:
            raise RuntimeError(f"the recorded tree has no node {path}")
        error = self.step(tick).error
        if error is not None and error.startswith(f"tick {tick}, node {path}: "):
            raise RuntimeError(f"recorded: {error}")
        if snapshot.states[place] not in CURRENT:
            raise RuntimeError(f"it did not run in tick {tick} of the recording")
        status = snapshot.status(place)
        # A leaf that ran and is INVALID was halted later in the tick, so it had answered RUNNING.
        return RUNNING if status is INVALID else status


class Recorded(Behaviour):
    """A leaf that repeats the recorded answers of the leaf with the same path."""

    __slots__ = ("_path", "_run")

    def __init__(self, path: str, name: str, run: _Run) -> None:
        super().__init__(name)
        self._path = path
        self._run = run

    def update(self) -> Status:
        """Returns the recorded answer of the current tick."""
        return self._run.answer(self._path, self.tree.tick_count)
