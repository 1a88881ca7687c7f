# SPDX-License-Identifier: Apache-2.0
"""Workers that compute fragments: in this process, and in other processes of this machine."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import struct
import traceback
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any, NamedTuple, Protocol

from deepsim_envs.function_names import find_function
from deepsim_sync import call_all

from .fragment import packed, unpacked
from .policy import Policy, RecurrentPolicy
from .rollout import PolicyMemory, Rollout
from .streams import OngoingEpisodes, Trail
from .worlds import RolloutWorlds, Spec, make_rollout_worlds

# ruff: noqa: D102 (methods are documented by Workers)


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

    def answer(self, request: bytes, weights: bytes | None) -> bytes:
        """Returns a packed fragment, or the packed error of the task or the policy.

        A fragment comes with the number of steps of each unfinished episode, and with the policy's
        memory.

        Args:
            request: The fragment number, the weights version and the `Assignment`, packed.
            weights: New weights of the policy, packed; None keeps the current ones.
        """
        number, version, (stream, held, trail) = unpacked(request)
        try:
            episodes = self._episodes(stream, held, trail)
            policy = self._made_policy(episodes.worlds)
            if weights is not None:
                policy.set_weights(unpacked(weights))
            agents = [name for group in episodes.worlds.groups for name in group.names]
            remembering = PolicyMemory(policy, agents, self._count, episodes.memory)
            rollout = Rollout(episodes, self._length, self._root, number)
            fragment = rollout.run(remembering, version)
            episodes.memory = remembering.copy()
            return packed((tuple(fragment), episodes.steps, episodes.memory))
        except Exception as error:
            kind, message, trace = type(error).__name__, str(error), traceback.format_exc()
            # No other fragment may see the state after an error; errors of close are ignored.
            with contextlib.suppress(Exception):
                self.close()
            return packed({"kind": kind, "message": message, "traceback": trace})

    def close(self) -> None:
        """Closes the worlds and forgets the policy; the next fragment makes both again."""
        self._policy = None
        worlds = [*self._spare, *(episodes.worlds for episodes in self._streams.values())]
        self._streams, self._spare = {}, []
        call_all(each.close for each in worlds)

    def _episodes(self, stream: int, held: Sequence[int], trail: Any) -> OngoingEpisodes:
        """Returns the episodes of a stream, and frees the worlds of streams not in `held`."""
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
                episodes.replay(Trail(*trail), self._length)
        return self._streams[stream]

    def _made_policy(self, worlds: RolloutWorlds) -> Policy | RecurrentPolicy:
        if self._policy is None:
            self._policy = find_function(self._policy_spec.make)(
                observation_space={n: g.observation_space for g in worlds.groups for n in g.names},
                action_space={n: g.action_space for g in worlds.groups for n in g.names},
                **self._policy_spec.kwargs,
            )
        return self._policy


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


_PATIENCE = 5.0  # time for an idle worker to close its worlds, or for a killed one to end [s]


@dataclass
class _Process:
    process: SpawnProcess
    pipe: Connection
    busy: bool = False


class ProcessWorkers:
    """Workers in spawned processes, which share no state with this process.

    Args:
        setup: The arguments of `Sampler`.
        count: The number of workers.
        timeout: Time after which a transfer over a pipe that makes no progress fails [s].
    """

    needs = "each imports the task and the policy first"

    def __init__(self, setup: Mapping[str, Any], count: int, timeout: float) -> None:
        self._setup, self._timeout = setup, timeout
        self._processes: list[_Process] = []
        try:
            for number in range(count):
                self._processes.append(self._started(number))
        except BaseException:
            self.close()
            raise

    def send(self, worker: int, request: bytes, weights: bytes | None) -> None:
        it = self._processes[worker]
        it.busy = True
        try:
            it.pipe.send_bytes(request)
            it.pipe.send_bytes(weights or b"")
        except BlockingIOError:  # The worker does not read in time.
            it.process.kill()
        except OSError:  # The worker has closed its end of the pipe: `receive` reports its death.
            return

    def receive(self, timeout: float) -> tuple[int, bytes | Death] | None:
        numbers = {it.pipe: number for number, it in enumerate(self._processes)}
        ready = wait(numbers, max(0.0, timeout))
        if not ready:
            return None
        worker = min(numbers[pipe] for pipe in ready if isinstance(pipe, Connection))
        it = self._processes[worker]
        try:
            answer = it.pipe.recv_bytes()
        except (EOFError, OSError) as error:
            if isinstance(error, BlockingIOError):  # The worker does not finish writing in time.
                it.process.kill()
            it.process.join(_PATIENCE)
            return worker, Death(f"exit code {it.process.exitcode}")
        it.busy = False
        return worker, answer

    def replace(self, worker: int) -> None:
        _end([self._processes[worker]])
        self._processes[worker] = self._started(worker)

    def close(self) -> None:
        """Ends the processes: idle ones close their worlds, busy ones are killed."""
        _end(self._processes)
        self._processes = []

    def _started(self, number: int) -> _Process:
        context = get_context("spawn")
        ours, theirs = context.Pipe()
        _limit(ours, self._timeout)
        process = context.Process(
            target=serve, args=(theirs, self._setup), name=f"rollout-{number}", daemon=True
        )
        process.start()
        theirs.close()  # Only the worker now holds this end, so its death closes the pipe.
        return _Process(process, ours)


def serve(pipe: Connection, setup: Mapping[str, Any]) -> None:
    """Answers requests until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # The pool handles Ctrl-C and ends its workers.
    sampler = Sampler(**setup)
    try:
        pipe.send_bytes(b"")
        while True:
            request, weights = pipe.recv_bytes(), pipe.recv_bytes()
            pipe.send_bytes(sampler.answer(request, weights or None))
    except (EOFError, OSError):
        return
    finally:
        sampler.close()


def _limit(pipe: Connection, timeout: float) -> None:
    """Makes reads and writes of a pipe fail after `timeout` seconds without progress."""
    time = struct.pack("@ll", int(timeout), max(1, int(timeout % 1.0 * 1e6)))
    with socket.socket(fileno=os.dup(pipe.fileno())) as end:  # A two-way pipe is a socket.
        for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
            end.setsockopt(socket.SOL_SOCKET, option, time)


def _end(processes: Iterable[_Process]) -> None:
    for it in processes:
        it.pipe.close()
        if it.busy:
            it.process.kill()
    for it in processes:
        it.process.join(_PATIENCE)
        if it.process.is_alive():
            it.process.kill()
            it.process.join(_PATIENCE)
