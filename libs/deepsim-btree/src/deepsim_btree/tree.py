# SPDX-License-Identifier: Apache-2.0
"""A whole tree: a root with a clock, a seed and a blackboard, ticked from outside."""

from __future__ import annotations

import copy
import sys
from typing import TYPE_CHECKING, Any

from .arguments import check_int
from .behaviour import Behaviour
from .blackboard.blackboard import Blackboard
from .blackboard.connections import unconnected
from .clock import read_clock
from .errors import BusyError, StructureError, TickError, shortened
from .levels import all_paths, deepest
from .problem import Problem
from .render import render_text
from .status import INVALID, RUNNING, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Observer = Callable[[str, TickError | None], None]


class Tree:
    """A tree of nodes that is ticked as one.

    A tree is deterministic: it reads no clock but its own, and its random nodes draw from `seed`
    alone. It can be pickled and deep-copied between any two ticks, and the copy goes on exactly
    as the original does. What the nodes refer to, such as a robot, is copied with them; pickle
    needs functions that can be imported. One thread at a time may use a tree.

    Args:
        root: The node at the top. It must have no parent and belong to no other tree.
        clock: Returns the time in seconds, such as that of a simulation; read once at the start
            of each tick, so that all nodes see the same instant. Timers need one.
        seed: Start of the random numbers of all nodes that have no seed of their own.
        blackboard: What the nodes share: a `Blackboard`, or a mapping to copy into a new one.

    Attributes:
        clock: As given; may be exchanged between ticks.

    Raises:
        TypeError: `root` is not a node, `clock` is not callable or `seed` is not an int.
        StructureError: `root` has a parent or is the root of another tree.
    """

    __slots__ = (
        "__weakref__",
        "_blackboard",
        "_feedback_count",
        "_is_busy",
        "_now",
        "_observers",
        "_revision",
        "_root",
        "_seed",
        "_tick_count",
        "clock",
    )

    _owner = None  # where the way up from a node ends
    _scope = None

    def __init__(
        self,
        root: Behaviour,
        *,
        clock: Callable[[], float] | None = None,
        seed: int = 0,
        blackboard: Mapping[str, Any] | None = None,
    ) -> None:
        if not isinstance(root, Behaviour):
            raise TypeError(f"root must be a Behaviour, got {root!r}")
        if clock is not None and not callable(clock):
            raise TypeError(f"clock must be a function that returns seconds, got {clock!r}")
        if root.parent is not None:
            raise StructureError(f"{root!r} has a parent, {root.parent.path}: use its copy()")
        if root._owner is not None:
            raise StructureError(f"{root!r} is the root of a Tree already: use its copy()")
        self._root = root
        self._seed = check_int("seed", seed)
        self.clock = clock
        # Most trees of a large crowd have no blackboard: an empty one takes as much as a leaf.
        self._blackboard = (
            blackboard
            if blackboard is None or isinstance(blackboard, Blackboard)
            else Blackboard(blackboard)
        )
        self._now: float | None = None
        self._tick_count = 0
        self._is_busy = False
        self._revision = 0  # grows whenever nodes are added or removed
        self._feedback_count = 0  # grows whenever a node is given a feedback message
        self._observers: tuple[Observer, ...] = ()
        root._owner = self

    def __repr__(self) -> str:
        return f"<Tree {self._root.name!r} tick {self._tick_count} {self.status.name}>"

    def __str__(self) -> str:
        return render_text(self._root)

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        if self._is_busy:
            raise BusyError(f"{self!r} is inside a tick: copy or pickle it between two ticks")
        reduced: Any = super().__reduce_ex__(2)
        make, args, (attributes, slots), *_ = reduced
        return make, args, (attributes, {**slots, "_observers": ()})

    def __deepcopy__(self, memo: dict[int, Any]) -> Tree:
        make, args, (_, slots) = self.__reduce_ex__(2)
        twin: Tree = make(*args)
        memo[id(self)] = twin
        try:
            for name, value in slots.items():
                setattr(twin, name, copy.deepcopy(value, memo))
        except RecursionError as error:
            depth, lowest = deepest(self._root)
            raise StructureError(
                f"{self!r} cannot be copied: {shortened(lowest.path)} is {depth} levels deep; "
                "raise sys.setrecursionlimit(), or use fewer levels"
            ) from error
        return twin

    def __copy__(self) -> Tree:
        raise TypeError(f"copy.copy() of {self!r} would share its nodes: use copy.deepcopy()")

    @property
    def root(self) -> Behaviour:
        """The node at the top."""
        return self._root

    @property
    def blackboard(self) -> Blackboard:
        """The blackboard of the nodes."""
        if self._blackboard is None:
            self._blackboard = Blackboard()
        return self._blackboard

    @property
    def status(self) -> Status:
        """The answer of the last tick; INVALID before the first one and after a halt."""
        return self._root.status

    @property
    def seed(self) -> int:
        """The start of the random numbers of the nodes; `reset` can change it."""
        return self._seed

    @property
    def tick_count(self) -> int:
        """Number of ticks since the tree was made or reset, the current one included."""
        return self._tick_count

    @property
    def is_busy(self) -> bool:
        """Whether a tick or a halt is going on, so that the caller is a node of this tree."""
        return self._is_busy

    @property
    def now(self) -> float:
        """Time at the start of the current or last tick [s].

        Raises:
            StructureError: The tree has no clock, or was not ticked yet.
        """
        if self._now is None:
            raise StructureError(
                "the tree has no time: give it a clock, such as Tree(root, clock=lambda: sim.time)"
            )
        return self._now

    def tick(self) -> Status:
        """Runs the tree for one tick and returns the answer of the root.

        When a node raises an exception, the whole tree is halted, so that the next tick starts
        afresh, and the exception is raised again as the cause of a `TickError`.

        Raises:
            TickError: A node raised an exception or returned something else than a `Status`.
            BusyError: The tree is inside a tick or a halt: a node, or another thread, called this.
            BtreeError: The clock went backwards: `reset` the tree together with the simulation.
        """
        if self._is_busy:
            raise BusyError(f"{self!r} is inside a tick or a halt and cannot be ticked")
        if self.clock is not None:
            self._now = read_clock(self.clock, self._now, self)
        root = self._root
        self._tick_count += 1
        root.last_tick = self._tick_count
        self._is_busy = True
        tick_error = interrupt = None
        try:
            root.status = status = root._entry()
            if status.__class__ is not Status:
                raise root._no_status(status)
            return status
        except TickError as error:
            tick_error = error
            error.while_halting = self._stop()
            raise
        except Exception as error:
            tick_error = root._failed(error)
            tick_error.while_halting = self._stop()
            raise tick_error from error
        except BaseException as error:
            interrupt = error
            for while_halting in self._stop():
                interrupt.__context__ = while_halting  # so that the traceback shows it
            raise
        finally:
            self._is_busy = False
            if self._observers:
                self._tell("tick", tick_error, interrupt)

    def halt(self) -> None:
        """Ends the runs of all nodes, children first; nothing happens if the tree is not RUNNING.

        Raises:
            TickError: A `terminate` raised an exception; the tree is halted nevertheless.
            BusyError: The tree is inside a tick or a halt.
        """
        if self._is_busy:
            raise BusyError(f"{self!r} is inside a tick or a halt and cannot be halted")
        self._is_busy = True
        try:
            errors = self._halt_all()
        finally:
            self._is_busy = False
        if errors:
            errors[0].while_halting = errors[1:]
        self._tell("halt", errors[0] if errors else None)
        if errors:
            raise errors[0]

    def reset(self, seed: int | None = None) -> None:
        """Halts the tree and makes it as good as new, at the start of an episode for example.

        Tick count, random streams and all that nodes remember start again; the blackboard and
        what leaves of your own remember stay, unless they override `Behaviour.reset`.

        Args:
            seed: New start of the random numbers; None for the same as before.
        """
        if seed is not None:
            check_int("seed", seed)
        self.halt()
        if seed is not None:
            self._seed = seed
        self._tick_count = 0
        self._now = None
        for node in self._root.walk():
            node.reset()
        self._tell("reset", None)

    def subscribe(self, observer: Observer) -> None:
        """Calls a function after each `tick`, `halt` and `reset`; it is not a part of copies.

        Args:
            observer: Called with ``"tick"``, ``"halt"`` or ``"reset"`` and the `TickError` that is
                about to be raised, or None. It may read the tree, but not tick it.
        """
        self._observers = (*self._observers, observer)

    def unsubscribe(self, observer: Observer) -> None:
        """Stops calling a function.

        Raises:
            ValueError: It was not subscribed.
        """
        if observer not in self._observers:
            raise ValueError(f"{observer!r} is not subscribed to {self!r}")
        self._observers = tuple(one for one in self._observers if one != observer)

    def validate(self) -> list[Problem]:
        """Returns all problems of the tree at once; an empty list if it looks right."""
        paths = all_paths(self._root)
        found = [
            Problem(paths[id(node)], message)
            for node in self._root.walk()
            for message in node.problems()
        ]
        found += unconnected(self)
        # copy.deepcopy needs 10 nested calls per level of the tree, a tick 3 at most.
        limit = sys.getrecursionlimit() // 12
        depth, lowest = deepest(self._root)
        if depth > limit:
            found.append(
                Problem(
                    lowest.path,
                    f"{depth} levels deep: with more than {limit}, copying and then ticking exceed "
                    "Python's recursion limit",
                )
            )
        return found

    def _on_feedback(self) -> None:
        self._feedback_count += 1

    def _tell(
        self, call: str, error: TickError | None, interrupt: BaseException | None = None
    ) -> None:
        """Calls all observers; their errors come after the one about to be raised."""
        raised = []
        for observer in self._observers:
            try:
                observer(call, error)
            except Exception as observers:
                raised.append(observers)
        if error is not None:
            error.while_observing = tuple(raised)
        elif raised and interrupt is not None:
            interrupt.__context__ = raised[0]
        elif raised:
            raise raised[0]

    def _stop(self) -> tuple[TickError, ...]:
        """Cleans up after a tick that was cut short, and returns what nodes raised meanwhile."""
        errors = self._halt_all()
        self._root.status = INVALID  # An older answer is not that of this tick.
        return errors

    def _halt_all(self) -> tuple[TickError, ...]:
        """Terminate every node that is RUNNING, children first, and return their errors.

        `Behaviour.halt` descends only from nodes that are RUNNING. Where a tick was cut short
        there are others: a parent stores its status when it returns.
        """
        errors = []
        for node in _children_first(self._root):
            if node.status is RUNNING:
                node.status = INVALID
                try:
                    node.terminate(INVALID)
                except Exception as error:
                    tick_error = node._failed(error)
                    tick_error.__cause__ = error
                    errors.append(tick_error)
        return tuple(errors)


def _children_first(root: Behaviour) -> list[Behaviour]:
    """Returns all nodes in the order in which `Behaviour.halt` reaches them."""
    nodes = []
    stack = [root]
    while stack:
        node = stack.pop()
        nodes.append(node)
        stack.extend(node.children)
    nodes.reverse()
    return nodes
