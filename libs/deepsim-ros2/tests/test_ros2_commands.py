# SPDX-License-Identifier: Apache-2.0
"""`deepsim ros2 serve` and `act`, as processes."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from sensor_msgs.msg import JointState
from simulation_interfaces import srv
from simulation_interfaces.msg import SimulationState

COMMAND = (sys.executable, "-m", "deepsim", "ros2")


@pytest.fixture
def begin():
    """Starts the server of a task, and returns when it says what it serves."""
    running = []

    def start(*words):
        process = subprocess.Popen([*COMMAND, "serve", *words], stdout=subprocess.PIPE, text=True)
        running.append(process)
        assert "to ROS 2" in process.stdout.readline()

    yield start
    for process in running:
        process.kill()
        process.wait()
        process.stdout.close()


def test_a_server_that_is_stopped_publishes_at_its_rate_once_it_plays(begin, client):
    begin("cartpole", "--namespace", "lab", "--stopped", "--rate", "10", "--speed", "0")
    ours = client("lab")
    state = ours.call(srv.GetSimulationState, "get_simulation_state").state.state
    assert state == SimulationState.STATE_STOPPED
    heard = ours.hear(JointState, "joint_states", 100)
    playing = SimulationState(state=SimulationState.STATE_PLAYING)
    ours.call(srv.SetSimulationState, "set_simulation_state", state=playing)
    ours.wait(lambda: len(heard) > 12)
    times = [each.header.stamp.sec + 1e-9 * each.header.stamp.nanosec for each in heard]
    gaps = np.diff([each for each in times if each > 0.05])
    assert np.abs(gaps / 0.1 - np.rint(gaps / 0.1)).max() < 1e-6  # a message may be lost
    assert gaps.min() > 0.09


def test_a_policy_hears_topics_by_other_names(serve):
    """Nobody publishes one under its new name, which the error tells."""
    serve("navigate")
    words = ["act", "navigate", "--lockstep", "--remap", "scan:=front/scan", "--timeout", "5"]
    done = subprocess.run(
        [*COMMAND, *words], capture_output=True, text=True, check=False, timeout=240
    )
    assert done.returncode == 1
    assert "nothing was heard on /front/scan (sensor_msgs" in " ".join(done.stdout.split())
