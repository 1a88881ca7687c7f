# SPDX-License-Identifier: Apache-2.0
"""Composites that run all their children at each tick, one after another in one thread."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, ClassVar

from deepsim_btree.arguments import check_int
from deepsim_btree.blackboard import Key, read_int
from deepsim_btree.errors import StructureError
from deepsim_btree.parent import Children, Composite
from deepsim_btree.status import FAILURE, RUNNING, SKIPPED, SUCCESS, Status
from deepsim_btree.tag import Attribute, Tag

_tag = partial(
    Tag,
    success=Attribute("success_count", int, -1, takes_key=True),
    failure=Attribute("failure_count", int, 1, takes_key=True),
)


class Parallel(Composite):
    """Runs all its children at each tick until enough of them have succeeded or failed.

    A child that has finished is not ticked again in the same run; INVALID counts as FAILURE. The
    node succeeds once `success` children have succeeded. Otherwise it fails once `failure` children
    have failed, or once it can no longer succeed. Children that are still RUNNING are then
    halted.

    >>> from deepsim_btree import Running, Tree
    >>> from deepsim_btree.testing import Scripted
    >>> legs = [Scripted("RS", "left"), Scripted("S", "right"), Running("head")]
    >>> tree = Tree(Parallel(legs, success=2))
    >>> tree.tick().name, tree.tick().name
    ('RUNNING', 'SUCCESS')
    >>> [leg.status.name for leg in legs]
    ['SUCCESS', 'SUCCESS', 'INVALID']

    Args:
        success: Number of children that must succeed; -1 for all, -2 for all but one, and so on; or
            the `key` of an entry with the number.
        failure: Number of children that must fail, given in the same way.
        eager: Whether to end a tick at the child that decides. By default every unfinished child is
            ticked first, so that the outcome does not depend on their order.

    Raises:
        TypeError: `success` or `failure` is not an int.
        ValueError: `success` or `failure` is 0.
    """

    __slots__ = ("_failures", "_successes", "eager", "failure", "success")
    xml_tags: ClassVar[tuple[Tag, ...]] = (
        _tag("Parallel", fixed={"eager": True}),
        _tag("ParallelTickAll", in_btcpp=False, fixed={"eager": False}),
    )

    def __init__(
        self,
        children: Children = (),
        name: str | None = None,
        *,
        success: int = -1,
        failure: int = 1,
        eager: bool = False,
    ) -> None:
        super().__init__(children, name)
        self.success = _threshold("success", success)
        self.failure = _threshold("failure", failure)
        self.eager = eager
        self._successes = self._failures = 0

    def update(self) -> Status:
        needed, allowed = self.thresholds()
        eager = self.eager
        is_fresh = self.status is not RUNNING
        if is_fresh:
            self._successes = self._failures = 0
        skipped = 0
        for child in self._children:
            if (is_fresh or child.status is RUNNING or child.status is SKIPPED) and (
                not eager or (self._successes < needed and self._failures < allowed)
            ):
                status = self.tick_child(child)
                if status is not RUNNING:  # tested first, because it is the usual answer
                    if status is SUCCESS:
                        self._successes += 1
                    elif status is SKIPPED:
                        skipped += 1
                        if self.counts_skipped():
                            needed -= 1
                    else:
                        self._failures += 1
        if self._successes < needed and self._failures < allowed:
            return SKIPPED if skipped and skipped == len(self._children) else RUNNING
        for child in self._children:
            child.halt()
        return SUCCESS if self._successes >= needed else FAILURE

    def thresholds(self) -> tuple[int, int]:
        """Returns the number of successes to succeed, and the number of failures to fail.

        Raises:
            StructureError: The node has too few children to reach one of them.
        """
        count = len(self._children)
        success: Any = self.success
        failure: Any = self.failure
        if isinstance(success, Key):
            success = _threshold("success", read_int(self, "success", success))
        if isinstance(failure, Key):
            failure = _threshold("failure", read_int(self, "failure", failure))
        if not (-count <= success <= count and -count <= failure <= count):
            for problem in _unfit(count, success=success, failure=failure):
                raise StructureError(f"{self.path}: {problem}")
        needed = success if success > 0 else count + 1 + success
        allowed = failure if failure > 0 else count + 1 + failure
        return needed, min(allowed, count - needed + 1)

    def counts_skipped(self) -> bool:
        """Returns whether a SKIPPED child reduces the number of successes that are needed."""
        return not isinstance(self.success, Key) and self.success < 0

    def problems(self) -> Iterator[str]:
        yield from super().problems()
        yield from _unfit(len(self._children), success=self.success, failure=self.failure)


class ParallelSequence(Parallel):
    """Runs all its children at each tick; succeeds when all have succeeded, fails when one fails.

    >>> from deepsim_btree import Running, Tree
    >>> from deepsim_btree.testing import Scripted
    >>> tree = Tree(ParallelSequence([Scripted("RF", "grasp"), Running("watch")]))
    >>> tree.tick().name, tree.tick().name
    ('RUNNING', 'FAILURE')

    Args:
        eager: Whether to end a tick at the first failure, like the original DeepSim.
    """

    __slots__ = ()
    xml_tags = (Tag("ParallelSequence", in_btcpp=False),)

    def __init__(
        self, children: Children = (), name: str | None = None, *, eager: bool = False
    ) -> None:
        super().__init__(children, name, success=-1, failure=1, eager=eager)


class ParallelSelector(Parallel):
    """Runs all its children at each tick; succeeds when one succeeds, fails when all have failed.

    >>> from deepsim_btree import Running, Tree
    >>> from deepsim_btree.testing import Scripted
    >>> tree = Tree(ParallelSelector([Scripted("RS", "search"), Running("listen")]))
    >>> tree.tick().name, tree.tick().name
    ('RUNNING', 'SUCCESS')

    Args:
        eager: Whether to end a tick at the first success, like the original DeepSim.
    """

    __slots__ = ()
    xml_tags = (Tag("ParallelSelector", in_btcpp=False),)

    def __init__(
        self, children: Children = (), name: str | None = None, *, eager: bool = False
    ) -> None:
        super().__init__(children, name, success=1, failure=-1, eager=eager)


class ParallelAll(Composite):
    """Runs all its children in parallel, and answers only when all have finished.

    >>> from deepsim_btree import Failure, Tree
    >>> from deepsim_btree.testing import Scripted
    >>> tree = Tree(ParallelAll([Failure("light"), Scripted("RS", "move")], max_failures=2))
    >>> tree.tick().name, tree.tick().name
    ('RUNNING', 'SUCCESS')

    Args:
        max_failures: Number of children that must fail to make the node fail; -1 for all, -2 for
            all but one, and so on; or the `key` of an entry with the number. With 0 the node
            always fails in the end. A tick raises StructureError if there are too few children.

    Raises:
        TypeError: `max_failures` is not an int.
    """

    __slots__ = ("_failures", "max_failures")
    xml_tags = (Tag("ParallelAll", max_failures=Attribute("max_failures", int, 1, takes_key=True)),)

    def __init__(
        self, children: Children = (), name: str | None = None, *, max_failures: int = 1
    ) -> None:
        super().__init__(children, name)
        is_key = isinstance(max_failures, Key)
        self.max_failures = max_failures if is_key else check_int("max_failures", max_failures)
        self._failures = 0

    def update(self) -> Status:
        allowed = self.threshold()
        is_fresh = self.status is not RUNNING
        if is_fresh:
            self._failures = 0
        running = skipped = 0
        for child in self._children:
            if is_fresh or child.status is RUNNING or child.status is SKIPPED:
                status = self.tick_child(child)
                if status is RUNNING:
                    running += 1
                elif status is SKIPPED:
                    skipped += 1
                elif status is not SUCCESS:
                    self._failures += 1
        if skipped and skipped == len(self._children):
            return SKIPPED
        if running:
            return RUNNING
        return FAILURE if self._failures >= allowed else SUCCESS

    def threshold(self) -> int:
        """Returns the number of failures that make the node fail.

        Raises:
            StructureError: The node has too few children to reach it.
        """
        count = len(self._children)
        allowed = read_int(self, "max_failures", self.max_failures)
        for problem in _unfit(count, max_failures=allowed):
            raise StructureError(f"{self.path}: {problem}")
        return allowed if allowed >= 0 else max(count, 1) + 1 + allowed

    def problems(self) -> Iterator[str]:
        yield from super().problems()
        yield from _unfit(len(self._children), max_failures=self.max_failures)


def _unfit(count: int, **thresholds: Any) -> Iterator[str]:
    # 1 and -1 also fit a node without children, as in all(()) and any(()).
    for argument, threshold in thresholds.items():
        if not isinstance(threshold, Key) and abs(threshold) > max(count, 1):
            yield f"{argument}={threshold} does not fit its {count} children"


def _threshold(argument: str, value: Any) -> Any:
    if isinstance(value, Key):
        return value
    if check_int(argument, value) == 0:
        raise ValueError(f"{argument} must be 1, 2 ... children or -1 (all), -2 ...; got 0")
    return value
