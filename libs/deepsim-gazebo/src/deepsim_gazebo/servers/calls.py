# SPDX-License-Identifier: Apache-2.0
"""Calls to several servers at the same time, on threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

Server = TypeVar("Server")
Answer = TypeVar("Answer")


class Calls(Generic[Server]):
    """Calls to several servers at the same time, with one thread for each server.

    Args:
        servers: The servers, by the number of their world.
    """

    def __init__(self, servers: list[Server]) -> None:
        self._servers = servers
        self._threads = ThreadPoolExecutor(len(servers), "deepsim-gazebo")

    def of(
        self, call: Callable[[int, Server], Answer], worlds: Iterable[int]
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

    def of_all(self, call: Callable[[int, Server], Answer]) -> list[Answer]:
        """Returns the answers of all worlds.

        Raises:
            Exception: The first error, after all calls have ended.
        """
        answers = []
        for answer in self.of(call, range(len(self._servers))).values():
            if isinstance(answer, Exception):
                raise answer
            answers.append(answer)
        return answers

    def close(self) -> None:
        """Ends the threads."""
        self._threads.shutdown()
