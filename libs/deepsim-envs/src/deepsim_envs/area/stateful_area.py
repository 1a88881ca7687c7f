# SPDX-License-Identifier: Apache-2.0
"""The common part of tasks on arrays and of tasks with objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from deepsim_sync import plain_attributes, restore_attributes


class StatefulArea:
    """The common part of `Area` and `AreaInterface`: options, goals, snapshots, and the end.

    Attributes:
        reset_options: During a reset, the options that `Environment.reset` was given; read-only.
        reward_terms: The names of the parts that rewards consist of, if they do. The info of each
            agent then has ``"reward/NAME"``, what the part gave in the step, and
            ``"return/NAME"``, its sum over the episode so far.
    """

    reward_terms: Sequence[str] = ()

    reset_options: Mapping[str, Any] = MappingProxyType({})

    def compute_reward(self, achieved_goal: Any, desired_goal: Any, info: Any) -> Any:
        """Returns the rewards of having achieved some goals where others were desired.

        For tasks whose observations are a dict with ``"achieved_goal"`` and ``"desired_goal"``;
        trainers such as HER ask what else would have earned. `reward` must return the same for the
        goals that the step's observations show.

        Args:
            achieved_goal: (..., n) goals, or one (n,).
            desired_goal: As many.
            info: What trainers know besides: an info, a list of as many, or None.

        Returns:
            (...).
        """
        raise NotImplementedError

    def get_state(self) -> Any:
        """Returns what the area remembers, for `Environment.get_state`; behaviours have their own.

        By default, copies of all attributes that hold plain values, as in `Behaviour.get_state`.
        An area that remembers more, as within objects of its own, adds that.
        """
        return plain_attributes(self)

    def set_state(self, state: Any) -> None:
        """Restores what the area remembered; the world and its behaviours are restored already.

        Args:
            state: The result of `get_state`.
        """
        restore_attributes(self, state)

    def close(self) -> None:
        """Frees what the area holds; the environment closes the world itself."""
