# SPDX-License-Identifier: Apache-2.0
"""The tree of one agent of a `Template`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn, cast

from .arguments import check_int
from .blackboard.blackboard import Blackboard
from .clock import read_clock
from .compiled import NoStatusError
from .errors import BusyError, StructureError, TickError
from .halting import halt_all
from .status import INVALID, RUNNING, Status

if TYPE_CHECKING:
    from collections.abc import Callable

    from .behaviour import Behaviour
    from .compiled import State
    from .template import Template
    from .tree import Tree


class LightTree:
    """The state of one agent's tree, without nodes; made by `Template.spawn`.

    It is ticked, halted and reset like a `Tree`, with the same answers and errors as a `Tree` of
    the same nodes with the same seed. It can be pickled and deep-copied between ticks. It is the
    `Behaviour.tree` of the nodes that are copied for its agent.

    >>> from deepsim_btree import AGENT, Check, Template
    >>> template = Template(Check(lambda agent: agent["hungry"], AGENT))
    >>> tree = template.spawn({"hungry": True})
    >>> tree.tick().name
    'SUCCESS'

    Do not write `status` and `tick_count`.

    Attributes:
        agent: Object that functions get in place of AGENT; may be replaced between ticks.
        status: The answer of the last tick; INVALID before the first one and after a halt.
        tick_count: Number of ticks since it was spawned or reset, including the current one.
    """

    __slots__ = (
        "_blackboard",
        "_is_busy",
        "_seed",
        "_state",
        "_template",
        "agent",
        "status",
        "tick_count",
    )

    _owner = None  # ends the search upwards from a leaf
    _scope = None

    def __init__(self, template: Template, agent: object, seed: int) -> None:
        self.agent = agent
        self.status = INVALID
        self.tick_count = 0
        self._template = template
        self._seed = check_int("seed", seed)
        self._blackboard: Blackboard | None = None
        self._is_busy = False
        self._state: State = template.program.fresh_state(seed)
        for own in template.program.own:
            node = self._state[own.slot] = own.copy(agent)
            node._owner = cast("Tree", self)

    def __repr__(self) -> str:
        name = self._template._root.name
        return f"<LightTree {name!r} tick {self.tick_count} {self.status.name}>"

    def __reduce_ex__(self, protocol: object) -> tuple[object, ...]:
        if self._is_busy:
            raise BusyError(f"{self!r} is inside a tick: copy or pickle it between two ticks")
        return cast("tuple[object, ...]", super().__reduce_ex__(2))

    @property
    def template(self) -> Template:
        """The template that this tree was spawned from."""
        return self._template

    @property
    def seed(self) -> int:
        """Seed of the random numbers; `reset` can change it."""
        return self._seed

    @property
    def clock(self) -> Callable[[], float] | None:
        """The clock of the template."""
        return self._template.clock

    @property
    def now(self) -> float:
        """Time at the start of the current or last tick [s].

        Raises:
            StructureError: The template has no clock, or there was no tick yet.
        """
        now: float | None = self._state[-1]
        if now is None:
            raise StructureError(f"{self!r} has no time: write Template(root, clock=...)")
        return now

    @property
    def blackboard(self) -> Blackboard:
        """The blackboard of the leaves of this agent."""
        if self._blackboard is None:
            self._blackboard = Blackboard()
        return self._blackboard

    @property
    def is_busy(self) -> bool:
        """Whether a tick or a halt is in progress."""
        return self._is_busy

    def tick(self) -> Status:
        """Runs the tree for one tick and returns the answer of the root.

        If a leaf raises an exception, the whole tree is halted, so that the next tick starts a new
        run, and a `TickError` is raised with the exception as its cause.

        Raises:
            TickError: A leaf raised an exception or did not return a `Status`.
            BusyError: The tree is inside a tick or a halt.
            BtreeError: The clock went backwards.
        """
        if self._is_busy:
            raise BusyError(f"{self!r} is inside a tick or a halt and cannot be ticked")
        template = self._template
        state = self._state
        if template.clock is not None:
            state[-1] = read_clock(template.clock, state[-1], self)
        self.tick_count += 1
        self._is_busy = True
        run = template.tick_root  # looked up first, so that Python does not bind it as a method
        try:
            self.status = status = run(self.agent, state)
        except BaseException as error:
            self._cut_short(error)
        self._is_busy = False
        return status

    def halt(self) -> None:
        """Ends the run if the tree is RUNNING.

        Raises:
            TickError: A `terminate` raised an exception; the tree is halted nevertheless.
            BusyError: The tree is inside a tick or a halt.
        """
        if self._is_busy:
            raise BusyError(f"{self!r} is inside a tick or a halt and cannot be halted")
        if self.status is not RUNNING:
            return
        self._is_busy = True
        try:
            errors = self._halt_all()
        finally:
            self._is_busy = False
        if errors:
            errors[0].while_halting = errors[1:]
            raise errors[0]

    def reset(self, seed: int | None = None) -> None:
        """Halts the tree and restores its initial state, for example at the start of an episode.

        Args:
            seed: New seed of the random numbers; None keeps the present one.
        """
        if seed is not None:
            check_int("seed", seed)
        self.halt()
        if seed is not None:
            self._seed = seed
        self.status = INVALID
        self.tick_count = 0
        program = self._template.program
        state = program.fresh_state(self._seed)
        for own in program.own:
            state[own.slot] = self._state[own.slot]
            for node in state[own.slot].walk():
                node.reset()
        self._state = state

    def _cut_short(self, error: BaseException) -> NoReturn:
        """Cleans up after a tick that raised `error`, and raises the error that `tick` reports."""
        program = self._template.program
        tick_error: TickError | None = None
        cause: Exception | None = None
        if isinstance(error, TickError):
            tick_error, cause = error, error.__cause__  # type: ignore[assignment]
        elif isinstance(error, NoStatusError):
            tick_error = TickError(program.culprit(error), self.tick_count, str(error))
        elif isinstance(error, Exception):
            tick_error, cause = self._failed(program.culprit(error), error), error
        try:
            while_halting = self._halt_all()
        finally:
            self._is_busy = False
        if tick_error is not None:
            tick_error.while_halting = while_halting
            raise tick_error from cause
        for halting in while_halting:
            error.__context__ = halting  # so that the traceback shows it
        raise error

    def _halt_all(self) -> tuple[TickError, ...]:
        """Resets all runs, terminates nodes that are RUNNING, and returns their errors."""
        program = self._template.program
        self._state[: len(program.run_slots)] = program.run_slots
        self.status = INVALID
        return tuple(error for own in program.own for error in halt_all(self._state[own.slot]))

    def _path_of(self, root: Behaviour) -> str:
        """Returns the path, in the template, of a leaf or branch that is copied for this agent."""
        return next(own.path for own in self._template.program.own if self._state[own.slot] is root)

    def _on_edit(self) -> None:
        """Ignores an edit, because copied branches are not compiled."""

    def _on_feedback(self) -> None:
        """Ignores a feedback message, because agents have no observers."""

    def _failed(self, path: str, error: Exception) -> TickError:
        return TickError(path, self.tick_count, f"{type(error).__name__}: {error}")
