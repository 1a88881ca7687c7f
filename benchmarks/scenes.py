# SPDX-License-Identifier: Apache-2.0
"""What does a scene cost, beside Scenic alone on the same scenario with the same seeds?

    python benchmarks/scenes.py [--scenes 100] [--rounds 5]

Figure 4 of GzScenic's paper is drawn by `Scenario.sample`, and by `generate` of Scenic on the same
program after the generators are seeded alike, so that both try the same samples. They take turns,
scene by scene; times are of the processor. `requirements-scenes.txt` is needed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time

import numpy as np
from report import write

from deepsim_scenes import Scenario, load_scenario, read_models
from deepsim_scenes.language.randomness import seeded

sys.path.append(str(Path(__file__).parents[1] / "libs" / "deepsim-scenes" / "tests"))

from kitchen import write_kitchen

BAR = 1.2


def main() -> None:
    """Draws the same scenes by both in turn, and writes the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--scenes", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        kitchen = write_kitchen(Path(folder))
        models = read_models(kitchen / "models.yaml")
        ours, theirs = (load_scenario(kitchen / "figure4.scenic", models) for _ in range(2))
        check(ours, theirs)
        times = np.array([turn(ours, theirs, options.scenes) for _ in range(options.rounds)])
    ratios = times[:, 0] / times[:, 1]
    ratio = median(ratios)
    figures = {
        "deepsim [ms/scene]": 1e3 * median(times[:, 0]) / options.scenes,
        "Scenic [ms/scene]": 1e3 * median(times[:, 1]) / options.scenes,
        "deepsim / Scenic": f"{ratio:.3f} (bar {BAR}: {'met' if ratio <= BAR else 'MISSED'})",
        "deepsim / Scenic, rounds": [round(float(each), 3) for each in ratios],
    }
    write("scenes", figures, "scenic", "numpy")


def by_scenic(scenario: Scenario, number: int) -> object:
    """Draws a scene as a user of Scenic does."""
    with seeded(0, number, 0):
        return scenario.compiled.generate(maxIterations=2000)[0]


def check(ours: Scenario, theirs: Scenario) -> None:
    """Makes sure that both draw the same."""
    for number in range(3):
        drawn = by_scenic(theirs, number)
        expected = [tuple(each.position) for each in drawn.objects]  # type: ignore[attr-defined]
        found = [tuple(each.position) for each in ours.sample(0, number).drawn.objects]
        assert found == expected


def turn(ours: Scenario, theirs: Scenario, scenes: int) -> tuple[float, float]:
    """Returns the seconds of both for the same scenes; each begins every second one."""
    spent = [0.0, 0.0]
    calls: list[Callable[[int], object]] = [
        lambda number: ours.sample(0, number),
        lambda number: by_scenic(theirs, number),
    ]
    for number in range(scenes):
        for which in (0, 1) if number % 2 else (1, 0):
            began = process_time()
            calls[which](number)
            spent[which] += process_time() - began
    return spent[0], spent[1]


if __name__ == "__main__":
    main()
