# SPDX-License-Identifier: Apache-2.0
"""RandomSequence and RandomSelector: a new order of the children for every run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from deepsim_btree.arguments import check_int
from deepsim_btree.behaviour import Behaviour
from deepsim_btree.parent import Parent
from deepsim_btree.status import FAILURE, RUNNING, SUCCESS, Status
from deepsim_btree.stream import draw_order, stream_start
from deepsim_btree.tag import Attribute, Tag

from .composite import Composite
from .serial import tick_in_turn


class RandomComposite(Composite):
    """The base of composites that draw the order of their children at the start of each run.

    Every node has its own stream of random numbers, which starts from `seed`, or else from the seed
    of the tree and the path of the node. The global `random` is neither read nor changed. The same
    seed gives the same orders on every version of Python.

    Args:
        seed: Seed of the stream; None derives it from the seed of the tree (0 outside a tree).

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
        """Draws an order at the start of a run, then runs the children in that order."""
        if self.status is not RUNNING:
            self._order = self.draw_order()
        return tick_in_turn(self, [self._children[index] for index in self._order])

    def draw_order(self) -> tuple[int, ...]:
        """Returns the next random order from the stream of the node."""
        if self._stream is None:
            tree = self._find_tree()
            tree_seed = 0 if tree is None else tree.seed
            self._stream = stream_start(self.seed, tree_seed, self.path)
        self._stream, order = draw_order(self._stream, len(self._children))
        return order

    def reset(self) -> None:
        """Resets the node; its stream of random numbers restarts from the seed."""
        super().reset()
        self._stream = None

    def problems(self) -> Iterator[str]:
        """Yields problems with the setup of the node; `Tree.validate` collects them."""
        return Parent.problems(self)  # In a random order, every child may be ticked.


class RandomSequence(RandomComposite):
    """A `Sequence` whose children run in a new random order each time it starts.

    >>> from deepsim_btree import Tree
    >>> from deepsim_btree.testing import Scripted
    >>> tree = Tree(RandomSequence([Scripted("S", "wash"), Scripted("S", "dry")]), seed=3)
    >>> tree.tick().name
    'SUCCESS'
    """

    __slots__ = ()
    xml_tags = (Tag("RandomSequence", in_btcpp=False, seed=Attribute("seed", int, None)),)
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
    xml_tags = (Tag("RandomSelector", in_btcpp=False, seed=Attribute("seed", int, None)),)
    go_on = FAILURE
