# SPDX-License-Identifier: Apache-2.0
"""The names that generated functions use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deepsim_btree.leaves.function import truth
from deepsim_btree.status import FAILURE, INVALID, RUNNING, SKIPPED, SUCCESS, Status
from deepsim_btree.stream import draw_order

if TYPE_CHECKING:
    from deepsim_btree.behaviour import Behaviour


class NoStatusError(Exception):
    """A leaf answered with something that is not a Status."""

    def __init__(self, value: object, where: str = "") -> None:
        super().__init__(f"update() {where}must return a Status, got {value!r}")


def checked(status: Status) -> Status:
    """Returns `status`, which must be a `Status` other than SKIPPED.

    Raises:
        NoStatusError: `status` is anything else.
    """
    if status is SKIPPED or status.__class__ is not Status:
        refuse(status)
    return status


def status_of(node: Behaviour, answer: Status) -> Status:
    """Returns the answer of a node of a `Tree`, which must be a `Status`.

    Raises:
        TickError: The answer is anything else.
    """
    if answer.__class__ is not Status:
        raise node._no_status(answer)
    return answer


def refuse(value: object) -> None:
    """Raises NoStatusError for the answer of a leaf."""
    where = "of a tree for many agents " if value is SKIPPED else ""
    raise NoStatusError(value, where)


def draw(state: list[Any], slot: int, count: int) -> tuple[int, ...]:
    """Returns a random order of `count` children, drawn from the stream in a slot."""
    state[slot], order = draw_order(state[slot], count)
    return order


def answer(value: object) -> Status:
    """Returns the status of a `Check` whose function returned `value`.

    Raises:
        TypeError: `value` is None or a `Status`.
    """
    return SUCCESS if truth(value) else FAILURE


def tick_node(node: Behaviour) -> Status:
    """Ticks an agent's own copy of a leaf or a branch.

    Raises:
        TickError: A node raised an exception or did not return a `Status`.
    """
    status = checked(node._entry())
    node.status = status
    return status


def tick_all(node: Behaviour) -> Status:
    """Ticks an agent's own copy of the whole tree, which may be SKIPPED."""
    status = node._entry()
    if status.__class__ is not Status:
        refuse(status)
    node.status = status
    return status


RUNTIME: dict[str, Any] = {
    "Status": Status,
    "INVALID": INVALID,
    "RUNNING": RUNNING,
    "SUCCESS": SUCCESS,
    "FAILURE": FAILURE,
    "answer": answer,
    "checked": checked,
    "SKIPPED": SKIPPED,
    "draw": draw,
    "refuse": refuse,
    "status_of": status_of,
    "tick_all": tick_all,
    "tick_node": tick_node,
    "truth": truth,
}
