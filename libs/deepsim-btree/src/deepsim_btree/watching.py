# SPDX-License-Identifier: Apache-2.0
"""Watched nodes, whose class is replaced for a while with a subclass that has another `tick`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from .status import Status


def watched_class(cls: type[Any], tick: Callable[[Any], Status]) -> type[Any]:
    """Returns a subclass of a node class with another `tick`, for nodes that are watched.

    Copies of such nodes have the original class `cls`. Other nodes are not slowed. A tree with
    watched nodes must not be compiled.
    """

    def reduced(node: Any, protocol: Any) -> Any:
        reduce: Any = cls.__reduce_ex__  # for mypy, a method of the class is bound
        make, arguments, *rest = reduce(node, protocol)
        own = tuple(cls if each is watched else each for each in arguments)
        return (make, own, *rest)

    methods = {"__slots__": (), "__module__": cls.__module__, "__doc__": cls.__doc__}
    watched = type(cls.__name__, (cls,), {**methods, "tick": tick, "__reduce_ex__": reduced})
    return watched
