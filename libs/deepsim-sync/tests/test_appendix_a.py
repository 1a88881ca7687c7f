# SPDX-License-Identifier: Apache-2.0
"""Appendix A of the DeepSim paper, with its two slips decided.

States come as a dict by name, in the order asked for.
"""

from __future__ import annotations

from deepsim_math import Pose, Position, Quaternion, Twist
from deepsim_sync import GetModelStateTracker, ModelState, SetModelStateTracker, SpawnRequest, World
from deepsim_sync.testing import TableModel, TableSimulator


def test_many_states_by_one_request_each() -> None:
    """Two models are set by one write, and got by one read."""
    simulator = TableSimulator()
    for name in ("agent0", "agent1"):
        simulator.spawn([SpawnRequest(TableModel(), name, Pose())])
    with World(simulator) as world:
        model_states = [
            ModelState("agent0", Pose(Position(1, 2, 3), Quaternion()), Twist()),
            ModelState("agent1", Pose(Position(4, 5, 6), Quaternion()), Twist()),
        ]
        SetModelStateTracker.get_instance().set_model_states(model_states)
        world.tick()
        simulator.log.clear()
        model_names = ["agent0", "agent1"]
        got = GetModelStateTracker.get_instance().get_model_states(model_names)
        assert list(got) == model_names
        assert list(got.values()) == model_states
        assert len(simulator.calls("read")) == 1
