# SPDX-License-Identifier: Apache-2.0
"""Workers in processes of this machine, spoken to over pipes."""

from __future__ import annotations

import signal
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from threading import Timer
from typing import Any

from deepsim_envs.rollout_pool.sampler import Sampler

from .local import Death

# ruff: noqa: D102 (methods are documented by Workers)

_PATIENCE = 5.0  # for an idle worker to close its worlds, and for a killed one to end [s]


@dataclass
class _Process:
    process: SpawnProcess
    pipe: Connection
    busy: bool = False


class ProcessWorkers:
    """Processes that are spawned, so that they share nothing with this one.

    Args:
        setup: The arguments of `Sampler`.
        count: The number of workers.
        timeout: Time in which a worker must take a request, or give an answer that it began [s].
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
            with self._deadline(it.process):
                it.pipe.send_bytes(request)
                it.pipe.send_bytes(weights or b"")
        except OSError:  # its end of the pipe is closed, which `receive` sees as well
            return

    def receive(self, timeout: float) -> tuple[int, bytes | Death] | None:
        numbers = {it.pipe: number for number, it in enumerate(self._processes)}
        ready = wait(numbers, max(0.0, timeout))
        if not ready:
            return None
        worker = min(numbers[pipe] for pipe in ready if isinstance(pipe, Connection))
        it = self._processes[worker]
        try:
            with self._deadline(it.process):
                answer = it.pipe.recv_bytes()
        except (EOFError, OSError):
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
        process = context.Process(
            target=serve, args=(theirs, self._setup), name=f"rollout-{number}", daemon=True
        )
        process.start()
        theirs.close()  # so that only the worker holds it, and its death is the end of the pipe
        return _Process(process, ours)

    @contextmanager
    def _deadline(self, process: SpawnProcess) -> Iterator[None]:
        """Kills a process that does not take or give bytes in time, which ends its pipe."""
        timer = Timer(self._timeout, process.kill)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()


def serve(pipe: Connection, setup: Mapping[str, Any]) -> None:
    """Answers requests until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the pool, which ends us
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
