# SPDX-License-Identifier: Apache-2.0
"""Workers in processes of their own on this machine, spoken to over pipes."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

from .carriers import Death
from .worker import Worker

_PATIENCE = 5.0  # for an idle worker to close its worlds [s]


@dataclass
class _Process:
    process: SpawnProcess
    pipe: Connection
    busy: bool = False


class ProcessCarrier:
    """Processes that are spawned, so that they share nothing with this one.

    Args:
        setup: See `worker.setup_text`.
        count: How many.
    """

    def __init__(self, setup: str, count: int) -> None:
        self.count = count
        self._setup = setup
        self._processes: list[_Process] = []
        try:
            for number in range(count):
                self._processes.append(self._started(number))
        except BaseException:
            self.close()
            raise

    def send(self, worker: int, request: bytes) -> None:
        """Gives an idle worker a request; one that died shows it when it is received from."""
        it = self._processes[worker]
        it.busy = True
        try:
            it.pipe.send_bytes(request)
        except OSError:  # its end of the pipe is closed, which `receive` sees as well
            return

    def receive(self) -> tuple[int, bytes | Death]:
        """Waits for the answer or the death of any busy worker."""
        busy = {it.pipe: number for number, it in enumerate(self._processes) if it.busy}
        ready = wait(busy)
        number = min(busy[pipe] for pipe in ready if isinstance(pipe, Connection))
        it = self._processes[number]
        try:
            answer = it.pipe.recv_bytes()
        except (EOFError, OSError):
            it.process.join(_PATIENCE)
            return number, Death(f"exit code {it.process.exitcode}")
        it.busy = False
        return number, answer

    def replace(self, worker: int) -> None:
        """Ends a process and starts another."""
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


def serve(pipe: Connection, setup: str) -> None:
    """A worker's process: answers until its pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the pool, which ends us
    worker = Worker(setup)
    try:
        while True:
            pipe.send_bytes(worker.answer(pipe.recv_bytes()))
    except (EOFError, OSError):
        return
    finally:
        worker.close()


def _end(processes: list[_Process]) -> None:
    for it in processes:
        it.pipe.close()
        if it.busy:
            it.process.kill()
    for it in processes:
        it.process.join(_PATIENCE)
        if it.process.is_alive():
            it.process.kill()
            it.process.join()
        it.process.close()
