# SPDX-License-Identifier: Apache-2.0
"""Feed, which passes the steps of a tree from its thread to any number of readers."""

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

    from .control import Control, Profile

_AT_ONCE = 1000  # steps
_INTERVAL = 0.05  # minimum time between two messages to a reader [s]
_REPORTS = 0.5  # time between two reports of the times of nodes [s]
_SILENCE = 1.0  # time without news after which a reader gets a message, to find lost ones [s]


class Feed:
    """A buffer of the latest steps, in which every reader has its own position.

    The tree's thread only appends steps and never waits. All other work is done in the threads of
    the readers. A reader that falls behind misses steps.

    Args:
        limit: Number of steps to keep.
        control: Source of the state of the controls, which is also sent.
        profile: Source of the times of nodes, which are sent while they are measured.
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
        """Adds a step, if any, and the number of ticks.

        Args:
            step: The new step; None if the last tick changed nothing.
            tick: Number of ticks so far.
            time: Time on the tree's clock [s]; None without a clock.
        """
        with self._changed:
            if step is not None:
                self._steps.append(step)
                self._count += 1
            self._end = tick, time
            self._changed.notify_all()

    def close(self) -> None:
        """Ends all readers after they have received the last steps."""
        self._closed.set()
        with self._changed:
            self._changed.notify_all()

    def read(self) -> Iterator[str]:
        """Yields JSON arrays of lines until `close`; without news, about one per second."""
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
