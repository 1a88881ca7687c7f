# SPDX-License-Identifier: Apache-2.0
"""Helpers for tests of trees: leaves with scripted answers, and substitution of nodes by name.

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

from collections.abc import Iterable, Mapping
from inspect import Parameter, Signature
from typing import Any, Union

from .behaviour import Behaviour, all_paths
from .blackboard import Key
from .btcpp.document import read_texts
from .btcpp.reader import KNOWN_TAGS
from .leaves.ports import InOut, PortLeaf
from .parent import Decorator
from .snapshot import CURRENT, STATUSES
from .status import SUCCESS, Status
from .tree import Tree


class Scripted(Behaviour):
    """A leaf that gives the answers of a script in turn, again and again.

    >>> from deepsim_btree import Tree
    >>> leaf = Scripted("RS")
    >>> tree = Tree(leaf)
    >>> tree.tick().name, tree.tick().name, leaf.log
    ('RUNNING', 'SUCCESS', ['start', 'R', 'S', 'end S'])

    Args:
        script: Letters I, R, S, F and K for INVALID, RUNNING, SUCCESS, FAILURE and SKIPPED.

    Attributes:
        log: The calls of the node: ``"start"``, a letter for each answer, and ``"end "`` with the
            letter of the final status, which is I after a halt.

    Raises:
        ValueError: `script` is empty or contains a different letter.
    """

    __slots__ = ("_position", "log", "script")

    def __init__(self, script: str, name: str | None = None) -> None:
        super().__init__(name)
        if not script or not set(script) <= set(CURRENT):
            raise ValueError(f"script must have letters of {CURRENT}, got {script!r}")
        self.script = script
        self.log: list[str] = []
        self._position = 0

    def initialize(self) -> None:
        self.log.append("start")

    def update(self) -> Status:
        letter = self.script[self._position % len(self.script)]
        self._position += 1
        self.log.append(letter)
        return STATUSES[letter]

    def terminate(self, new_status: Status) -> None:
        self.log.append(f"end {CURRENT[new_status]}")

    def reset(self) -> None:
        super().reset()
        self.log.clear()
        self._position = 0


def play(tree: Tree, expected: str | Mapping[str, str]) -> None:
    """Ticks a tree once per letter and checks its answers, or the answers of some of its nodes.

    Args:
        tree: The tree.
        expected: The letters of the tree's answers, such as ``"RRS"``; or a mapping from names or
            paths of nodes to the letters of their answers, with a dot for a tick in which the node
            did not run.

    Raises:
        AssertionError: An answer differs; the message shows the answers so far and the tree.
        ValueError: The nodes have different numbers of letters.
        KeyError: No node has a given name, or several have it and need a path instead.
    """
    wanted = {"": expected} if isinstance(expected, str) else dict(expected)
    nodes = {name: _find(tree.root, name) if name else tree.root for name in wanted}
    if len({len(letters) for letters in wanted.values()}) > 1:
        raise ValueError(f"every node needs as many letters as the others, got {wanted}")
    answers = dict.fromkeys(wanted, "")
    for place in range(max(map(len, wanted.values()), default=0)):
        tree.tick()
        for name, node in nodes.items():
            answers[name] += CURRENT[node.status] if node.last_tick == tree.tick_count else "."
        if any(answers[name][place] != wanted[name][place] for name in wanted):
            shown = (expected, answers[""]) if "" in wanted else (wanted, answers)
            raise AssertionError(f"expected {shown[0]}, got {shown[1]}\n{tree}")


def _find(root: Behaviour, name: str) -> Behaviour:
    """Returns the node that a name or a path refers to, or raises KeyError."""
    found = [node for node in root.walk() if node.name == name]
    if len(found) == 1:
        return found[0]
    paths = all_paths(root)
    for node in root.walk():
        if paths[id(node)] == name:
            return node
    raise KeyError(f"{len(found)} nodes are called {name!r}: give the path of one")


def substitute(root: Behaviour, replacements: Mapping[str, Behaviour]) -> Behaviour:
    """Replaces all nodes with certain names, and returns the root.

    Each node is replaced with a copy of its replacement, which gets the name of the node.

    Args:
        root: The node at the top. If it is replaced itself, it must not belong to a `Tree`.
        replacements: Replacements by names of nodes.

    Raises:
        KeyError: One of the names belongs to no node.
        BusyError: The parent of a node to replace is RUNNING.
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


def stand_ins(*documents: str, nodes: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Returns node classes for all tags of some documents, so that `read_xml` can read them.

    A stand-in has the attributes that the documents give it. As a leaf it succeeds; with children
    it answers like its only child. `substitute` gives the leaves of a test their answers.

    >>> from deepsim_btree.xml import read_xml
    >>> text = '''<root BTCPP_format="4"><BehaviorTree>
    ...   <Sequence><Plan goal="{goal}" path="{path}"/><Follow path="{path}"/></Sequence>
    ... </BehaviorTree></root>'''
    >>> root = read_xml(text, stand_ins(text))
    >>> play(Tree(substitute(root, {"Follow": Scripted("RS")})), "RS")

    Args:
        *documents: Texts in the XML of BehaviorTree.CPP, without included files.
        nodes: Classes that exist already, by their tags.

    Raises:
        XmlError: A text is wrong.
    """
    made: dict[str, Any] = dict(nodes or {})
    ports: dict[str, dict[str, None]] = {}
    with_children = set()
    for element in read_texts(documents).elements():
        tag = element.node_id
        if tag in made or tag in KNOWN_TAGS:
            continue
        names = (name for name in element.attributes if name[0] != "_")
        ports.setdefault(tag, {}).update(dict.fromkeys(names))
        if element.children:
            with_children.add(tag)
    for tag, found in ports.items():
        own = [name for name in found if name not in ("ID", "name")]
        made[tag] = _decorator(tag, own) if tag in with_children else _leaf(tag, own)
    return made


def _leaf(tag: str, names: Iterable[str]) -> type[PortLeaf]:
    ports = {name: InOut(object, default=None) for name in names}
    return type(tag, (PortLeaf,), {**ports, "update": lambda _: SUCCESS})


def _decorator(tag: str, names: Iterable[str]) -> type[Decorator]:
    def init(self: Decorator, child: Behaviour, name: str | None = None, **given: object) -> None:
        Decorator.__init__(self, child, name)
        for attribute, value in given.items():
            setattr(self, f"_{attribute}" if hasattr(Behaviour, attribute) else attribute, value)

    init.__annotations__ = dict.fromkeys(names, Union[str, Key])
    optional = [Parameter(name, Parameter.KEYWORD_ONLY, default=None) for name in names]
    child = Parameter("child", Parameter.POSITIONAL_OR_KEYWORD)
    members = {"__init__": init, "__signature__": Signature([child, *optional])}
    return type(tag, (Decorator,), {**members, "update": lambda node: node.tick_child(node.child)})
