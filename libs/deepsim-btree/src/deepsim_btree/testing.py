# SPDX-License-Identifier: Apache-2.0
"""Helpers for tests of trees: leaves that follow a script, and replacing nodes by name.

>>> from deepsim_btree import Sequence, Tree, action
>>> @action
... def drive():
...     raise RuntimeError("there is no robot in this test")
>>> root = Sequence([drive(), Scripted("S", "arrived")])
>>> root = substitute(root, {"drive": Scripted("RRS")})
>>> tree = Tree(root)
>>> play(tree, "RRS")
>>> play(tree, {"Sequence": "RRS", "drive": "RRS", "arrived": "..S"})
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .behaviour import Behaviour
from .levels import all_paths
from .status import Status

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .tree import Tree

_LETTERS = {"I": Status.INVALID, "R": Status.RUNNING, "S": Status.SUCCESS}
_LETTERS.update({"F": Status.FAILURE, "K": Status.SKIPPED})


class Scripted(Behaviour):
    """A leaf that answers the letters of a script in turn, over and over.

    >>> from deepsim_btree import Tree
    >>> leaf = Scripted("RS")
    >>> tree = Tree(leaf)
    >>> tree.tick().name, tree.tick().name, leaf.log
    ('RUNNING', 'SUCCESS', ['start', 'R', 'S', 'end S'])

    Args:
        script: Letters I, R, S, F and K for INVALID, RUNNING, SUCCESS, FAILURE and SKIPPED.

    Attributes:
        log: The calls of the node: ``"start"``, a letter for each answer, and ``"end "`` with
            the letter of the status that ended the run, which is I for a halt.

    Raises:
        ValueError: `script` is empty or has another letter.
    """

    __slots__ = ("_position", "log", "script")

    def __init__(self, script: str, name: str | None = None) -> None:
        super().__init__(name)
        if not script or not set(script) <= set(_LETTERS):
            raise ValueError(f"script must have letters of {''.join(_LETTERS)}, got {script!r}")
        self.script = script
        self.log: list[str] = []
        self._position = 0

    def initialize(self) -> None:
        """Notes the start of a run."""
        self.log.append("start")

    def update(self) -> Status:
        """Answers with the status for the next letter."""
        letter = self.script[self._position % len(self.script)]
        self._position += 1
        self.log.append(letter)
        return _LETTERS[letter]

    def terminate(self, new_status: Status) -> None:
        """Notes the end of a run."""
        self.log.append(f"end {letter_of(new_status)}")

    def reset(self) -> None:
        """Starts again with the first letter and an empty log."""
        super().reset()
        self.log.clear()
        self._position = 0


def letter_of(status: Status) -> str:
    """Returns the letter that stands for a status in scripts."""
    return next(letter for letter, known in _LETTERS.items() if known is status)


def play(tree: Tree, expected: str | Mapping[str, str]) -> None:
    """Ticks a tree once for each letter and checks its answers, or those of some of its nodes.

    Args:
        tree: The tree.
        expected: The letters of the answers, such as ``"RRS"``; or for some nodes, by their names
            or paths, the letters of theirs, with a dot for each tick in which the node did not run.

    Raises:
        AssertionError: An answer is another one; the message has all answers and the tree.
        ValueError: Two nodes have different numbers of letters.
        KeyError: No node has a name, or several have it: then give its path.
    """
    wanted = {"": expected} if isinstance(expected, str) else dict(expected)
    nodes = {name: _find(tree.root, name) if name else tree.root for name in wanted}
    if len({len(letters) for letters in wanted.values()}) > 1:
        raise ValueError(f"every node needs as many letters as the others, got {wanted}")
    answers = dict.fromkeys(wanted, "")
    for place in range(max(map(len, wanted.values()), default=0)):
        tree.tick()
        for name, node in nodes.items():
            has_run = node.last_tick == tree.tick_count
            answers[name] += letter_of(node.status) if has_run else "."
        if any(answers[name][place] != wanted[name][place] for name in wanted):
            shown = (expected, answers[""]) if "" in wanted else (wanted, answers)
            raise AssertionError(f"expected {shown[0]}, got {shown[1]}\n{tree}")


def _find(root: Behaviour, name: str) -> Behaviour:
    """Returns the node with a name or a path."""
    found = [node for node in root.walk() if node.name == name]
    if len(found) == 1:
        return found[0]
    paths = all_paths(root)
    for node in root.walk():
        if paths[id(node)] == name:
            return node
    raise KeyError(f"{len(found)} nodes are called {name!r}: give the path of one")


def substitute(root: Behaviour, replacements: Mapping[str, Behaviour]) -> Behaviour:
    """Puts other nodes in the place of those with certain names, and returns the root.

    Every use of a replacement is a copy, with the name of the node that it replaces.

    Args:
        root: The node at the top, which is changed; of no `Tree` if it is replaced itself.
        replacements: From names of nodes to what takes their place.

    Raises:
        KeyError: No node has one of the names.
        BusyError: A parent of such a node is RUNNING.
    """
    left = set(replacements)
    stack = [root]
    while stack:
        node = stack.pop()
        if node.name not in replacements:
            stack.extend(node.children)
            continue
        left.discard(node.name)
        twin = replacements[node.name].copy()
        twin.name = node.name
        parent = node.parent
        if parent is None:
            return twin
        parent._adopt([twin if child is node else child for child in parent.children])
    if left:
        raise KeyError(f"no node below {root.path} is called {sorted(left)[0]!r}")
    return root
