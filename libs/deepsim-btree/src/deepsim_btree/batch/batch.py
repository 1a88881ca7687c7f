# SPDX-License-Identifier: Apache-2.0
"""Batch, one tree that ticks thousands of agents in one call, and the rule of each kind of node."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from types import FunctionType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from deepsim_btree.arguments import check_count, check_int, read_clock
from deepsim_btree.behaviour import Behaviour, all_paths
from deepsim_btree.btcpp.nodes import Stepwise, TryCatch
from deepsim_btree.composites import orders, serial
from deepsim_btree.composites.conditional import Guard, IfThenElse, Switch, WhileDoElse
from deepsim_btree.composites.parallel import Parallel, ParallelAll
from deepsim_btree.decorators import counters, timers
from deepsim_btree.decorators.status_map import StatusMap
from deepsim_btree.decorators.subtree import SubTree
from deepsim_btree.errors import BusyError, StructureError
from deepsim_btree.leaves.function import Action, Check
from deepsim_btree.leaves.plain import Constant, Wait
from deepsim_btree.pickling import check_levels, keys_of
from deepsim_btree.status import SKIPPED

from . import composites, single
from .branch import FAILURE, INVALID, RUNNING, Agents, BatchNode, Branch, Codes, Shared


class Batch:
    """A tree that is ticked for many agents at once; functions get and return arrays.

    Among the arguments of a leaf, AGENT stands for the numbers of the ticked agents, a read-only
    array (n,) of ints. A condition returns a bool or an array (n,) of them, an action a `Status` or
    an array (n,) of status codes. Keep the data of the agents in arrays with one row per agent:

    >>> import numpy as np
    >>> from deepsim_btree import AGENT, Sequence, Status, action, condition
    >>> food = np.array([0.0, 5.0, 1.0])
    >>> @condition
    ... def hungry(numbers):
    ...     return food[numbers] < 2
    >>> @action
    ... def eat(numbers, amount):
    ...     food[numbers] += amount
    ...     return np.where(food[numbers] < 3, Status.RUNNING, Status.SUCCESS)
    >>> batch = Batch(Sequence([hungry(AGENT), eat(AGENT, amount=2)]), count=3)
    >>> batch.tick(), food
    (array([1, 3, 2], dtype=uint8), array([2., 5., 3.]))

    Each agent gets the answers that a separate `Tree` would give. Leaves must be functions,
    constants or a `Wait`. A node of your own needs a method `update_many` (see `BatchNode`); a
    StructureError names a node that has no form for many agents. Settings of nodes may be changed
    between ticks, their children and names not. A batch can be pickled and deep-copied.

    Args:
        root: The node at the top. It must have no parent and belong to no tree.
        count: Number of agents, at least 1.
        clock: Returns the time in seconds, read at the start of each tick.
        seed: Agent number ``i`` behaves like ``Tree(root, seed=seed + i)``.

    Attributes:
        clock: The given clock; may be replaced between ticks.

    Raises:
        TypeError: `root` is not a node, `clock` is not callable, `count` or `seed` is not an int.
        ValueError: `count` is less than 1.
        StructureError: `root` has a parent or belongs to a tree, a node has no form for many
            agents, or needs a clock that is missing, or there are too many levels.
    """

    def __init__(
        self,
        root: Behaviour,
        count: int,
        *,
        clock: Callable[[], float] | None = None,
        seed: int = 0,
    ) -> None:
        if not isinstance(root, Behaviour):
            raise TypeError(f"root must be a Behaviour, got {root!r}")
        if clock is not None and not callable(clock):
            raise TypeError(f"clock must be a function that returns seconds, got {clock!r}")
        if root._owner is not None:
            raise StructureError(f"{root!r} is part of a tree already: use its copy()")
        for node in root.walk():
            if clock is None and node.needs_clock:
                raise StructureError(f"{node.path} needs a clock: Batch(root, clock=...)")
        check_levels(root, "a Batch")
        self.clock = clock
        self._name = root.name
        check_count("count", count, 1)
        self._shared = Shared(all_paths(root), count, check_int("seed", seed))
        self._root = make_branch(root, self._shared)
        self._everyone: Agents = np.arange(count)
        self._status: Codes = np.full(count, INVALID, np.uint8)
        self._is_busy = False

    def __repr__(self) -> str:
        return f"<Batch {self._name!r} of {len(self)}, tick {self.tick_count}>"

    def __len__(self) -> int:
        """Number of agents."""
        return len(self._status)

    @property
    def status(self) -> Codes:
        """The last answer for each agent, (count,) status codes; a copy."""
        return self._status.copy()

    @property
    def tick_count(self) -> int:
        """Number of calls of `tick` so far, including the current one."""
        return self._shared.tick_count

    def tick(self, agents: ArrayLike | None = None) -> Codes:
        """Runs the tree for one tick and returns the answers of the root.

        Args:
            agents: Numbers of the agents to tick, (n,), each at most once; all of them if None.

        Returns:
            Status codes, (n,).

        Raises:
            TickError: A function raised an exception or returned a wrong value. All agents were
                halted, so that the next tick starts new runs.
            TypeError: `agents` are not ints.
            ValueError: `agents` is not one-dimensional, or repeats a number.
            IndexError: No agent has one of the numbers.
            BusyError: The batch is inside a tick.
            BtreeError: The clock went backwards.
        """
        if self._is_busy:
            raise BusyError(f"{self!r} is inside a tick and cannot be ticked")
        numbers = self._numbers(agents)
        if self.clock is not None:
            last = None if np.isnan(self._shared.now) else self._shared.now
            self._shared.now = read_clock(self.clock, last, self)
        self._shared.tick_count += 1
        if not numbers.size:
            return self._status[numbers]
        self._is_busy = True
        try:
            codes = self._root.tick(numbers)
        except BaseException:
            self._root.halt(self._everyone)
            self._status[:] = INVALID
            raise
        finally:
            self._is_busy = False
        self._status[numbers] = codes
        return codes

    def halt(self, agents: ArrayLike | None = None) -> None:
        """Halts those of the given agents that are RUNNING; None stands for all agents.

        Raises:
            TypeError, ValueError, IndexError: As for `tick`.
            BusyError: The batch is inside a tick.
        """
        if self._is_busy:
            raise BusyError(f"{self!r} is inside a tick and cannot be halted")
        numbers = self._numbers(agents)
        numbers = numbers[self._status[numbers] == RUNNING]
        self._root.halt(numbers)
        self._status[numbers] = INVALID

    def reset(self, agents: ArrayLike | None = None) -> None:
        """Resets agents, for example at the start of an episode; None stands for all agents.

        The tick count continues. If all agents are reset, the clock may restart.

        Raises:
            TypeError, ValueError, IndexError: As for `tick`.
            BusyError: The batch is inside a tick.
        """
        self.halt(agents)
        numbers = self._numbers(agents)
        self._root.reset(numbers)
        self._status[numbers] = INVALID
        if agents is None:
            self._shared.now = np.nan

    def _numbers(self, agents: ArrayLike | None) -> Agents:
        if agents is None:
            return self._everyone
        numbers = np.asarray(agents)
        if numbers.ndim != 1:
            raise ValueError(f"agents must be a list of numbers, got shape {numbers.shape}")
        if numbers.size and numbers.dtype.kind not in "iu":
            raise TypeError(f"agents must be ints, got {numbers.dtype}: use np.flatnonzero(mask)")
        numbers = numbers.astype(np.intp)
        if numbers.size and not 0 <= numbers.min() <= numbers.max() < len(self):
            raise IndexError(f"agents must be from 0 to {len(self) - 1}, got {numbers}")
        seen = np.zeros(len(self), np.bool_)
        seen[numbers] = True
        if np.count_nonzero(seen) < numbers.size:
            raise ValueError(f"agents must be different from each other, got {numbers}")
        return numbers


RULES: dict[type[Behaviour], Callable[[Any, Branch, Agents], Codes]] = {
    Action: single.tick_action,
    Check: single.tick_check,
    Constant: single.tick_constant,
    Wait: single.tick_wait,
    serial.Sequence: composites.tick_in_turn,
    serial.Selector: composites.tick_in_turn,
    serial.ReactiveSequence: composites.tick_from_first,
    serial.ReactiveSelector: composites.tick_from_first,
    Parallel: composites.tick_parallel,
    ParallelAll: composites.tick_parallel_all,
    IfThenElse: composites.tick_if_then_else,
    WhileDoElse: composites.tick_while_do_else,
    Switch: composites.tick_switch,
    Stepwise: composites.tick_stepwise,
    TryCatch: composites.tick_try_catch,
    orders.RandomComposite: partial(composites.tick_ordered, decide=composites.random_orders),
    orders.WeightedSelector: partial(composites.tick_ordered, decide=composites.weighted_orders),
    orders.UtilitySelector: partial(composites.tick_ordered, decide=composites.utility_orders),
    orders.ReactiveUtilitySelector: composites.tick_reactive_utility,
    SubTree: single.tick_subtree,
    StatusMap: single.tick_status_map,
    counters.Limit: single.tick_limit,
    counters.Repeater: single.tick_repeater,
    counters.Retry: single.tick_retry,
    counters.RunOnce: single.tick_run_once,
    Guard: single.tick_guard,
    timers.Timeout: partial(single.tick_timed, early=True, otherwise=FAILURE),
    timers.Delay: partial(single.tick_timed, early=False, otherwise=RUNNING),
    timers.Cooldown: single.tick_cooldown,
    timers.Service: single.tick_service,
}
# These keep nothing about a run, apart from a reactive node about children that do.
_STATELESS: tuple[Any, ...] = (
    Action,
    Check,
    Constant,
    WhileDoElse,
    Switch,
    Guard,
    serial.ReactiveSequence,
)
_STATELESS += (serial.ReactiveSelector, StatusMap, SubTree, counters.RunOnce)
# Methods that do not change how a node is ticked.
_HARMLESS = frozenset({"__init__", "__init_subclass__", "__repr__", "problems", "update_many"})


def make_branch(root: Behaviour, shared: Shared) -> Branch:
    """Returns a root and all nodes below it for many agents, or raises StructureError."""
    made: dict[int, Branch] = {}
    for node in reversed(list(root.walk())):
        children = [made[id(child)] for child in node.children]
        made[id(node)] = _branch(node, shared, children)
    return made[id(root)]


def _branch(node: Behaviour, shared: Shared, children: list[Branch]) -> Branch:
    if any(keys_of(node)):
        raise StructureError(
            f"{node.path} reads a blackboard, which the agents of a Batch lack: give a number or a "
            "function of AGENT"
        )
    for reason in _reasons(node):
        raise StructureError(f"{node.path} {reason}, which a Batch does not know")
    changed = ""
    for cls in type(node).__mro__:  # up to the first class that has a rule
        if "update_many" in vars(cls) and not changed:
            return BatchNode(node, shared, children)
        if cls in RULES and not changed:
            return Branch(node, shared, children, RULES[cls], isinstance(node, _STATELESS))
        overridden = [name for name in vars(cls) if _changes(cls, name)]
        changed = changed or (f"{cls.__name__}.{overridden[0]}()" if overridden else "")
    raise StructureError(
        f"{node.path} has no form for many agents at once: give {type(node).__name__} a method "
        f"update_many(many, agents) that does what {changed} does, or use a node of the library"
    )


def _reasons(node: Any) -> Iterator[str]:
    """Yields what a batch cannot do in the settings of a node of the library."""
    if isinstance(node, StatusMap) and SKIPPED in node.answers[:SKIPPED]:
        yield "answers SKIPPED"
    if isinstance(node, counters.RunOnce) and node.then_skip:
        yield "answers SKIPPED"
    if isinstance(node, TryCatch) and node.catch_on_halt:
        yield "has catch_on_halt"
    if isinstance(node, Parallel):
        node.thresholds()  # raises a StructureError if its children do not suffice
    if isinstance(node, ParallelAll):
        node.threshold()
    for name in ("weights", "utilities"):
        count = len(getattr(node, name, node.children))
        if count != len(node.children):
            yield f"has {count} {name} for {len(node.children)} children"


def _changes(cls: type, name: str) -> bool:
    """Returns whether a class overrides a method on which the tick of a node may depend."""
    is_method = isinstance(vars(cls)[name], FunctionType) and name not in _HARMLESS
    return is_method and any(name in vars(base) for base in cls.__mro__[1:-1])
