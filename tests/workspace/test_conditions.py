# SPDX-License-Identifier: Apache-2.0
"""The test command ends, and passes, wherever it is started; see conditions.py beside it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
IGNORING = ["sh", "-c", "trap '' INT HUP; exec \"$@\"", "sh"]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="conditions of Linux")


@pytest.fixture
def toy(tmp_path: Path) -> Callable[..., subprocess.Popen[str]]:
    """Starts pytest in a folder with our conftest.py and one test, through other commands."""
    shutil.copy(ROOT / "conftest.py", tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")

    def start(text: str, *options: str, around: list[str]) -> subprocess.Popen[str]:
        (tmp_path / "test_toy.py").write_text(text)
        command = [*around, sys.executable, "-m", "pytest", "-sq", "-p", "no:cacheprovider"]
        command += options
        out, errors = subprocess.PIPE, subprocess.STDOUT
        return subprocess.Popen(command, cwd=tmp_path, text=True, stdout=out, stderr=errors)

    return start


def test_processes_of_tests_have_default_signals(toy):
    """Though the test command ignores SIGINT and SIGHUP, and the runner blocks SIGTERM."""
    text = """
import signal, subprocess, sys
CODE = '''
from signal import *
print([each.name for each in valid_signals() if getsignal(each) is SIG_IGN], pthread_sigmask(0, ()))
'''
def test_it():
    print(flush=True)
    subprocess.run([sys.executable, "-c", CODE], check=True)
    signal.raise_signal(signal.SIGHUP)  # which this process still ignores
"""
    old = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    try:
        process = toy(text, around=IGNORING)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old)
    said = process.communicate()[0]
    assert "['SIGPIPE', 'SIGXFSZ'] set()\n" in said  # which Python itself ignores
    assert process.returncode == 0


def test_sigterm_ends_a_run_in_order(toy):
    """Fixtures are torn down."""
    text = """
import threading, pytest
@pytest.fixture
def server():
    yield
    print("torn down")
def test_it(server):
    print("waits", flush=True)
    threading.Event().wait()
"""
    with toy(text, around=IGNORING) as process:
        assert next(line for line in process.stdout if "waits" in line)
        process.terminate()
        said = process.stdout.read()
    assert process.returncode == 128 + signal.SIGTERM
    assert "torn down" in said
    assert "ended by SIGTERM" in said


def test_a_hanging_test_shows_all_stacks(toy):
    """Even if it hangs in C, where no signal handler of Python runs."""
    text = """
import ctypes, threading
def sleep_in_a_thread(): threading.Event().wait()
def test_it():
    threading.Thread(target=sleep_in_a_thread, daemon=True).start()
    ctypes.PyDLL(None).sleep(1) or ctypes.CDLL(None).pause()
"""
    with toy(text, "--timeout=2", "--timeout-method=thread", around=[]) as process:
        said = process.stdout.read()
    assert process.returncode != 0
    assert "Timeout" in said
    assert "in sleep_in_a_thread" in said
    assert "in test_it" in said


def test_every_test_has_a_limit(request):
    """In this run too: generous, but less than the whole run's."""
    assert (
        0
        < float(request.config.getini("timeout"))
        < float(request.config.getini("session_timeout"))
    )
    assert request.config.getini("timeout_method") == "thread"


def test_a_step_has_an_end(run_tool, monkeypatch):
    """Its command is ended after the limit, and says so."""
    monkeypatch.setenv("STEP_LIMIT", "0.2")
    done = run_tool("step.py", "nap", "sleep", "1000")
    assert done.returncode == 128 + signal.SIGTERM
    assert "nap: it has run for 0.2 s and is ended\n" in done.stdout


def test_a_step_says_that_ctrl_c_is_ignored():
    """And how it is stopped; SIGTERM reaches its command."""
    command = [*IGNORING, sys.executable, str(ROOT / "tools/step.py"), "nap", "sh", "-c"]
    script = "trap 'echo ended; exit 3' TERM; echo begun; while :; do sleep 0.05; done"
    with subprocess.Popen([*command, script], stdout=subprocess.PIPE, text=True) as process:
        first = process.stdout.readline()
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        process.terminate()
        said = process.stdout.read()
    assert first.endswith(f"(SIGINT is ignored here; to stop it: kill {process.pid})\n")
    assert "ended\n" in said
    assert process.returncode == 3


@pytest.mark.parametrize(
    "conditions",
    [
        ("background", "letters", "posix-locale", "no-home", "elsewhere", "no-identity", "foreign"),
        ("hangup", "no-terminal", "one-core"),
        ("user", "letters", "fixed-home", "background", "no-identity"),
    ],
    ids=lambda each: "-".join(each[:2]),
)
def test_tests_of_signals_and_files_pass(conditions):
    """In a clone of the last commit, under several conditions at once."""
    if "user" in conditions and (os.getuid() != 0 or not _others_may_enter()):
        pytest.skip("needs root, and a Python that other users may run")
    if not sys.executable.isascii():  # Python itself does not start there with LC_ALL=C
        conditions = [each for each in conditions if each != "posix-locale"]
    tests = ("libs/deepsim/tests/test_run_interrupted.py", "libs/deepsim/tests/test_cli.py")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
    script = Path(__file__).with_name("conditions.py")
    done = subprocess.run(
        [sys.executable, script, *conditions, "--", *command],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _others_may_enter() -> bool:
    """Whether any user may enter the folders of this Python, its environment and the libraries."""
    python = Path(sys.executable)
    folders = {*python.parents, *python.resolve().parents, ROOT, *ROOT.parents}
    return all(folder.stat().st_mode & 0o1 for folder in folders)
