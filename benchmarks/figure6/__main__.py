# SPDX-License-Identifier: Apache-2.0
"""The paper's Figure 6 on real Gazebo 11: the time of reading or writing all models once.

``python benchmarks/figure6`` enters the Gazebo host's sandbox, starts a gzserver for each number of
models, runs all series interleaved, and writes ``results/figure6.json`` and ``.png``.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tools"), str(ROOT / "benchmarks"), "/usr/lib/python3/dist-packages"]
"""The Gazebo host's servers, the other benchmarks' module, and Debian's rospy, after our own."""

from gazebo import cache  # noqa: E402 (the line above makes it importable)
from gazebo.sandbox import attached  # noqa: E402 (as above)

COUNTS = [*range(10, 101, 10), 1000]


def main() -> int:
    """Enters the sandbox, and measures in it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, nargs="+", default=COUNTS, help="numbers of models")
    parser.add_argument("--repetitions", type=int, default=5000, help="of the fast series")
    options = parser.parse_args()
    if not attached():
        tool = [sys.executable, str(ROOT / "tools/gazebo"), "run", "--no-server", "--"]
        return subprocess.run([*tool, sys.executable, *sys.argv], check=False).returncode
    sys.path.append(str(cache.install() / "lib/python3/dist-packages"))  # the messages
    from figure6.measure import measure  # noqa: PLC0415 (there are messages in the sandbox only)

    measure(options.models, options.repetitions)
    return 0


if __name__ == "__main__":
    sys.exit(main())
