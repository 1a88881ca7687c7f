# SPDX-License-Identifier: Apache-2.0
"""Watched nodes: for a while a node is of a subclass of its class, whose `tick` does more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from .status import Status


def watched_class(cls: type[Any], tick: Callable[[Any], Status]) -> type[Any]:
    """Returns a subclass of a class of nodes with another `tick`; copies of its nodes are of `cls`.

    Nodes that are not watched pay nothing. A tree with such nodes must not be compiled.
    """

    def reduced(node: Any, protocol: Any) -> Any:
        reduce: Any = cls.__reduce_ex__  # mypy takes it for that of the class, which is bound
        make, arguments, *rest = reduce(node, protocol)
        own = tuple(cls if each is watched else each for each in arguments)
        return (make, own, *rest)

    methods = {"__slots__": (), "__module__": cls.__module__, "__doc__": cls.__doc__}
    watched = type(cls.__name__, (cls,), {**methods, "tick": tick, "__reduce_ex__": reduced})
    return watched
