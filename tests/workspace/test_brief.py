# SPDX-License-Identifier: Apache-2.0
"""Options of our conftest.py: what a run prints, and which tests and examples it takes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ALONE = ["-p", "no:cacheprovider", "-p", "no:randomly"]
TESTS = """\
import pytest

@pytest.mark.parametrize("number", range(120))
def test_passes(number):
    pass

@pytest.mark.parametrize("number", range(3))
def test_skips(number):
    pytest.skip("no gold here")

@pytest.mark.xfail(strict=True)
def test_fails_as_expected():
    raise ValueError
"""


@pytest.fixture
def run(tmp_path):
    """Runs pytest in a folder with these tests and our conftest.py; returns its lines."""
    shutil.copy(ROOT / "conftest.py", tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")

    def run(text: str) -> list[str]:
        (tmp_path / "test_toy.py").write_text(text)
        command = [sys.executable, "-m", "pytest", "-q", "--brief", *ALONE]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        return done.stdout.splitlines()

    return run


def test_passed_tests_are_dots_and_skips_are_counted(run):
    """A dot for fifty tests, and a line for each reason of a skip."""
    progress, reasons, end = run(TESTS)
    assert progress.split()[0] == "..x"
    assert reasons == "    3 skipped: no gold here"
    assert end.startswith("120 passed, 3 skipped, 1 xfailed in ")


def test_a_failure_is_shown_as_ever(run):
    """With its name and its reason."""
    lines = run(TESTS + "\ndef test_breaks():\n    assert 1 == 2\n")
    assert "E       assert 1 == 2" in lines
    assert any(line.startswith("FAILED test_toy.py::test_breaks") for line in lines)


def test_quick_tests_are_those_of_some_libraries(tmp_path):
    """`-m quick` does not even collect the others."""
    shutil.copy(ROOT / "conftest.py", tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = quick: as in the root\n")
    for name in ("math", "btree"):
        folder = tmp_path / f"libs/deepsim-{name}/tests"
        folder.mkdir(parents=True)
        text = "def test_it(): pass\n" if name == "math" else "raise ImportError\n"
        (folder / f"test_{name}.py").write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "-m", "quick", *ALONE]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1].startswith("1 passed in "), done.stdout


@pytest.mark.parametrize(
    ("options", "equal"), [([], True), (["--hypothesis-profile=random"], False)]
)
def test_property_tests_explore_where_this_is_asked_for(tmp_path, options, equal):
    """Otherwise each run tries the same examples."""
    shutil.copy(ROOT / "conftest.py", tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    test = "from hypothesis import given\nfrom hypothesis.strategies import integers\n\n"
    test += "@given(integers())\ndef test_it(number):\n    print('example', number)\n"
    (tmp_path / "test_toy.py").write_text(test)
    command = [sys.executable, "-m", "pytest", "-sq", "-m", "hypothesis", *ALONE, *options]
    runs = [
        subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    found = [[line for line in run.splitlines() if line.startswith("example")] for run in runs]
    assert min(map(len, found)) > 50
    assert (found[0] == found[1]) is equal
