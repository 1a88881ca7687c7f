# SPDX-License-Identifier: Apache-2.0
"""Slots, the names of agents in worlds, values by these names, and the episodes of all slots."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any, NamedTuple, TypeVar

import numpy as np
from gymnasium.spaces import Space
from numpy.typing import ArrayLike, NDArray

from deepsim_envs.area import Agents, Bools
from deepsim_envs.area.area import slot_name
from deepsim_envs.errors import ActionError, ResetNeededError
from deepsim_envs.spaces import GroupBatches
from deepsim_sync import WorldNumbers, checked_worlds


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


T = TypeVar("T", bound=np.generic)


class Episodes:
    """The live agents and the number of steps in all worlds.

    Arrays of bools are replaced, never changed.

    Args:
        slots: The slots of all agents in all worlds.
        worlds: The number of worlds, W.
        limit: Steps after which agents are truncated, or None.

    Attributes:
        limit: Steps after which agents are truncated, or None.
        live: Whether each agent takes part and is not done, (W, A); the object `everyone` if all
            are live.
        waiting: Whether each agent has yet to join, (W, A); the object `nobody` if none has.
        steps: Steps in each world's episode so far, (W,).
        all_worlds: The numbers of all worlds, (W,).
        everyone: True for all agents, (W, A).
        nobody: False for all agents, (W, A).
        nowhere: False for all worlds, (W,).
    """

    def __init__(self, slots: Sequence[Slot], worlds: int, limit: int | None) -> None:
        self._slots = slots
        self.limit = limit
        shape = worlds, len(slots) // worlds
        self.all_worlds: WorldNumbers = frozen(np.arange(worlds))
        self.everyone: Bools = frozen(np.ones(shape, np.bool_))
        self.nobody: Bools = frozen(np.zeros(shape, np.bool_))
        self.nowhere: Bools = frozen(np.zeros(worlds, np.bool_))
        self.live = self.nobody
        self.waiting = self.nobody
        self.steps = np.zeros(worlds, np.int64)
        self._live_slots: Sequence[Slot] | None = None

    def numbers(self, worlds: ArrayLike) -> WorldNumbers | None:
        """Checks the numbers of some worlds; returns None if they are all worlds.

        Raises:
            TypeError, ValueError: `worlds` is not an ascending sequence of one or more numbers of
                worlds.
        """
        numbers = checked_worlds(worlds, len(self.all_worlds))
        if not len(numbers):
            raise ValueError("worlds must be some of the worlds, got none")
        return None if len(numbers) == len(self.all_worlds) else numbers

    def set_live(self, live: Bools) -> None:
        """Replaces the live agents, (W, A)."""
        self.live = self.everyone if live.all() else frozen(live)
        self._live_slots = None

    def live_slots(self) -> Sequence[Slot]:
        """Returns the slots of all live agents."""
        if self.live is self.everyone:
            return self._slots
        if self._live_slots is None:
            live = self.live.tolist()
            self._live_slots = [s for s in self._slots if live[s.world][s.column]]
        return self._live_slots

    def live_worlds(self) -> WorldNumbers | None:
        """Returns the numbers of worlds with a live agent, or None for all worlds."""
        if self.live is self.everyone:
            return None
        return self.numbers(np.flatnonzero(self.live.any(axis=1)))

    def beginning(self, worlds: WorldNumbers | None) -> tuple[Bools, WorldNumbers]:
        """Returns a mask of all agents in some worlds, (W, A), and the numbers of these worlds."""
        if worlds is None:
            return self.everyone, self.all_worlds
        begins = self.nobody.copy()
        begins[worlds] = True
        return frozen(begins), worlds

    def begin(self, worlds: WorldNumbers, joined: Bools | None) -> None:
        """Begins episodes in some worlds.

        Args:
            worlds: The numbers of the worlds.
            joined: Whether each agent takes part from the beginning, (W, A); None for all.
        """
        self.steps[worlds] = 0
        live, waiting = self.live.copy(), self.waiting.copy()
        live[worlds] = True if joined is None else joined[worlds]
        waiting[worlds] = False if joined is None else ~joined[worlds]
        self.set_live(live)
        self._set_waiting(waiting)

    def joining(self, joined: Bools | None, stepping: WorldNumbers) -> Bools:
        """Returns which agents join in this step, (W, A).

        Args:
            joined: Whether each agent has joined by now, (W, A); None for all.
            stepping: The numbers of the worlds that step.
        """
        joins = self.nobody.copy()
        joins[stepping] = self.waiting[stepping]
        return joins if joined is None else joins & joined

    def join(self, joins: Bools) -> None:
        """Lets agents, (W, A), take part from the next step on."""
        if joins.any():
            self.set_live(self.live | joins)
            self._set_waiting(self.waiting & ~joins)

    def _set_waiting(self, waiting: Bools) -> None:
        self.waiting = frozen(waiting) if waiting.any() else self.nobody

    def taking_part(self, worlds: WorldNumbers | None) -> tuple[Bools, WorldNumbers]:
        """Returns a mask of live agents in some worlds, (W, A), and the numbers of these worlds.

        Raises:
            ResetNeededError: All agents of one of the worlds are done.
        """
        live, stepping = self.live, self.all_worlds
        if worlds is not None:
            some, stepping = self.nobody.copy(), worlds
            some[worlds] = live[worlds]
            live = frozen(some)
        over = stepping[~live[stepping].any(axis=1)]
        if len(over):
            raise ResetNeededError(f"all agents of worlds {over.tolist()} are done")
        return live, stepping

    def end(self, done: Bools) -> None:
        """Ends the episodes of agents, (W, A)."""
        if done.any():
            self.set_live(self.live & ~done)

    def go_back(self, steps: NDArray[np.int64], live: Bools, waiting: Bools | None) -> None:
        """Restores the steps, and which agents are live or have yet to join."""
        self.steps = steps.copy()
        self.set_live(live.copy())
        self._set_waiting(self.nobody if waiting is None else waiting.copy())


def frozen(array: NDArray[T]) -> NDArray[T]:
    """Makes an array read-only, and returns it."""
    array.flags.writeable = False
    return array
