# SPDX-License-Identifier: Apache-2.0
"""Workers that are Ray actors, on any machine of a cluster."""

from __future__ import annotations

import sys
from typing import Any

from .carriers import Death
from .ray_cluster import RayCluster
from .worker import Worker


class RayCarrier:
    """Actors of one CPU each.

    All machines need the same libraries and the task's code; a machine of another kind may round
    otherwise.

    Args:
        setup: See `worker.setup_text`.
        cluster: Where they run; it is closed with them.
        count: How many.
    """

    def __init__(self, setup: str, cluster: RayCluster, count: int) -> None:
        self.count = count
        self._setup = setup
        self._cluster = cluster
        self._ray = cluster.ray
        errors = self._ray.exceptions
        # An answer dies with the node that computed it, if that goes before it was fetched.
        self._deaths = (
            errors.RayActorError,
            errors.ObjectLostError,
            errors.NodeDiedError,
            errors.WorkerCrashedError,
            errors.OutOfMemoryError,
        )
        self._kind = self._ray.remote(num_cpus=1, max_restarts=0)(_Actor)
        self._actors: list[Any] = []
        self._answers: dict[Any, int] = {}  # by reference, whose it is
        try:
            self._actors = [self._started() for _ in range(count)]
        except BaseException:
            self.close()
            raise

    def send(self, worker: int, request: bytes) -> None:
        """Gives an idle actor a request."""
        self._answers[self._actors[worker].answer.remote(request)] = worker

    def receive(self) -> tuple[int, bytes | Death]:
        """Waits for the answer or the death of any busy actor, or of its node."""
        (ready, *_), _ = self._ray.wait(list(self._answers), num_returns=1)
        worker = self._answers.pop(ready)
        try:
            return worker, self._ray.get(ready)
        except self._deaths as error:
            return worker, Death(f"{type(error).__name__}: {error}")

    def replace(self, worker: int) -> None:
        """Ends an actor and starts another."""
        self._answers = {ref: whose for ref, whose in self._answers.items() if whose != worker}
        self._ray.kill(self._actors[worker])
        self._actors[worker] = self._started()

    def close(self) -> None:
        """Ends the actors; then leaves the cluster, if the pool came there."""
        for actor in self._actors:
            self._ray.kill(actor)
        self._actors = []
        self._answers = {}
        self._cluster.close()

    def _started(self) -> Any:
        return self._kind.remote(self._setup, sys.path)


class _Actor:
    """A worker's process."""

    def __init__(self, setup: str, path: list[str]) -> None:
        # As with a spawned process: what the pool's process can import, the worker can.
        sys.path.extend(folder for folder in path if folder not in sys.path)
        self._worker = Worker(setup)

    def answer(self, request: bytes) -> bytes:
        return self._worker.answer(request)
