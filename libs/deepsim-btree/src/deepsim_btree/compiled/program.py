# SPDX-License-Identifier: Apache-2.0
"""The result of compiling a tree: functions, and what the state of one agent starts from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, List, NamedTuple

from deepsim_btree.stream import stream_start

if TYPE_CHECKING:
    from deepsim_btree.status import Status

    from .own_node import OwnNode

State = List[Any]


class Program(NamedTuple):
    """A compiled tree."""

    source: str
    """The text of the functions, for people."""
    filename: str
    """What tracebacks call that text."""
    owners: tuple[str, ...]
    """For each line of the text the path of the node that is at work there."""
    tick: Callable[[Any, State], Status]
    """Ticks the root, given an agent and its state."""
    run_slots: tuple[object, ...]
    """What the slots of runs, the first of the state, start from."""
    lasting_slots: tuple[object, ...]
    """What the other slots, which survive halts, start from."""
    streams: tuple[tuple[int, int | None, str], ...]
    """Slots of streams of random numbers with the seeds and paths of their nodes."""
    own: tuple[OwnNode, ...]
    """The leaves and branches that every agent has a copy of, from the left."""

    def fresh_state(self, seed: int) -> State:
        """Returns the state of an agent that was never ticked, still without nodes."""
        state = [*self.run_slots, *self.lasting_slots]
        for slot, own_seed, path in self.streams:
            state[slot] = stream_start(own_seed, seed, path)
        return state

    def culprit(self, error: Exception) -> str:
        """Returns the path of the node that was at work when `error` was raised."""
        return self.owners[line_of(error, self.filename) - 1]


def line_of(error: Exception, filename: str) -> int:
    """Returns the last line of a text in an error's traceback, or 1 if the traceback has none."""
    line = 1
    traceback = error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == filename:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line
