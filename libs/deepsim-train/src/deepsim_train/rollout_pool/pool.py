# SPDX-License-Identifier: Apache-2.0
"""A pool of workers that collect experience."""

from __future__ import annotations

import bisect
import itertools
import logging
import math
import pickle
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from time import monotonic
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from deepsim_envs.construction import require_function_name
from deepsim_sync import call_all

from .errors import (
    ClosedPoolError,
    FragmentError,
    NoWorkerError,
    WorkerDiedError,
)
from .ray_actors import RayCluster
from .streams import Fragment, Streams
from .workers import Failure, LocalWorker, ProcessWorker, Worker
from .worlds import Spec, portable

BackendName = Literal["local", "process", "ray"]
_DEATHS = 3  # deaths from one fragment, or failed starts in a row, before the pool gives up
_NODE_DIED = "its node has died"  # Ray has no exception for this: the text of its message tells.
_LOG = logging.getLogger(__name__)


@dataclass(slots=True)
class _Slot:
    """A place for a worker; the worker that replaces another one takes its place."""

    worker: Worker
    answer: Future[Any] | None
    """Its start, or its answer; None while it is idle."""
    fragment: int | None = None
    """The fragment that it computes, or None."""
    deadline: float = math.inf
    """The time at which it counts as dead, on the monotonic clock [s]."""
    has_weights: bool = False


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
        self._failed_starts = 0  # in a row
        self._collecting = False
        self._closed = False
        self._cluster: RayCluster | None = None
        self._needs = "each imports the task and the policy first"
        self._start: Callable[[], Worker]
        if backend == "local":
            self._start, workers = (lambda: LocalWorker(setup)), 1
        elif backend == "process":
            self._start = lambda: ProcessWorker(setup)
        else:
            needs = {"CPU": 1.0} if resources is None else resources
            self._cluster = RayCluster(setup, workers, needs, ray_address, allow_open_cluster)
            self._start, self._needs = self._cluster.start, self._cluster.needs
        self._slots: list[_Slot] = []
        try:
            for _ in range(workers):
                self._slots.append(self._new_slot())
        except BaseException:
            self.close()
            raise

    def set_weights(self, weights: Mapping[str, NDArray[Any]]) -> None:
        """Sets the weights of every worker's policy, for all fragments that begin after this call.

        Args:
            weights: Arrays of numbers by name; the pool copies them.

        Raises:
            TypeError: A value is not an array of numbers.
        """
        arrays = {name: np.asarray(value) for name, value in weights.items()}
        for name, array in arrays.items():
            if array.dtype.kind not in "biuf":
                raise TypeError(f"weights must be arrays of numbers, got {array!r} as {name!r}")
        self._weights = pickle.dumps(arrays)
        self._version += 1
        for slot in self._slots:
            slot.has_weights = False

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
        computed, trails = self._computed(count), self._streams.trails
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
        for fragment in self._computed(count):
            self.collected = max(self.collected, fragment.number + 1)
            yield fragment

    def close(self) -> None:
        """Ends the workers; further calls have no effect."""
        self._closed = True
        workers = [slot.worker for slot in self._slots]
        self._slots = []
        call_all([*(each.stop for each in workers), *(each.join for each in workers)])
        if self._cluster is not None:
            self._cluster.close()
            self._cluster = None

    def __enter__(self) -> RolloutPool:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _computed(self, count: int | None) -> Iterator[Fragment]:
        """Yields finished fragments; finally raises the error with the lowest fragment number."""
        if self._closed:
            raise ClosedPoolError
        if self._collecting:
            raise RuntimeError(
                "this pool is still collecting: exhaust or close the iterator of as_completed()"
            )
        self._collecting = True
        first = self.collected
        end = math.inf if count is None else first + count
        ready = [number for number in range(first, first + self._width) if number < end]
        unstarted = itertools.count(first + self._width)
        deaths: Counter[int] = Counter()  # by fragment
        error: tuple[int, Failure] | None = None
        try:
            while ready or self._busy():
                self._send_all(ready)
                worker, sent, found, death = self._receive()
                if sent is None:
                    self._started(worker, death)
                elif death:
                    deaths[sent] += 1
                    self._died(worker, f"fragment {sent}", death)
                    if deaths[sent] == _DEATHS:
                        raise WorkerDiedError(sent, _DEATHS, death)
                    bisect.insort(ready, sent)
                elif isinstance(found, Failure):
                    self._forget(worker)  # A worker closes its worlds and policy after an error.
                    if error is None or sent < error[0]:
                        error = sent, found
                    # Only earlier fragments are still computed: they may hold an earlier error.
                    end, ready = error[0], [each for each in ready if each < error[0]]
                else:
                    self._streams.follow(*found)
                    yield found.fragment
                    number = next(unstarted) if self._streams.count is None else sent + self._width
                    if number < end:
                        bisect.insort(ready, number)
        finally:
            self._collecting = False
            for worker in self._busy():  # The next collection would take their answers for its own.
                self._replace(worker)
        if error is not None:
            cause = Exception(f"\n\n{error[1].traceback}")
            raise FragmentError(error[0], *error[1]) from cause

    def _busy(self) -> list[int]:
        """Returns the workers that compute a fragment."""
        return [worker for worker, slot in enumerate(self._slots) if slot.fragment is not None]

    def _idle(self) -> list[int]:
        return [worker for worker, slot in enumerate(self._slots) if slot.answer is None]

    def _send_all(self, ready: list[int]) -> None:
        """Assigns fragments to idle workers."""
        idle = self._idle()
        for number in ready.copy():
            worker = self._streams.choose(number, idle) if idle else None
            if worker is None:
                continue
            idle.remove(worker)
            slot = self._slots[worker]
            assignment = self._streams.assign(number, worker)
            weights = None if slot.has_weights else self._weights
            slot.fragment, slot.deadline = number, monotonic() + self._timeout
            slot.has_weights = True
            try:
                slot.answer = slot.worker.submit(number, self._version, assignment, weights)
            except ChildProcessError as error:
                self._died(worker, "a pause", str(error))
            else:
                ready.remove(number)

    def _receive(self) -> tuple[int, int | None, Any, str]:
        """Waits for a worker.

        Returns:
            The worker, its fragment or None for its start, its answer, and the cause of its death
            or an empty string.
        """
        late = min(self._busy(), key=lambda worker: self._slots[worker].deadline, default=None)
        left = self._start_timeout if late is None else self._slots[late].deadline - monotonic()
        waiting = {each.answer: worker for worker, each in enumerate(self._slots) if each.answer}
        done, _ = wait(waiting, max(0.0, left), FIRST_COMPLETED)
        worker = min((waiting[each] for each in done), default=late)
        if worker is None:
            raise NoWorkerError(
                f"none of {self.workers} has started within {self._start_timeout:g} s: "
                f"{self._needs}"
            )
        slot = self._slots[worker]
        sent, answer, slot.fragment, slot.answer = slot.fragment, slot.answer, None, None
        if answer not in done:
            return worker, sent, None, f"no answer within {self._timeout:g} s"
        error = answer.exception()
        if error is not None:
            return worker, sent, None, f"{type(error).__name__}: {error}"
        return worker, sent, answer.result(), ""

    def _started(self, worker: int, death: str) -> None:
        """Records that a worker has started, or has died as it started."""
        if not death:
            self._failed_starts = 0
            return
        # Until Ray notices that a machine is gone, it sends actors there, which never start.
        self._failed_starts += _NODE_DIED not in death
        self._died(worker, "its start", death)
        if self._failed_starts >= _DEATHS and not self._busy() and not self._idle():
            self._failed_starts = 0
            raise NoWorkerError(
                f"{_DEATHS} died one after the other as they started, the last one by {death}: "
                "see its output (a script that makes a pool of processes needs "
                "`if __name__ == '__main__':`)"
            )

    def _died(self, worker: int, during: str, death: str) -> None:
        _LOG.warning("worker %d died during %s (%s): another one takes over", worker, during, death)
        self._replace(worker)
        self.replaced += 1

    def _replace(self, worker: int) -> None:
        """Ends a worker, if it is still alive, and starts another one in its place."""
        for end in (self._slots[worker].worker.stop, self._slots[worker].worker.join):
            end()
        self._slots[worker] = self._new_slot()
        self._forget(worker)

    def _new_slot(self) -> _Slot:
        worker = self._start()
        return _Slot(worker, worker.started)

    def _forget(self, worker: int) -> None:
        """Records that a worker no longer has its policy and its worlds."""
        self._slots[worker].has_weights = False
        self._streams.forget(worker)


def _spec(what: str, spec: Spec | str) -> Spec:
    if not isinstance(spec, (Spec, str)):
        raise TypeError(
            f"{what} must be a Spec or a str, such as 'package.module:name', by which other "
            f"processes find it; got {spec!r}"
        )
    return Spec(spec) if isinstance(spec, str) else spec
