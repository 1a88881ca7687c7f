# SPDX-License-Identifier: Apache-2.0
"""The port to workers, and the one worker in this process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from deepsim_envs.rollout_pool.sampler import Sampler

# ruff: noqa: D102 (methods are documented by Workers)


class Death(NamedTuple):
    """Replaces the answer of a worker that died."""

    reason: str
    machine_lost: bool = False
    """Whether its machine is gone, so that the task is not to blame."""


class Workers(Protocol):
    """Workers of one kind, numbered from 0; each answers one request at a time.

    The first answer of a worker is empty, and says that it has started.

    Attributes:
        needs: The possible reason why a worker does not start, for messages.
    """

    needs: str

    def send(self, worker: int, request: bytes, weights: bytes | None) -> None:
        """Sends a request to an idle worker; see `Sampler.answer`."""

    def receive(self, timeout: float) -> tuple[int, bytes | Death] | None:
        """Waits up to `timeout` seconds; returns a worker and its answer, or None."""

    def replace(self, worker: int) -> None:
        """Ends a worker, dead or alive, and starts another one in its place."""

    def close(self) -> None:
        """Ends all workers, and nothing else."""


class LocalWorkers:
    """One worker in this process; it works while its answer is waited for, however long."""

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
