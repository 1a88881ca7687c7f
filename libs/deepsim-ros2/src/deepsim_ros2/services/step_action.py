# SPDX-License-Identifier: Apache-2.0
"""The action SimulateSteps: steps of a paused simulation, with feedback after each."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

from rclpy.action import ActionServer, CancelResponse
from simulation_interfaces.action import SimulateSteps
from simulation_interfaces.msg import Result

from deepsim_ros2.simulation import ServedWorld

from .states import require_paused
from .table import code_of


@dataclass
class _Goal:
    handle: Any
    completed: int = 0
    code: int = Result.RESULT_OK
    text: str = ""


class StepAction:
    """Steps one world for the goals of clients, one goal after the other.

    Between two steps, the server answers other requests, such as one to cancel the goal.

    Args:
        node: The node of the world.
        served: The world.
    """

    def __init__(self, node: Any, served: ServedWorld) -> None:
        self._served = served
        self._goals: deque[_Goal] = deque()
        self._done: dict[bytes, _Goal] = {}
        self._server = ActionServer(
            node,
            SimulateSteps,
            "simulate_steps",
            self._result,
            handle_accepted_callback=lambda handle: self._goals.append(_Goal(handle)),
            cancel_callback=lambda _: CancelResponse.ACCEPT,
        )

    @property
    def is_busy(self) -> bool:
        """Whether goals wait."""
        return bool(self._goals)

    def advance(self) -> None:
        """Makes one step for the first goal."""
        goal = self._goals[0]
        steps = goal.handle.request.steps
        try:
            if not goal.handle.is_cancel_requested:
                require_paused(self._served)
                if goal.completed < steps:
                    self._served.step()
                    goal.completed += 1
                    goal.handle.publish_feedback(
                        SimulateSteps.Feedback(
                            completed_steps=goal.completed, remaining_steps=steps - goal.completed
                        )
                    )
        except Exception as error:  # which belongs to the client; the server continues
            goal.code, goal.text = code_of(error), str(error)
        stopped = goal.handle.is_cancel_requested or goal.code != Result.RESULT_OK
        if stopped or goal.completed == steps:
            self._goals.popleft()
            self._served.stepped = True
            self._done[bytes(goal.handle.goal_id.uuid)] = goal
            goal.handle.execute()

    def _result(self, handle: Any) -> Any:
        """Ends a goal, and returns its result; called by rclpy."""
        goal = self._done.pop(bytes(handle.goal_id.uuid))
        if goal.code != Result.RESULT_OK:
            handle.abort()
        elif goal.completed < handle.request.steps:
            goal.code = Result.RESULT_OPERATION_FAILED
            goal.text = f"cancelled after {goal.completed} of {handle.request.steps} steps"
            handle.canceled()
        else:
            handle.succeed()
        result = SimulateSteps.Result()
        result.result.result, result.result.error_message = goal.code, goal.text
        return result

    def close(self) -> None:
        """Stops answering."""
        self._server.destroy()
