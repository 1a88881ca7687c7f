# SPDX-License-Identifier: Apache-2.0
"""One program of the root that runs in the sandbox until it is ended."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from gazebo import sandbox
from gazebo.cache import GazeboHostError
from gazebo.debian import end_of

_POLL = 0.02  # [s]
_LOG_LINES = 20

AnyProcess = TypeVar("AnyProcess", bound="Process")


class Process:
    """A program of the root, started by `start` or `with`, with its output in a log file.

    The log lies in the sandbox and vanishes with it; `run` rescues it if its command fails.

    Args:
        command: the program and its arguments, as seen from inside the root.
        environment: the variables that it sees beside the usual ones; none are inherited.
        ending: the signal that asks it to end.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str] | None = None,
        ending: int = signal.SIGTERM,
    ) -> None:
        self.name = command[0]
        self._command = sandbox.inside(command)
        self._environment = {**sandbox.ENVIRONMENT, **(environment or {})}
        self._ending = ending
        self._process: subprocess.Popen[bytes] | None = None
        if not sandbox.attached():
            raise GazeboHostError(
                f"{self.name} starts in a sandbox only: python tools/gazebo run --no-server -- ..."
            )
        handle, log = tempfile.mkstemp(".log", f"{self.name}-", sandbox.home())
        os.close(handle)
        self.log = Path(log)
        """All that it has printed, over restarts."""

    @property
    def pid(self) -> int:
        """The process id, as the sandbox numbers it."""
        return self._started().pid

    @property
    def running(self) -> bool:
        """Whether it was started and has not ended."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start the program; a subclass also waits until it is of use."""
        if self.running:
            raise GazeboHostError(f"{self.name} runs already, as process {self.pid}")
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C is for the command, which may need its servers
            )

    def wait_until(self, ready: Callable[[], bool], *, deadline: float = 90.0) -> None:
        """Ask `ready` again and again until it says yes."""
        process, end = self._started(), time.monotonic() + deadline
        while not ready():
            try:
                code = process.wait(_POLL)
            except subprocess.TimeoutExpired:
                if time.monotonic() < end:
                    continue
                self.kill()
                complaint = f"{self.name} was not ready after {deadline:g} s"
            else:
                complaint = f"{self.name} ended with exit status {code} while it was starting"
            raise GazeboHostError(f"{complaint}:\n{self.last_words()}")

    def end(self, number: int = signal.SIGINT, *, deadline: float = 10.0) -> int:
        """Send a signal and wait for the end, at most `deadline` [s].

        Returns:
            The exit status, or -N if signal N ended it.
        """
        process = self._started()
        process.send_signal(number)
        try:
            return process.wait(deadline)
        except subprocess.TimeoutExpired as error:
            name = signal.Signals(number).name
            raise GazeboHostError(
                f"{self.name} still runs {deadline:g} s after {name}:\n{self.last_words()}"
            ) from error

    def kill(self) -> int:
        """Send SIGKILL and wait for the end; returns -9, or the status if it had ended before."""
        return self.end(signal.SIGKILL)

    def stop(self) -> None:
        """Ask the program to end and kill it 5 s later; does nothing if it has ended already."""
        if not self.running:
            return
        try:
            self.end(self._ending, deadline=5.0)
        except GazeboHostError:
            self.kill()

    def last_words(self) -> str:
        """The last lines that it has printed."""
        return end_of(self.log, _LOG_LINES)

    def __enter__(self: AnyProcess) -> AnyProcess:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise GazeboHostError(f"{self.name} was not started: use `with` or start()")
        return self._process
