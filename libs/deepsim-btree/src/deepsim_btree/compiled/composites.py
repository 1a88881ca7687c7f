# SPDX-License-Identifier: Apache-2.0
"""Bodies of the composites."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deepsim_btree.status import FAILURE, SUCCESS

from .text import block, lines

if TYPE_CHECKING:
    from deepsim_btree.memory import MemoryComposite
    from deepsim_btree.parallel import Parallel
    from deepsim_btree.random_order import RandomComposite
    from deepsim_btree.reactive import ReactiveComposite
    from deepsim_btree.serial import Serial

    from .compiler import Compiler, Part


def memory(compiler: Compiler, node: MemoryComposite) -> str:
    """Run children, without a loop unless there is a place in the slot to resume at."""
    slot = compiler.run_slot(0)
    parts = compiler.parts(node)
    go_on, other = _answers(node)
    turns = [
        lines(
            f"r = {part.call}",
            block(
                f"if r is not {go_on}:",
                _return_running(part, f"{slot} = {place}" if place else ""),
                block(
                    f"if r is {other} or finished(r) is not {go_on}:{part.mark}", f"return {other}"
                ),
            ),
        )
        for place, part in enumerate(parts)
    ]
    resume = block(f"if {slot}:", _loop(node, compiler.functions(parts), slot, "at"))
    return lines(resume, *turns, f"return {go_on}")


def random_order(compiler: Compiler, node: RandomComposite) -> str:
    """Draw an order at the start of a run and keep it in a slot, None between runs."""
    order, slot = compiler.run_slot(), compiler.run_slot(0)
    stream = compiler.stream_slot(node)
    functions = compiler.functions(compiler.parts(node))
    draw = f"{stream}, {order} = draw_order({stream}, {len(node.children)})"
    return lines(
        block(f"if {order} is None:", draw),
        _loop(node, functions, slot, f"{order}[at]", f"{order} = None"),
    )


def _loop(node: Serial, functions: str, slot: str, chosen: str, end: str = "") -> str:
    """Return statements that run the chosen children from the place in the slot on."""
    go_on, other = _answers(node)
    return lines(
        block(
            f"for at in range({slot}, {len(node.children)}):",
            f"r = {functions}[{chosen}](a, s)",
            block("if r is RUNNING:", f"{slot} = at", "return r"),
            block(f"if finished(r) is not {go_on}:", f"{slot} = 0", end, f"return {other}"),
        ),
        f"{slot} = 0",
        end,
        f"return {go_on}",
    )


def _return_running(part: Part, remember: str) -> str:
    return block("if r is RUNNING:", remember, "return r") if part.can_run else ""


def _answers(node: Serial) -> tuple[str, str]:
    """Return the names of the answers after which a node goes on, and with which it stops."""
    return node.go_on.name, (FAILURE if node.go_on is SUCCESS else SUCCESS).name


def reactive(compiler: Compiler, node: ReactiveComposite) -> str:
    """Run children in order; the slot has the place of the one that is RUNNING, from 1."""
    slot = compiler.run_slot(0)
    parts = compiler.parts(node)
    go_on, other = _answers(node)
    turns = []
    for place, part in enumerate(parts, 1):
        later = [
            block(f"if was == {place + n}:", later.halt)
            for n, later in enumerate(parts[place:], 1)
            if later.halt
        ]
        turns.append(
            lines(
                f"r = {part.call}",
                block(
                    f"if r is not {go_on}:",
                    block(
                        f"if r is {other} or r is RUNNING or finished(r) is not {go_on}:"
                        + part.mark,
                        block(f"if was > {place}:", *later) if later else "",
                        _return_running(part, f"{slot} = {place}"),
                        f"{slot} = 0",
                        f"return {other}",
                    ),
                ),
            )
        )
    return lines(f"was = {slot}", *turns, f"{slot} = 0", f"return {go_on}")


def parallel(compiler: Compiler, node: Parallel) -> str:
    """Tick the children that have not finished, and count those that have in two slots."""
    good, bad = compiler.run_slot(0), compiler.run_slot(0)
    ended = [compiler.run_slot(False) for _ in node.children]
    parts = compiler.parts(node)
    needed, allowed = node.thresholds()
    halt = [f"{good} = {bad} = 0", *(f"{slot} = False" for slot in ended)]
    halt += [part.halt for part in parts]
    decide = [
        block(f"if good >= {needed}:", *halt, "return SUCCESS"),
        block(f"if bad >= {allowed}:", *halt, "return FAILURE"),
    ]
    body = []
    for slot, part in zip(ended, parts):
        count = [
            f"{slot} = True",
            block(f"if finished(r) is SUCCESS:{part.mark}", "good += 1"),
            block("else:", "bad += 1"),
            *(decide if node.eager else ()),
        ]
        tick = lines(f"r = {part.call}", block("if r is not RUNNING:", *count))
        body.append(block(f"if not {slot}:", tick))
    remember = f"{good} = good\n{bad} = bad"
    return lines(f"good = {good}\nbad = {bad}", *body, *decide, remember, "return RUNNING")
