# SPDX-License-Identifier: Apache-2.0
"""Calls the hooks of an area, and checks the rewards and ends that they return."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_envs.area import Area, AreaInterface, Bools
from deepsim_envs.spaces import shown
from deepsim_sync import WorldNumbers, square_sum

from .info import Levels
from .object_area import ObjectArea
from .reward_terms import RewardTerms
from .slots import Episodes, Slot

Hook = Callable[..., Any]


class Hooks:
    """The hooks of one area; an optional hook is None if the area does not override it.

    An error in a hook becomes a CallbackError that names the area's class, the hook and the tick.

    Args:
        area: The area on arrays.
        task: The area as the user wrote it, perhaps an `AreaInterface`.
        owner: The name of the task's class.
        agents: The names of all agents.
        slots: The slots of all agents in all worlds.
        episodes: The episodes of all worlds.

    Attributes:
        terms: The named terms of rewards; None if the area has none.
        levels: The levels of worlds; None if the area has no curriculum.

    Raises:
        TypeError: An attribute has the name of a hook but is not a method, a reward term is not a
            str, or an `AreaInterface` has weights of terms.
        ValueError: A reward term occurs twice, or its weight is not finite.
    """

    def __init__(
        self,
        area: Area,
        task: Area | AreaInterface,
        owner: str,
        agents: Sequence[str],
        slots: Sequence[Slot],
        episodes: Episodes,
    ) -> None:
        self._area = area
        self._owner = owner
        self._slots = slots
        self._episodes = episodes
        self.reset: Hook = self._bound("reset")
        self.act: Hook = self._bound("act")
        self.fixed_update = self._overridden("fixed_update")
        self.update = self._overridden("update")
        self.observe: Hook = self._bound("observe")
        self._ends = self._overridden("ends")
        self._terminated = self._overridden("terminated")
        self._truncated = self._overridden("truncated")
        self._reward: Hook = self._bound("reward")
        self._info = self._overridden("info")
        self.terms = (
            RewardTerms(owner, area.reward_terms, agents, len(area.world))
            if area.reward_terms
            else None
        )
        if self.terms is not None and self.terms.weights and isinstance(area, ObjectArea):
            raise TypeError(
                f"reward_terms of {owner} must be names, because its agents add rewards that are "
                "weighted already; weights are for areas on arrays"
            )
        self._joined = self._overridden("joined")
        next_level = self._overridden("next_level")
        self.levels = None if next_level is None else Levels(task, next_level, len(area.world))
        self.has_info = any((self._info, self.terms, self.levels))
        self.diverged: Hook = self._bound("diverged")
        self.get_state: Hook = self._bound("get_state")
        self.set_state: Hook = self._bound("set_state")
        self.close: Hook = self._bound("close")

    @property
    def joins_later(self) -> bool:
        """Whether the area says which agents have joined."""
        return self._joined is not None

    def joined(self) -> Bools | None:
        """Returns which agents have joined by now, (W, A); None for all of them."""
        joined = None if self._joined is None else self._joined()
        return None if joined is None else self._table("joined", joined, np.bool_)

    def joining(self, stepping: WorldNumbers) -> Bools:
        """Returns which agents join in this step, (W, A).

        Args:
            stepping: The numbers of the worlds that step.

        Raises:
            ValueError: An agent that has joined has not any more.
        """
        joined, waiting = self.joined(), self._episodes.waiting
        if joined is not None:
            left = (~joined & ~waiting)[stepping]
            if left.any():
                world, column = np.argwhere(left)[0].tolist()
                slot = self._slots[stepping[world] * joined.shape[1] + column]
                raise ValueError(
                    f"joined of {self._owner} must stay True until the next episode, but is False "
                    f"again for agent {slot.name!r}: who is done cannot come back in the same "
                    "episode; keep such an agent live, and give it rewards of 0 while it waits"
                )
        return self._episodes.joining(joined, stepping)

    def joined_at_reset(self, begins: Bools) -> Bools | None:
        """Returns which agents have joined in the worlds that are reset, (W, A); None for all.

        Args:
            begins: All agents of the worlds that are reset, (W, A).

        Raises:
            ValueError: In one of the worlds, no agent has joined.
        """
        joined = self.joined()
        if joined is None or joined[begins].all():
            return None
        alone = np.flatnonzero(begins.any(axis=1) & ~joined.any(axis=1))
        if len(alone):
            raise ValueError(
                f"joined of {self._owner} must be True for one agent at least when an episode "
                f"begins, but it is not in worlds {alone.tolist()}"
            )
        return joined & begins

    def ends(self) -> tuple[Bools, Bools]:
        """Returns which agents' episodes the step terminates and truncates, (W, A) each."""
        episodes, live = self._episodes, self._area.live
        limit = episodes.limit
        late = episodes.nowhere if limit is None else episodes.steps >= limit
        if self._ends is not None:
            ends, more = self._ends(late)
        else:
            ends = None if self._terminated is None else self._terminated()
            more = None if self._truncated is None else self._truncated()
        terminated = truncated = episodes.nobody
        if ends is not None:
            terminated = self._table("terminated", ends, np.bool_) & live
        if more is not None:
            truncated = self._table("truncated", more, np.bool_) & live & ~terminated
        if late is not episodes.nowhere:
            truncated = truncated | (late[:, None] & live & ~terminated)
        return terminated, truncated

    def reward(self, misfits: dict[int, str] | None) -> NDArray[np.float64]:
        """Returns the reward of each agent, (W, A); 0 for agents that do not take part.

        Args:
            misfits: If given, gets the error of each world with a reward that is not finite.

        Raises:
            ValueError: A reward is not finite, and there is no `misfits`; or the shape is not
                (W, A).
        """
        live = self._area.live
        values = self._reward()
        terms = {} if self.terms is None else self._terms(values, self.terms)
        if self.terms is not None and not isinstance(self._area, ObjectArea):
            values = self.terms.total(terms)
        reward = self._table("reward", values, np.float64)
        if live is not self._episodes.everyone:
            reward[~live] = 0.0
        # One pass without a temporary: the square is finite only if all rewards are.
        if not math.isfinite(square_sum(reward)):
            for place in np.flatnonzero(~np.isfinite(reward)).tolist():
                name, got = self._slots[place].name, reward.flat[place]
                of = {term: float(each.flat[place]) for term, each in terms.items()}
                parts = f" from {of}" if of else ""
                reason = f"reward of agent {name!r} must be finite, got {got}{parts}"
                if misfits is None:
                    raise ValueError(reason)
                misfits.setdefault(place // reward.shape[1], reason)
        if misfits:
            reward[list(misfits)] = 0.0
        if self.terms is not None:
            earned = np.where(live, np.stack(list(terms.values())), 0.0)
            if misfits:
                earned[:, list(misfits)] = 0.0
            self.terms.earn(earned)
        return reward

    def info(self) -> Mapping[str, Any]:
        """Returns the area's info with levels and reward terms; values are not copied.

        Raises:
            TypeError, ValueError: The info is not a dict, or has a reserved key.
        """
        info: Mapping[str, Any] = {} if self._info is None else self._info()
        if type(info) is not dict and not isinstance(info, Mapping):
            raise TypeError(f"the info of {self._owner} must be a dict, got {info!r}")
        if "deepsim" in info:
            raise ValueError(
                f"the info of {self._owner} must leave the key 'deepsim' to the environment"
            )
        if self.levels is not None:
            info = self.levels.add_to(info)
        return info if self.terms is None else self.terms.add_to(info)

    def _terms(self, values: Any, terms: RewardTerms) -> dict[str, NDArray[np.float64]]:
        """Returns copies of the weighted reward terms, (W, A) each, in the order of their names."""
        if isinstance(self._area, ObjectArea):
            values = self._area.terms()
        return terms.weighted(values, self._table)

    def _bound(self, name: str) -> Hook:
        hook: Hook = getattr(self._area, name)
        if not callable(hook):
            raise TypeError(
                f"{self._owner}.{name} is a hook and must be a method, got {shown(hook)}: "
                "give the attribute another name"
            )
        if isinstance(self._area, ObjectArea):  # reports errors by agent and hook itself
            return hook
        return partial(self._area.world.invoke, self._owner, hook)

    def _overridden(self, name: str) -> Hook | None:
        kept = getattr(type(self._area), name) is getattr(Area, name)
        return None if kept and name not in vars(self._area) else self._bound(name)

    def _table(self, name: str, values: Any, dtype: Any) -> NDArray[Any]:
        """Returns a copy of values by world and agent, (W, A), as an array of a type."""
        shape = self._episodes.nobody.shape
        try:
            table: NDArray[Any] = np.array(values, dtype)
        except (TypeError, ValueError):  # text, or rows of different lengths
            table = np.empty(0)
        if table.shape != shape:
            if isinstance(values, Mapping):
                raise ValueError(
                    f"{self._owner}.{name} returned a dict of {list(values)}: if these are the "
                    "terms of rewards, list them as the attribute reward_terms"
                )
            raise ValueError(
                f"{name} of {self._owner} must have shape {shape}, got {shown(values)}"
            )
        return table


class FixedUpdates:
    """A tracker that calls an area's hook `fixed_update` in every tick."""

    def __init__(self, hook: Hook) -> None:
        self._hook = hook

    def update_tracker(self, delta_time: float, sim_time: NDArray[np.float64]) -> None:
        """Calls the hook."""
        self._hook(delta_time)
