# SPDX-License-Identifier: Apache-2.0
"""The interface of all kinds of workers, and the one worker in this process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from deepsim_train.rollout_pool.sampler import Sampler

# ruff: noqa: D102 (methods are documented by Workers)


class Death(NamedTuple):
    """Stands for the answer of a worker that died."""

    reason: str
    """The cause of death, for messages."""
    machine_lost: bool = False
    """Whether the worker's whole machine is gone, so that the task is not the cause."""


class Workers(Protocol):
    """Workers of one kind, numbered from 0; each answers one request at a time.

    The first answer of a worker is empty and means that it has started.

    Attributes:
        needs: The requirements of a worker that has not started, for messages.
    """

    needs: str

    def send(self, worker: int, request: bytes, weights: bytes | None) -> None:
        """Sends a request to an idle worker; see `Sampler.answer`."""

    def receive(self, timeout: float) -> tuple[int, bytes | Death] | None:
        """Waits up to `timeout` [s] for an answer; returns the worker and the answer, or None."""

    def replace(self, worker: int) -> None:
        """Ends a worker, if it is still alive, and starts another one in its place."""

    def close(self) -> None:
        """Ends all workers."""


class LocalWorkers:
    """One worker in this process: `receive` computes its answer, without a timeout."""

    needs = "nothing"

    def __init__(self, setup: Mapping[str, Any]) -> None:
        self._sampler = Sampler(**setup)
        self._request: tuple[bytes, bytes | None] | None = None

    def send(self, worker: int, request: bytes, weights: bytes | None) -> None:
        self._request = (request, weights)

    def receive(self, timeout: float) -> tuple[int, bytes | Death]:
        return 0, self._sampler.answer(*self._request) if self._request else b""

    def replace(self, worker: int) -> None:
        self._request = None
        self.close()

    def close(self) -> None:
        self._sampler.close()
