# SPDX-License-Identifier: Apache-2.0
"""The base of every node: its life cycle and its place in a tree."""

from __future__ import annotations

import copy
from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from .blackboard import Blackboard, KnownEntries
from .errors import StructureError, TickError, shortened
from .pickling import copy_error, deep_copy
from .status import INVALID, RUNNING, Status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typing_extensions import Self

    from .parent import Parent
    from .tag import Tag
    from .tree import Around, Tree


class Behaviour:
    """A node of a behaviour tree; subclass it to write a leaf.

    A *run* of a node starts with `initialize`, continues while `update` answers RUNNING, and ends
    with `terminate`. Override those of the three methods that you need:

    * `initialize()` - at the start of a run: acquire resources, reset counters.
    * `update()` - at each tick: do a little work, without blocking, and return a status.
    * `terminate(new_status)` - at the end of a run, whether it finished or was halted.

    Every `initialize` that returned is followed by exactly one `terminate`. Data that lasts as long
    as the node belongs in ``__init__``.

    >>> from deepsim_btree import Status, Tree
    >>> class Drive(Behaviour):
    ...     def initialize(self):
    ...         self.left = 2
    ...
    ...     def update(self):
    ...         self.left -= 1
    ...         return Status.RUNNING if self.left else Status.SUCCESS
    >>> tree = Tree(Drive())
    >>> tree.tick().name, tree.tick().name
    ('RUNNING', 'SUCCESS')

    Args:
        name: Name of the node, shown in paths and drawings; the class name if None.

    Attributes:
        status: The last answer; INVALID before the first one and after a halt.
        last_tick: Number of the tree's latest tick in which the node ran; 0 if it never ran. It
            shows which statuses are current, because a finished node keeps its `status`.

    Do not write `status` and `last_tick`: the caller that ticks the node sets them.
    """

    __slots__ = ("_feedback", "_known", "_name", "_owner", "last_tick", "status")

    xml_tags: ClassVar[tuple[Tag, ...]] = ()
    """How the class itself, not a subclass, stands in files; see `deepsim_btree.xml`."""

    needs_clock: ClassVar[bool] = False
    """Whether nodes of the class ask for the time, so that their tree must have a clock."""

    # Whether the class overrides `initialize`, `terminate` or `tick`. Of other nodes, parents call
    # `update` itself: three calls less for each node made a tick of 40 nodes twice as fast.
    _has_hooks: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._has_hooks = not (
            cls.tick is Behaviour.tick
            and cls.initialize is Behaviour.initialize
            and cls.terminate is Behaviour.terminate
        )

    def __init__(self, name: str | None = None) -> None:
        self._name = type(self).__name__ if name is None else _checked_name(name)
        self._feedback = ""
        self.status = INVALID
        self.last_tick = 0
        self._owner: Parent | Tree | None = None  # the tree owns its root
        self._known: KnownEntries | None = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r} {self.status.name}>"

    def initialize(self) -> None:
        """Starts a run. Called before the first `update` of the run."""

    def update(self) -> Status:
        """Does the work of one tick and returns the status; INVALID unless overridden."""
        return INVALID

    def terminate(self, new_status: Status) -> None:
        """Ends a run that was started by `initialize`.

        Args:
            new_status: Result of the run: SUCCESS or FAILURE, or INVALID if the node was halted or
                `update` returned INVALID. `status` has this value already.
        """

    def tick(self) -> Status:
        """Runs the node for one tick, including its hooks.

        Nodes without a `Tree` can be ticked too, but they have no clock and no blackboard, and are
        not halted if one of them raises an exception.

        Raises:
            TickError: `update` did not return a `Status`, or a node below failed.
        """
        if self.status is not RUNNING:
            self.initialize()
        try:
            status = self.update()
            if status.__class__ is not Status:
                raise self._no_status(status)
        except BaseException:
            self.status = RUNNING  # The run stays open, so that a later halt terminates it.
            raise
        self.status = status
        if status is not RUNNING:
            self.terminate(status)
        return status

    def halt(self) -> None:
        """Ends the run of a RUNNING node, children first; has no effect on other nodes.

        Raises:
            TickError: A `terminate` raised an exception. `Tree.halt` then continues with the other
                nodes, but this method does not.
        """
        if self.status is RUNNING:
            for child in self.children:
                child.halt()
            self.status = INVALID
            try:
                self.terminate(INVALID)
            except Exception as error:
                raise self._failed(error) from error

    def reset(self) -> None:
        """Clears the state that outlives a run; `Tree.reset` calls it after a halt.

        Override it, with a call of ``super().reset()``, in a node that keeps state between runs.
        """
        self.status = INVALID
        if self._feedback:
            self.feedback_message = ""
        self.last_tick = 0

    def problems(self) -> Iterator[str]:
        """Yields problems with the setup of the node; `Tree.validate` collects them."""
        if type(self).update is Behaviour.update:
            yield f"{type(self).__name__} has no update() of its own and always answers INVALID"
        if self.needs_clock and self.tree.clock is None:
            yield f"{type(self).__name__} needs a clock: Tree(root, clock=...)"

    @property
    def name(self) -> str:
        """Name shown in paths, errors and drawings; by default the class name.

        Raises:
            TypeError: The assigned value is not a str.
        """
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        self._name = _checked_name(name)

    @property
    def feedback_message(self) -> str:
        """Free text for people, shown beside the node when it is drawn."""
        return self._feedback

    @feedback_message.setter
    def feedback_message(self, message: str) -> None:
        self._feedback = message
        tree = self._find_tree()
        if tree is not None:
            tree._feedback_count += 1

    @property
    def parent(self) -> Parent | None:
        """The node above; None for a root."""
        owner: Any = self._owner
        return owner if isinstance(owner, Behaviour) else None  # type: ignore[return-value]

    @property
    def children(self) -> tuple[Behaviour, ...]:
        """The nodes below, in order."""
        return ()

    def _find_tree(self) -> Tree | None:
        # Searched each time, because keeping it would take a slot in every node.
        top: Any = self
        while top._owner is not None:
            top = top._owner
        return None if isinstance(top, Behaviour) else top

    @property
    def tree(self) -> Tree:
        """The `Tree` that this node is part of.

        Raises:
            StructureError: The node is not in a tree.
        """
        tree = self._find_tree()
        if tree is None:
            raise StructureError(
                f"{self!r} is in no Tree: clocks, seeds and blackboards come with Tree(root)"
            )
        return tree

    @property
    def blackboard(self) -> Blackboard:
        """The blackboard that this node uses: that of the nearest `SubTree` above, or the tree's.

        Raises:
            StructureError: The node is not in a tree.
        """
        known = self._known
        return self._find_known().board if known is None else known.board

    def _find_known(self) -> KnownEntries:
        top: Any = self
        board: Blackboard | None = None
        while board is None and top._owner is not None:
            top = top._owner
            board = top._scope
        if board is None:
            board = self.tree.blackboard
        self._known = known = KnownEntries(board)
        return known

    def _forget_entries(self) -> None:
        for node in self.walk():
            node._known = None

    def _set_around(self, around: Around | None) -> None:
        """Sets the callback around the ticks of children, of which a leaf has none."""

    @property
    def path(self) -> str:
        """Names from the root to this node, joined by slashes.

        If siblings share a name, the node's position among all siblings follows it:
        ``patrol/move[2]``.
        """
        names = []
        node: Behaviour = self
        while (parent := node.parent) is not None:
            place = [sibling is node for sibling in parent.children].index(True)
            names.append(labels([sibling.name for sibling in parent.children])[place])
            node = parent
        names.append(node.name)
        return "/".join(reversed(names))

    def walk(self) -> Iterator[Behaviour]:
        """Yields this node and all below it, each before its children, left to right."""
        stack: list[Behaviour] = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    def find(self, path: str) -> Behaviour:
        """Returns the node at a path below this one: ``root.find("patrol/move[2]")``.

        Args:
            path: Path of the node, starting from a child of this one.

        Raises:
            KeyError: There is no such node.
        """
        paths = all_paths(self)
        wanted = f"{paths[id(self)]}/{path}"
        for node in self.walk():
            if paths[id(node)] == wanted:
                return node
        below = ", ".join(child.name for child in self.children) or "none"
        raise KeyError(f"no node {path!r} below {shortened(self.path)}; its children: {below}")

    def tip(self) -> Behaviour:
        """Returns the node that decided the status of this one in its last tick.

        At each level down, it is the last child with the same status, or else the last of all,
        among those that ran in the tick and were not halted since.
        """
        node: Behaviour = self
        while True:
            ran = [
                c for c in node.children if c.last_tick == self.last_tick and c.status != INVALID
            ]
            if not ran:
                return node
            same = [child for child in ran if child.status is node.status]
            node = (same or ran)[-1]

    def copy(self) -> Self:
        """Returns a deep copy of this node and all nodes below, without its parent and tree.

        `copy.deepcopy` would follow the link to the parent and copy the whole tree.

        Raises:
            TypeError: A node refers to something that cannot be copied.
        """
        try:
            return copy.deepcopy(self, {id(self._owner): None})
        except TypeError as error:
            raise copy_error(self, error) from error

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return deep_copy(self, memo)  # type: ignore[no-any-return]

    def __copy__(self) -> Self:
        raise TypeError(
            f"copy.copy() of {self!r} would share its parent and children: use its copy(), or "
            "copy.deepcopy() for the whole tree"
        )

    def _failed(self, error: Exception) -> TickError:
        return self._tick_error(f"{type(error).__name__}: {error}")

    def _fail(self, error: Exception) -> NoReturn:
        """Raises a TickError of this node; a TickError of a node below is raised unchanged."""
        if isinstance(error, TickError):
            raise error
        raise self._failed(error) from error

    def _no_status(self, value: object) -> TickError:
        self.status = INVALID  # A parent may have stored `value` before checking it.
        return self._tick_error(f"update() must return a Status, got {value!r}")

    def _tick_error(self, reason: str) -> TickError:
        tree = self._find_tree()
        return TickError(self.path, 0 if tree is None else tree.tick_count, reason)


def _checked_name(name: object) -> str:
    if not isinstance(name, str):
        hint = ": children go into one list" if isinstance(name, Behaviour) else ""
        raise TypeError(f"name must be a str, got {name!r}{hint}")
    return name


def all_paths(root: Behaviour) -> dict[int, str]:
    """Returns the paths of a root and of every node below, by the ids of the nodes."""
    paths = {id(root): root.path}
    stack = [root]
    while stack:
        parent = stack.pop()
        children = parent.children
        for child, label in zip(children, labels([child.name for child in children])):
            paths[id(child)] = f"{paths[id(parent)]}/{label}"
        stack.extend(children)
    return paths


def labels(names: list[str]) -> list[str]:
    """Returns the names of siblings as they stand in paths: shared ones with their positions."""
    counts = Counter(names)
    return [f"{name}[{n}]" if counts[name] > 1 else name for n, name in enumerate(names)]
