# SPDX-License-Identifier: Apache-2.0
"""Workers that compute fragments: in this process, and in other processes of this machine."""

from __future__ import annotations

import contextlib
import pickle
import signal
import traceback
from collections.abc import Mapping
from concurrent.futures import Future
from multiprocessing import get_context
from multiprocessing.connection import Connection
from threading import Thread
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from deepsim_envs.construction import find_function
from deepsim_sync import call_all

from .policy import Policy, RecurrentPolicy
from .rollout import PolicyMemory, Rollout
from .streams import Assignment, Fragment, OngoingEpisodes
from .worlds import RolloutWorlds, Spec, make_rollout_worlds

# ruff: noqa: D102 (methods are documented by Worker)


class Computed(NamedTuple):
    """A fragment, with what is needed to continue its unfinished episodes."""

    fragment: Fragment
    """The fragment."""
    steps: NDArray[np.int64]
    """The number of steps of each unfinished episode so far, (W,); 0 if it is over."""
    memory: dict[str, Any]
    """The memory of the policy after the fragment, by agent: (W, ...)."""


class Failure(NamedTuple):
    """The error of the task or the policy, in the place of a fragment."""

    kind: str
    """Name of the exception's class."""
    message: str
    """The exception's message."""
    traceback: str
    """The exception's traceback."""


class Sampler:
    """Computes fragments of one task and one policy.

    The random numbers of fragment f come from child f of ``SeedSequence(root)``. The child seeds
    the policy's generator, and has one child for each world, which spawns the seeds of the episodes
    that begin in that world. The sampler makes policy and worlds on first use, and keeps them.

    Args:
        environment: Makes the environment; see `worlds.portable`.
        policy: Makes the policy.
        length: The number of steps of a fragment.
        worlds: The number of worlds of a fragment.
        root: The root of all seeds.
    """

    def __init__(
        self, environment: Spec, policy: Spec, length: int, worlds: int, root: int
    ) -> None:
        self._environment, self._policy_spec = environment, policy
        self._length, self._count = length, worlds
        self._root = root
        self._streams: dict[int, OngoingEpisodes] = {}
        self._spare: list[RolloutWorlds] = []  # free because other workers took over the streams
        self._policy: Policy | RecurrentPolicy | None = None

    def answer(
        self, number: int, version: int, assignment: Assignment, weights: bytes | None
    ) -> Computed | Failure:
        """Computes a fragment; the errors of the task and the policy are returned, not raised.

        Args:
            number: The number of the fragment.
            version: The version of the weights.
            assignment: The worlds in which to compute the fragment.
            weights: New weights of the policy, pickled; None keeps the current ones.
        """
        try:
            episodes = self._episodes(assignment)
            policy = self._made_policy(episodes.worlds)
            if weights is not None:
                policy.set_weights(pickle.loads(weights))
            agents = [name for group in episodes.worlds.groups for name in group.names]
            remembering = PolicyMemory(policy, agents, self._count, episodes.memory)
            rollout = Rollout(episodes, self._length, self._root, number)
            fragment = rollout.run(remembering, version)
            episodes.memory = remembering.copy()
            return Computed(fragment, episodes.steps, episodes.memory)
        except Exception as error:
            failure = Failure(type(error).__name__, str(error), traceback.format_exc())
            # No other fragment may see the state after an error; errors of close are ignored.
            with contextlib.suppress(Exception):
                self.close()
            return failure

    def close(self) -> None:
        """Closes the worlds and forgets the policy; the next fragment makes both again."""
        self._policy = None
        worlds = [*self._spare, *(episodes.worlds for episodes in self._streams.values())]
        self._streams, self._spare = {}, []
        call_all(each.close for each in worlds)

    def _episodes(self, assignment: Assignment) -> OngoingEpisodes:
        """Returns the episodes of a stream, and frees the worlds of streams not assigned."""
        stream, held, trail = assignment
        kept = set(held) if trail is None else set(held) - {stream}
        for other in self._streams.keys() - kept:
            self._spare.append(self._streams.pop(other).worlds)
        if trail is not None:
            worlds = (
                self._spare.pop()
                if self._spare
                else make_rollout_worlds(self._environment, self._count)
            )
            episodes = self._streams[stream] = OngoingEpisodes(worlds, self._count)
            if trail:
                episodes.replay(trail, self._length)
        return self._streams[stream]

    def _made_policy(self, worlds: RolloutWorlds) -> Policy | RecurrentPolicy:
        if self._policy is None:
            self._policy = find_function(self._policy_spec.make)(
                observation_space={n: g.observation_space for g in worlds.groups for n in g.names},
                action_space={n: g.action_space for g in worlds.groups for n in g.names},
                **self._policy_spec.kwargs,
            )
        return self._policy


