# SPDX-License-Identifier: Apache-2.0
"""Times interleaved calls and writes results and tables, for all benchmarks."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import median
from time import perf_counter_ns
from typing import Any

RESULTS = Path(__file__).parent / "results"


def interleaved(
    calls: Mapping[str, Callable[[], object]], rounds: int, repeats: int
) -> dict[str, float]:
    """Microseconds per call: the median over rounds, in each of which every call has its turn."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            start = perf_counter_ns()
            for _ in range(repeats):
                call()
            times[name].append((perf_counter_ns() - start) / repeats / 1000)
    return {name: median(values) for name, values in times.items()}


def write(name: str, figures: Mapping[str, Any], *packages: str) -> None:
    """Prints figures and writes them with the versions that they hold for."""
    for key, value in figures.items():
        print(f"{key:40} {value:10.4g}" if isinstance(value, float) else f"{key:40} {value}")
    versions = {package: version(package) for package in packages}
    content = {"python": platform.python_version(), **versions, **figures}
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(content, indent=2) + "\n")


def write_table(page: Path, command: str, lines: Sequence[str]) -> None:
    """Replaces the lines of a page between ``<!-- COMMAND -->`` and ``<!-- end -->``."""
    start, end = f"<!-- {command} -->\n", "<!-- end -->\n"
    before, found, rest = page.read_text(encoding="utf-8").partition(start)
    if not found or end not in rest:
        raise ValueError(f"{page} must have the lines {start.strip()} and {end.strip()}")
    after = rest.partition(end)[2]
    text = before + start + "\n".join(lines) + "\n" + end + after
    page.write_text(text, encoding="utf-8")
