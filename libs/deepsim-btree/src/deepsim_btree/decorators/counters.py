# SPDX-License-Identifier: Apache-2.0
"""Decorators that count: Limit, Repeater, Retry and RunOnce."""

from __future__ import annotations

from typing import Literal

from deepsim_btree.arguments import check_count
from deepsim_btree.behaviour import Behaviour
from deepsim_btree.blackboard import Key, read_bool, read_int
from deepsim_btree.parent import Decorator
from deepsim_btree.status import FAILURE, RUNNING, SKIPPED, SUCCESS, Status
from deepsim_btree.tag import Attribute, Tag


class Limit(Decorator):
    """Ticks its child at most `tick_limit` times per run, then halts it and fails.

    >>> from deepsim_btree import Running, Tree
    >>> tree = Tree(Limit(Running("search"), tick_limit=2))
    >>> [tree.tick().name for _ in range(3)]
    ['RUNNING', 'RUNNING', 'FAILURE']

    Args:
        tick_limit: Largest number of ticks of the child; with 0 the node fails at once.
        lifetime: Whether to count over all runs until `Tree.reset`, rather than within each.

    Raises:
        TypeError: `tick_limit` is not an int.
        ValueError: `tick_limit` is negative.
    """

    __slots__ = ("_ticks", "lifetime", "tick_limit")
    xml_tags = (Tag("Limit", in_btcpp=False),)

    def __init__(
        self, child: Behaviour, name: str | None = None, *, tick_limit: int, lifetime: bool = False
    ) -> None:
        super().__init__(child, name)
        self.tick_limit = check_count("tick_limit", tick_limit, 0)
        self.lifetime = lifetime
        self._ticks = 0

    def update(self) -> Status:
        if self.status is not RUNNING and not self.lifetime:
            self._ticks = 0
        if self._ticks >= self.tick_limit:
            self.child.halt()
            return FAILURE
        self._ticks += 1
        return self.tick_child(self.child)

    def reset(self) -> None:
        super().reset()
        self._ticks = 0


class Repeater(Decorator):
    """Runs its child `repeat` times, at most one run per tick, and answers like the last run.

    INVALID counts as FAILURE.

    >>> from deepsim_btree import Success, Tree
    >>> tree = Tree(Repeater(Success("step"), repeat=3))
    >>> [tree.tick().name for _ in range(3)]
    ['RUNNING', 'RUNNING', 'SUCCESS']

    Args:
        repeat: Number of runs; -1 repeats forever, 0 succeeds without a tick of the child; or the
            `key` of an entry with the number.
        on_failure: ``"abort"`` to fail at the first run that fails, ``"continue"`` to continue.

    Raises:
        TypeError: `repeat` is not an int.
        ValueError: `repeat` is below -1, or `on_failure` is neither text.
    """

    __slots__ = ("_runs", "on_failure", "repeat")
    xml_tags = (
        Tag(
            "Repeat",
            repeat=Attribute("num_cycles", int, takes_key=True),
            fixed={"on_failure": "abort"},
        ),
        Tag("Repeater", in_btcpp=False, on_failure=Attribute("on_failure", str, "continue")),
    )

    def __init__(
        self,
        child: Behaviour,
        name: str | None = None,
        *,
        repeat: int,
        on_failure: Literal["continue", "abort"] = "continue",
    ) -> None:
        super().__init__(child, name)
        self.repeat = repeat if isinstance(repeat, Key) else check_count("repeat", repeat, -1)
        if on_failure not in ("continue", "abort"):
            raise ValueError(f"on_failure must be 'continue' or 'abort', got {on_failure!r}")
        self.on_failure = on_failure
        self._runs = 0

    def update(self) -> Status:
        repeat = read_int(self, "repeat", self.repeat)
        if repeat == 0:
            return SUCCESS
        if self.status is not RUNNING:
            self._runs = 0
        status = self.tick_child(self.child)
        if status is RUNNING or status is SKIPPED:
            return status
        self._runs += 1
        if status is SUCCESS:
            return SUCCESS if self._runs == repeat else RUNNING
        return FAILURE if self._runs == repeat or self.on_failure == "abort" else RUNNING


class Retry(Decorator):
    """Runs its child until it succeeds, at most `attempts` times and at most once per tick.

    INVALID counts as FAILURE.

    >>> from deepsim_btree import Tree
    >>> from deepsim_btree.testing import Scripted
    >>> tree = Tree(Retry(Scripted("FS", "grasp"), attempts=3))
    >>> tree.tick().name, tree.tick().name
    ('RUNNING', 'SUCCESS')

    Args:
        attempts: Number of failed runs after which the node fails; -1 retries forever; or the `key`
            of an entry with the number.

    Raises:
        TypeError: `attempts` is not an int.
        ValueError: `attempts` is 0 or below -1.
    """

    __slots__ = ("_runs", "attempts")
    xml_tags = (
        Tag("RetryUntilSuccessful", attempts=Attribute("num_attempts", int, takes_key=True)),
    )

    def __init__(self, child: Behaviour, name: str | None = None, *, attempts: int) -> None:
        super().__init__(child, name)
        if not isinstance(attempts, Key) and check_count("attempts", attempts, -1) == 0:
            raise ValueError("attempts must be at least 1, or -1 for no end; got 0")
        self.attempts = attempts
        self._runs = 0

    def update(self) -> Status:
        if self.status is not RUNNING:
            self._runs = 0
        status = self.tick_child(self.child)
        if status is RUNNING or status is SUCCESS or status is SKIPPED:
            return status
        self._runs += 1
        return FAILURE if self._runs == read_int(self, "attempts", self.attempts) else RUNNING


class RunOnce(Decorator):
    """Runs its child to the end once, and afterwards repeats its answer without ticking it.

    A run that is halted does not count. `Tree.reset` lets the child run once more.

    >>> from deepsim_btree import Tree
    >>> from deepsim_btree.testing import Scripted
    >>> tree = Tree(RunOnce(Scripted("SF", "calibrate")))
    >>> tree.tick().name, tree.tick().name
    ('SUCCESS', 'SUCCESS')

    Args:
        then_skip: Whether to answer SKIPPED afterwards; or the `key` of an entry with this bool.
    """

    __slots__ = ("_answer", "then_skip")
    xml_tags = (Tag("RunOnce", then_skip=Attribute("then_skip", bool, True, takes_key=True)),)

    def __init__(
        self, child: Behaviour, name: str | None = None, *, then_skip: bool = False
    ) -> None:
        super().__init__(child, name)
        self.then_skip = then_skip
        self._answer = RUNNING  # until the child has finished

    def update(self) -> Status:
        if self._answer is not RUNNING:
            return SKIPPED if read_bool(self, "then_skip", self.then_skip) else self._answer
        status = self.tick_child(self.child)
        if status is not RUNNING and status is not SKIPPED:
            self._answer = status
        return status

    def reset(self) -> None:
        super().reset()
        self._answer = RUNNING
