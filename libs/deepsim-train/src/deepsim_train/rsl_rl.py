# SPDX-License-Identifier: Apache-2.0
"""A view of an environment as `VecEnv` of rsl-rl; needs ``deepsim-train[rsl-rl]``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from deepsim_envs.area import Bools
from deepsim_envs.construction import JoinedEnvironment, located
from deepsim_envs.environment import Environment
from deepsim_envs.environment.info import entries_of
from deepsim_envs.policy import PolicyMaker
from deepsim_envs.spaces import choices_of
from deepsim_envs.viewing import drawn_seed, equal_spaces, place_of
from deepsim_sync import world_seeds

from .auto_reset import AutoReset, GameOver, Outcome, rows_of
from .policies.networks import Part, features_of, is_picture

try:
    import torch
    from rsl_rl.env import VecEnv
    from tensordict import TensorDict
except ImportError as error:
    raise ImportError(
        "deepsim_train.rsl_rl needs rsl-rl: pip install --find-links dist 'deepsim-train[rsl-rl]'"
    ) from error

__all__ = ["RslRlVecEnv"]

POLICY, CRITIC = "policy", "critic"
"""The groups of observations that policies read, and that value functions read."""


class RslRlVecEnv(VecEnv):  # type: ignore[misc]  # not typed where it is not installed
    """Agents of all worlds as the rows of rsl-rl's `VecEnv`, from which one policy learns.

    The rows are the agents of world 0, then those of world 1, and so on; they are reset and wait
    as the slots of `deepsim_train.sb3.AgentsVecEnv`. rsl-rl itself knows no waiting rows: its log
    counts the wait until the reset as one more episode, without reward.

    Observations are a TensorDict of groups with float32 tensors. ``"policy"`` has the features
    (rows, n) of all parts but the privileged ones, flattened and beside each other; a discrete
    value is 1 at its index and 0 elsewhere. Where there are privileged keys, ``"critic"`` has
    these after the features of ``"policy"``. A picture is a group of its own, named by its key:
    (rows, channels, height, width) in 0 .. 1, for rsl-rl's ``CNNModel``.

    The extras of a step have ``"time_outs"``, (rows,), which marks the rows whose episode was cut
    off, not terminated; and, if episodes ended, ``"log"`` with a value for each of their rows:
    ``"return/TERM"`` for reward terms, ``"end/NAME"`` for other numbers of their infos.

    Args:
        environment: The task, with actions of a `Box`; closing the view closes it.
        agents: Names of the agents in rows; by default all, which must have equal spaces.
        others: Makes the policy of all other agents for each episode; optional if there are none.
        game_over: Whether an episode is over when all agents in rows are done, or when any is.
        clip_actions: Whether actions beyond the bounds of their `Box` are clipped, as Gaussian
            policies draw them; otherwise they are refused.
        seed: Seed of the first episodes, in world w ``seed + w``; drawn if None.
        cfg: Settings of the task that rsl-rl writes to its logs.

    Attributes:
        environment: The task.
        agents: Names of the agents in rows.
        num_envs: The number of rows.
        num_actions: The number of entries of an action.
        episode_length_buf: Steps of each row's episode, (rows,). A value that is set, as by
            ``learn(..., init_at_random_ep_len=True)``, counts for the time limit.
        device: The CPU.
        cfg: The settings for logs.

    Raises:
        ValueError: An agent is unknown, the agents differ in their spaces, other agents have no
            policy, the actions are not a `Box`, or an observation has a part without features.

    Example:
        `make` is the function from the `Area` example:

        >>> worlds = RslRlVecEnv(make(worlds=3), seed=7)
        >>> worlds.get_observations()["policy"].shape, worlds.num_actions
        (torch.Size([3, 1]), 1)
    """

    def __init__(
        self,
        environment: Environment | JoinedEnvironment,
        *,
        agents: Sequence[str] | None = None,
        others: PolicyMaker | None = None,
        game_over: GameOver = "all",
        clip_actions: bool = True,
        seed: int | None = None,
        cfg: Mapping[str, Any] | None = None,
    ) -> None:
        known = environment.agents
        chosen = known if agents is None else agents
        unknown = [agent for agent in chosen if agent not in known]
        if unknown or not chosen or len(set(chosen)) < len(chosen):
            raise ValueError(f"agents must be some of {list(known)}, got {list(chosen)}")
        self._places = [place_of(agent, environment.groups) for agent in chosen]
        groups = {
            agent: environment.groups[number]
            for agent, (number, _) in zip(chosen, self._places, strict=True)
        }
        group = equal_spaces(groups, "rsl-rl has one policy for all rows")
        if not isinstance(group.action_space, spaces.Box):
            raise ValueError(f"rsl-rl takes actions of a Box, got {group.action_space}")
        self._actions = group.action_space
        self._worlds = AutoReset(environment, chosen, others, game_over)
        self._parts = _parts_of(group.observation_space)
        self._privileged = group.privileged
        self._clip = clip_actions
        self._columns = [known.index(agent) for agent in chosen]
        self._limit = located(environment, 0)[0].max_episode_steps
        self.environment, self.agents = environment, tuple(chosen)
        self.num_envs = len(environment) * len(chosen)
        self.num_actions = int(np.prod(group.action_space.shape))
        self.device = torch.device("cpu")
        self.cfg = dict(cfg or {})
        self._seeds = world_seeds(
            drawn_seed() if seed is None else seed, np.arange(len(environment))
        )
        self.reset()

    @property
    def max_episode_length(self) -> int:
        """The time limit of episodes [steps].

        Raises:
            ValueError: The environment has none.
        """
        if self._limit is None:
            raise ValueError("the environment has no time limit: give it max_episode_steps")
        return self._limit

    def reset(self) -> tuple[TensorDict, dict[str, Any]]:
        """Begins episodes in all worlds; only the first ones begin with the seeds."""
        batches, _ = self._worlds.reset(self._seeds)
        self._seeds = [None] * len(self._seeds)
        self._seen = self._groups(rows_of(batches, self._places))
        self.episode_length_buf = torch.zeros(self.num_envs, dtype=torch.long)
        return self._seen, {}

    def get_observations(self) -> TensorDict:
        """Returns the current observations of all rows."""
        return self._seen

    def step(
        self, actions: torch.Tensor
    ) -> tuple[TensorDict, torch.Tensor, torch.Tensor, dict[str, Any]]:
        """Steps all worlds once; see rsl-rl's `VecEnv.step`.

        Returns:
            The observations, after resets; rewards (rows,) float32; dones (rows,) bool; and extras.

        Raises:
            ActionError: An action lies beyond its bounds, and `clip_actions` is False.
        """
        own = actions.detach().numpy().reshape(len(self._seeds), len(self.agents), -1)
        own = own.reshape(*own.shape[:2], *self._actions.shape).astype(self._actions.dtype)
        if self._clip:
            own = np.clip(own, self._actions.low, self._actions.high)
        rows = {agent: own[:, row] for row, agent in enumerate(self.agents)}
        outcome = self._worlds.step(rows, self._at_limit())
        step, live = outcome.step, outcome.live[:, self._columns].ravel()
        terminated = step.terminated[:, self._columns].ravel()
        dones = terminated | step.truncated[:, self._columns].ravel()
        dones |= np.repeat(outcome.over, len(self.agents))
        ended = dones & live
        self.episode_length_buf += torch.from_numpy(live.astype(np.int64))
        self.episode_length_buf[torch.from_numpy(dones)] = 0
        extras: dict[str, Any] = {"time_outs": torch.from_numpy(ended & ~terminated)}
        if ended.any():
            extras["log"] = self._log(outcome, np.flatnonzero(ended))
        self._seen = self._groups(rows_of(outcome.seen, self._places))
        reward = step.reward[:, self._columns].ravel().astype(np.float32)
        return self._seen, torch.from_numpy(reward), torch.from_numpy(dones), extras

    def close(self) -> None:
        """Closes the environment; further calls have no effect."""
        self.environment.close()

    def _at_limit(self) -> Bools | None:
        """Returns the worlds whose next step is the last, because a length was set, (W,)."""
        if self._limit is None:
            return None
        last = self.episode_length_buf.numpy().reshape(len(self._seeds), -1) + 1 >= self._limit
        cut: Bools = (last & self.environment.live[:, self._columns]).any(axis=1)
        return cut

    def _log(self, outcome: Outcome, rows: NDArray[np.intp]) -> dict[str, torch.Tensor]:
        """Returns the numbers in the infos of the rows whose episodes ended, by name."""
        found: dict[str, list[float]] = {}
        for world, row in zip(*np.divmod(rows, len(self.agents)), strict=True):
            info = entries_of(outcome.infos[self._columns[row]], int(world))
            terms = {key for key in info if key.startswith("return/")}
            for key, value in info.items():
                of_term = key.startswith("reward/") and key.replace("reward", "return", 1) in terms
                if isinstance(value, Real) and not of_term:
                    name = key if key in terms else f"end/{key}"
                    found.setdefault(name, []).append(float(value))
        return {name: torch.tensor(values) for name, values in found.items()}

    def _groups(self, seen: Any) -> TensorDict:
        """Returns the observations of all rows by group."""
        groups: dict[str, torch.Tensor] = {}
        flat: dict[str, list[Part]] = {POLICY: [], CRITIC: []}
        for part, picture in self._parts:
            if picture:
                values = np.moveaxis(seen if part.key is None else seen[part.key], -1, 1)
                name = POLICY if part.key is None else part.key
                groups[name] = torch.from_numpy(values.astype(np.float32) / np.float32(255.0))
            else:
                flat[CRITIC if part.key in self._privileged else POLICY].append(part)
        for name, parts in ((POLICY, flat[POLICY]), (CRITIC, flat[POLICY] + flat[CRITIC])):
            if flat[name]:
                groups[name] = torch.from_numpy(features_of(tuple(parts), seen))
        return TensorDict(groups, batch_size=[self.num_envs])


def _parts_of(space: spaces.Space[Any]) -> list[tuple[Part, bool]]:
    """Returns the parts of an observation, each with whether it is a picture."""
    keys = space.spaces if isinstance(space, spaces.Dict) else {None: space}
    for key, part in keys.items():
        if not isinstance(part, (spaces.Box, spaces.MultiBinary)) and not choices_of(part):
            raise ValueError(f"the observation {key!r} has no features for rsl-rl: {part}")
    return [
        (Part(part.shape or (), key, choices_of(part)), is_picture(part))
        for key, part in keys.items()
    ]
