# SPDX-License-Identifier: Apache-2.0
"""Run a command, and repeat its failed tests at the end: python tools/repeat_failures.py COMMAND...

The matrix prints thousands of lines; a reader of its end should see the tests that failed.
"""

from __future__ import annotations

import re
import subprocess
import sys

FAILURE = re.compile(r"(FAILED|ERROR) \S|\s+\S+: FAIL ")  # pytest's summary, tox's summary


def main(command: list[str]) -> int:
    """Run `command` and return its exit status."""
    failures = []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            if FAILURE.match(line):
                failures.append(line)
    if process.returncode:
        print("\nWhat failed:\n" + "".join(failures), flush=True)
    return process.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
