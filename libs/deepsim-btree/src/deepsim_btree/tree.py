# SPDX-License-Identifier: Apache-2.0
"""A whole tree: a root with a clock, a seed and a blackboard, ticked from outside."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, NoReturn

from .arguments import check_int
from .behaviour import Behaviour
from .blackboard.blackboard import Blackboard
from .clock import read_clock
from .compiled import NodeCompiler
from .connections import unconnected
from .errors import BusyError, StructureError, TickError
from .halting import halt_all
from .levels import all_paths, deepest, max_levels
from .pickling import check_picklable, copy_error
from .problem import Problem
from .render import render_text
from .status import INVALID, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .compiled import NodeProgram

    Observer = Callable[[str, TickError | None], None]


class Tree:
    """A tree of nodes that is ticked as one.

    A tree is deterministic: it reads no clock but its own, and its random nodes draw from `seed`
    alone. It can be pickled and deep-copied between any two ticks, and the copy goes on exactly
    as the original does. What the nodes refer to, such as a robot, is copied with them; pickle
    needs functions that can be imported. One thread at a time may use a tree.

    >>> from deepsim_btree import Running, Sequence, Success
    >>> tree = Tree(Sequence([Success("ready"), Running("drive")], "go"))
    >>> tree.tick().name
    'RUNNING'
    >>> print(tree)
    [▶] go <Sequence>
    ├── [✓] ready <Success>
    └── [▶] drive <Running>

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
        "_program",
        "_revision",
        "_root",
        "_run",
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
        self._program: NodeProgram | None = None
        self._run: Callable[[int], Status] | None = None  # that of the program
        root._owner = self

    def __repr__(self) -> str:
        return f"<Tree {self._root.name!r} tick {self._tick_count} {self.status.name}>"

    def __str__(self) -> str:
        return render_text(self._root)

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        check_picklable(self._root)
        return self._reduced()

    def _reduced(self) -> tuple[Any, ...]:
        if self._is_busy:
            raise BusyError(f"{self!r} is inside a tick: copy or pickle it between two ticks")
        reduced: Any = super().__reduce_ex__(2)
        make, args, (attributes, slots), *_ = reduced
        return make, args, (attributes, {**slots, "_observers": (), "_program": None, "_run": None})

    def __deepcopy__(self, memo: dict[int, Any]) -> Tree:
        make, args, (_, slots) = self._reduced()
        twin: Tree = make(*args)
        memo[id(self)] = twin
        try:
            for name, value in slots.items():
                setattr(twin, name, copy.deepcopy(value, memo))
        except TypeError as error:
            raise copy_error(self._root, error) from error
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
        self._tick_count = root.last_tick = count = self._tick_count + 1
        self._is_busy = True
        run = self._run  # before the call: Python does not take it for a method then
        try:
            if run is None:
                root.status = status = root._entry()
                if status.__class__ is not Status:
                    raise root._no_status(status)
            else:
                root.status = status = run(count)
        except BaseException as error:
            self._cut_short(error)
        self._is_busy = False
        if self._observers:
            self._tell("tick", None)
        return status

    def compile(self) -> None:
        """Makes the ticks to come 1.2 to 3 times as fast, until nodes are added or removed.

        One function is written for the whole tree, from the rules of its nodes, and compiled by
        Python: that takes 1 to 2 ms and 3 to 7 kB a node, which no tree takes unasked, because the
        pause belongs before a control loop and most trees are small. Statuses, errors and all else
        stay as they are, and settings of nodes may still be changed.
        Nodes that have more than 64 children, take them in another order, or have rules that cannot
        be translated (docs/control-nodes.md) run as before, with all below them. A copy of the tree
        is not compiled, and neither is one that was pickled.

        Raises:
            BusyError: The tree is inside a tick or a halt.
        """
        if self._is_busy:
            raise BusyError(f"{self!r} is inside a tick or a halt and cannot be compiled")
        self._program = NodeCompiler(self).compile()
        self._run = self._program.tick

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
            errors = halt_all(self._root)
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
        depth, lowest = deepest(self._root)
        if depth > max_levels():
            message = f"{depth} levels deep: with more than {max_levels()} it cannot be pickled"
            found.append(Problem(lowest.path, message))
        return found

    def _path_of(self, root: Behaviour) -> str:
        """Returns the path of the node at the top."""
        return root.name

    def _on_edit(self) -> None:
        """Takes note that nodes were added or removed."""
        self._revision += 1
        self._forget_program()

    def _forget_program(self) -> bool:
        """Lets the nodes tick each other from now on; returns whether they did not until now."""
        had_one = self._program is not None
        self._program = self._run = None
        return had_one

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

    def _cut_short(self, error: BaseException) -> NoReturn:
        """Cleans up after a tick in which `error` was raised, and raises what `tick` does."""
        tick_error = error if isinstance(error, TickError) else None
        interrupt = None if isinstance(error, Exception) else error
        try:
            if tick_error is None and isinstance(error, Exception):
                culprit = self._root if self._program is None else self._program.culprit(error)
                tick_error = culprit._failed(error)
            while_halting = self._stop()
            if tick_error is not None:
                tick_error.while_halting = while_halting
            for halting in while_halting if interrupt else ():
                error.__context__ = halting  # so that the traceback shows it
            if tick_error is None or tick_error is error:
                raise error
            raise tick_error from error
        finally:
            self._is_busy = False
            self._tell("tick", tick_error, interrupt)

    def _stop(self) -> tuple[TickError, ...]:
        """Cleans up after a tick that was cut short, and returns what nodes raised meanwhile."""
        errors = halt_all(self._root)
        self._root.status = INVALID  # An older answer is not that of this tick.
        return errors
