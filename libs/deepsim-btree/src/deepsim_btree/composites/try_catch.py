# SPDX-License-Identifier: Apache-2.0
"""TryCatch: a sequence with a child that cleans up after a failure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from deepsim_btree.behaviour import Behaviour
from deepsim_btree.blackboard.key import read_bool
from deepsim_btree.status import FAILURE, INVALID, RUNNING, SKIPPED, SUCCESS, Status
from deepsim_btree.tag import Attribute, Tag

from .composite import Composite


class TryCatch(Composite):
    """Runs all children but the last as a `Sequence`; after a failure runs the last, and fails.

    >>> from deepsim_btree import Failure, Success, Tree
    >>> tree = Tree(TryCatch([Success("open"), Failure("enter"), Success("close")]))
    >>> tree.tick().name, tree.root.tip().name
    ('FAILURE', 'enter')
    >>> tree.root.children[2].status.name
    'SUCCESS'

    Args:
        children: The nodes below, at least two.
        catch_on_halt: Whether to tick the last child once even when the node is halted before this
            child has run; or the `key` of an entry with this bool.
    """

    __slots__ = ("_is_catching", "_skipped", "catch_on_halt")
    xml_tags = (
        Tag("TryCatch", catch_on_halt=Attribute("catch_on_halt", bool, False, takes_key=True)),
    )

    def __init__(
        self,
        children: Iterable[Behaviour] = (),
        name: str | None = None,
        *,
        catch_on_halt: bool = False,
    ) -> None:
        super().__init__(children, name)
        self.catch_on_halt = catch_on_halt
        self._skipped = 0
        self._is_catching = False

    def update(self) -> Status:
        """Continues the sequence or, after a failure, the last child."""
        if self.status is not RUNNING:
            self._current = self._skipped = 0
            self._is_catching = False
        while not self._is_catching and self._current < len(self._children) - 1:
            status = self.tick_child(self._children[self._current])
            if status is RUNNING:
                return RUNNING
            self._skipped += status is SKIPPED
            self._is_catching = status is FAILURE or status is INVALID
            self._current += 1
        if self._is_catching:
            status = self.tick_child(self._children[-1])
            return RUNNING if status is RUNNING else FAILURE
        return SKIPPED if self._skipped and self._skipped == self._current else SUCCESS

    def terminate(self, new_status: Status) -> None:
        """Ticks the last child after a halt, if `catch_on_halt` is set."""
        if new_status is not INVALID or self._is_catching:
            return
        if read_bool(self, "catch_on_halt", self.catch_on_halt):
            child = self._children[-1]
            if self.tick_child(child) is RUNNING:
                child.halt()

    def problems(self) -> Iterator[str]:
        """Yields problems with the setup of the node; `Tree.validate` collects them."""
        yield from super().problems()
        if len(self._children) == 1:
            yield "TryCatch needs a child to try and one to clean up"
