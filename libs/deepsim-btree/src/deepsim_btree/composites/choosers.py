# SPDX-License-Identifier: Apache-2.0
"""Selectors that try their children by weight or by utility rather than in the order given."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Callable, Union

from deepsim_btree.arguments import check_int
from deepsim_btree.blackboard.key import Key
from deepsim_btree.status import FAILURE, RUNNING, SKIPPED, SUCCESS, Status
from deepsim_btree.stream import draw_weighted_order, stream_start

from .composite import Composite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deepsim_btree.behaviour import Behaviour

    Utility = Union[Callable[[], float], float, Key]


class Chooser(Composite):
    """The base of selectors that decide the order of their children at the start of each run.

    It succeeds as soon as a child succeeds, and fails when all have failed or were INVALID.
    """

    __slots__ = ("_order", "_turn")

    def __init__(self, children: Iterable[Behaviour] = (), name: str | None = None) -> None:
        super().__init__(children, name)
        self._order: tuple[int, ...] = ()
        self._turn = 0

    def decide(self) -> tuple[int, ...]:
        """Returns the positions of the children in the order in which they are tried."""
        raise NotImplementedError(f"{type(self).__name__} must override decide()")

    def update(self) -> Status:
        """Ticks the current child of the order, and the next ones if it fails."""
        if self.status is not RUNNING:
            self._order = self.decide()
            self._turn = 0
        order = self._order
        while self._turn < len(order):
            status = self.tick_child(self._children[order[self._turn]])
            if status is RUNNING or status is SUCCESS:
                return status
            self._turn += 1
        is_skipped = order and all(self._children[place].status is SKIPPED for place in order)
        return SKIPPED if is_skipped else FAILURE


class WeightedSelector(Chooser):
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

    __slots__ = ("_stream", "seed", "weights")

    def __init__(
        self,
        children: Iterable[Behaviour] = (),
        name: str | None = None,
        *,
        weights: Iterable[float],
        seed: int | None = None,
    ) -> None:
        super().__init__(children, name)
        self.weights = tuple(_weight(value) for value in weights)
        self.seed = None if seed is None else check_int("seed", seed)
        self._stream: int | None = None
        for problem in _unequal(self, "weights", self.weights):
            raise ValueError(problem)

    def decide(self) -> tuple[int, ...]:
        """Draws the order."""
        for problem in _unequal(self, "weights", self.weights):
            raise ValueError(problem)
        if self._stream is None:
            tree = self._find_tree()
            self._stream = stream_start(self.seed, 0 if tree is None else tree.seed, self.path)
        self._stream, order = draw_weighted_order(self._stream, self.weights)
        return order

    def reset(self) -> None:
        """Resets the node; its stream of random numbers restarts from the seed."""
        super().reset()
        self._stream = None

    def problems(self) -> Iterator[str]:
        """Yields problems with the setup of the node; `Tree.validate` collects them."""
        yield from super().problems()
        yield from _unequal(self, "weights", self.weights)


class UtilitySelector(Chooser):
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
        self,
        children: Iterable[Behaviour] = (),
        name: str | None = None,
        *,
        utilities: Iterable[Utility],
    ) -> None:
        super().__init__(children, name)
        self.utilities = tuple(utilities)
        for utility in self.utilities:
            is_number = isinstance(utility, (int, float)) and not isinstance(utility, bool)
            if not is_number and not isinstance(utility, Key) and not callable(utility):
                raise TypeError(f"a utility must be a function, a key or a number, got {utility!r}")
        for problem in _unequal(self, "utilities", self.utilities):
            raise ValueError(problem)

    def values(self) -> list[float]:
        """Returns the current utilities of the children.

        Raises:
            ValueError: A utility is NaN, or there is not one per child.
        """
        for problem in _unequal(self, "utilities", self.utilities):
            raise ValueError(problem)
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

    def problems(self) -> Iterator[str]:
        """Yields problems with the setup of the node; `Tree.validate` collects them."""
        yield from super().problems()
        yield from _unequal(self, "utilities", self.utilities)


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
        children: Iterable[Behaviour] = (),
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
        values = self.values()
        for place, child in enumerate(self._children):
            if child.status is RUNNING:
                values[place] += self.margin
        # Of children with equal values, the RUNNING one comes first.
        ranks = [
            (-value, child.status is not RUNNING) for value, child in zip(values, self._children)
        ]
        return tuple(sorted(range(len(ranks)), key=ranks.__getitem__))

    def update(self) -> Status:
        """Tries the children from the best one, and halts a RUNNING child that is not chosen."""
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


def _unequal(node: Composite, argument: str, values: tuple[object, ...]) -> Iterator[str]:
    """Yields a problem if there is not one value per child."""
    if len(values) != len(node.children):
        yield f"{argument} must be one for each of {len(node.children)} children, got {len(values)}"
