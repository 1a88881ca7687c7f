# SPDX-License-Identifier: Apache-2.0
"""The page of pictures can be written, and shows what it says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

FRAMES = 6


@pytest.fixture(scope="module")
def page(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page, written by its one command."""
    folder = tmp_path_factory.mktemp("docs")
    command = [sys.executable, str(root / "examples" / "effects.py"), str(folder)]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
    return folder / "effects.md"


def frames(picture: Path) -> list[np.ndarray]:
    strip = np.asarray(Image.open(picture).convert("RGB")).astype(int)
    return np.split(strip, FRAMES, axis=1)


def test_the_page_in_the_docs_is_the_one_that_is_written(root: Path, page: Path) -> None:
    """The pictures may differ in a pixel from one OpenGL to another; the text may not."""
    assert page.read_text(encoding="utf-8") == (root / "docs" / "effects.md").read_text()
    for name in re.findall(r"\((images/\S+)\)", page.read_text(encoding="utf-8")):
        assert (root / "docs" / name).is_file()


def test_effects_show_and_leave_nothing_behind(page: Path) -> None:
    pictures = sorted(page.parent.glob("images/effects/*effect.png"))
    assert len(pictures) == 4
    for picture in pictures:
        before, *during, after = frames(picture)
        assert all((frame != before).any() for frame in during), picture.name
        assert (after == before).all(), picture.name


def test_no_two_draws_look_alike(page: Path) -> None:
    pictures = sorted(page.parent.glob("images/effects/*randomizer.png"))
    assert len(pictures) == 6
    for picture in pictures:
        assert len({frame.tobytes() for frame in frames(picture)}) == FRAMES, picture.name
