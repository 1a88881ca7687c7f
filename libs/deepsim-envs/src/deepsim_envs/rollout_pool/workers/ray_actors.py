# SPDX-License-Identifier: Apache-2.0
"""Workers that are Ray actors, on any machine of a cluster."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from deepsim_envs.rollout_pool.sampler import Sampler

from .local import Death
from .ray_cluster import RayCluster

# ruff: noqa: D102 (methods are documented by Workers)


class RayWorkers:
    """Actors, which start where and when the cluster has room for them.

    All machines need the same libraries and the task's code; a machine of another kind may round
    otherwise.

    Args:
        setup: The arguments of `Sampler`.
        count: The number of workers.
        timeout: Time in which an answer must be fetched once it is there [s].
        cluster: The cluster; it is closed with the workers.
    """

    def __init__(
        self, setup: Mapping[str, Any], count: int, timeout: float, cluster: RayCluster
    ) -> None:
        self._setup, self._timeout = setup, timeout
        self._cluster, self._ray = cluster, cluster.ray
        needs = dict(cluster.resources)
        self.needs = f"each takes {needs} of the Ray cluster at {cluster.address}"
        errors = self._ray.exceptions
        # An answer dies with the node that computed it, if that goes before it was fetched.
        self._deaths = (
            errors.RayActorError,
            errors.ObjectLostError,
            errors.NodeDiedError,
            errors.WorkerCrashedError,
            errors.OutOfMemoryError,
            errors.GetTimeoutError,
        )
        self._kind = self._ray.remote(
            num_cpus=needs.pop("CPU", 0), num_gpus=needs.pop("GPU", 0), resources=needs
        )(_Actor)
        self._weights: bytes | None = None
        self._stored: Any = None  # the weights, in Ray's store: once for all workers of a machine
        self._actors: dict[int, Any] = {}
        self._answers: dict[Any, int] = {}  # the worker of each reference
        try:
            for worker in range(count):
                self._start(worker)
        except BaseException:
            self.close()
            raise

    def send(self, worker: int, request: bytes, weights: bytes | None) -> None:
        if weights is not None and weights is not self._weights:
            self._weights, self._stored = weights, self._ray.put(weights)
        stored = None if weights is None else self._stored
        self._answers[self._actors[worker].answer.remote(request, stored)] = worker

    def receive(self, timeout: float) -> tuple[int, bytes | Death] | None:
        ready, _ = self._ray.wait(list(self._answers), num_returns=1, timeout=max(0.0, timeout))
        if not ready:
            return None
        worker = self._answers.pop(ready[0])
        try:
            return worker, self._ray.get(ready[0], timeout=self._timeout)
        except self._deaths as error:
            return worker, Death(f"{type(error).__name__}: {error}")

    def replace(self, worker: int) -> None:
        self._answers = {ref: whose for ref, whose in self._answers.items() if whose != worker}
        self._ray.kill(self._actors[worker])
        self._start(worker)

    def close(self) -> None:
        """Ends the actors; then leaves the cluster, if the pool came there."""
        for actor in self._actors.values():
            self._ray.kill(actor)
        self._actors, self._answers, self._stored = {}, {}, None
        self._cluster.close()

    def _start(self, worker: int) -> None:
        actor = self._actors[worker] = self._kind.remote(self._setup, sys.path)
        self._answers[actor.started.remote()] = worker


class _Actor:
    """The process of a worker."""

    def __init__(self, setup: Mapping[str, Any], path: list[str]) -> None:
        # As with a spawned process: what the pool's process can import, the worker can.
        sys.path.extend(folder for folder in path if folder not in sys.path)
        self._sampler = Sampler(**setup)

    def started(self) -> bytes:
        return b""

    def answer(self, request: bytes, weights: bytes | None) -> bytes:
        return self._sampler.answer(request, weights)
