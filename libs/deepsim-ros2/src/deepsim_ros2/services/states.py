# SPDX-License-Identifier: Apache-2.0
"""Stopping, playing, pausing, resetting and stepping the simulation."""

from __future__ import annotations

from typing import Any

from simulation_interfaces.msg import Result, SimulationState
from simulation_interfaces.srv import ResetSimulation, SetSimulationState

from deepsim_ros2.simulation import RefusedError, ServedWorld, failed

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
