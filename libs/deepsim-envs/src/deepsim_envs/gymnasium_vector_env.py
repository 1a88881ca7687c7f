# SPDX-License-Identifier: Apache-2.0
"""Many worlds of a task as Gymnasium's `VectorEnv`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate
from numpy.typing import NDArray

from .errors import ActionError, ResetNeededError
from .gymnasium_env import GymnasiumEnv
from .many_worlds import close_all, made_all
from .spaces import conform, require_within
from .vector_options import Bools, refuse_ended, reset_mask, world_seeds


class GymnasiumVectorEnv(VectorEnv[Any, Any, NDArray[Any]]):
    """Worlds that are stepped in turn, in this process; each gives the same bits as it does alone.

    All actions are checked before any world moves. Everything that is returned is a copy.

    Args:
        makers: Make the view of each world; all must have the same spaces.
        autoreset_mode: When a world whose episode ended is reset: with the next step
            (``"NextStep"``), within the same one (``"SameStep"``), or not (``"Disabled"``), where
            `reset` takes a mask.

    Attributes:
        envs: The view of each world.
        num_envs: How many there are.
        single_observation_space: Of one world; `observation_space` is of all.
        single_action_space: Of one world; `action_space` is of all.
        metadata: That of the views, with ``autoreset_mode``.

    Raises:
        ValueError: There is no world, their spaces differ, or there is no such mode.
    """

    def __init__(
        self,
        makers: Iterable[Callable[[], GymnasiumEnv]],
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    ) -> None:
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.envs: list[GymnasiumEnv] = []
        with made_all(makers, "a vector environment") as self.envs:
            first = self.envs[0]
            self.single_observation_space = first.observation_space
            self.single_action_space = first.action_space
            for number, env in enumerate(self.envs):
                if (env.observation_space, env.action_space) != (
                    self.single_observation_space,
                    self.single_action_space,
                ):
                    raise ValueError(f"the spaces of world {number} are not those of world 0")
        self.num_envs = len(self.envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.metadata = {**first.metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = first.render_mode
        self._seen: list[Any] = []
        self._ended = np.zeros(self.num_envs, dtype=np.bool_)
        self._no_step_because: str | None = "no episode has begun"

    @property  # type: ignore[misc]  # settable there, which one generator for each world cannot be
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]  # one each
        """The random generator of each view."""
        return tuple(env.np_random for env in self.envs)

    @property
    def np_random_seed(self) -> tuple[int | None, ...]:  # type: ignore[override]  # one each
        """The seed of each view's generator."""
        return tuple(env.np_random_seed for env in self.envs)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Begins an episode in all worlds, or in some.

        Args:
            seed: One seed for each world; an int n stands for n, n + 1, ...
            options: ``"reset_mask"``, (num_envs,) bool, says which worlds are reset; all others
                stay as they are, and so do their observations.

        Returns:
            Observations of all worlds, and infos of those that were reset.

        Raises:
            TypeError, ValueError: The seeds or the mask do not fit; nothing was reset.
        """
        seeds = world_seeds(seed, self.num_envs)
        mask = reset_mask(options, self.num_envs)
        if not mask.all() and self._no_step_because is not None:
            raise ResetNeededError(self._no_step_because)
        self._no_step_because = "the last reset failed halfway"
        infos: dict[str, Any] = {}
        seen = self._seen or [None] * self.num_envs
        for number in np.flatnonzero(mask).tolist():
            seen[number], info = self.envs[number].reset(seed=seeds[number])
            infos = self._add_info(infos, info, number)
        self._seen = seen
        self._ended[mask] = False
        self._no_step_because = None
        return self._batch(), infos

    def step(self, actions: Any) -> tuple[Any, NDArray[np.float64], Bools, Bools, dict[str, Any]]:
        """Steps every world once; one that is to be reset is reset instead, with a reward of 0.

        Args:
            actions: A batch of actions; a world that is reset by this step ignores its own.

        Returns:
            Observations, rewards, terminations, truncations and infos. In the mode SameStep, a
            world whose episode ended shows the first observation of the next one, and the last
            one as ``infos["final_obs"]``, with ``infos["final_info"]``.

        Raises:
            ActionError: An action does not lie in its space; no world has moved.
            ResetNeededError: In the mode Disabled, an episode is over; no world has moved.
        """
        if self._no_step_because is not None:
            raise ResetNeededError(self._no_step_because)
        if self.autoreset_mode is AutoresetMode.DISABLED:
            refuse_ended(self._ended)
        resets = self._ended.copy()
        checked = self._checked(actions, resets)
        rewards = np.zeros(self.num_envs)
        terminations = np.zeros(self.num_envs, dtype=np.bool_)
        truncations = np.zeros(self.num_envs, dtype=np.bool_)
        infos: dict[str, Any] = {}
        self._no_step_because = "the last step failed halfway"
        for number, env in enumerate(self.envs):
            if resets[number]:
                seen, info = env.reset()
            else:
                seen, rewards[number], terminated, truncated, info = env.step(checked[number])
                terminations[number], truncations[number] = terminated, truncated
                if self.autoreset_mode is AutoresetMode.SAME_STEP and (terminated or truncated):
                    final = {"final_obs": seen, "final_info": info}
                    infos = self._add_info(infos, final, number)
                    seen, info = env.reset()
            self._seen[number] = seen
            infos = self._add_info(infos, info, number)
        self._no_step_because = None
        if self.autoreset_mode is not AutoresetMode.SAME_STEP:
            self._ended = terminations | truncations
        return self._batch(), rewards, terminations, truncations, infos

    def render(self) -> tuple[NDArray[np.uint8] | None, ...]:  # type: ignore[override]  # typed as a list there
        """A picture of each world."""
        return tuple(env.render() for env in self.envs)

    def close_extras(self, **kwargs: Any) -> None:
        """Closes all worlds; `close` calls it once."""
        close_all(self.envs)

    def _batch(self) -> Any:
        space = self.single_observation_space
        empty: Any = create_empty_array(space, self.num_envs)
        return concatenate(space, self._seen, empty)

    def _checked(self, actions: Any, ignored: Bools) -> list[Any]:
        """Each world's own action, in the types of its space."""
        space = self.single_action_space
        checked: list[Any] = []
        for number, action in enumerate(iterate(self.action_space, actions)):
            if number >= self.num_envs or ignored[number]:
                checked.append(None)
                continue
            what = f"action of world {number}"
            try:
                checked.append(conform(space, action, what))
                require_within(space, checked[-1], what)
            except ValueError as error:
                raise ActionError(self.envs[number].agent, str(error)) from None
        if len(checked) != self.num_envs:
            raise ActionError(
                self.envs[0].agent,
                f"{self.num_envs} worlds take {self.num_envs} actions, got {len(checked)}",
            )
        return checked
