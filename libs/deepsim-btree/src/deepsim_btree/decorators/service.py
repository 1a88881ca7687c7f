# SPDX-License-Identifier: Apache-2.0
"""Service: a node that runs every few seconds beside a branch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deepsim_btree.arguments import check_seconds
from deepsim_btree.blackboard.key import Key, read_seconds
from deepsim_btree.parent import Parent
from deepsim_btree.status import RUNNING, Status

if TYPE_CHECKING:
    from deepsim_btree.behaviour import Behaviour


class Service(Parent):
    """Runs a branch, and a second node, the service, at the start of the run and every `seconds`.

    It answers like the branch and ignores the answers of the service. A service that is RUNNING is
    ticked at every tick until it has finished. The service is halted when the branch ends, and both
    are halted with this node. Runs of the service that are due while it is still RUNNING, or
    between two distant ticks, are left out.

    >>> from deepsim_btree import Action, Running, Tree
    >>> times, seen = iter([0.0, 0.2, 0.4, 0.6, 0.8, 1.0]), []
    >>> look = Action(lambda: seen.append(tree.now) or Status.SUCCESS)
    >>> tree = Tree(Service(Running("drive"), look, seconds=0.5), clock=lambda: next(times))
    >>> for _ in range(6):
    ...     status = tree.tick()
    >>> seen
    [0.0, 0.6, 1.0]

    Args:
        child: The branch.
        service: The service, which is ticked before the branch.
        seconds: Time between two starts of the service on the clock of the tree [s], or the `key`
            of an entry with this time.

    Raises:
        TypeError: `seconds` is not a number.
        ValueError: `seconds` is negative, infinite or NaN.
    """

    __slots__ = ("_due", "seconds")
    needs_clock = True

    def __init__(
        self, child: Behaviour, service: Behaviour, name: str | None = None, *, seconds: float
    ) -> None:
        super().__init__((service, child), name)
        self.seconds = seconds if isinstance(seconds, Key) else check_seconds(seconds)
        self._due = 0.0

    def update(self) -> Status:
        """Ticks the service if it is due or RUNNING, then the branch."""
        service, child = self._children
        now = self.tree.now
        if self.status is not RUNNING:
            self._due = now
        if now >= self._due:
            seconds = read_seconds(self, self.seconds)
            # Starts are `seconds` apart on average, whatever the times of the ticks.
            self._due = now + seconds if now - self._due >= seconds else self._due + seconds
            self.tick_child(service)
        elif service.status is RUNNING:
            self.tick_child(service)
        status = self.tick_child(child)
        if status is not RUNNING:
            service.halt()
        return status
