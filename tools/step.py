# SPDX-License-Identifier: Apache-2.0
"""Announces a step, runs it, and prints how it ended and how long it took.

    python tools/step.py NAME COMMAND...

A step ends after STEP_LIMIT seconds (7200 by default), and at SIGTERM, which it passes on.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress

_PATIENCE = 60.0
"""Time for a command to end after SIGTERM [s]."""
_LOOK = 0.5
"""Time between two looks at signals and the clock [s]."""


def main(name: str, *command: str) -> int:
    """Runs a command, and returns its exit status."""
    begin, limit = time.monotonic(), float(os.environ.get("STEP_LIMIT", "7200"))
    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    also = f"  (SIGINT is ignored here; to stop it: kill {os.getpid()})" if ignored else ""
    print(f"==> {name}: {' '.join(command)}{also}", flush=True)
    signals: list[int] = []  # a handler that raises might lose a command that has just begun
    signal.signal(signal.SIGTERM, lambda number, _frame: signals.append(number))
    stdin = subprocess.DEVNULL if sys.stdin is None else None  # closed, as in a daemon
    with subprocess.Popen(command, stdin=stdin) as process:
        try:
            while process.poll() is None and not signals:
                if time.monotonic() > begin + limit:
                    print(f"==> {name}: it has run for {limit:g} s and is ended", flush=True)
                    break
                with suppress(subprocess.TimeoutExpired):
                    process.wait(_LOOK)
            status = process.poll()
            if status is None:
                process.terminate()
                status = _last_wait(process)
        except KeyboardInterrupt:  # the terminal sent SIGINT to the command, too
            status = _last_wait(process)
    end = "ok" if status == 0 else "FAILED"
    print(f"==> {name}: {end} after {time.monotonic() - begin:.0f} s", flush=True)
    return status if status >= 0 else 128 - status


def _last_wait(process: subprocess.Popen[bytes]) -> int:
    """Waits for a command that was told to end, then kills it; the status returned is not 0."""
    try:
        return process.wait(_PATIENCE) or 1
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
