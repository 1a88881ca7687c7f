# SPDX-License-Identifier: Apache-2.0
"""Trace, which watches a tree and records every tick that changed something."""

from __future__ import annotations

import reprlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, TextIO

from deepsim_btree.behaviour import Behaviour
from deepsim_btree.blackboard import Entry
from deepsim_btree.decorators.subtree import SubTree
from deepsim_btree.errors import TickError
from deepsim_btree.snapshot import Snapshot, codes, describe, feedback, letters

from .recording import Recording, Step, StepLines, head_line

if TYPE_CHECKING:
    from typing_extensions import Self

    from deepsim_btree.tree import Tree


class Closing(ABC):
    """An object that a ``with`` statement closes."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @abstractmethod
    def close(self) -> None:
        """Stops watching the tree."""


class Trace(Closing):
    """A recorder of what the nodes of a tree answer, from its creation until it is closed.

    It looks at the nodes after each tick: it sees what the nodes answered but not in which order,
    and trees without a trace are not slowed. A tick with the same outcome as the previous one is
    not recorded again. A trace can be used in a ``with`` statement.

    >>> from deepsim_btree import Running, Sequence, Success, Tree
    >>> tree = Tree(Sequence([Success("ready"), Running("drive")], "go"))
    >>> with Trace(tree) as trace:
    ...     for _ in range(5):
    ...         status = tree.tick()
    >>> [(step.tick, step.snapshot.states) for step in trace.recording.steps]
    [(0, '...'), (1, 'RSR'), (2, 'RsR')]

    Args:
        tree: The tree to watch.
        limit: Number of most recent steps to keep; None for all.
        stream: A text file, open for writing, to which each step is written at once as a line of
            JSON, so that a crash loses nothing. The trace does not close it.
        blackboard: Whether to record the entries of the blackboards too, as text.

    Attributes:
        recording: The recording so far.

    Raises:
        ValueError: `limit` is less than 1.
    """

    def __init__(
        self,
        tree: Tree,
        *,
        limit: int | None = None,
        stream: TextIO | None = None,
        blackboard: bool = False,
    ) -> None:
        self.recording = Recording(limit=limit)
        self._tree = tree
        self._stream = stream
        self._nodes: list[Behaviour] = []
        self._revision = -1
        self._codes: list[int] = []
        self._feedback: dict[int, str] = {}
        self._feedback_count = -1
        self._has_ticked = False
        self._texts = BoardTexts(tree) if blackboard else None
        self._entries: Mapping[str, str] = {}
        self._lines = StepLines()
        if stream is not None:
            stream.write(head_line() + "\n")
        self._observe("start", None)
        tree.subscribe(self._observe)

    def close(self) -> None:
        """Stops recording.

        Raises:
            ValueError: The trace is closed already.
        """
        self._tree.unsubscribe(self._observe)
        if self._stream is not None:
            self._stream.flush()

    def _observe(self, call: str, error: TickError | None) -> None:
        tree = self._tree
        tick = tree.tick_count
        is_new = tree._revision != self._revision
        if is_new:
            self._nodes = list(tree.root.walk())
            self._revision = tree._revision
        nodes = self._nodes
        now = codes(nodes, tick)
        has_ticked = tick > 0  # before the first tick, the same codes mean other letters
        recording = self.recording
        time = None if tree.clock is None or not has_ticked else tree.now
        recording.last_tick, recording.last_time = tick, time
        is_change = (
            now != self._codes or error is not None or is_new or has_ticked is not self._has_ticked
        )
        if tree._feedback_count != self._feedback_count or is_new:
            self._feedback_count = tree._feedback_count
            messages = feedback(nodes)
            if messages != self._feedback:
                self._feedback = messages
                is_change = True
        if self._texts is not None:
            entries = self._texts.read()
            if entries is not self._entries:
                self._entries = entries
                is_change = True
        if not is_change:
            return
        self._codes = now
        self._has_ticked = has_ticked
        layout = describe(nodes) if is_new else recording.steps[-1].snapshot.nodes
        snapshot = Snapshot(layout, letters(now, tick), self._feedback)
        message = None if error is None else str(error)
        step = Step(call, tick, time, snapshot, message, self._entries)
        recording.steps.append(step)
        if self._stream is not None:
            self._stream.writelines(line + "\n" for line in self._lines.of([step]))


# Types whose values can change without a new write. Their texts are short, so cheap to compare.
_MUTABLE = (list, dict, set, tuple)
_LONGEST = 200


class _Texts(reprlib.Repr):
    """A shortened ``repr``, without memory addresses, which vary between runs."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 4
        self.maxlist = self.maxtuple = self.maxdict = self.maxset = self.maxdeque = 20
        self.maxstring = self.maxlong = self.maxother = _LONGEST

    def repr_instance(self, value: Any, level: int) -> str:
        own: Any = type(value).__repr__
        if own is object.__repr__:
            return f"<{type(value).__name__}>"
        return super().repr_instance(value, level)


shortened_repr = _Texts().repr
"""Returns the shortened ``repr`` of a value."""


class BoardTexts:
    """The entries of all blackboards of a tree as texts, updated from tick to tick.

    Entries of the tree's blackboard and its parents are known by their names, private entries of a
    `SubTree` by the path of that node, a colon and their names. The text of a list, tuple, dict or
    set is updated at every tick, other texts when the entry is written. So an object of another
    class that changes in place is shown as it was at the time of writing.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._revision = -1
        self._scopes: list[tuple[str, SubTree]] = []
        self._known: dict[str, tuple[Entry, int]] = {}
        self._texts: Mapping[str, str] = {}

    def read(self) -> Mapping[str, str]:
        """Returns the texts by name, in the same object as before if nothing changed."""
        known: dict[str, tuple[Entry, int]] = {}
        texts: dict[str, str] = {}
        for name, entry in self._entries():
            version = known[name] = (entry, entry.writes)
            is_old = self._known.get(name) == version and not isinstance(entry.value, _MUTABLE)
            texts[name] = self._texts[name] if is_old else shortened_repr(entry.value)
        self._known = known
        if texts != self._texts:
            self._texts = texts
        return self._texts

    def _entries(self) -> Iterator[tuple[str, Entry]]:
        tree = self._tree
        if tree._revision != self._revision:
            self._revision = tree._revision
            nodes = tree.root.walk()
            self._scopes = [(f"{n.path}:", n) for n in nodes if isinstance(n, SubTree)]
        for place, subtree in (("", None), *self._scopes):
            board = tree.blackboard if subtree is None else subtree.scope
            for name in list(board):
                source = board.entry(name).source()
                is_own = subtree is None or subtree.outside(name) is None
                if is_own and source is not None:
                    yield place + name, source
