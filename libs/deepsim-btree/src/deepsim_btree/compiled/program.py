# SPDX-License-Identifier: Apache-2.0
"""The compiled form of a `Template`: functions, and the initial state of an agent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, List, NamedTuple

from deepsim_btree.stream import stream_start

if TYPE_CHECKING:
    from deepsim_btree.status import Status

    from .own_node import OwnNode

State = List[Any]


class Program(NamedTuple):
    """A tree that is compiled for the agents of a `Template`."""

    source: str
    """Text of the functions, for debugging."""
    filename: str
    """File name of this text in tracebacks."""
    owners: tuple[str, ...]
    """Path of the node that each line of the text belongs to."""
    tick: Callable[[Any, State], Status]
    """Ticks the root, given an agent and its state."""
    run_slots: tuple[object, ...]
    """Initial values of the run slots, which come first in the state."""
    lasting_slots: tuple[object, ...]
    """Initial values of the other slots, which survive halts."""
    streams: tuple[tuple[int, int | None, str], ...]
    """Slots of streams of random numbers with the seeds and paths of their nodes."""
    own: tuple[OwnNode, ...]
    """The leaves and branches that are copied for every agent, from left to right."""

    def fresh_state(self, seed: int) -> State:
        """Returns the state of an agent before its first tick, without its copies of nodes."""
        state = [*self.run_slots, *self.lasting_slots]
        for slot, own_seed, path in self.streams:
            state[slot] = stream_start(own_seed, seed, path)
        return state

    def culprit(self, error: Exception) -> str:
        """Returns the path of the node whose code raised `error`."""
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
