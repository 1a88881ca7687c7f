# SPDX-License-Identifier: Apache-2.0
"""A pool of workers that collect experience."""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Iterable, Mapping
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from .carriers import Carrier, Death, LocalCarrier
from .errors import ClosedPoolError, FragmentError, WorkerDiedError, WorkerTracebackError
from .fragment import Fragment
from .packing import packed, unpacked
from .processes import ProcessCarrier
from .ray_actors import RayCarrier
from .ray_cluster import RayCluster
from .spec import Spec, portable
from .worker import setup_text

BackendName = Literal["local", "process", "ray"]
_DEATHS = 3  # of workers by the same fragment, before it is given up
_LOG = logging.getLogger(__name__)


class RolloutPool:
    """Collects fragments of experience, by workers that each have their own worlds and policy.

    A fragment follows from the specs, the seed, its number and the weights: its bytes are the same
    whatever the backend and the number of workers, and whichever worker computes it. It begins with
    new episodes; those that it does not bring to an end are never gone on with.

    Args:
        spec: Makes the environment, an `Environment` or a `gymnasium.Env`: a function, or an id
            that is registered with Gymnasium.
        policy: Makes the `Policy`.
        workers: How many; the backend ``"local"`` makes do with one.
        backend: ``"local"``, in this process; ``"process"``, in processes on this machine; or
            ``"ray"``, on a Ray cluster.
        length: Steps of a fragment.
        worlds: Worlds of a fragment, for which the policy acts at once.
        seed: Root of all seeds, >= 0.
        ray_address: The Ray cluster to join; see `RayCluster`.
        allow_open_cluster: Whether a Ray cluster that asks for no token will do.

    Attributes:
        workers: As given.
        backend: As given.
        collected: Number of the next fragment.
        replaced: How many workers died and were replaced.

    Raises:
        TypeError: What is to be made is not said by a name, as by a bare function.
        ValueError: A number is too small, or there is no such backend.
        gymnasium.error.Error: There is no such id.
        OpenClusterError: The Ray cluster asks for no token.
    """

    def __init__(
        self,
        spec: Spec | str,
        policy: Spec | str,
        workers: int = 1,
        *,
        backend: BackendName = "local",
        length: int = 200,
        worlds: int = 1,
        seed: int = 0,
        ray_address: str | None = None,
        allow_open_cluster: bool = False,
    ) -> None:
        if backend not in get_args(BackendName):
            known = ", ".join(get_args(BackendName))
            raise ValueError(f"backend must be one of {known}, got {backend!r}")
        for name, number in (("workers", workers), ("length", length), ("worlds", worlds)):
            if number < 1:
                raise ValueError(f"{name} must be >= 1, got {number}")
        if seed < 0:
            raise ValueError(f"seed must be >= 0, got {seed}")
        environment, policy = _spec("spec", spec), _spec("policy", policy)
        if not policy.is_function:
            raise ValueError(f"policy must be of the form 'package.module:name', got {policy.make}")
        setup = setup_text(portable(environment), policy, length, worlds, seed)
        self.workers = workers
        self.backend = backend
        self.collected = 0
        self.replaced = 0
        self._weights: dict[str, NDArray[Any]] | None = None
        self._informed: set[int] = set()  # workers that have the weights
        self._carrier: Carrier | None = _carrier(
            backend, setup, workers, ray_address, allow_open_cluster
        )

    def set_weights(self, weights: Mapping[str, NDArray[Any]]) -> None:
        """Gives the policy of every worker new weights, from the next fragment on.

        Args:
            weights: Arrays of numbers by name; they are copied.
        """
        copies = {name: np.array(value) for name, value in weights.items()}
        packed(copies)  # refuses what cannot travel
        self._weights = copies
        self._informed.clear()

    def collect(self, count: int) -> list[Fragment]:
        """The next fragments, in order.

        The fragments of a worker that dies are computed again by another one.

        Raises:
            FragmentError: The environment or the policy raised; its cause has the traceback.
            WorkerDiedError: Workers died of the same fragment time and again.
            ClosedPoolError: The pool is closed.
        """
        if self._carrier is None:
            raise ClosedPoolError
        if count < 0:
            raise ValueError(f"count must be >= 0, got {count}")
        numbers = range(self.collected, self.collected + count)
        done = self._computed(self._carrier, numbers)
        self.collected += count
        return [done[number] for number in numbers]

    def close(self) -> None:
        """Ends the workers; closing twice does no harm."""
        if self._carrier is not None:
            carrier, self._carrier = self._carrier, None
            carrier.close()

    def __enter__(self) -> RolloutPool:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _computed(self, carrier: Carrier, numbers: Iterable[int]) -> dict[int, Fragment]:
        """Fragments by number."""
        waiting, idle = deque(numbers), deque(range(carrier.count))
        busy: dict[int, int] = {}  # worker -> fragment
        deaths: Counter[int] = Counter()  # by fragment
        done: dict[int, Fragment] = {}
        errors: dict[int, dict[str, str]] = {}
        try:
            while True:
                # After an error only what comes before it, so that the first one is what is raised.
                while idle and waiting and waiting[0] < min(errors, default=waiting[0] + 1):
                    worker, number = idle.popleft(), waiting.popleft()
                    busy[worker] = number
                    carrier.send(worker, self._request(worker, number))
                if not busy:
                    break
                worker, answer = carrier.receive()
                number = busy.pop(worker)
                if isinstance(answer, Death):
                    deaths[number] += 1
                    self._replace(carrier, worker, number, answer)
                    if deaths[number] == _DEATHS:
                        raise WorkerDiedError(number, _DEATHS, answer.reason)
                    waiting.appendleft(number)
                else:
                    told = unpacked(answer)
                    if "error" in told:
                        errors[number] = told["error"]
                        self._informed.discard(worker)  # it has forgotten its policy
                    else:
                        done[number] = Fragment(*told["values"])
                idle.append(worker)
        finally:
            for worker in busy:  # their answers would be taken for those of the next collection
                carrier.replace(worker)
                self._informed.discard(worker)
        if errors:
            number = min(errors)
            error = errors[number]
            raise FragmentError(number, **error) from WorkerTracebackError(error["traceback"])
        return done

    def _request(self, worker: int, number: int) -> bytes:
        weights = None if worker in self._informed else self._weights
        self._informed.add(worker)
        return packed({"fragment": number, "weights": weights})

    def _replace(self, carrier: Carrier, worker: int, number: int, death: Death) -> None:
        _LOG.warning(
            "worker %d died (%s): another one computes fragment %d", worker, death.reason, number
        )
        carrier.replace(worker)
        self._informed.discard(worker)
        self.replaced += 1


def _spec(what: str, spec: Spec | str) -> Spec:
    if not isinstance(spec, (Spec, str)):
        raise TypeError(
            f"{what} must be a Spec or a str, such as 'package.module:name', by which other "
            f"processes find it; got {spec!r}"
        )
    return Spec(spec) if isinstance(spec, str) else spec


def _carrier(
    backend: BackendName, setup: str, workers: int, address: str | None, allow_open: bool
) -> Carrier:
    if backend == "local":
        return LocalCarrier(setup)
    if backend == "process":
        return ProcessCarrier(setup, workers)
    cluster = RayCluster(workers, address, allow_open=allow_open)
    return RayCarrier(setup, cluster, workers)
