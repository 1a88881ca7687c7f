# SPDX-License-Identifier: Apache-2.0
"""Feed: takes the steps of a tree from its thread and hands them to any number of readers."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from itertools import islice
from typing import TYPE_CHECKING

from deepsim_btree.trace.recording import StepLines, end_line, head_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deepsim_btree.trace import Step

    from .control import Control
    from .profile import Profile

_AT_ONCE = 1000  # steps
_INTERVAL = 0.05  # [s] between what one reader gets, however fast the tree ticks
_REPORTS = 0.5  # [s] between two reports of the times of nodes
_SILENCE = 1.0  # [s] after which a reader gets something nevertheless, which shows if it is gone


class Feed:
    """Keeps the latest steps; every reader has its own place among them.

    The tree's thread only appends and never waits: all else is done in the threads of the readers,
    and one that falls behind misses steps.

    Args:
        limit: Number of steps that are kept.
        control: Its state is sent too.
        profile: The times of the nodes, sent while they are measured.
    """

    def __init__(self, limit: int, control: Control, profile: Profile) -> None:
        self._limit = limit
        self._control = control
        self._profile = profile
        self._steps: deque[Step] = deque(maxlen=limit)
        self._count = 0  # of all steps so far
        self._end: tuple[int, float | None] = 0, None
        self._changed = threading.Condition()
        self._closed = threading.Event()

    def put(self, step: Step | None, tick: int, time: float | None) -> None:
        """Takes a step, or None if a tick changed nothing.

        Args:
            step: The step.
            tick: Number of ticks so far.
            time: Time on the clock of the tree [s], if it has one.
        """
        with self._changed:
            if step is not None:
                self._steps.append(step)
                self._count += 1
            self._end = tick, time
            self._changed.notify_all()

    def close(self) -> None:
        """Ends all readers, after they got the last steps."""
        self._closed.set()
        with self._changed:
            self._changed.notify_all()

    def read(self) -> Iterator[str]:
        """Yields arrays of lines of JSON until the feed is closed; an empty one shows life."""
        lines = StepLines()
        head = json.loads(head_line())
        yield json.dumps([{**head, "limit": self._limit}])
        position, end, version, next_report = 0, None, -1, 0.0
        while True:
            with self._changed:
                is_closed = self._closed.is_set()
                is_same = position == self._count and end == self._end
                if is_same and version == self._control.version and not is_closed:
                    self._changed.wait(_SILENCE)
                first = self._count - len(self._steps)
                position = max(position, first)
                steps = list(islice(self._steps, position - first, position - first + _AT_ONCE))
                position += len(steps)
                is_all = position == self._count
                end = self._end
            batch = list(lines.of(steps))
            if is_all:
                batch.append(end_line(*end))
            if version != self._control.version:
                version = self._control.version
                batch.append(self._control.line())
            if self._control.is_measuring and is_all and time.monotonic() >= next_report:
                next_report = time.monotonic() + _REPORTS
                batch.append(json.dumps({"spent": self._profile.spent()}))
            yield "[" + ",".join(batch) + "]"
            if is_all:
                if is_closed:
                    return
                self._closed.wait(_INTERVAL)
