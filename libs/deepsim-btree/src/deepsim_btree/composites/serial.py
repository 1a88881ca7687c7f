# SPDX-License-Identifier: Apache-2.0
"""The base of composites that run one child after another."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from deepsim_btree.leaves.constant import Constant
from deepsim_btree.status import RUNNING, SKIPPED, Status

from .composite import Composite

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deepsim_btree.behaviour import Behaviour


class Serial(Composite):
    """The base of composites that tick one child after another while each answers `go_on`.

    The answer is that of the first child that answers otherwise, or `go_on` if none does: a `go_on`
    of SUCCESS makes a sequence, FAILURE a selector.
    """

    __slots__ = ()
    go_on: ClassVar[Status]

    def _all_skipped(self) -> bool:
        return all(child.status is SKIPPED for child in self._children)

    @property
    def current_child(self) -> Behaviour | None:
        """The child that is RUNNING, or None."""
        return next((child for child in self._children if child.status is RUNNING), None)

    def problems(self) -> Iterator[str]:
        """Yields problems with the setup of the node; `Tree.validate` collects them."""
        yield from super().problems()
        for child in self._children[:-1]:
            if isinstance(child, Constant) and child.answer is not self.go_on:
                answer = child.answer.name
                yield f"children after {child.name} never run: it always answers {answer}"
                break
