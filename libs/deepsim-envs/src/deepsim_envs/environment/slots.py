# SPDX-License-Identifier: Apache-2.0
"""Slots: the names of agents in worlds, and values by these names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from gymnasium.spaces import Space
from numpy.typing import NDArray

from deepsim_envs.area import Agents
from deepsim_envs.area.agents import slot_name
from deepsim_envs.errors import ActionError
from deepsim_envs.spaces import GroupBatches, copied

if TYPE_CHECKING:
    from .environment import Environment


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


def info_by_name(
    info: Mapping[str, Any], slots: Iterable[Slot], agents: Sequence[str], worlds: int
) -> dict[str, Any]:
    """Converts an area's info for `Environment.step`.

    Shared values are arrays (W, ...), or without this axis if there is one world. An agent's own
    values become a dict for each of its slots, under the name of the slot.
    """
    named: dict[str, Any] = {}
    for key, value in info.items():
        if key in agents and isinstance(value, Mapping):
            for slot in slots:
                if slot.agent == key:
                    named[slot.name] = {
                        part: entry_of(values, slot.world) for part, values in value.items()
                    }
        elif worlds == 1:
            named[key] = entry_of(value, 0)
        else:
            named[key] = world_values(value, worlds, f"info {key!r}")
    return named


def arrays_of_info(info: Mapping[str, Any], agents: Sequence[str], worlds: int) -> dict[str, Any]:
    """Returns an area's info as arrays (W, ...); the values of an agent are a dict of arrays."""
    return {
        key: arrays_of_info(value, (), worlds)
        if key in agents and isinstance(value, Mapping)
        else world_values(value, worlds, f"info {key!r}")
        for key, value in info.items()
    }


def info_of(slot: str, environment: Environment, info: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a copy of one slot's part of a step's info.

    It has the values that all agents in the slot's world share, and those of the slot's agent. If
    the world diverged, it also has ``"diverged"``, but no other ends of episodes, which views
    return separately.

    Args:
        slot: One of `Environment.slots`.
        environment: The environment.
        info: The info of its latest `reset` or `step`.
    """
    worlds = len(environment)
    names = environment.slots
    shared = {
        key: value if worlds == 1 else entry_of(value, environment.world_of(slot))
        for key, value in info.items()
        if key != "deepsim" and not (key in names and isinstance(value, Mapping))
    }
    own = info.get(slot)
    diverged = {"diverged": True} if info["deepsim"]["diverged"].get(slot) else {}
    return {**copied(shared), **copied(own if isinstance(own, Mapping) else {}), **diverged}


def own_info(info: Mapping[str, Any], agents: Sequence[str], agent: str) -> dict[str, Any]:
    """Returns the shared entries of an info, and those in the dict under the agent's name."""
    own = info.get(agent)
    shared = {
        key: value
        for key, value in info.items()
        if not (key in agents and isinstance(value, Mapping))
    }
    return {**shared, **own} if isinstance(own, Mapping) else shared


def entries_of(values: Mapping[str, Any], world: int) -> dict[str, Any]:
    """Returns copies of the entries for one world."""
    return {key: entry_of(value, world) for key, value in values.items()}


def entry_of(values: Any, world: int) -> Any:
    """Returns a copy of one world's entry; a number in an array becomes a Python number."""
    entry = values[world]
    from_array = isinstance(values, np.ndarray) and isinstance(entry, np.generic)
    return entry.item() if from_array else copied(entry)


def world_values(value: Any, worlds: int, what: str) -> NDArray[Any]:
    """Returns a new array with an entry for each world.

    Numbers, and arrays of equal shapes, are joined into an array of numbers. Anything else becomes
    an array of objects, as in Gymnasium's vector environments.

    Raises:
        ValueError: The value does not have one entry for each world.
    """
    array = _joined(value)
    if array.shape[:1] != (worlds,):
        raise ValueError(f"{what} must have shape ({worlds}, ...), got {array.shape}")
    return array


def _joined(value: Any) -> NDArray[Any]:
    if isinstance(value, np.ndarray):
        return value.astype(object) if value.dtype.kind in "US" else value.copy()
    entries = list(value) if isinstance(value, (list, tuple)) else [value]
    if all(isinstance(entry, _NUMBERS) for entry in entries):
        with suppress(ValueError):  # of different shapes
            return np.array(entries)
    array = np.full(len(entries), None, dtype=object)
    for world, entry in enumerate(entries):
        array[world] = copied(entry)
    return array


_NUMBERS = (bool, int, float, np.number, np.bool_, np.ndarray)
