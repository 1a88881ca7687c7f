# SPDX-License-Identifier: Apache-2.0
"""Calls to several servers at the same time, on threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np

from deepsim_gazebo.simulator import GazeboSimulator
from deepsim_sync import WorldNumbers
from deepsim_sync.port.forwarding import Method

Answer = TypeVar("Answer")


class Calls:
    """Calls to the servers of W worlds at the same time, with one thread for each server.

    Args:
        servers: The servers, by the number of their world.
    """

    def __init__(self, servers: list[GazeboSimulator]) -> None:
        self._servers = servers
        self._threads = ThreadPoolExecutor(len(servers), "deepsim-gazebo")

    def chosen(self, worlds: WorldNumbers | None) -> list[int]:
        """Returns the numbers of some worlds, or of all for None.

        Raises:
            ValueError: A world does not exist.
        """
        count = len(self._servers)
        numbers = list(range(count)) if worlds is None else np.asarray(worlds).tolist()
        if not set(numbers) <= set(range(count)):
            raise ValueError(f"worlds are numbers from 0 to {count - 1}, got {numbers}")
        return numbers

    def of(
        self, call: Callable[[int, GazeboSimulator], Answer], worlds: Iterable[int]
    ) -> dict[int, Answer | Exception]:
        """Returns the answers of some worlds, or the errors that were raised instead."""
        begun = {world: self._threads.submit(call, world, self._servers[world]) for world in worlds}
        answers: dict[int, Answer | Exception] = {}
        for world, future in begun.items():
            try:
                answers[world] = future.result()
            except Exception as error:
                answers[world] = error
        return answers

    def each(
        self, call: Callable[[int, GazeboSimulator], Answer], worlds: Iterable[int]
    ) -> list[Answer]:
        """Returns the answers of some worlds.

        Raises:
            Exception: The first error, after all calls have ended.
        """
        answers = []
        for answer in self.of(call, worlds).values():
            if isinstance(answer, Exception):
                raise answer
            answers.append(answer)
        return answers

    def forward(self, method: Method[Answer], /, **arguments: Any) -> Answer:
        """Calls a method of a capability in its worlds, and joins the rows of their results.

        Raises:
            ValueError: A world does not exist.
        """
        if method.scope == "all":
            return method.of(self._servers[0], **arguments)
        if method.scope == "one":
            (world,) = self.chosen(np.array([arguments.pop("world")]))
            return method.of(self._servers[world], **arguments)
        chosen = self.chosen(arguments.pop("worlds", None))
        rows = {name: dict(zip(chosen, arguments.pop(name))) for name in method.rows}

        def call(world: int, server: GazeboSimulator) -> Answer:
            own = {name: row[world] for name, row in rows.items()}
            return method.of(server, **arguments, **own)

        joined: Answer = _joined(self.each(call, chosen))
        return joined

    def close(self) -> None:
        """Ends the threads."""
        self._threads.shutdown()


def _joined(results: list[Any]) -> Any:
    """Joins arrays, (1, ...), or mappings of them, along the axis of worlds."""
    if not results or results[0] is None:
        return None
    if isinstance(results[0], Mapping):
        return {name: np.concatenate([each[name] for each in results]) for name in results[0]}
    return np.concatenate(results)
