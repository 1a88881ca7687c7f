# SPDX-License-Identifier: Apache-2.0
"""Checks, before the first tick, which blackboard entries nodes read and write."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import TYPE_CHECKING, NamedTuple

from .behaviour import Behaviour
from .blackboard import Entry, Key
from .btcpp.nodes import Loop
from .composites.conditional import Switch
from .errors import Problem
from .leaves.function import FunctionLeaf
from .leaves.plain import Constant, EntryLeaf, SetEntry, Wait
from .leaves.ports import Port, PortLeaf
from .parent import Parent

if TYPE_CHECKING:
    from .tree import Tree

# Nodes of other classes may write entries that are unknown before they run.
_KNOWN = (Constant, EntryLeaf, FunctionLeaf, Parent, PortLeaf, Wait)


class _Use(NamedTuple):
    node: Behaviour
    entry: Key
    reads: bool
    writes: bool
    port: Port[object] | None = None


def unconnected(tree: Tree) -> list[Problem]:
    """Returns a problem for each entry that is never written, and for ports whose types differ."""
    nodes = list(tree.root.walk())
    entries: dict[int, tuple[Entry, list[_Use]]] = {}
    for node in nodes:
        for use in _uses(node):
            entry = use.entry.entry(node)
            entries.setdefault(id(entry), (entry, []))[1].append(use)
    all_known = all(isinstance(node, _KNOWN) for node in nodes)
    found: list[Problem] = []
    for entry, uses in entries.values():
        found += _other_types(uses)
        if all_known and entry.source() is None and not any(use.writes for use in uses):
            found += [
                Problem(
                    use.node.path,
                    f"reads {{{use.entry.name}}}, which no node writes and the blackboard lacks",
                )
                for use in uses
                if use.reads
            ]
    return found


def _uses(node: Behaviour) -> Iterator[_Use]:
    if isinstance(node, PortLeaf):
        for name, connected in node.connections.items():
            if isinstance(connected, Key):
                port = type(node).ports[name]
                reads, writes = port.direction != "output", port.direction != "input"
                yield _Use(node, connected, reads, writes, port)
        return
    if isinstance(node, (SetEntry, Loop)) and node.entry is not None:
        yield _Use(node, Key(node.entry), reads=False, writes=True)
    read: tuple[object, ...] = ()
    if isinstance(node, FunctionLeaf):
        read = (*node.args, *node.kwargs.values())
    elif isinstance(node, SetEntry):
        read = (node.value,)
    elif isinstance(node, (Loop, Switch)):
        read = (node.queue if isinstance(node, Loop) else node.on,)
    for value in read:
        if isinstance(value, Key):
            yield _Use(node, value, reads=True, writes=False)


def _other_types(uses: list[_Use]) -> Iterator[Problem]:
    for reader, writer in permutations(uses, 2):
        if reader.port is None or writer.port is None:
            continue
        if writer.port.type is str and type(reader.entry) is not Key:
            continue  # in a tree from a file the text is converted when it is read
        if reader.reads and writer.writes and not _fits(writer.port.type, reader.port.type):
            yield Problem(
                reader.node.path,
                f"port {reader.port.name} reads {reader.port.type_name} from "
                f"{{{reader.entry.name}}}, where {writer.node.path} writes {writer.port.type_name}",
            )


def _fits(written: type, read: type) -> bool:
    if read is float and issubclass(written, int):
        return True
    return issubclass(written, read) or issubclass(read, written)
