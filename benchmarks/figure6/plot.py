# SPDX-License-Identifier: Apache-2.0
"""The curves: mean time of a synchronisation over the number of models, with bands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")  # before pyplot: a benchmark has no screen

from matplotlib import pyplot as plt


def plot(results: dict[str, Any], picture: Path) -> None:
    """Draws getting and setting side by side.

    Args:
        results: The content of the JSON file.
        picture: The PNG to be written.
    """
    figure, panels = plt.subplots(1, 2, figsize=(11, 4.6), sharey=True, layout="constrained")
    for panel, action in zip(panels, ("get", "set"), strict=True):
        for series in results["series"]:
            points = [point for point in series["points"] if point["action"] == action]
            if not points:
                continue
            counts = [point["models"] for point in points]
            mean = [point["mean_us"] / 1000 for point in points]
            deviation = [point["std_us"] / 1000 for point in points]
            # On a logarithmic axis a band cannot reach 0.
            low = [max(m - d, m / 10) for m, d in zip(mean, deviation, strict=True)]
            high = [m + d for m, d in zip(mean, deviation, strict=True)]
            (line,) = panel.plot(counts, mean, marker=".", label=series["label"])
            panel.fill_between(counts, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
        panel.set(title=f"{action} all models", xlabel="models", xscale="log", yscale="log")
        panel.grid(visible=True, which="both", alpha=0.25)
    panels[0].set_ylabel("time of one synchronisation [ms]")
    panels[1].legend(fontsize=8, loc="lower right")
    figure.text(0.5, -0.02, results["caption"], ha="center", va="top", fontsize=8, wrap=True)
    figure.savefig(picture, dpi=130, bbox_inches="tight")
