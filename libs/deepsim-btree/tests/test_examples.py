# SPDX-License-Identifier: Apache-2.0
"""The programs in examples/ run, and say what is expected."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"


def run(name, *arguments):
    """What a program prints."""
    command = [sys.executable, "-W", "error", str(EXAMPLES / name), *arguments]
    done = subprocess.run(command, capture_output=True, check=True, encoding="utf-8")
    return done.stdout


def test_all_are_listed_and_tested():
    """The table has a row for each program, and this module a test."""
    page = (EXAMPLES / "README.md").read_text("utf-8")
    listed = re.findall(r"^\| `(\w+\.py)`", page, re.MULTILINE)
    assert sorted(listed) == sorted(path.name for path in EXAMPLES.glob("*.py"))
    tested = Path(__file__).read_text("utf-8")
    assert [name for name in listed if f'"{name}"' not in tested] == []


def test_tidy_robot(tmp_path):
    """It fetches cups, keeps its battery above zero, and writes its recording as a page."""
    page = tmp_path / "run.html"
    output = run("tidy_robot.py", "--ticks", "3000", "--html", str(page))
    cups, seconds, battery = map(int, re.findall(r"\d+", output.splitlines()[0]))
    assert cups >= 5
    assert seconds == 300
    assert battery > 0
    assert "tidy robot <ReactiveSequence>" in output
    text = page.read_text(encoding="utf-8")
    assert "cup of the laboratory" in text
    assert '"blackboard":{"battery":"100","cups":"0"}' in text


@pytest.mark.skipif(sys.platform == "win32", reason="it is ended by a signal")
def test_tidy_robot_is_viewed():
    """The address that it prints shows the page; Ctrl-C ends it well."""
    command = [sys.executable, "-u", str(EXAMPLES / "tidy_robot.py"), "--view"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        killer = threading.Timer(60.0, process.kill)
        killer.start()
        try:
            address = re.search(r"http://\S+?(?=;)", process.stdout.readline())[0]
            with urllib.request.urlopen(address) as answer:
                assert b"<title>tidy robot</title>" in answer.read()
            process.send_signal(2)
            assert " cups in " in process.stdout.read()
            assert process.wait() == 0
        finally:
            killer.cancel()


def test_async_downloads():
    """The slow mirror is cancelled when the fast one is done."""
    lines = ["fast: done", "loading the map of fast", "slow: cancelled", "SUCCESS"]
    assert run("async_downloads.py").splitlines() == lines


def test_guards():
    """The thief is caught."""
    assert run("guards.py") == "caught after 3 s at 54 m by 3\n"
