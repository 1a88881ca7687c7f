# SPDX-License-Identifier: Apache-2.0
"""Bodies of the nodes that measure time, which is in ``s[-1]``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .text import block, lines

if TYPE_CHECKING:
    from deepsim_btree.timers import Cooldown, Delay, Timeout
    from deepsim_btree.wait import Wait

    from .compiler import Compiler

NOW = "now = s[-1]"


def timeout(compiler: Compiler, node: Timeout) -> str:
    """Remember the start of the run; it may be over before the child is ticked."""
    slot = compiler.run_slot()
    child = compiler.part(node.child)
    return lines(
        NOW,
        block(f"if {slot} is None:", f"{slot} = now"),
        block(
            f"if now - {slot} >= {node.seconds!r}:", child.halt, f"{slot} = None", "return FAILURE"
        ),
        f"r = {child.checked}",
        block("if r is not RUNNING:", f"{slot} = None"),
        "return r",
    )


def delay(compiler: Compiler, node: Delay) -> str:
    """Remember the start of the run; wait before the child is ticked."""
    slot = compiler.run_slot()
    child = compiler.part(node.child)
    return lines(
        NOW,
        block(f"if {slot} is None:", f"{slot} = now"),
        block(f"if now - {slot} < {node.seconds!r}:", "return RUNNING"),
        f"r = {child.checked}",
        block("if r is not RUNNING:", f"{slot} = None"),
        "return r",
    )


def wait(compiler: Compiler, node: Wait) -> str:
    """Remember the start of the run."""
    slot = compiler.run_slot()
    return lines(
        NOW,
        block(f"if {slot} is None:", f"{slot} = now"),
        block(f"if now - {slot} < {node.seconds!r}:", "return RUNNING"),
        f"{slot} = None",
        "return SUCCESS",
    )


def cooldown(compiler: Compiler, node: Cooldown) -> str:
    """Remember the last tick of the child for good, and whether it is RUNNING."""
    since, running = compiler.lasting_slot(), compiler.run_slot(False)
    child = compiler.part(node.child)
    return lines(
        NOW,
        block(
            f"if not {running} and {since} is not None and now - {since} < {node.seconds!r}:",
            "return FAILURE",
        ),
        f"{since} = now",
        f"r = {child.checked}",
        f"{running} = r is RUNNING",
        "return r",
    )
