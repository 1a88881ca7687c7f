# SPDX-License-Identifier: Apache-2.0
"""`deepsim run racetrack` writes a film, a map and the data."""

from __future__ import annotations

import csv
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import imageio.v3 as imageio
from PIL import Image

SHORT = """
import sys
from deepsim_train import load_task

RACETRACK = load_task("racetrack")
sys.modules[RACETRACK.make.__module__].MAX_STEPS = 20
TASK = RACETRACK
"""


def test_the_command_writes_a_film_a_map_and_the_data(root: Path, tmp_path: Path) -> None:
    """Twice the first second as a film, and once the whole episode: the film changes no byte."""

    def run(folder: str, video: str) -> bytes:
        out = tmp_path / video
        options = ["--policy", "pursuit", "--seed", "1", "--out", str(out), "--video", video]
        finished = subprocess.run(
            [sys.executable, "-m", "deepsim", "run", folder, *options],
            cwd=root, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert finished.returncode == 0, finished.stdout + finished.stderr
        assert "x real time" in finished.stdout
        assert "outcome" in finished.stdout
        return (out / "trajectory.csv").read_bytes()

    (tmp_path / "__init__.py").write_text(SHORT)
    folders = (str(tmp_path), str(tmp_path), "racetrack")
    with ThreadPoolExecutor() as pool:  # mostly, a run is its start
        data, again, whole = pool.map(run, folders, ("webp", "mp4", "none"))
    assert data == again
    assert whole.startswith(data)
    assert len(whole) > len(data)
    rows = list(csv.DictReader(data.decode().splitlines()))
    assert [row["agent"] for row in rows] == ["red_car", "blue_car"] * 20
    with Image.open(tmp_path / "webp" / "film.webp") as film:
        assert film.n_frames == 21  # of 20 steps and the start; equal ones in a row are one
        assert len(film.convert("RGB").getcolors(2**20)) > 10
        assert len(imageio.imread(tmp_path / "mp4" / "film.mp4", plugin="pyav")) == 26
    with Image.open(tmp_path / "webp" / "map.png") as picture:
        assert picture.width > 600
