# SPDX-License-Identifier: Apache-2.0
"""RandomSequence and RandomSelector: a fresh order of the children for every run."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from .arguments import check_int
from .memory import MemoryComposite
from .parent import Parent, Steps
from .status import FAILURE, RUNNING, SUCCESS, Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .behaviour import Behaviour


class RandomComposite(MemoryComposite):
    """Runs its children with memory, in an order that is drawn anew at the start of each run.

    Every node draws from a stream of random numbers of its own. The stream starts from `seed`,
    or from the seed of the tree together with the path of the node; the global `random` is
    neither read nor changed. The same seed gives the same orders on every version of Python.

    Args:
        children: The nodes below.
        name: Name of the node; that of its class if None.
        seed: Start of the stream; None to follow the seed of the tree (0 outside a tree).

    Raises:
        TypeError: `seed` is neither an int nor None.
    """

    __slots__ = ("_order", "_stream", "seed")

    def __init__(
        self,
        children: Iterable[Behaviour] = (),
        name: str | None = None,
        *,
        seed: int | None = None,
    ) -> None:
        super().__init__(children, name)
        self.seed = None if seed is None else check_int("seed", seed)
        self._order: list[int] = []
        self._stream: random.Random | None = None

    def update(self) -> Status:
        """Draw an order if a run starts, then run the children in that order."""
        if self.status is not RUNNING:
            self._shuffle()
        return super().update()

    def reset(self) -> None:
        """Become as good as new: the stream of random numbers starts from its seed again."""
        super().reset()
        self._stream = None

    def problems(self) -> Iterator[str]:
        """Say what is wrong with how the node was set up; `Tree.validate` asks every node."""
        return Parent.problems(self)  # In random order every child may have its turn.

    def _shuffle(self) -> None:
        stream = self._stream
        if stream is None:
            stream = self._stream = random.Random(self._stream_name())
        # Of the methods of Random only random() is promised to stay the same in later Pythons.
        self._order = sorted(range(len(self._children)), key=lambda _: stream.random())
        self._steps = Steps()

    def _stream_name(self) -> str:
        # Random hashes a str by SHA-512, which unlike hash() is the same in every process.
        if self.seed is not None:
            return str(self.seed)
        return f"{0 if self._tree is None else self._tree.seed} {self.path}"

    def _make_steps(self) -> Steps:
        children = (self._children[index] for index in self._order)
        self._steps = Steps(
            (position, child, child._entry()) for position, child in enumerate(children)
        )
        return self._steps


class RandomSequence(RandomComposite):
    """A `Sequence` whose children run in a new random order each time it starts."""

    __slots__ = ()
    go_on = SUCCESS


class RandomSelector(RandomComposite):
    """A `Selector` whose children run in a new random order each time it starts."""

    __slots__ = ()
    go_on = FAILURE
