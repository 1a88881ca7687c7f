# SPDX-License-Identifier: Apache-2.0
"""Trace: it watches a tree and records every tick at which something changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from deepsim_btree.snapshot import Snapshot, describe, feedback, letters

from .recording import Recording, Step, head_line, layout_line, step_line

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

    from deepsim_btree.behaviour import Behaviour
    from deepsim_btree.errors import TickError
    from deepsim_btree.tree import Tree


class Trace:
    """Records what the nodes of a tree answer, from the moment it is made until it is closed.

    It looks at the nodes after each tick, so a tree that is not traced pays nothing, and within
    a tick it sees the outcome, not the order. A tick that looks like the one before it is not
    recorded again. It can be used in a ``with`` statement.

    >>> from deepsim_btree import Running, Sequence, Success, Tree
    >>> tree = Tree(Sequence([Success("ready"), Running("drive")], "go"))
    >>> with Trace(tree) as trace:
    ...     for _ in range(5):
    ...         status = tree.tick()
    >>> [(step.tick, step.snapshot.states) for step in trace.recording.steps]
    [(0, '...'), (1, 'RSR'), (2, 'RsR')]

    Args:
        tree: What to watch.
        limit: Keep only so many steps, the latest; None for all.
        stream: A text file, open for writing, that gets each step at once as a line of JSON, so
            that a crash loses nothing. It is not closed.

    Attributes:
        recording: What was recorded; it grows with the tree.

    Raises:
        ValueError: `limit` is less than 1.
    """

    def __init__(
        self, tree: Tree, *, limit: int | None = None, stream: TextIO | None = None
    ) -> None:
        self.recording = Recording(limit=limit)
        self._tree = tree
        self._stream = stream
        self._nodes: list[Behaviour] = []
        self._revision = -1
        self._states = ""
        self._messages: list[str] = []
        self._feedback: dict[int, str] = {}
        if stream is not None:
            stream.write(head_line() + "\n")
        self._observe("start", None)
        tree.subscribe(self._observe)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop recording.

        Raises:
            ValueError: It was closed before.
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
        states = letters(nodes, tick)
        messages = [node.feedback_message for node in nodes]
        self.recording.last_tick = tick
        if messages != self._messages or is_new:
            self._messages = messages
            self._feedback = feedback(nodes)
        elif states == self._states and error is None:
            return
        self._states = states
        layout = describe(nodes) if is_new else self.recording.steps[-1].snapshot.nodes
        snapshot = Snapshot(layout, states, self._feedback)
        time = None if tree.clock is None or tick == 0 else tree.now
        step = Step(call, tick, time, snapshot, None if error is None else str(error))
        self.recording.steps.append(step)
        if self._stream is not None:
            if is_new:
                self._stream.write(layout_line(layout) + "\n")
            self._stream.write(step_line(step) + "\n")