class Worker(Protocol):
    """Computes one fragment at a time.

    Attributes:
        started: Is done as soon as the worker has started, or has an exception if it has died.
    """

    started: Future[Any]

    def submit(
        self, number: int, version: int, assignment: Assignment, weights: bytes | None
    ) -> Future[Any]:
        """Computes a fragment; the future has an exception if the worker dies.

        See `Sampler.answer` for the arguments.

        Raises:
            ChildProcessError: The worker has died before.
        """

    def stop(self) -> None:
        """Lets an idle worker close its worlds and end; ends a busy one."""

    def join(self) -> None:
        """Waits until a stopped worker has ended."""


class LocalWorker:
    """A worker in this process, which computes the fragment before `submit` returns."""

    def __init__(self, setup: Mapping[str, Any]) -> None:
        self._sampler = Sampler(**setup)
        self.started: Future[Any] = Future()
        self.started.set_result(None)

    def submit(self, *request: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(self._sampler.answer(*request))
        return future

    def stop(self) -> None:
        self._sampler.close()

    def join(self) -> None:
        pass


_PATIENCE = 5.0  # time for an idle worker to close its worlds, or for a killed one to end [s]


class ProcessWorker:
    """A worker in a spawned process, which shares no state with this process.

    Args:
        setup: The arguments of `Sampler`.
    """

    def __init__(self, setup: Mapping[str, Any]) -> None:
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(
            target=_serve, args=(theirs, setup), name="rollout", daemon=True
        )
        self._process.start()
        theirs.close()  # Only the worker now holds this end, so its death closes the pipe.
        self.started = self._answer = self._exchanged()

    def submit(self, *request: Any) -> Future[Any]:
        if self._process.exitcode is not None:
            raise ChildProcessError(f"exit code {self._process.exitcode}")
        self._answer = self._exchanged(request)
        return self._answer

    def stop(self) -> None:
        if self._answer.done():
            self._pipe.close()
        else:
            self._process.kill()

    def join(self) -> None:
        self._process.join(_PATIENCE)
        if self._process.is_alive():
            self._process.kill()
            self._process.join(_PATIENCE)

    def _exchanged(self, *requests: Any) -> Future[Any]:
        """Sends a request, if any, and waits for the answer, in a thread that delays no exit."""
        answer: Future[Any] = Future()

        def exchange() -> None:
            try:
                for request in requests:
                    self._pipe.send(request)
                answer.set_result(self._pipe.recv())
            except (EOFError, OSError):
                self._process.join(_PATIENCE)
                answer.set_exception(ChildProcessError(f"exit code {self._process.exitcode}"))

        Thread(target=exchange, daemon=True).start()
        return answer


def _serve(pipe: Connection[Any, Any], setup: Mapping[str, Any]) -> None:
    """Answers requests until the pipe is closed, even by the death of the pool's process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # The pool handles Ctrl-C and ends its workers.
    sampler = Sampler(**setup)
    try:
        pipe.send(None)
        while True:
            pipe.send(sampler.answer(*pipe.recv()))
    except (EOFError, OSError):
        return
    finally:
        sampler.close()
