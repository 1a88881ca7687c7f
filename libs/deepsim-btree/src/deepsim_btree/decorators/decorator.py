# SPDX-License-Identifier: Apache-2.0
"""The base of nodes with one child."""

from __future__ import annotations

from collections.abc import Iterator

from deepsim_btree.behaviour import Behaviour
from deepsim_btree.parent import Parent

_TICKS = frozenset({"tick_child", "tick"})


class Decorator(Parent):
    """A node with one child, which changes its child's status or decides when it runs.

    To write a decorator, override `update` and tick the child with ``self.tick_child(self.child)``.
    Before it returns a status other than RUNNING, it must halt a RUNNING child:
    ``self.child.halt()``.

    >>> from deepsim_btree import Failure, Status, Tree
    >>> class Optional(Decorator):
    ...     def update(self):
    ...         status = self.tick_child(self.child)
    ...         return Status.SUCCESS if status is Status.FAILURE else status
    >>> Tree(Optional(Failure("knock"))).tick().name
    'SUCCESS'

    Args:
        child: The node below.
        name: Name of the node; the class name if None.

    Raises:
        StructureError: The child has a parent already.
    """

    __slots__ = ()

    def __init__(self, child: Behaviour, name: str | None = None) -> None:
        super().__init__((child,), name)

    @property
    def child(self) -> Behaviour:
        """The node below; assign another one to replace it.

        Raises:
            StructureError: The assigned child has a parent already.
            BusyError: The decorator is RUNNING when a child is assigned.
        """
        return self._children[0]

    @child.setter
    def child(self, child: Behaviour) -> None:
        self._adopt([child])

    def problems(self) -> Iterator[str]:
        """Yields problems with the setup of the node; `Tree.validate` collects them."""
        yield from super().problems()
        cls = type(self)
        if cls.update is not Behaviour.update and not _ticks(cls):
            yield f"update() of {cls.__name__} never ticks its child: self.tick_child(self.child)"


def _ticks(cls: type) -> bool:
    """Returns whether the code of any method of a class or its bases ticks a child."""
    for base in cls.__mro__[: cls.__mro__.index(Decorator)]:
        for value in vars(base).values():
            code = getattr(value, "__code__", None)
            if code is not None and not _TICKS.isdisjoint(code.co_names):
                return True
    return False
