# SPDX-License-Identifier: Apache-2.0
"""Tree, a root node with a clock, a seed and a blackboard, ticked by the user's program."""

from __future__ import annotations

import copy
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

from .arguments import check_int, read_clock
from .behaviour import Behaviour, all_paths
from .blackboard import Blackboard
from .connections import unconnected
from .errors import BusyError, Problem, StructureError, TickError
from .parent import halt_all
from .pickling import check_picklable, copy_error, deepest, max_levels
from .snapshot import render_text
from .status import INVALID, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Observer = Callable[[str, TickError | None], None]
    Wrapper = Callable[[Behaviour, Callable[[], Status]], Status]


class Tree:
    """A behaviour tree, which is ticked as a whole.

    A tree is deterministic: it reads only its own clock, and its random nodes depend only on
    `seed`. It can be pickled and deep-copied between any two ticks, and the copy continues exactly
    like the original. Objects that the nodes refer to, such as a robot, are copied with them;
    pickle needs functions that can be imported. Only one thread at a time may use a tree.

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
        clock: Returns the time in seconds, for example of a simulation. It is called once at the
            start of each tick, so that all nodes see the same time. Timers need a clock.
        seed: Seed of the random numbers of all nodes without a seed of their own.
        blackboard: Entries that the nodes share: a `Blackboard`, or a mapping to copy into a new
            one.

    Attributes:
        clock: The given clock; may be replaced between ticks.

    Raises:
        TypeError: `root` is not a node, `clock` is not callable or `seed` is not an int.
        StructureError: `root` has a parent or is the root of another tree.
    """

    __slots__ = (
        "__weakref__",
        "_around",
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

    _owner = None  # the end of the way up from a node
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
        # Most trees have no blackboard, and an empty one takes as much memory as a leaf.
        if blackboard is not None and not isinstance(blackboard, Blackboard):
            blackboard = Blackboard(blackboard)
        self._blackboard = blackboard
        self._now: float | None = None
        self._tick_count = 0
        self._is_busy = False
        self._revision = 0  # grows whenever nodes are added or removed
        self._feedback_count = 0  # grows whenever a node is given a feedback message
        self._observers: tuple[Observer, ...] = ()
        self._around: Around | None = None
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
        return make, args, (attributes, {**slots, "_observers": (), "_around": None})

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
        """The answer of the last tick; INVALID before the first tick and after a halt."""
        return self._root.status

    @property
    def seed(self) -> int:
        """Seed of the random numbers of the nodes; `reset` can change it."""
        return self._seed

    @property
    def tick_count(self) -> int:
        """Number of ticks since the tree was made or reset, including the current one."""
        return self._tick_count

    @property
    def is_busy(self) -> bool:
        """Whether a tick or a halt is in progress, so that no other may begin."""
        return self._is_busy

    @property
    def now(self) -> float:
        """Time on the tree's clock at the start of the current or last tick [s].

        Raises:
            StructureError: The tree has no clock, or has not been ticked yet.
        """
        if self._now is None:
            raise StructureError(
                "the tree has no time: give it a clock, such as Tree(root, clock=lambda: sim.time)"
            )
        return self._now

    def tick(self) -> Status:
        """Runs the tree for one tick and returns the answer of the root.

        If a node raises an exception, the whole tree is halted, so that the next tick starts new
        runs, and a `TickError` is raised with the exception as its cause.

        Raises:
            TickError: A node raised an exception, or returned a value that is not a `Status`.
            BusyError: A tick or a halt is in progress: a node, or another thread, called this
                method.
            BtreeError: The clock went backwards: `reset` the tree together with the simulation.
        """
        if self._is_busy:
            raise BusyError(f"{self!r} is inside a tick or a halt and cannot be ticked")
        if self.clock is not None:
            self._now = read_clock(self.clock, self._now, self)
        root = self._root
        self._tick_count = root.last_tick = self._tick_count + 1
        self._is_busy = True
        try:
            status = root.tick() if self._around is None else self._around(root)
            if status.__class__ is not Status:
                raise root._no_status(status)
            root.status = status
        except BaseException as error:
            self._cut_short(error)
        self._is_busy = False
        if self._observers:
            self._tell("tick", None)
        return status

    def halt(self) -> None:
        """Ends the runs of all RUNNING nodes, children first.

        Raises:
            TickError: A `terminate` method raised an exception; the tree is halted nevertheless.
            BusyError: A tick or a halt is in progress.
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
        """Halts the tree and returns it to its initial state, for example for a new episode.

        This also resets the tick count, the random numbers and the memory of the library's nodes.
        The blackboard stays. Your own leaves also keep their memory unless they override
        `Behaviour.reset`.

        Args:
            seed: New seed of the random numbers; None for the same as before.
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
        """Registers a function to be called after each `tick`, `halt` and `reset`.

        Copies of the tree do not call it.

        Args:
            observer: Called with ``"tick"``, ``"halt"`` or ``"reset"``, and with the `TickError`
                that is about to be raised or None. It may read the tree, but not tick it.
        """
        self._observers = (*self._observers, observer)

    def unsubscribe(self, observer: Observer) -> None:
        """Stops calling a function that was registered with `subscribe`.

        Raises:
            ValueError: The function is not subscribed.
        """
        if observer not in self._observers:
            raise ValueError(f"{observer!r} is not subscribed to {self!r}")
        self._observers = tuple(one for one in self._observers if one != observer)

    def wrap(self, wrapper: Wrapper) -> None:
        """Registers a function to be called around each tick of each node.

        Trees without a wrapper are not slowed. Copies of the tree have none.

        >>> from deepsim_btree import Sequence, Success, Tree
        >>> def spell(node, tick):
        ...     status = tick()
        ...     print(node.name, status)
        ...     return status
        >>> tree = Tree(Sequence([Success("aim"), Success("shoot")], "attack"))
        >>> tree.wrap(spell)
        >>> status = tree.tick()
        aim SUCCESS
        shoot SUCCESS
        attack SUCCESS

        Args:
            wrapper: Called with a node and a function that ticks it; returns the answer of the
                node, which may differ from that of the function.
        """
        self._set_wrappers((*self._wrappers, wrapper))

    def unwrap(self, wrapper: Wrapper) -> None:
        """Stops calling a function that was registered with `wrap`, if it was."""
        self._set_wrappers(tuple(one for one in self._wrappers if one != wrapper))

    def _set_wrappers(self, wrappers: tuple[Wrapper, ...]) -> None:
        self._around = Around(wrappers) if wrappers else None
        for node in self._root.walk():
            node._set_around(self._around)

    @property
    def _wrappers(self) -> tuple[Wrapper, ...]:
        return () if self._around is None else self._around.wrappers

    def validate(self) -> list[Problem]:
        """Returns all mistakes in the tree that can be found without a tick."""
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

    def _on_edit(self) -> None:
        self._revision += 1
        if self._around is not None:
            self._set_wrappers(self._around.wrappers)

    def _tell(
        self, call: str, error: TickError | None, interrupt: BaseException | None = None
    ) -> None:
        """Calls all observers; attaches their errors to the error about to be raised, if any."""
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
        """Cleans up after a tick that raised `error`, and raises the error for the caller."""
        tick_error = error if isinstance(error, TickError) else None
        interrupt = None if isinstance(error, Exception) else error
        try:
            if tick_error is None and isinstance(error, Exception):
                tick_error = self._root._failed(error)
            while_halting = halt_all(self._root)
            self._root.status = INVALID  # not the answer of an earlier tick
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


class Around:
    """The wrappers of a tree, as its nodes call them; copies of nodes have none."""

    def __init__(self, wrappers: tuple[Wrapper, ...]) -> None:
        self.wrappers = wrappers

    def __call__(self, node: Behaviour) -> Status:
        """Ticks a node."""
        tick = node.tick
        for wrapper in self.wrappers:
            tick = partial(wrapper, node, tick)
        return tick()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(None), ()
