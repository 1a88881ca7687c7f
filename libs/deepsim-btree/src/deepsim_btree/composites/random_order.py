# SPDX-License-Identifier: Apache-2.0
"""RandomSequence and RandomSelector: a fresh order of the children for every run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deepsim_btree.arguments import check_int
from deepsim_btree.parent import Parent
from deepsim_btree.status import FAILURE, RUNNING, SUCCESS, Status
from deepsim_btree.stream import draw_order, stream_start

from .memory import MemoryComposite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deepsim_btree.behaviour import Behaviour


class RandomComposite(MemoryComposite):
    """Runs its children with memory, in an order that is drawn at the start of each run.

    Every node draws from a stream of random numbers of its own. The stream starts from `seed`,
    or from the seed of the tree together with the path of the node; the global `random` is
    neither read nor changed. The same seed gives the same orders on every version of Python.

    Args:
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
        self._order: tuple[int, ...] = ()
        self._stream: int | None = None

    def update(self) -> Status:
        """Draws an order if a run starts, then run the children in that order."""
        if self.status is not RUNNING:
            self._order = self.draw_order()
        return self._run_in_turn([self._children[index] for index in self._order])

    def draw_order(self) -> tuple[int, ...]:
        """Returns the next order of the stream of the node."""
        if self._stream is None:
            tree = self._find_tree()
            tree_seed = 0 if tree is None else tree.seed
            self._stream = stream_start(self.seed, tree_seed, self.path)
        self._stream, order = draw_order(self._stream, len(self._children))
        return order

    def reset(self) -> None:
        """Resets the node: the stream of random numbers starts from its seed again."""
        super().reset()
        self._stream = None

    def problems(self) -> Iterator[str]:
        """Yields problems with the setup of the node; `Tree.validate` collects them."""
        return Parent.problems(self)  # In random order every child may have its turn.


class RandomSequence(RandomComposite):
    """A `Sequence` whose children run in a new random order each time it starts."""

    __slots__ = ()
    go_on = SUCCESS


class RandomSelector(RandomComposite):
    """A `Selector` whose children run in a new random order each time it starts.

    >>> from deepsim_btree import Success, Tree
    >>> tree = Tree(RandomSelector([Success("left"), Success("right")]), seed=3)
    >>> tips = []
    >>> for _ in range(6):
    ...     status = tree.tick()
    ...     tips.append(tree.root.tip().name)
    >>> sorted(set(tips))
    ['left', 'right']
    """

    __slots__ = ()
    go_on = FAILURE
