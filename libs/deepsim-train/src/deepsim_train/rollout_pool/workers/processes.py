# SPDX-License-Identifier: Apache-2.0
"""Workers in processes on this machine, connected by pipes."""

from __future__ import annotations

import os
import signal
import socket
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any

from deepsim_train.rollout_pool.sampler import Sampler

from .local import Death

# ruff: noqa: D102 (methods are documented by Workers)

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
