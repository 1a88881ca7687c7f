# SPDX-License-Identifier: Apache-2.0
"""`deepsim serve`, as a process of its own."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from typer.testing import CliRunner

from deepsim.cli import app
from deepsim_envs.ude import RefusedError, RemoteEnvironment

WriteTask = Callable[..., Path]
Serve = Callable[..., tuple["subprocess.Popen[str]", int]]


@pytest.fixture
def serve(write_task: WriteTask) -> Iterator[Serve]:
    """Starts the command; returns its process and the port that it prints."""
    with ExitStack() as stack:

        def start(*options: object) -> tuple[subprocess.Popen[str], int]:
            command = [sys.executable, "-m", "deepsim", "serve", write_task(), "--port", 0]
            process = stack.enter_context(
                subprocess.Popen(
                    [str(word) for word in [*command, *options]], stdout=subprocess.PIPE, text=True
                )
            )
            stack.callback(process.kill)
            for line in process.stdout or ():
                if found := re.search(r"serving .* on 127.0.0.1:(\d+): agents puck", line):
                    return process, int(found[1])
            raise AssertionError("the command has ended")

        yield start


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_a_task_is_served_until_it_is_interrupted(serve: Serve, end: signal.Signals) -> None:
    process, port = serve()
    with RemoteEnvironment(port=port) as remote:
        remote.reset(seed=1)
        assert remote.step({"puck": [0.5]}).last_action["puck"] == [0.5]
        process.send_signal(end)
        output, _ = process.communicate(timeout=60.0)
    assert process.returncode == 0
    assert output.endswith("stopped\n")


def test_the_token_of_a_file_is_asked_for(serve: Serve, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("correct horse battery staple\n")
    _, port = serve("--token-file", file)
    with pytest.raises(RefusedError, match="valid token"):
        RemoteEnvironment(port=port)
    RemoteEnvironment(port=port, token="correct horse battery staple").close()


def test_a_client_may_close_it_if_told_so(serve: Serve) -> None:
    process, port = serve("--allow-close", "--reset-mode", "auto")
    RemoteEnvironment(port=port).close_server()
    process.communicate(timeout=60.0)
    assert process.returncode == 0


def test_an_unsafe_address_is_an_error(write_task: WriteTask) -> None:
    words = ["serve", str(write_task()), "--host", "0.0.0.0"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 1
    assert "needs TLS and a token" in " ".join(result.stdout.split())


def test_a_task_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["serve", "nothing", "--in", str(tmp_path)])
    assert result.exit_code == 1
    assert "error:" in result.stdout
