# SPDX-License-Identifier: Apache-2.0
"""Composites that run their children in an order of each run: random, by weight or by utility."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator
from typing import Callable, Union

from deepsim_btree.arguments import check_int
from deepsim_btree.blackboard import Key
from deepsim_btree.parent import Children, Composite, Parent
from deepsim_btree.status import FAILURE, RUNNING, SKIPPED, SUCCESS, Status
from deepsim_btree.tag import Attribute, Tag

from .serial import tick_in_turn

# A stream of random numbers whose whole state is one int: SplitMix64 (Steele, Lea and Flood, "Fast
# splittable pseudorandom number generators", OOPSLA 2014). `random.Random` keeps 2.5 kB per stream,
# too much for one node of each of 10,000 agents, and numpy cannot draw from many at once.
MASK = 2**64 - 1
STEP = 0x9E3779B97F4A7C15
MIXERS = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
LAST_SHIFT = 31

Utility = Union[Callable[[], float], float, Key]


class Ordered(Composite):
    """The base of composites that decide the order of their children at the start of each run."""

    __slots__ = ("_order",)
    go_on = FAILURE

    def __init__(self, children: Children = (), name: str | None = None) -> None:
        super().__init__(children, name)
        self._order: tuple[int, ...] = ()

    def decide(self) -> tuple[int, ...]:
        """Returns the positions of the children in the order in which they are ticked."""
        raise NotImplementedError(f"{type(self).__name__} must override decide()")

    def update(self) -> Status:
        if self.status is not RUNNING:
            self._order = self.decide()
        return tick_in_turn(self, [self._children[index] for index in self._order])

    def problems(self) -> Iterator[str]:
        yield from Parent.problems(self)  # In another order, every child may be ticked.
        yield from self._unequal()

    def _unequal(self) -> Iterator[str]:
        """Yields a problem if there is not one weight or utility per child."""
        for argument in ("weights", "utilities"):
            count, given = len(self._children), len(getattr(self, argument, self._children))
            if given != count:
                yield f"{argument} must be one for each of {count} children, got {given}"

    def _check_equal(self) -> None:
        for problem in self._unequal():
            raise ValueError(problem)


class RandomComposite(Ordered):
    """The base of composites that draw the order of their children at the start of each run.

    Every node has its own stream of random numbers, which starts from `seed`, or else from the seed
    of the tree and the path of the node. The global `random` is neither read nor changed. The same
    seed gives the same orders on every version of Python.

    Args:
        seed: Seed of the stream; None derives it from the seed of the tree (0 outside a tree).

    Raises:
        TypeError: `seed` is neither an int nor None.
    """

    __slots__ = ("_stream", "seed")

    def __init__(
        self, children: Children = (), name: str | None = None, *, seed: int | None = None
    ) -> None:
        super().__init__(children, name)
        self.seed = None if seed is None else check_int("seed", seed)
        self._stream: int | None = None

    def decide(self) -> tuple[int, ...]:
        """Draws an order from the stream of the node."""
        if self._stream is None:
            tree = self._find_tree()
            self._stream = stream_start(self.seed, 0 if tree is None else tree.seed, self.path)
        self._stream, numbers = draw(self._stream, len(self._children))
        return self._order_by(numbers)

    def _order_by(self, numbers: list[int]) -> tuple[int, ...]:
        """Returns the order for random integers of 64 bits, one per child."""
        return tuple(sorted(range(len(numbers)), key=numbers.__getitem__))

    def reset(self) -> None:
        super().reset()
        self._stream = None


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


class WeightedSelector(RandomComposite):
    """A selector that tries its children in a random order, drawn by weight for each run.

    A child with twice the weight of another is tried first twice as often. As in
    `RandomSelector`, each node has its own stream of random numbers, which is the same on every
    machine.

    >>> from deepsim_btree import Success, Tree
    >>> tree = Tree(WeightedSelector([Success("often"), Success("rarely")], weights=[3, 1]), seed=1)
    >>> tips = []
    >>> for _ in range(1000):
    ...     status = tree.tick()
    ...     tips.append(tree.root.tip().name)
    >>> tips.count("often")
    763

    Args:
        weights: A number above 0 for each child.
        seed: Seed of the stream; None derives it from the seed of the tree (0 outside a tree).

    Raises:
        TypeError: A weight is not a number, or `seed` neither an int nor None.
        ValueError: A weight is not finite and above 0, or there is not one weight per child.
    """

    __slots__ = ("weights",)

    def __init__(
        self,
        children: Children = (),
        name: str | None = None,
        *,
        weights: Iterable[float],
        seed: int | None = None,
    ) -> None:
        super().__init__(children, name, seed=seed)
        self.weights = tuple(_weight(value) for value in weights)
        self._check_equal()

    def decide(self) -> tuple[int, ...]:
        """Draws an order by weight from the stream of the node."""
        self._check_equal()
        return super().decide()

    def _order_by(self, numbers: list[int]) -> tuple[int, ...]:
        # Each place is drawn with probabilities in proportion to the weights that are left. Sums,
        # products and comparisons of floats are equal on every machine.
        left = list(range(len(numbers)))
        order = []
        for number in numbers:
            total = 0.0
            for place in left:  # sum() rounds otherwise from Python 3.12 on
                total += self.weights[place]
            mark = number / 2**64 * total
            chosen = left[-1]
            for place in left:
                mark -= self.weights[place]
                if mark < 0:
                    chosen = place
                    break
            left.remove(chosen)
            order.append(chosen)
        return tuple(order)


class UtilitySelector(Ordered):
    """A selector that tries the child with the highest utility first, then the next best.

    All utilities are read at the start of each run, before a child is tried. Of children with equal
    utilities, the earlier one comes first. `ReactiveUtilitySelector` reads them at every tick.

    >>> from deepsim_btree import Running, Tree, key
    >>> root = UtilitySelector([Running("eat"), Running("sleep")], utilities=[key("hunger"), 0.5])
    >>> tree = Tree(root, blackboard={"hunger": 0.8})
    >>> tree.tick().name, tree.root.tip().name
    ('RUNNING', 'eat')

    Args:
        utilities: For each child, a function without arguments that returns a number, the `key` of
            an entry that holds one, or a number.

    Raises:
        TypeError: A utility is neither a function, a key nor a number.
        ValueError: There is not one utility per child.
    """

    __slots__ = ("utilities",)

    def __init__(
        self, children: Children = (), name: str | None = None, *, utilities: Iterable[Utility]
    ) -> None:
        super().__init__(children, name)
        self.utilities = tuple(utilities)
        for utility in self.utilities:
            is_number = isinstance(utility, (int, float)) and not isinstance(utility, bool)
            if not is_number and not isinstance(utility, Key) and not callable(utility):
                raise TypeError(f"a utility must be a function, a key or a number, got {utility!r}")
        self._check_equal()

    def values(self) -> list[float]:
        """Returns the current utilities of the children.

        Raises:
            ValueError: A utility is NaN, or there is not one per child.
        """
        self._check_equal()
        values = []
        for child, utility in zip(self._children, self.utilities):
            found = utility.read(self) if isinstance(utility, Key) else utility
            value = float(found() if callable(found) else found)
            if math.isnan(value):
                raise ValueError(f"the utility of {child.name} is NaN")
            values.append(value)
        return values

    def decide(self) -> tuple[int, ...]:
        """Sorts the children by their utilities."""
        values = self.values()
        return tuple(sorted(range(len(values)), key=lambda place: -values[place]))


class ReactiveUtilitySelector(UtilitySelector):
    """A `UtilitySelector` that reads the utilities at every tick, and halts a child that loses.

    >>> from deepsim_btree import Running, Tree, key
    >>> children = [Running("eat"), Running("sleep")]
    >>> root = ReactiveUtilitySelector(children, utilities=[key("hunger"), 0.5])
    >>> tree = Tree(root, blackboard={"hunger": 0.8})
    >>> tree.tick().name, root.tip().name
    ('RUNNING', 'eat')
    >>> tree.blackboard["hunger"] = 0.1
    >>> tree.tick().name, root.tip().name
    ('RUNNING', 'sleep')

    Args:
        utilities: As for `UtilitySelector`.
        margin: Amount by which another utility must exceed that of the RUNNING child to replace it;
            prevents frequent changes between children of nearly equal utility.

    Raises:
        TypeError: A utility is neither a function, a key nor a number.
        ValueError: There is not one utility per child, or `margin` is negative or NaN.
    """

    __slots__ = ("margin",)

    def __init__(
        self,
        children: Children = (),
        name: str | None = None,
        *,
        utilities: Iterable[Utility],
        margin: float = 0.0,
    ) -> None:
        super().__init__(children, name, utilities=utilities)
        if not margin >= 0.0:
            raise ValueError(f"margin must be >= 0, got {margin!r}")
        self.margin = float(margin)

    def decide(self) -> tuple[int, ...]:
        """Sorts the children by their utilities, with the margin added for a RUNNING child."""
        # Of children with equal values, the RUNNING one comes first.
        ranks = [
            (-value - self.margin, 0) if child.status is RUNNING else (-value, 1)
            for value, child in zip(self.values(), self._children)
        ]
        return tuple(sorted(range(len(ranks)), key=ranks.__getitem__))

    def update(self) -> Status:
        running = next((child for child in self._children if child.status is RUNNING), None)
        order = self.decide()
        answer, skipped = FAILURE, 0
        for place in order:
            child = self._children[place]
            status = self.tick_child(child)
            if status is RUNNING or status is SUCCESS:
                answer = status
                if running is not None and running is not child:
                    running.halt()
                break
            skipped += status is SKIPPED
        return SKIPPED if order and skipped == len(order) else answer


def _weight(value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"a weight must be a number, got {value!r}")
    if not 0.0 < value < math.inf:
        raise ValueError(f"a weight must be finite and above 0, got {value!r}")
    return float(value)


def stream_start(seed: int | None, tree_seed: int, path: str) -> int:
    """Returns the initial state of a node's stream, from its own seed or else that of the tree."""
    name = f"{tree_seed} {path}" if seed is None else str(seed)
    # hash() differs from process to process.
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "little")


def draw(state: int, count: int) -> tuple[int, list[int]]:
    """Returns the next state of a stream and random integers of 64 bits."""
    numbers = []
    for _ in range(count):
        state = (state + STEP) & MASK
        number = state
        for shift, factor in MIXERS:
            number = ((number ^ (number >> shift)) * factor) & MASK
        numbers.append(number ^ (number >> LAST_SHIFT))
    return state, numbers
