# SPDX-License-Identifier: Apache-2.0
"""Nodes that measure time on the clock of the tree: Timeout, Delay, Cooldown and Service."""

from __future__ import annotations

import math

from deepsim_btree.arguments import check_seconds
from deepsim_btree.behaviour import Behaviour
from deepsim_btree.blackboard import Key, read_seconds
from deepsim_btree.parent import Decorator, Parent
from deepsim_btree.status import FAILURE, RUNNING, Status
from deepsim_btree.tag import Attribute, Milliseconds, Tag


class Timer(Decorator):
    """The base of decorators that measure time, which need ``Tree(root, clock=...)``.

    Args:
        seconds: Duration on the clock of the tree [s], or the `key` of an entry with this duration.

    Raises:
        TypeError: `seconds` is not a number.
        ValueError: `seconds` is negative, infinite or NaN.
    """

    __slots__ = ("_since", "seconds")
    needs_clock = True

    def __init__(self, child: Behaviour, name: str | None = None, *, seconds: float) -> None:
        super().__init__(child, name)
        self.seconds = seconds if isinstance(seconds, Key) else check_seconds(seconds)
        self._since = -math.inf

    def reset(self) -> None:
        super().reset()
        self._since = -math.inf


class Timeout(Timer):
    """Fails and halts its child if the run has not ended `seconds` after its start.

    The child is not ticked in the tick that fails.

    >>> from deepsim_btree import Running, Tree
    >>> now = [0.0]
    >>> tree = Tree(Timeout(Running("drive"), seconds=5), clock=lambda: now[0])
    >>> tree.tick().name
    'RUNNING'
    >>> now[0] = 5.0
    >>> tree.tick().name
    'FAILURE'
    """

    __slots__ = ()
    xml_tags = (Tag("Timeout", seconds=Attribute("msec", Milliseconds, takes_key=True)),)

    def update(self) -> Status:
        now = self.tree.now
        if self.status is not RUNNING:
            self._since = now
        if now - self._since >= read_seconds(self, self.seconds):
            self.child.halt()
            return FAILURE
        return self.tick_child(self.child)


class Delay(Timer):
    """Stays RUNNING for `seconds` from the start of the run before it ticks its child.

    >>> from deepsim_btree import Success, Tree
    >>> now = [0.0]
    >>> tree = Tree(Delay(Success("go"), seconds=1), clock=lambda: now[0])
    >>> tree.tick().name
    'RUNNING'
    >>> now[0] = 1.0
    >>> tree.tick().name
    'SUCCESS'
    """

    __slots__ = ()
    xml_tags = (Tag("Delay", seconds=Attribute("delay_msec", Milliseconds, takes_key=True)),)

    def update(self) -> Status:
        now = self.tree.now
        if self.status is not RUNNING:
            self._since = now
        if now - self._since < read_seconds(self, self.seconds):
            return RUNNING
        return self.tick_child(self.child)


class Cooldown(Timer):
    """Fails without starting its child until `seconds` have passed since the child's last tick.

    >>> from deepsim_btree import Success, Tree
    >>> now = [0.0]
    >>> tree = Tree(Cooldown(Success("kick"), seconds=2), clock=lambda: now[0])
    >>> tree.tick().name, tree.tick().name
    ('SUCCESS', 'FAILURE')
    >>> now[0] = 2.0
    >>> tree.tick().name
    'SUCCESS'
    """

    __slots__ = ()
    xml_tags = (Tag("Cooldown", in_btcpp=False),)

    def update(self) -> Status:
        now = self.tree.now
        if self.status is not RUNNING and now - self._since < read_seconds(self, self.seconds):
            return FAILURE
        self._since = now
        return self.tick_child(self.child)


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
