# SPDX-License-Identifier: Apache-2.0
"""Several clients of one server: at once, late, and some that die."""

from __future__ import annotations

import pytest
from rclpy.qos import DurabilityPolicy, QoSProfile
from simulation_interfaces import srv
from simulation_interfaces.msg import Result, SimulationState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

OK = Result.RESULT_OK
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def enter(client, state):
    state = SimulationState(state=state)
    return client.call(srv.SetSimulationState, "set_simulation_state", state=state).result.result


def steps(client):
    """The number of steps of 1 ms since the last reset."""
    answer = client.call(srv.GetEntityState, "get_entity_state", entity="ball")
    stamp = answer.state.header.stamp
    return stamp.sec * 1000 + stamp.nanosec // 1_000_000


@pytest.mark.parametrize("by_action", [False, True], ids=["call", "action"])
def test_a_client_that_dies_stops_no_other(serve, client, mortal, by_action):
    """Its call is completed, its goal continues until another client stops the simulation."""
    serve("ball")
    ours = client()
    enter(ours, SimulationState.STATE_PAUSED)
    asked = 10**9 if by_action else 500
    other = mortal(asked, by_action=by_action)
    other.kill()
    other.join()
    ours.wait(lambda: steps(ours) >= min(asked, 500))
    if not by_action:
        assert steps(ours) == asked
    assert enter(ours, SimulationState.STATE_STOPPED) == OK
    assert steps(ours) == 0
    assert enter(ours, SimulationState.STATE_PAUSED) == OK
    assert ours.call(srv.StepSimulation, "step_simulation", steps=7).result.result == OK
    assert steps(ours) == 7


def test_two_clients_step_one_world_together(serve, client):
    """All requests of both are answered, each with whole steps."""
    serve("ball")
    ours, theirs = clients = client(), client()
    enter(ours, SimulationState.STATE_PAUSED)
    for each in clients:
        each.call(srv.StepSimulation, "step_simulation", steps=0)
    sent = [
        (each, each.send(srv.StepSimulation, "step_simulation", steps=number + 1))
        for number in range(6)
        for each in clients
    ]
    assert [each.result(future).result.result for each, future in sent] == [OK] * 12
    assert steps(ours) == steps(theirs) == 2 * 21
    assert enter(theirs, SimulationState.STATE_PLAYING) == OK
    refused = ours.call(srv.StepSimulation, "step_simulation", steps=1).result
    assert refused.result == Result.RESULT_OPERATION_FAILED


def test_a_late_client_hears_what_is_latched(serve, client):
    """Description and static frames come to a client that was not there when they were made."""
    serve("diffbot")
    ours = client()
    enter(ours, SimulationState.STATE_PAUSED)
    ours.call(srv.StepSimulation, "step_simulation", steps=50)
    late = client()
    described = late.hear(String, "/robot_description", LATCHED)
    frames = late.hear(TFMessage, "/tf_static", LATCHED)
    late.wait(lambda: described and frames)
    assert 'name="diffbot"' in described[0].data
    assert "lidar" in {each.child_frame_id for each in frames[0].transforms}
