# SPDX-License-Identifier: Apache-2.0
"""A pool of workers that collect experience."""

from __future__ import annotations

import bisect
import itertools
import logging
import math
from collections import Counter
from collections.abc import Generator, Iterator, Mapping
from time import monotonic
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from deepsim_envs.function_names import require_function_name

from .errors import (
    ClosedPoolError,
    FragmentError,
    NoWorkerError,
    WorkerDiedError,
)
from .fragment import Fragment, packed, unpacked
from .ray_actors import RayWorkers
from .streams import Streams
from .workers import Death, LocalWorkers, ProcessWorkers, Workers
from .worlds import Spec, portable

BackendName = Literal["local", "process", "ray"]
_DEATHS = 3  # deaths from one fragment, or failed starts in a row, before the pool gives up
_LOG = logging.getLogger(__name__)


class RolloutPool:
    """Collects fragments of experience with workers, which each have their own worlds and policy.

    A fragment depends only on the specs, the seed, its number and the weights: its bytes are the
    same for every backend, number of workers, and worker. By default, it begins with new episodes.
    With `streams`, it continues the unfinished episodes of an earlier fragment.

    Args:
        spec: Makes the environment, an `Environment` or a `gymnasium.Env`: the name of a function,
            or an id that is registered with Gymnasium.
        policy: Makes the `Policy`: the name of a function or class.
        workers: The number of workers; the backend ``"local"`` always uses one.
        backend: ``"local"``, in this process; ``"process"``, in processes on this machine; or
            ``"ray"``, on a Ray cluster.
        length: The number of steps of a fragment.
        worlds: The number of worlds of a fragment; the policy acts in all of them at once.
        streams: The number of streams: fragment f continues the episodes of fragment f - streams,
            and at most this number of fragments is computed at the same time. By default, each
            fragment begins with new episodes.
        seed: Root of all seeds, >= 0.
        timeout: Time after which a worker without an answer counts as dead [s]; ignored by the
            backend ``"local"``.
        start_timeout: Time within which some worker must start, if none is working [s].
        resources: The resources that each worker needs on a Ray cluster: ``"CPU"``, ``"GPU"``, and
            custom resources by name; one CPU by default.
        ray_address: The cluster to join, such as ``"10.0.0.1:6379"`` or ``"auto"``. The default is
            the environment variable ``RAY_ADDRESS``, or else a new cluster on this machine, which
            asks for a token.
        allow_open_cluster: Whether to use a Ray cluster that asks for no token.

    Attributes:
        workers: The number of workers.
        backend: The name of the backend.
        collected: Number of the next fragment.
        replaced: The number of workers that died and were replaced.

    Raises:
        TypeError: The spec or the policy is a function instead of a name.
        ValueError: A number is too small, the backend is unknown, resources are given for a backend
            other than Ray, or no machine of the Ray cluster has them.
        gymnasium.error.Error: The id is not registered.
        OpenClusterError: The Ray cluster does not ask for a token.

    Example:
        >>> pool = RolloutPool("CartPole-v1", "deepsim_train.rollout_pool:RandomPolicy", worlds=4)
        >>> (fragment,) = pool.collect(1)
        >>> fragment.rewards["agent"].shape
        (200, 4)
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
        streams: int | None = None,
        seed: int = 0,
        timeout: float = 600.0,
        start_timeout: float = 600.0,
        resources: Mapping[str, float] | None = None,
        ray_address: str | None = None,
        allow_open_cluster: bool = False,
    ) -> None:
        if backend not in get_args(BackendName):
            known = ", ".join(get_args(BackendName))
            raise ValueError(f"backend must be one of {known}, got {backend!r}")
        for name, number in (("workers", workers), ("length", length), ("worlds", worlds)):
            if number < 1:
                raise ValueError(f"{name} must be >= 1, got {number}")
        if streams is not None and streams < 1:
            raise ValueError(f"streams must be >= 1 or None, got {streams}")
        for name, time in (("timeout", timeout), ("start_timeout", start_timeout)):
            if not time > 0.0:
                raise ValueError(f"{name} must be > 0 s, got {time}")
        if seed < 0:
            raise ValueError(f"seed must be >= 0, got {seed}")
        if resources is not None and backend != "ray":
            raise ValueError(f"resources are those of a Ray cluster, not of backend {backend!r}")
        environment, acting = _spec("spec", spec), _spec("policy", policy)
        require_function_name("policy", acting.make)
        setup = {
            "environment": portable(environment),
            "policy": acting,
            "length": length,
            "worlds": worlds,
            "root": seed,
        }
        self.workers = workers
        self.backend = backend
        self.collected = 0
        self.replaced = 0
        self._timeout, self._start_timeout = timeout, start_timeout
        self._weights: bytes | None = None
        self._version = 0
        self._width = streams or workers  # fragments that can be computed at the same time
        self._streams = Streams(streams)
        self._informed: set[int] = set()  # workers that have the weights
        self._idle: list[int] = []  # workers that have started
        self._failed_starts = 0  # in a row
        self._collecting = False
        self._link: Workers | None
        if backend == "local":
            self._link = LocalWorkers(setup)
        elif backend == "process":
            self._link = ProcessWorkers(setup, workers, timeout)
        else:
            needs = {"CPU": 1.0} if resources is None else resources
            self._link = RayWorkers(setup, workers, timeout, needs, ray_address, allow_open_cluster)

    def set_weights(self, weights: Mapping[str, NDArray[Any]]) -> None:
        """Sets the weights of every worker's policy, for all fragments that begin after this call.

        Args:
            weights: Arrays of numbers by name; the pool copies them.
        """
        self._weights = packed({name: np.asarray(value) for name, value in weights.items()})
        self._version += 1
        self._informed.clear()

    def collect(self, count: int) -> list[Fragment]:
        """Returns the next `count` fragments, in order.

        If a worker dies, another one computes its fragment again. After an error, the next call
        computes the same fragments again.

        Raises:
            FragmentError: The environment or the policy raised an error; its traceback is in the
                cause.
            WorkerDiedError: Several workers died while they computed the same fragment.
            NoWorkerError: No worker starts.
            ClosedPoolError: The pool is closed.
        """
        if count < 0:
            raise ValueError(f"count must be >= 0, got {count}")
        computed, trails = self._computed(self._open(), count), self._streams.trails
        try:
            done = sorted(computed, key=lambda each: each.number)
        except BaseException:
            self._streams.go_back(trails)
            raise
        self.collected += count
        return done

    def as_completed(self, count: int | None = None) -> Generator[Fragment, None, None]:
        """Yields the next fragments in the order in which they are finished.

        A slow worker does not delay the others. Weights may be set between two fragments;
        `Fragment.weights` is the version of the weights with which a fragment was computed.
        Closing the iterator discards fragments that are not finished.

        Args:
            count: The number of fragments; None for no limit.

        Raises:
            FragmentError, WorkerDiedError, NoWorkerError, ClosedPoolError: See `collect`.
        """
        return self._advanced(self._computed(self._open(), count))

    def close(self) -> None:
        """Ends the workers; further calls have no effect."""
        if self._link is not None:
            link, self._link = self._link, None
            link.close()

    def __enter__(self) -> RolloutPool:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _open(self) -> Workers:
        if self._link is None:
            raise ClosedPoolError
        return self._link

    def _advanced(self, fragments: Iterator[Fragment]) -> Generator[Fragment, None, None]:
        for fragment in fragments:
            self.collected = max(self.collected, fragment.number + 1)
            yield fragment

    def _computed(self, link: Workers, count: int | None) -> Iterator[Fragment]:
        """Yields finished fragments; finally raises the error with the lowest fragment number."""
        if self._collecting:
            raise RuntimeError(
                "this pool is still collecting: exhaust or close the iterator of as_completed()"
            )
        self._collecting = True
        first = self.collected
        end = math.inf if count is None else first + count
        ready = [number for number in range(first, first + self._width) if number < end]
        unstarted = itertools.count(first + self._width)
        busy: dict[int, tuple[int, float]] = {}  # the fragment of a worker, and its deadline
        deaths: Counter[int] = Counter()  # by fragment
        error: tuple[int, dict[str, str]] | None = None
        try:
            while busy or ready:
                self._send_all(link, ready, busy)
                worker, answer = self._receive(link, busy)
                if worker not in busy:
                    self._started(link, worker, answer, is_only=not busy and not self._idle)
                    continue
                sent, _ = busy.pop(worker)
                if isinstance(answer, Death):
                    deaths[sent] += 1
                    self._died(link, worker, f"fragment {sent}", answer)
                    if deaths[sent] == _DEATHS:
                        raise WorkerDiedError(sent, _DEATHS, answer.reason)
                    bisect.insort(ready, sent)
                    continue
                self._idle.append(worker)
                found = unpacked(answer)
                if isinstance(found, tuple):
                    fragment = Fragment(*found[0])
                    self._streams.follow(fragment, *found[1:])
                    yield fragment
                    number = next(unstarted) if self._streams.count is None else sent + self._width
                    if number < end:
                        bisect.insort(ready, number)
                    continue
                self._forget(worker)  # A worker closes its worlds and policy after an error.
                if error is None or sent < error[0]:
                    error = sent, found
                # Only earlier fragments are still computed, as they may hold an earlier error.
                end, ready = error[0], [each for each in ready if each < error[0]]
        finally:
            self._collecting = False
            for worker in busy:  # The next collection would mistake their answers for its own.
                self._replace(link, worker)
        if error is not None:
            cause = Exception(f"\n\n{error[1]['traceback']}")
            raise FragmentError(error[0], **error[1]) from cause

    def _send_all(
        self, link: Workers, ready: list[int], busy: dict[int, tuple[int, float]]
    ) -> None:
        """Assigns fragments to idle workers."""
        for number in ready.copy():
            if not self._idle:
                return
            worker = self._streams.choose(number, self._idle)
            if worker is None:
                continue
            ready.remove(number)
            self._idle.remove(worker)
            busy[worker] = number, monotonic() + self._timeout
            weights = None if worker in self._informed else self._weights
            self._informed.add(worker)
            assignment = self._streams.assign(number, worker)
            link.send(worker, packed((number, self._version, assignment)), weights)

    def _forget(self, worker: int) -> None:
        """Records that a worker no longer has its policy and its worlds."""
        self._informed.discard(worker)
        self._streams.forget(worker)

    def _receive(
        self, link: Workers, busy: Mapping[int, tuple[int, float]]
    ) -> tuple[int, bytes | Death]:
        """Waits for a worker; returns its number, and its answer or the cause of its death."""
        late = min(busy, key=lambda worker: busy[worker][1], default=None)
        found = link.receive(self._start_timeout if late is None else busy[late][1] - monotonic())
        if found is not None:
            return found
        if late is not None:
            return late, Death(f"no answer within {self._timeout:g} s")
        raise NoWorkerError(
            f"none of {self.workers} has started within {self._start_timeout:g} s: {link.needs}"
        )

    def _started(self, link: Workers, worker: int, answer: bytes | Death, *, is_only: bool) -> None:
        """Records that a worker has started, or has died while it computed no fragment."""
        if not isinstance(answer, Death):
            self._failed_starts = 0
            self._idle.append(worker)
        elif worker in self._idle:
            self._idle.remove(worker)
            self._died(link, worker, "a pause", answer)
        else:
            # Until Ray notices that a machine is gone, it sends actors there, which never start.
            self._failed_starts += not answer.machine_lost
            self._died(link, worker, "its start", answer)
            if self._failed_starts >= _DEATHS and is_only:
                self._failed_starts = 0
                raise NoWorkerError(
                    f"{_DEATHS} died one after the other as they started, the last one by "
                    f"{answer.reason}: see its output (a script that makes a pool of "
                    "processes needs `if __name__ == '__main__':`)"
                )

    def _died(self, link: Workers, worker: int, during: str, death: Death) -> None:
        _LOG.warning(
            "worker %d died during %s (%s): another one takes over", worker, during, death.reason
        )
        self._replace(link, worker)
        self.replaced += 1

    def _replace(self, link: Workers, worker: int) -> None:
        link.replace(worker)
        self._forget(worker)


def _spec(what: str, spec: Spec | str) -> Spec:
    if not isinstance(spec, (Spec, str)):
        raise TypeError(
            f"{what} must be a Spec or a str, such as 'package.module:name', by which other "
            f"processes find it; got {spec!r}"
        )
    return Spec(spec) if isinstance(spec, str) else spec
