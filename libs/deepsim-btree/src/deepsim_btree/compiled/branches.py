# SPDX-License-Identifier: Apache-2.0
"""Bodies of the nodes that choose one of several branches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deepsim_btree.errors import StructureError

from .leaf_call import condition_call
from .text import block, lines

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deepsim_btree.conditional import IfThenElse, WhileDoElse
    from deepsim_btree.subtree import SubTree
    from deepsim_btree.switch import Switch

    from .compiler import Compiler, Part


def if_then_else(compiler: Compiler, node: IfThenElse) -> str:
    """Remember the branch, 1 or 2, in a slot."""
    slot = compiler.run_slot(0)
    condition, *branches = compiler.parts(node)
    return lines(
        f"branch = {slot}",
        block(
            "if not branch:",
            f"r = {condition.checked}",
            block("if r is RUNNING:", "return r"),
            f"{slot} = branch = 1 if r is SUCCESS else 2",
        ),
        _chosen("branch", enumerate(branches, 1)),
        block("if r is not RUNNING:", f"{slot} = 0"),
        "return r",
    )


def while_do_else(compiler: Compiler, node: WhileDoElse) -> str:
    """Ask at every tick and halt the other branch."""
    condition, *branches = compiler.parts(node)
    return lines(
        f"r = {condition.checked}",
        block("if r is RUNNING:", "return r"),
        "branch = 1 if r is SUCCESS else 2",
        *_others_halted("branch", enumerate(branches, 1)),
        _chosen("branch", enumerate(branches, 1)),
        "return r",
    )


def switch(compiler: Compiler, node: Switch) -> str:
    """Ask at every tick and halt the other branches."""
    value = condition_call(compiler, node, node.on)
    choose = compiler.constant(node.choose)
    parts = compiler.parts(node)
    return lines(
        f"branch = {choose}({value})",
        *_others_halted("branch", enumerate(parts)),
        _chosen("branch", enumerate(parts)),
        "return r",
    )


def sub_tree(compiler: Compiler, node: SubTree) -> str:
    """Tick the child, which is all there is to do where no leaf uses the blackboard."""
    before = compiler.own_leaves
    text = compiler.part(node.child).checked
    for leaf in compiler.own_leaves[len(before) :]:
        raise StructureError(
            f"{leaf.path} may use the blackboard of {node.path}, which agents lack: "
            "make it a function of AGENT"
        )
    return f"return {text}"


def _others_halted(branch: str, parts: Iterable[tuple[int, Part]]) -> list[str]:
    return [block(f"if {branch} != {n}:", part.halt) for n, part in parts if part.halt]


def _chosen(branch: str, parts: Iterable[tuple[int, Part]]) -> str:
    """Return statements that tick the chosen branch; without it, the answer is FAILURE."""
    return lines(
        "r = FAILURE",
        *(
            block(f"if {branch} == {n}:", f"r = {part.call}", f"r = finished(r){part.mark}")
            for n, part in parts
        ),
    )
