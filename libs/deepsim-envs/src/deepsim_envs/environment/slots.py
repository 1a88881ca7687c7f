# SPDX-License-Identifier: Apache-2.0
"""Slots: the names of agents in worlds, and values by these names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any, NamedTuple

import numpy as np
from gymnasium.spaces import Space
from numpy.typing import NDArray

from deepsim_envs.area import Agents
from deepsim_envs.area.area import slot_name
from deepsim_envs.errors import ActionError
from deepsim_envs.spaces import GroupBatches


class Slot(NamedTuple):
    """An agent in one world, and its place in arrays."""

    name: str
    """The name of the slot: ``"red_car"`` in a single world, ``"red_car/3"`` in one of several."""
    agent: str
    """The name of the agent."""
    world: int
    """The number of the world."""
    group: int
    """The number of the agent's group."""
    row: int
    """The number of the agent within its group."""
    column: int
    """The number of the agent among all agents."""


def slots_of(groups: Sequence[Agents], worlds: int) -> tuple[Slot, ...]:
    """Returns the slots of world 0 in the order of the agents, then those of world 1, and so on."""
    places = [
        (agent, group, row)
        for group, agents in enumerate(groups)
        for row, agent in enumerate(agents.names)
    ]
    return tuple(
        Slot(slot_name(agent, world, worlds), agent, world, group, row, column)
        for world in range(worlds)
        for column, (agent, group, row) in enumerate(places)
    )


def spaces_by_name(
    slots: Mapping[str, Slot], groups: Sequence[Agents], attribute: str
) -> dict[str, Space[Any]]:
    """Returns a copy of the observation or action space of each slot."""
    return {name: deepcopy(getattr(groups[s.group], attribute)) for name, s in slots.items()}


def with_joined(
    slots: Mapping[str, Slot], acted: Iterable[Slot], joined: NDArray[np.bool_]
) -> list[Slot]:
    """Returns the slots that acted or joined in a step, in the order of all slots.

    Args:
        slots: All slots by name.
        acted: The slots that acted in the step.
        joined: Whether each agent joined in the step, (W, A).
    """
    names, joins = {slot.name for slot in acted}, joined.tolist()
    return [s for s in slots.values() if s.name in names or joins[s.world][s.column]]


def actions_of_slots(
    action_dict: Mapping[str, Any],
    live: Iterable[Slot],
    slots: Mapping[str, Slot],
    batches: GroupBatches,
) -> list[Any]:
    """Converts actions by slot to lists by group, world and agent.

    Raises:
        ActionError: The action of a live agent is missing, or an action is for an unknown agent.
    """
    if type(action_dict) is not dict and not isinstance(action_dict, Mapping):
        raise TypeError(f"action_dict must be a dict by agent name, got {action_dict!r}")
    for name in action_dict:
        if name not in slots:
            known = ", ".join(slots)
            raise ActionError(name, f"no agent is named {name!r}: the agents are {known}")
    rows = batches.void()
    for slot in live:
        if slot.name not in action_dict:
            raise ActionError(
                slot.name,
                f"agent {slot.name!r} has no action: every agent that is not done needs one",
            )
        rows[slot.group][slot.world][slot.row] = action_dict[slot.name]
    return rows


def ends_by_name(
    slots: Iterable[Slot],
    terminated: NDArray[np.bool_],
    truncated: NDArray[np.bool_],
    diverged: NDArray[np.bool_],
) -> tuple[dict[str, dict[str, bool]], dict[str, bool]]:
    """Returns the ends of episodes by kind and slot, and whether each slot's agent is done."""
    over, cut, lost, done = {}, {}, {}, {}
    terminations, truncations = terminated.tolist(), truncated.tolist()
    divergences = diverged.tolist()
    for slot in slots:
        name, world, column = slot.name, slot.world, slot.column
        over[name] = terminations[world][column]
        cut[name] = truncations[world][column]
        lost[name] = divergences[world]
        done[name] = over[name] or cut[name]
    return {"terminated": over, "truncated": cut, "diverged": lost}, done


def values_by_name(
    batches: GroupBatches, values: Sequence[Any], slots: Iterable[Slot]
) -> dict[str, Any]:
    """Returns copies of the actions or observations of some slots, from a batch per group."""
    return {
        slot.name: batches.of_groups[slot.group].get(values[slot.group], slot.world, slot.row)
        for slot in slots
    }
