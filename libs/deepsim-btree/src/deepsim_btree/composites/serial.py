# SPDX-License-Identifier: Apache-2.0
"""The base of the composites that run one child after another."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from deepsim_btree.leaves.constant import Constant
from deepsim_btree.rules import query
from deepsim_btree.status import RUNNING, SKIPPED, Status

from .composite import Composite

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deepsim_btree.behaviour import Behaviour


class Serial(Composite):
    """Runs its children one after another for as long as each of them answers `go_on`.

    It returns the answer of the first other child, or `go_on` if all children gave that: with
    SUCCESS this is a sequence, with FAILURE a selector.
    """

    __slots__ = ()
    go_on: ClassVar[Status]

    @query
    def _all_skipped(self) -> bool:
        return all(child.status is SKIPPED for child in self._children)

    @property
    def current_child(self) -> Behaviour | None:
        """The child that is RUNNING; None if none is."""
        return next((child for child in self._children if child.status is RUNNING), None)

    def problems(self) -> Iterator[str]:
        """Yields problems with the setup of the node; `Tree.validate` collects them."""
        yield from super().problems()
        for child in self._children[:-1]:
            if isinstance(child, Constant) and child.answer is not self.go_on:
                answer = child.answer.name
                yield f"children after {child.name} never run: it always answers {answer}"
                break
