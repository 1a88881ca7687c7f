# SPDX-License-Identifier: Apache-2.0
"""Bodies of the decorators that translate, count or guard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deepsim_btree.errors import StructureError
from deepsim_btree.status import RUNNING

from .leaf_call import condition_call
from .text import block, lines

if TYPE_CHECKING:
    from deepsim_btree.counters import Limit, Repeater, Retry, RunOnce
    from deepsim_btree.guard import Guard
    from deepsim_btree.status_map import StatusMap

    from .compiler import Compiler


def status_map(compiler: Compiler, node: StatusMap) -> str:
    """Look the answer up."""
    child = compiler.part(node.child)
    answers = compiler.constant(node.answers)
    halts = node.answers[RUNNING] is not RUNNING and child.halt
    return lines(
        f"r = {child.checked}",
        block("if r is RUNNING:", child.halt) if halts else "",
        f"return {answers}[r]",
    )


def limit(compiler: Compiler, node: Limit) -> str:
    """Count ticks in a slot that a halt sets back, or that lasts."""
    slot = compiler.lasting_slot() if node.lifetime else compiler.run_slot(0)
    child = compiler.part(node.child)
    end = "" if node.lifetime else f"{slot} = 0"
    return lines(
        f"ticks = {slot} or 0",
        block(f"if ticks >= {node.tick_limit}:", child.halt, end, "return FAILURE"),
        f"{slot} = ticks + 1",
        f"r = {child.checked}",
        block("if r is not RUNNING:", end) if end else "",
        "return r",
    )


def repeater(compiler: Compiler, node: Repeater) -> str:
    """Count the runs that have ended."""
    if node.repeat == 0:
        return "return SUCCESS"
    slot = compiler.run_slot(0)
    child = compiler.part(node.child)
    abort = " or r is not SUCCESS" if node.on_failure == "abort" else ""
    return lines(
        f"r = {child.checked}",
        block("if r is RUNNING:", "return r"),
        f"runs = {slot} + 1",
        block(
            f"if runs == {node.repeat}{abort}:",
            f"{slot} = 0",
            "return SUCCESS if r is SUCCESS else FAILURE",
        ),
        f"{slot} = runs",
        "return RUNNING",
    )


def retry(compiler: Compiler, node: Retry) -> str:
    """Count the runs that have failed."""
    slot = compiler.run_slot(0)
    child = compiler.part(node.child)
    return lines(
        f"r = {child.checked}",
        block("if r is RUNNING:", "return r"),
        block("if r is SUCCESS:", f"{slot} = 0", "return r"),
        f"runs = {slot} + 1",
        block(f"if runs == {node.attempts}:", f"{slot} = 0", "return FAILURE"),
        f"{slot} = runs",
        "return RUNNING",
    )


def run_once(compiler: Compiler, node: RunOnce) -> str:
    """Keep the answer in a slot that lasts."""
    if node.then_skip:
        raise StructureError(f"{compiler.path(node)} answers SKIPPED, which no Template has")
    slot = compiler.lasting_slot()
    child = compiler.part(node.child)
    return lines(
        f"r = {slot}",
        block(
            "if r is None:",
            f"r = {child.checked}",
            block("if r is not RUNNING:", f"{slot} = r"),
        ),
        "return r",
    )


def guard(compiler: Compiler, node: Guard) -> str:
    """Ask, then tick or halt."""
    condition = condition_call(compiler, node, node.condition)
    child = compiler.part(node.child)
    return lines(
        block(f"if truth({condition}):", f"return {child.checked}"), child.halt, "return FAILURE"
    )
