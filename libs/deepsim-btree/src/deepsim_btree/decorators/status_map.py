# SPDX-License-Identifier: Apache-2.0
"""Decorators that translate the status of their child: each is one row of a table."""

from __future__ import annotations

from typing import Tuple

from deepsim_btree.arguments import check_status
from deepsim_btree.behaviour import Behaviour
from deepsim_btree.parent import Decorator
from deepsim_btree.status import FAILURE, INVALID, RUNNING, SKIPPED, SUCCESS, Status
from deepsim_btree.tag import Tag

Answers = Tuple[Status, ...]


class StatusMap(Decorator):
    """The base of decorators that tick their child and translate its status by a table, `answers`.

    A child that is RUNNING while the answer is not RUNNING is halted in the same tick. A child
    that has finished while the answer is RUNNING starts a new run at the next tick.
    """

    __slots__ = ()
    answers: Answers  # for the child's INVALID, RUNNING, SUCCESS, FAILURE and SKIPPED

    def update(self) -> Status:
        child = self._children[0]  # half as long as self.child
        status = self.tick_child(child)
        answer = self.answers[status]
        if status is RUNNING and answer is not RUNNING:
            child.halt()
        return answer


class Inverter(StatusMap):
    """Swaps SUCCESS and FAILURE.

    >>> from deepsim_btree import Success, Tree
    >>> Tree(Inverter(Success())).tick().name
    'FAILURE'
    """

    __slots__ = ()
    xml_tags = (Tag("Inverter"),)
    answers = (INVALID, RUNNING, FAILURE, SUCCESS, SKIPPED)


class Succeeder(StatusMap):
    """Succeeds when its child finishes, whatever the child answers.

    >>> from deepsim_btree import Failure, Tree
    >>> Tree(Succeeder(Failure())).tick().name
    'SUCCESS'
    """

    __slots__ = ()
    xml_tags = (Tag("ForceSuccess"),)
    answers = (SUCCESS, RUNNING, SUCCESS, SUCCESS, SKIPPED)


class RunningIsFailure(StatusMap):
    """Fails if its child is RUNNING, and halts it: the child must finish in one tick.

    >>> from deepsim_btree import Running, Tree
    >>> Tree(RunningIsFailure(Running())).tick().name
    'FAILURE'
    """

    __slots__ = ()
    xml_tags = (Tag("RunningIsFailure", in_btcpp=False),)
    answers = (INVALID, FAILURE, SUCCESS, FAILURE, SKIPPED)


class RunningIsSuccess(StatusMap):
    """Succeeds if its child is RUNNING, and halts it: one tick of work is enough.

    >>> from deepsim_btree import Running, Tree
    >>> Tree(RunningIsSuccess(Running())).tick().name
    'SUCCESS'
    """

    __slots__ = ()
    xml_tags = (Tag("RunningIsSuccess", in_btcpp=False),)
    answers = (INVALID, SUCCESS, SUCCESS, FAILURE, SKIPPED)


class FailureIsSuccess(StatusMap):
    """Succeeds when its child succeeds or fails, for an attempt that may fail.

    >>> from deepsim_btree import Failure, Tree
    >>> Tree(FailureIsSuccess(Failure())).tick().name
    'SUCCESS'
    """

    __slots__ = ()
    xml_tags = (Tag("FailureIsSuccess", in_btcpp=False),)
    answers = (INVALID, RUNNING, SUCCESS, SUCCESS, SKIPPED)


class FailureIsRunning(StatusMap):
    """Answers RUNNING when its child fails, and starts it again, to wait for a success.

    >>> from deepsim_btree import Tree
    >>> from deepsim_btree.testing import Scripted
    >>> tree = Tree(FailureIsRunning(Scripted("FS", "is the door open")))
    >>> tree.tick().name, tree.tick().name
    ('RUNNING', 'SUCCESS')
    """

    __slots__ = ()
    xml_tags = (Tag("FailureIsRunning", in_btcpp=False),)
    answers = (INVALID, RUNNING, SUCCESS, RUNNING, SKIPPED)


class SuccessIsRunning(StatusMap):
    """Answers RUNNING when its child succeeds, and starts it again, to wait for a failure.

    >>> from deepsim_btree import Tree
    >>> from deepsim_btree.testing import Scripted
    >>> tree = Tree(SuccessIsRunning(Scripted("SF", "is the way free")))
    >>> tree.tick().name, tree.tick().name
    ('RUNNING', 'FAILURE')
    """

    __slots__ = ()
    xml_tags = (Tag("SuccessIsRunning", in_btcpp=False),)
    answers = (INVALID, RUNNING, RUNNING, FAILURE, SKIPPED)


class SuccessIsFailure(StatusMap):
    """Fails when its child succeeds or fails.

    >>> from deepsim_btree import Success, Tree
    >>> Tree(SuccessIsFailure(Success())).tick().name
    'FAILURE'
    """

    __slots__ = ()
    xml_tags = (Tag("ForceFailure"),)
    answers = (INVALID, RUNNING, FAILURE, FAILURE, SKIPPED)


class UntilFail(StatusMap):
    """Runs its child again and again until it fails, and then succeeds.

    An INVALID child is started again too.

    >>> from deepsim_btree import Tree
    >>> from deepsim_btree.testing import Scripted
    >>> tree = Tree(UntilFail(Scripted("SSF", "take one more")))
    >>> [tree.tick().name for _ in range(3)]
    ['RUNNING', 'RUNNING', 'SUCCESS']

    Args:
        on_end: Answer when the child has failed.

    Raises:
        TypeError: `on_end` is not a `Status`.
    """

    __slots__ = ("answers",)
    xml_tags = (
        Tag("KeepRunningUntilFailure", fixed={"on_end": FAILURE}),
        Tag("UntilFail", in_btcpp=False),
    )

    def __init__(
        self, child: Behaviour, name: str | None = None, *, on_end: Status = SUCCESS
    ) -> None:
        super().__init__(child, name)
        self.answers = (RUNNING, RUNNING, RUNNING, check_status("on_end", on_end), RUNNING)

    @property
    def on_end(self) -> Status:
        """Answer when the child has failed."""
        return self.answers[FAILURE]


class Condition(StatusMap):
    """Succeeds when its child answers one particular status, and otherwise fails.

    >>> from deepsim_btree import Running, Status, Tree
    >>> tree = Tree(Condition(Running(), success_status=Status.RUNNING))
    >>> tree.tick().name
    'SUCCESS'

    Args:
        success_status: The status that counts as success.
        otherwise: Answer for every other status. With RUNNING the node waits for `success_status`,
            as in the original DeepSim.

    Raises:
        TypeError: `success_status` or `otherwise` is not a `Status`.
    """

    __slots__ = ("answers",)
    xml_tags = (Tag("StatusCondition", in_btcpp=False),)

    def __init__(
        self,
        child: Behaviour,
        name: str | None = None,
        *,
        success_status: Status = SUCCESS,
        otherwise: Status = FAILURE,
    ) -> None:
        super().__init__(child, name)
        check_status("success_status", success_status)
        answers = [check_status("otherwise", otherwise)] * len(Status)
        answers[success_status] = SUCCESS
        self.answers = tuple(answers)

    @property
    def success_status(self) -> Status:
        """The status that counts as success."""
        return Status(self.answers.index(SUCCESS))

    @property
    def otherwise(self) -> Status:
        """Answer for every other status."""
        return self.answers[INVALID if self.answers[INVALID] is not SUCCESS else RUNNING]
