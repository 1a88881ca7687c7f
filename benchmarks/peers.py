# SPDX-License-Identifier: Apache-2.0
"""Ways of doing the same thing, timed in turns: table, picture and file.

`python benchmarks/peers.py maths` draws the picture of written figures anew.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from time import process_time

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import EngFormatter, LogLocator, NullFormatter
from report import RESULTS, write

#: Seconds that a turn of a short way takes.
_TURN = 0.003

#: Height of a panel without its bars, in bars.
_FRAME = 3.5

#: A way that computes a part only gives its share of the work.
Way = Callable[[], object]


def installed(*modules: str) -> bool:
    """Whether all can be imported; says so when one cannot."""
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    for name in missing:
        print(f"{name} is not installed, left out (see benchmarks/requirements.txt)")
    return not missing


@dataclass
class Case:
    """One task, our way of doing it, and those of others.

    Attributes:
        name: What is done.
        ways: What to call; ours is the first.
        shares: How much of the task a way does, where it is less than all.
        bars: What ours may cost at most, as a part of another's time.
        repeats: Calls at a time; by default as many as fit in some milliseconds, so that what is
            short runs warm. What is long runs once.
    """

    name: str
    ways: dict[str, Way]
    shares: dict[str, float] = field(default_factory=dict)
    bars: dict[str, float] = field(default_factory=dict)
    repeats: int | None = None

    def measure(self, rounds: int) -> dict[str, float]:
        """Microseconds of the whole task, by way: the shortest turn, in turns with the others.

        Counts the time that this process computes, on all of its threads, so that other processes
        matter little; they only make a turn longer.
        """
        counts = {name: self.repeats or _repeats(way) for name, way in self.ways.items()}
        times = dict.fromkeys(self.ways, float("inf"))
        for _ in range(rounds):
            for name, way in self.ways.items():
                times[name] = min(times[name], _seconds(way, counts[name]) / counts[name])
        return {name: 1e6 * time / self.shares.get(name, 1.0) for name, time in times.items()}


def _repeats(way: Way) -> int:
    way()
    return max(1, int(_TURN / _seconds(way, 1)))


def _seconds(way: Way, count: int) -> float:
    start = _computed()
    for _ in range(count):
        way()
    return _computed() - start


def _computed() -> float:
    """Seconds that this process and its finished children have computed."""
    times = os.times()
    return process_time() + times.children_user + times.children_system


def compare(name: str, cases: list[Case], rounds: int, *packages: str) -> None:
    """Measures all cases; prints a table and writes it and a picture to the results."""
    figures: dict[str, object] = {}
    measured: list[tuple[Case, dict[str, float]]] = []
    for case in cases:
        times = case.measure(rounds)
        measured.append((case, times))
        ours = next(iter(times.values()))
        for way, time in times.items():
            figures[f"{case.name}: {way} [us]"] = time
            if way in case.bars:
                met = "met" if ours <= case.bars[way] * time else "MISSED"
                figures[f"{case.name}: ours / {way}"] = (
                    f"{ours / time:.3g} (bar {case.bars[way]:g}: {met})"
                )
    _table(measured)
    write(name, figures, *packages)
    redraw(name)


def _table(measured: list[tuple[Case, dict[str, float]]]) -> None:
    for case, times in measured:
        ours = next(iter(times.values()))
        print(f"\n| {case.name} | time | ours / theirs | bar |\n|---|---:|---:|---:|")
        for way, time in times.items():
            bar = f"<= {case.bars[way]:g}" if way in case.bars else ""
            print(f"| {way} | {_readable(time)} | {ours / time:.3g} | {bar} |")
    print()


def _readable(microseconds: float) -> str:
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if microseconds >= size:
            return f"{microseconds / size:.3g} {unit}"
    return f"{microseconds:.3g} us"


def _picture(name: str, cases: list[tuple[str, dict[str, float]]]) -> None:
    """One panel per task, in two columns of bars of one height on logarithmic axes of time."""
    sizes = [_FRAME + len(times) for _, times in cases]
    tallest, left = min((max(sum(sizes[:k]), sum(sizes[k:])), k) for k in range(1, len(sizes) + 1))
    columns = [cases[:left], cases[left:]]
    figure = plt.figure(figsize=(15.0, 0.3 * tallest), layout="constrained")
    figure.get_layout_engine().set(h_pad=0.1)
    for subfigure, column in zip(figure.subfigures(1, 2), columns, strict=True):
        heights = [_FRAME + len(times) for _, times in column]
        spare = tallest - sum(heights)
        grid = subfigure.add_gridspec(
            len(column) + (spare > 0.0), 1, height_ratios=[*heights, *([spare] if spare else [])]
        )
        for row, (case, times) in enumerate(column):
            _panel(subfigure.add_subplot(grid[row]), case, times)
    figure.savefig(RESULTS / f"{name}.png", dpi=80)
    plt.close(figure)


def _panel(axes: Axes, case: str, times: dict[str, float]) -> None:
    colors = ["tab:orange"] + ["tab:gray"] * (len(times) - 1)
    seconds = [1e-6 * time for time in times.values()]
    bars = axes.barh(list(times), seconds, color=colors, height=0.75)
    axes.bar_label(bars, [_readable(time) for time in times.values()], padding=3, fontsize=11)
    axes.set(xscale="log", xlim=(min(seconds) / 3, max(seconds) * 6))
    axes.set_title(case, fontsize=13, loc="left")
    axes.set_xlabel("time of the whole task, logarithmic", fontsize=10)
    few = max(seconds) < 20.0 * min(seconds)
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0) if few else (1.0,), numticks=7))
    axes.xaxis.set_major_formatter(EngFormatter(unit="s"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.grid(axis="x", alpha=0.4)
    axes.set_axisbelow(True)
    axes.set_ylim(len(times) - 0.4, -0.6)
    axes.tick_params(labelsize=11)
    axes.spines[["top", "right"]].set_visible(False)


def redraw(name: str) -> None:
    """Draws the picture of a benchmark anew from the figures that it wrote."""
    cases: dict[str, dict[str, float]] = {}
    for key, time in json.loads((RESULTS / f"{name}.json").read_text()).items():
        case, _, way = key.partition(": ")
        if way.endswith(" [us]"):
            cases.setdefault(case, {})[way[: -len(" [us]")]] = time
    _picture(name, list(cases.items()))


if __name__ == "__main__":
    redraw(sys.argv[1])
