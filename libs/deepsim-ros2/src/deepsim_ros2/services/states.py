# SPDX-License-Identifier: Apache-2.0
"""Stopping, playing, pausing, resetting and stepping, also by the action SimulateSteps."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

from rclpy.action import ActionServer, CancelResponse
from simulation_interfaces.action import SimulateSteps
from simulation_interfaces.msg import Result, SimulationState
from simulation_interfaces.srv import ResetSimulation, SetSimulationState

from deepsim_ros2.simulation import RefusedError, ServedWorld, code_of, failed

STOPPED, PLAYING = SimulationState.STATE_STOPPED, SimulationState.STATE_PLAYING
PAUSED, QUITTING = SimulationState.STATE_PAUSED, SimulationState.STATE_QUITTING
NO_WORLD = SimulationState.STATE_NO_WORLD
_WORDS = {STOPPED: "stopped", PLAYING: "playing", NO_WORLD: "without a world"}
_CODES = SetSimulationState.Response


def get_simulation_state(served: ServedWorld, _request: Any, response: Any) -> None:
    """Returns the state of the simulation."""
    response.state.state = served.state


def set_simulation_state(served: ServedWorld, request: Any, _response: Any) -> None:
    """Stops, plays, pauses or ends the simulation."""
    wanted = request.state.state
    if wanted == served.state:
        raise RefusedError(_CODES.ALREADY_IN_TARGET_STATE, f"the state is {wanted} already")
    if wanted not in (STOPPED, PLAYING, PAUSED, QUITTING):
        text = f"clients set the states 0 to 3, got {wanted}; LoadWorld loads a world"
        raise RefusedError(_CODES.INCORRECT_TRANSITION, text)
    if served.state == NO_WORLD and wanted != QUITTING:
        raise RefusedError(_CODES.INCORRECT_TRANSITION, "no world is loaded")
    if wanted == STOPPED:
        _reset_all(served)
    served.state = wanted


def reset_simulation(served: ServedWorld, request: Any, _response: Any) -> None:
    """Resets time, states, or spawned entities."""
    scopes, scope = ResetSimulation.Request, request.scope
    _ = served.simulation.world  # raises RefusedError without a world
    if scope in (scopes.SCOPE_DEFAULT, scopes.SCOPE_ALL):
        _reset_all(served)
        return
    known = scopes.SCOPE_TIME | scopes.SCOPE_STATE | scopes.SCOPE_SPAWNED
    if scope & ~known:
        raise failed(f"the scope is a sum of 1, 2 and 4, or 255, got {scope}")
    if scope & scopes.SCOPE_SPAWNED:
        served.simulation.delete_spawned()
    served.reset(time=bool(scope & scopes.SCOPE_TIME), state=bool(scope & scopes.SCOPE_STATE))


def _reset_all(served: ServedWorld) -> None:
    """Resets everything, as if the simulator had been started again."""
    served.simulation.delete_spawned()
    served.simulation.restore()
    served.reset()


def step_simulation(served: ServedWorld, request: Any, _response: Any) -> None:
    """Makes steps while the simulation is paused; 0 steps only publish the present again."""
    require_paused(served)
    for _ in range(request.steps):
        served.step()
    if request.steps:
        served.stepped = True
    else:
        served.changed = True


def require_paused(served: ServedWorld) -> None:
    """Raises RefusedError unless the simulation is paused."""
    _ = served.simulation.world  # raises RefusedError without a world
    if served.state != PAUSED:
        word = _WORDS.get(served.state, str(served.state))
        raise RefusedError(
            Result.RESULT_OPERATION_FAILED, f"steps need a paused simulation, and it is {word}"
        )


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
