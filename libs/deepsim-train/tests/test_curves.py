# SPDX-License-Identifier: Apache-2.0
"""Curves of several seeds: mean and deviation against numbers worked by hand."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from deepsim_train.task_code import TaskError
from deepsim_train.training.config import TrainingConfig
from deepsim_train.training.curves import curves_of, write_curves

pytest.importorskip("matplotlib", reason="curves need the extra ppo: tox -e py311-train")
Image = pytest.importorskip("PIL.Image")


def run(folder: Path, rows: dict[int, object], **settings: object) -> Path:
    """Writes a folder as `deepsim train` does, with rewards by step."""
    folder.mkdir()
    config = asdict(TrainingConfig().changed(settings))
    (folder / "config.json").write_text(json.dumps({"task": "walk", "folder": "walk", **config}))
    lines = ["steps,reward", *(f"{steps},{value}" for steps, value in rows.items())]
    (folder / "progress.csv").write_text("\n".join(lines) + "\n")
    return folder


def test_seeds_are_one_curve(tmp_path: Path) -> None:
    """Mean and sample deviation where all runs have steps; values between rows are linear."""
    one = run(tmp_path / "a", {10: 0.0, 20: 2.0, 30: 4.0}, seed=3)
    two = run(tmp_path / "b", {10: 4.0, 30: 8.0}, seed=1)
    (curve,) = curves_of([one, two])
    assert (curve.label, curve.seeds) == ("walk", (1, 3))
    assert curve.steps.tolist() == [10, 20, 30]
    assert curve.mean.tolist() == [2.0, 4.0, 6.0]
    assert curve.deviation == pytest.approx(np.sqrt([8.0, 8.0, 8.0]))


def test_a_curve_ends_with_its_shortest_run(tmp_path: Path) -> None:
    """Beyond it the mean would be of other seeds; an interrupted run may be among them."""
    one = run(tmp_path / "a", {10: 1.0, 20: 1.0, 30: 9.0}, seed=0, steps=30)
    two = run(tmp_path / "b", {10: 3.0, 20: 3.0}, seed=1, steps=20)
    (curve,) = curves_of([one, two])
    assert curve.end() == {
        "runs": "walk", "seeds": [0, 1], "steps": 20, "reward": 2.0,
        "deviation": pytest.approx(2**0.5),
    }  # fmt: skip


def test_a_seed_counts_once(tmp_path: Path) -> None:
    """A repeated run is no other sample; the longest counts, and the others are named."""
    short = run(tmp_path / "a", {10: 0.0}, seed=0, steps=10)
    long = run(tmp_path / "b", {10: 0.0, 20: 2.0}, seed=0, steps=20)
    again = run(tmp_path / "c", {10: 0.0, 20: 2.0}, seed=0, steps=20)
    other = run(tmp_path / "d", {10: 2.0, 20: 4.0}, seed=1, steps=20)
    (curve,) = curves_of([short, long, again, other])
    assert (curve.seeds, curve.repeated) == ((0, 1), (short, again))
    assert curve.mean.tolist() == [1.0, 3.0]
    assert curve.deviation == pytest.approx([2**0.5, 2**0.5])


def test_other_settings_are_other_curves(tmp_path: Path) -> None:
    """The labels name the settings that differ, and no others."""
    runs = [run(tmp_path / str(n), {10: n}, seed=n, gamma=0.9 + 0.09 * (n // 2)) for n in range(4)]
    curves = curves_of(runs)
    assert [curve.label for curve in curves] == ["walk gamma=0.9", "walk gamma=0.99"]
    assert [curve.mean.tolist() for curve in curves] == [[0.5], [2.5]]


def test_empty_cells_are_left_out(tmp_path: Path) -> None:
    """Evaluations are not in every row."""
    (curve,) = curves_of([run(tmp_path / "a", {10: "", 20: 5.0})])
    assert (curve.steps.tolist(), curve.deviation.tolist()) == ([20], [0.0])


def test_what_is_no_run_is_named(tmp_path: Path) -> None:
    """Folders without a run are passed over, unless none is one; a column is suggested."""
    good = run(tmp_path / "a", {10: 1.0})
    (tmp_path / "empty").mkdir()
    assert len(curves_of([good, tmp_path / "empty"])) == 1
    with pytest.raises(TaskError, match="empty"):
        curves_of([tmp_path / "empty"])
    with pytest.raises(TaskError, match="no values of 'speed'; there are: reward"):
        curves_of([good], "speed")
    run(tmp_path / "late", {50: 1.0}, seed=1)
    with pytest.raises(TaskError, match="no steps in common"):
        curves_of([good, tmp_path / "late"])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("progress.csv", b"steps,reward\n1,two\n"),
        ("progress.csv", b"reward\n1\n"),
        ("progress.csv", b"steps,reward\n\xff,1\n"),
        ("progress.csv", b"steps,reward\n1," + b"1" * 200_000 + b"\n"),
        ("config.json", b'{"seed": 1}'),
        ("config.json", b'{"task": "walk", "seed": "x"}'),
        ("config.json", b"[" * 100_000),
        ("config.json", b'{"task": \xff}'),
    ],
)
def test_a_damaged_run_is_named(tmp_path: Path, name: str, content: bytes) -> None:
    folder = run(tmp_path / "a", {10: 1.0})
    (folder / name).write_bytes(content)
    with pytest.raises(TaskError, match=name):
        curves_of([folder])


def test_the_picture_shows_line_and_band(tmp_path: Path) -> None:
    """The band is there for two seeds that differ, and nowhere for equal ones."""
    counts = []
    for folder, values in (("same", (1.0, 1.0)), ("apart", (0.0, 2.0))):
        (tmp_path / folder).mkdir()
        runs = [
            run(tmp_path / folder / str(seed), {10: 1.0, 20: value}, seed=seed)
            for seed, value in enumerate(values)
        ]
        write_curves(tmp_path / f"{folder}.png", curves_of(runs))
        picture = np.asarray(Image.open(tmp_path / f"{folder}.png").convert("RGB")).astype(int)
        pale = (picture[..., 2] - picture[..., 0] > 20) & (picture[..., 0] > 150)
        counts.append(int(pale.sum()))
    assert counts[0] < 5000 < counts[1]
