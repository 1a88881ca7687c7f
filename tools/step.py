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
from types import FrameType
from typing import NoReturn

_PATIENCE = 60.0
"""Time for a command to end after SIGTERM [s]."""


def main(name: str, *command: str) -> int:
    """Runs a command, and returns its exit status."""
    begin, limit = time.monotonic(), float(os.environ.get("STEP_LIMIT", "7200"))
    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    also = f"  (SIGINT is ignored here; to stop it: kill {os.getpid()})" if ignored else ""
    print(f"==> {name}: {' '.join(command)}{also}", flush=True)
    signal.signal(signal.SIGTERM, _end)
    stdin = subprocess.DEVNULL if sys.stdin is None else None  # closed, as in a daemon
    with subprocess.Popen(command, stdin=stdin) as process:
        try:
            status = process.wait(limit)
        except subprocess.TimeoutExpired:
            print(f"==> {name}: it has run for {limit:.0f} s and is ended", flush=True)
            status = _stop(process)
        except KeyboardInterrupt:  # the terminal sent SIGINT to the command, too
            status = _stop(process, ask=False)
        except SystemExit:
            status = _stop(process)
    end = "ok" if status == 0 else "FAILED"
    print(f"==> {name}: {end} after {time.monotonic() - begin:.0f} s", flush=True)
    return status if status >= 0 else 128 - status


def _end(number: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)


def _stop(process: subprocess.Popen[bytes], *, ask: bool = True) -> int:
    """Ends a command, by force if it takes too long; returns a status that is not 0."""
    if ask:
        process.terminate()
    try:
        return process.wait(_PATIENCE) or 1
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
