# SPDX-License-Identifier: Apache-2.0
"""gzservers that end while they start."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from deepsim_gazebo import BatchStateClient, GazeboError
from gazebo import sandbox
from gazebo.cache import GazeboHostError
from gazebo.servers import ADDRESS, GazeboServer, RosMaster, WorldServers

PORT = 11511
DEADLINE = 60.0  # [s]
WINDOW_TOO_LATE = "X Error of failed request:  BadDrawable (invalid Pixmap or Window parameter)"

ENDS_ONCE = """#!/bin/sh
echo start >> "$0.starts"
if [ $(wc -l < "$0.starts") = 1 ]; then
  echo "{reason}" >&2
  exit 1
fi
exec /usr/bin/gzserver "$@"
"""


def server_that_ends_once(folder: Path, reason: str) -> GazeboServer:
    """Returns a server that ends at its first start, after it has printed the reason."""
    program = folder / "gzserver"
    program.write_text(ENDS_ONCE.format(reason=reason), encoding="utf-8")
    program.chmod(0o755)
    variables = {
        "PATH": f"{folder}:{sandbox.ENVIRONMENT['PATH']}",
        "GAZEBO_MASTER_URI": f"http://{ADDRESS}:{PORT + 1000}",
    }
    return GazeboServer(environment=variables, master_uri=f"http://{ADDRESS}:{PORT}")


def starts(folder: Path) -> int:
    """Returns how often the program was started."""
    return len((folder / "gzserver.starts").read_text(encoding="utf-8").splitlines())


def eventually(condition: Callable[[], bool]) -> bool:
    """Returns whether a condition holds at some time before the deadline."""
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        if condition():
            return True
    return False


def test_a_window_that_was_drawn_on_too_early_costs_another_start(tmp_path: Path) -> None:
    """A race of the renderer's own ends some of the servers that render."""
    with RosMaster(PORT), server_that_ends_once(tmp_path, WINDOW_TOO_LATE) as server:
        assert server.running
    assert starts(tmp_path) == 2


def test_a_server_that_ends_for_another_reason_is_reported(tmp_path: Path) -> None:
    """With what it has printed."""
    with RosMaster(PORT), pytest.raises(GazeboHostError, match="no such plugin"):
        server_that_ends_once(tmp_path, "no such plugin").start()
    assert starts(tmp_path) == 1


def test_a_world_starts_again_until_it_runs(capfd: pytest.CaptureFixture[str]) -> None:
    """A start that fails, here for want of a ROS master, does not lose the world for good."""
    with WorldServers(1, port=PORT) as servers:
        client = BatchStateClient(servers.master_uris[0])

        def answers() -> bool:
            try:
                client.names()
            except GazeboError:
                return False
            return True

        assert answers()
        servers.masters[0].kill()
        servers.servers[0].kill()
        assert eventually(lambda: "no ROS master" in capfd.readouterr().out)
        servers.masters[0].start()
        assert eventually(answers)
        client.close()
