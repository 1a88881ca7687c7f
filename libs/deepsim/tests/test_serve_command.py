# SPDX-License-Identifier: Apache-2.0
"""`deepsim serve`, as a process of its own."""

from __future__ import annotations

import re
import signal
import socket
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

        def start(
            *options: object, task: Path | None = None, agents: str = "puck"
        ) -> tuple[subprocess.Popen[str], int]:
            folder = write_task() if task is None else task
            command = [sys.executable, "-m", "deepsim", "serve", folder, "--port", 0]
            process = stack.enter_context(
                subprocess.Popen(
                    [str(word) for word in [*command, *options]], stdout=subprocess.PIPE, text=True
                )
            )
            stack.callback(process.kill)
            for line in process.stdout or ():
                if found := re.search(rf"serving .* on 127.0.0.1:(\d+): agents {agents}$", line):
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


def test_the_agents_of_several_worlds_are_served(serve: Serve, array_task: Path) -> None:
    slots = ["puck/0", "disc/0", "puck/1", "disc/1"]
    _, port = serve("--worlds", 2, task=array_task, agents=", ".join(slots))
    with RemoteEnvironment(port=port) as remote:
        seen, _ = remote.reset(seed=1)
        assert list(seen) == slots
        assert remote.step({slot: [0.5] for slot in slots}).reward["puck/1"] == 0.0


def test_periodic_steps_repeat_actions(serve: Serve, array_task: Path) -> None:
    """An agent that says nothing more is not waited for."""
    options = "--step-mode", "periodic", "--period", 0.01
    _, port = serve(*options, task=array_task, agents="puck, disc")
    with RemoteEnvironment(port=port) as remote:
        remote.reset(seed=1)
        remote.step({"puck": [0.5], "disc": [0.25]})
        assert remote.step({"puck": [0.75]}).last_action == {"puck": [0.75], "disc": [0.25]}


@pytest.mark.parametrize(("when", "ends"), [("any", True), ("all", False)])
def test_an_episode_ends_by_itself_when_agents_are_done(
    serve: Serve, array_task: Path, when: str, ends: bool
) -> None:
    """Of the first agent alone, or of all."""
    code = array_task / "__init__.py"
    both = "np.repeat((self.last == self.world.ticks)[:, None], 2, axis=1)"
    assert both in code.read_text()
    code.write_text(code.read_text().replace(both, "np.array([[self.world.ticks[0] > 0, False]])"))
    options = "--reset-mode", "auto", "--game-over", when
    _, port = serve(*options, task=array_task, agents="puck, disc")
    with RemoteEnvironment(port=port) as remote:
        remote.reset(seed=1)
        info = remote.step({"puck": [0.5], "disc": [0.25]}).info
    assert ("final_observation" in info.get("deepsim", {})) == ends


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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--host", "0.0.0.0"], "--host: 0.0.0.0 can .* give --certificate, --private-key and"),
        (["--certificate", __file__], "--certificate/--private-key: give both, or none"),
        (["--token-file", "/nope"], "'--token-file': [Ff]ile '/nope' does not exist"),
        (["--period", "-1"], r"'--period': must be > 0, got -1\.0"),
        (["--period", "nan"], "'--period': must be > 0, got nan"),
    ],
)
def test_wrong_options_are_named(write_task: WriteTask, options: list[str], message: str) -> None:
    """Before the task's code runs."""
    result = CliRunner().invoke(app, ["serve", str(write_task()), *options])
    assert result.exit_code == 2
    assert re.search(message, " ".join(result.output.split()))
    assert "made" not in result.output


def test_a_port_that_is_taken_is_an_error(write_task: WriteTask) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        words = ["serve", str(write_task()), "--port", str(port)]
        result = CliRunner().invoke(app, words)
    assert result.exit_code == 1
    assert f"127.0.0.1:{port}: is another server there? Port 0 is any free one" in result.stdout


def test_a_task_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["serve", "nothing", "--in", str(tmp_path)])
    assert result.exit_code == 1
    assert "error:" in result.stdout
