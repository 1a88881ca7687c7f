# SPDX-License-Identifier: Apache-2.0
"""Runs the series on one gzserver after the other and writes what was measured."""

from __future__ import annotations

import json
import os
import platform
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, perf_counter_ns
from typing import Any

import numpy as np
import rospy
from report import RESULTS
from rich.console import Console
from rich.progress import track
from rich.table import Table

from gazebo.servers import GazeboServer

from .plot import plot
from .scene import (
    GAZEBO_ROS,
    ORIGINAL,
    deepsim_services,
    installed,
    names,
    plugins,
    write_world,
)
from .series import MODELS, SERIES, Flat, Series, SharedMemory

ROUNDS = 10
SLOW = 1.0
"""In a round, a series gets this long for getting and as long for setting [s], if it is slow."""
CALLS, LOCK_STEP_ROUNDS = 1000, 5
FREE = 10_000  # steps of one call
LOCK_STEP_SCENES = ((10, True), (10, False), (100, True), (100, False))
CAPTION = (
    "Gazebo 11.1, world paused; Python client in another process on the same machine. "
    "Lines: mean; bands: one standard deviation.\n"
)
CAPTION += (
    "gazebo_ros answers its own services, one model per call."
    if installed(GAZEBO_ROS)
    else "Debian has no gazebo_ros: a plugin of the tests stands for it, with the same messages, "
    "search by name and pause around a write."
)
if not installed(ORIGINAL):
    CAPTION += "\nThe services of DeepSim 0.1 are answered by our node deepsim_services."

Times = dict[tuple[type[Series], str], list[float]]


def measure(counts: list[int], repetitions: int) -> None:
    """Measures all series for all numbers of models; writes the JSON and the picture.

    Args:
        counts: Numbers of models.
        repetitions: Of each series that is fast enough; the others have fewer, as the JSON says.
    """
    points: dict[type[Series], list[dict[str, Any]]] = {series: [] for series in SERIES}
    steps: dict[str, float] = {}
    rospy.init_node("figure6", disable_signals=True)
    with tempfile.TemporaryDirectory() as folder:
        for count in track(counts, "Figure 6"):
            world = write_world(Path(folder) / f"{count}.world", count)
            server = GazeboServer(world, arguments=["-u"], plugins=plugins())
            with server, deepsim_services():
                for (series, action), times in _one_scene(names(count), repetitions).items():
                    points[series].append(_point(count, action, times))
        for count, floating in LOCK_STEP_SCENES:
            world = write_world(Path(folder) / "lock_step.world", count, floating=floating)
            with GazeboServer(world, arguments=["-u"]):
                scene = f"{count} boxes, {'floating' if floating else 'on the ground'}"
                steps |= {f"{scene}, {key}": v for key, v in lock_step(names(count)).items()}
    results = {
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "caption": CAPTION,
        "series": [{"label": series.label, "points": points[series]} for series in SERIES],
        "lock-step": steps,
    }
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "figure6.json").write_text(json.dumps(results, indent=2) + "\n")
    plot(results, RESULTS / "figure6.png")
    _print(results)


def _one_scene(models: list[str], repetitions: int) -> Times:
    """Microseconds of every get and set, all series taking turns in every round."""
    for name in ("get_model_state", "get_all_model_states", "set_model_states"):
        rospy.wait_for_service("/gazebo/" + name, 30)
    series = [kind(models) for kind in SERIES]
    _check(series)
    times: Times = {(kind, action): [] for kind in SERIES for action in ("get", "set")}
    for _ in range(ROUNDS):
        for one in series:
            for action, call in (("get", one.get), ("set", one.set)):
                times[type(one), action] += _timed(call, repetitions // ROUNDS)
    for one in series:
        one.close()
    return times


def lock_step(models: list[str]) -> dict[str, float]:
    """Calls per second with n = 1, physics steps per second with n = 10 and of one long call.

    Medians of rounds in which ROS and shared memory take turns.
    """
    ways: dict[str, Flat] = {"ROS": Flat(models), "shared memory": SharedMemory(models)}
    rates: dict[str, list[float]] = {}
    for _ in range(LOCK_STEP_ROUNDS):
        for way, series in ways.items():
            rates.setdefault(f"calls/s at n = 1, {way}", []).append(_calls(series, 1))
            rates.setdefault(f"steps/s at n = 10, {way}", []).append(10 * _calls(series, 10))
        start = perf_counter()
        ways["ROS"].simulator.step(FREE)
        rates.setdefault("steps/s free", []).append(FREE / (perf_counter() - start))
    for series in ways.values():
        series.close()
    return {name: sorted(each)[LOCK_STEP_ROUNDS // 2] for name, each in rates.items()}


def _calls(series: Flat, n: int) -> float:
    series.get()
    simulator, tables, changes = series.simulator, series.tables, series.changes()
    start = perf_counter()
    for _ in range(CALLS):
        simulator.step(n, None, changes)
        simulator.read(tables, MODELS)
    return CALLS / (perf_counter() - start)


def _timed(call: Callable[[], None], repetitions: int) -> list[float]:
    times: list[float] = []
    began = perf_counter_ns()
    while len(times) < repetitions:
        start = perf_counter_ns()
        call()
        end = perf_counter_ns()
        times.append((end - start) / 1000)
        if end - began > SLOW * 1e9:
            break
    return times


def _check(series: list[Series]) -> None:
    """All series read the same positions, or there is nothing to compare."""
    reference = next(one for one in series if isinstance(one, Flat))
    reference.get()
    for one in series:
        one.get()
        np.testing.assert_allclose(one.positions(), reference.positions(), rtol=0, atol=1e-12)


def _point(count: int, action: str, times: list[float]) -> dict[str, Any]:
    return {
        "models": count,
        "action": action,
        "repetitions": len(times),
        "mean_us": round(float(np.mean(times)), 2),
        "std_us": round(float(np.std(times)), 2),
        "median_us": round(float(np.median(times)), 2),
        "p99_us": round(float(np.percentile(times, 99)), 2),
    }


def _print(results: dict[str, Any]) -> None:
    """Medians of the series, and how many times as long as ours over ROS each takes."""
    console = Console()
    for action in ("get", "set"):
        table = Table(title=f"{action} all models, median [us] (ratio to {Flat.label})")
        table.add_column("models", justify="right")
        medians: dict[str, dict[int, float]] = {}
        for series in results["series"]:
            table.add_column(series["label"], justify="right")
            medians[series["label"]] = {
                point["models"]: point["median_us"]
                for point in series["points"]
                if point["action"] == action
            }
        for count, reference in medians[Flat.label].items():
            cells = [values[count] for values in medians.values()]
            table.add_row(str(count), *(f"{v:.0f} ({v / reference:.3g})" for v in cells))
        console.print(table)
    for key, value in results["lock-step"].items():
        console.print(f"{key}: {value:.0f}")
