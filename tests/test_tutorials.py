# SPDX-License-Identifier: Apache-2.0
"""The tutorials run from start to end, and print what is kept in them."""

from __future__ import annotations

import copy
import subprocess
import sys
from pathlib import Path

import pytest

TUTORIALS = sorted(Path(__file__).parents[1].glob("docs/tutorials/*.ipynb"))

# In a process of its own: a kernel of Jupyter warns of matters that are not ours.
RUN = """
import sys
import nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, kernel_name="python3", timeout=300).execute()
nbformat.write(notebook, sys.argv[2])
"""


def outputs(cell) -> list[str]:
    """Returns what a cell printed; a picture, whose pixels depend on the machine, by its kind."""
    lines: list[str] = []
    for output in cell.get("outputs", []):
        if output.output_type == "stream":
            lines += output.text.splitlines()
        else:
            data = output.data
            lines.append("a picture" if "image/png" in data else str(data["text/plain"]))
    return lines


@pytest.mark.parametrize("tutorial", TUTORIALS, ids=[file.stem for file in TUTORIALS])
def test_a_tutorial_prints_what_it_shows(tutorial, tmp_path):
    """Each cell, in the order of the page."""
    nbformat = pytest.importorskip("nbformat")
    kept = nbformat.read(tutorial, as_version=4)
    bare = copy.deepcopy(kept)
    for cell in bare.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    nbformat.write(bare, tmp_path / "bare.ipynb")
    done = subprocess.run(
        [sys.executable, "-c", RUN, tmp_path / "bare.ipynb", tmp_path / "run.ipynb"],
        capture_output=True, text=True, cwd=tutorial.parent, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    run = nbformat.read(tmp_path / "run.ipynb", as_version=4)
    shown = [(cell.source, outputs(cell)) for cell in kept.cells]
    assert [(cell.source, outputs(cell)) for cell in run.cells] == shown


def test_there_are_tutorials():
    """One for the worlds, one for tasks, one for the trees."""
    assert len(TUTORIALS) == 3
