# SPDX-License-Identifier: Apache-2.0
"""`deepsim view`, as a process of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from typer.testing import CliRunner

from deepsim.cli import app
from deepsim_train.episodes import replay_episodes
from deepsim_train.tasks.loading import load_task

ARM = """<robot name="arm"><link name="base">
<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
<collision><origin xyz="0 0 -0.5"/><geometry><sphere radius="0.5"/></geometry></collision>
<visual><geometry><sphere radius="0.5"/></geometry></visual></link></robot>"""

BALL = """<mujoco model="ball"><worldbody><body pos="0 0 1"><freejoint/><geom size="0.1"/></body>
</worldbody></mujoco>"""


@pytest.fixture
def view() -> Iterator[Callable[..., tuple[subprocess.Popen[str], str]]]:
    """Starts the command; returns its process and the address that it prints."""
    with ExitStack() as stack:

        def start(*words: object) -> tuple[subprocess.Popen[str], str]:
            command = [sys.executable, "-m", "deepsim", "view", *words, "--port", 0]
            process = stack.enter_context(
                subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, text=True)
            )
            stack.callback(process.kill)
            for line in process.stdout or ():
                if found := re.match(r"(http://127\.0\.0\.1:\d+/\S+/)", line):
                    return process, found[1]
            raise AssertionError("the command has ended")

        yield start


@pytest.mark.parametrize("kind", ["task", "model", "paused", "mjcf"])
def test_a_page_is_served_until_it_is_interrupted(view, kind, write_task, tmp_path: Path) -> None:
    """A task or a model is shown at the printed address; Ctrl-C is a good end."""
    if kind == "task":
        words = [write_task()]
    elif kind == "mjcf":
        (tmp_path / "ball.xml").write_text(BALL)
        words = [tmp_path / "ball.xml"]
    else:
        (tmp_path / "arm.urdf").write_text(ARM)
        words = [tmp_path / "arm.urdf", *(["--paused"] if kind == "paused" else [])]
    process, url = view(*words)
    with urllib.request.urlopen(url) as answer:
        assert b"<html" in answer.read()
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0


def test_what_cannot_be_shown_is_named(tmp_path: Path) -> None:
    """A file that is no model is an error in one line."""
    (tmp_path / "bad.sdf").write_text("<sdf/>")
    result = CliRunner().invoke(app, ["view", str(tmp_path / "bad.sdf"), "--port", "0"])
    assert result.exit_code == 1
    assert "bad.sdf" in result.output


def test_a_run_is_recorded_and_replayed(view, write_task, tmp_path: Path) -> None:
    """`run --record` writes a file that `view` serves, and writes as one page."""
    file, page = tmp_path / "run.mcap", tmp_path / "run.html"
    words = ["run", str(write_task()), "--out", str(tmp_path / "out"), "--video", "none"]
    result = CliRunner().invoke(app, [*words, "--record", str(file)])
    assert result.exit_code == 0, result.output
    assert str(file) in result.output.replace("\n", "")
    process, url = view(file)
    with urllib.request.urlopen(url) as answer:
        assert b"<html" in answer.read()
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0
    assert CliRunner().invoke(app, ["view", str(file), "--html", str(page)]).exit_code == 0
    assert "__VISER_EMBED_DATA__" in page.read_text(encoding="utf-8")


def test_a_file_that_is_no_recording_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.mcap").write_bytes(b"nothing")
    result = CliRunner().invoke(app, ["view", str(tmp_path / "bad.mcap")])
    assert result.exit_code == 1
    assert "bad.mcap" in result.output.replace("\n", "")
    assert "recording" in result.output


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no such pipes")
def test_the_page_is_opened_in_the_browser(view, write_task, tmp_path: Path, monkeypatch) -> None:
    """In the one that the environment names, at the address that is printed."""
    pipe, browser = tmp_path / "pipe", tmp_path / "browser"
    os.mkfifo(pipe)
    browser.write_text(f'#!/bin/sh\necho "$1" > {pipe}\n')
    browser.chmod(0o755)
    monkeypatch.setenv("BROWSER", f"{browser} %s")
    _, url = view(write_task(), "--open")
    assert pipe.read_text() == f"{url}\n"


def test_demonstrations_are_episodes(write_task, tmp_path: Path) -> None:
    """Those that were played until Ctrl-C, here by the task itself, can be replayed."""
    hook = (
        "self.count = getattr(self, 'count', 0) + 1\n"
        "        if self.count == 8: raise KeyboardInterrupt"
    )
    task, file = write_task(hook), tmp_path / "hand.jsonl"
    words = ["view", str(task), "--demonstrations", str(file), "--port", "0"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    with load_task(task).environment() as environment:
        played = replay_episodes(environment, file)
    assert [len(each.rewards) for each in played[:2]] == [3, 3]
