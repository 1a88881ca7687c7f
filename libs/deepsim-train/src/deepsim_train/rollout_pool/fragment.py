# SPDX-License-Identifier: Apache-2.0
"""A fragment of experience, and its arrays."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import create_empty_array
from numpy.typing import NDArray

from deepsim_envs.area import Bools
from deepsim_envs.spaces import leafwise


class Fragment(NamedTuple):
    """The experience of some worlds in a fixed number of steps, in NumPy arrays.

    Each array has the axes (length, worlds). Observations and actions have the axes of their space
    in addition; for a nested space, they are dicts or tuples of arrays. Row t of world w is one
    step: the agent saw ``observations[agent][t, w]``, did ``actions[agent][t, w]``, and then saw
    ``next_observations[agent][t, w]``. Two fragments with the same `deepsim_envs.digest` are equal
    bit for bit.

    Example:
        >>> pool = RolloutPool("CartPole-v1", "deepsim_train.rollout_pool:RandomPolicy", length=5)
        >>> (fragment,) = pool.collect(1)
        >>> fragment.observations["agent"].shape
        (5, 1, 4)
        >>> fragment.starts[:, 0]
        array([ True, False, False, False, False])
    """

    number: int
    """Number of the fragment in its pool, from 0."""
    observations: dict[str, Any]
    """The observations before each step, by agent."""
    actions: dict[str, Any]
    """The actions of each step, by agent."""
    rewards: dict[str, NDArray[np.float64]]
    """The rewards for each step, by agent."""
    terminations: dict[str, Bools]
    """Whether the step terminated the agent's episode, by agent."""
    truncations: dict[str, Bools]
    """Whether the step truncated the agent's episode, by agent; see also `unfinished`."""
    next_observations: dict[str, Any]
    """The observations after each step, by agent, even where the step ended the episode."""
    live: dict[str, Bools]
    """Whether the agent took part in the step, by agent; its other rows are zero."""
    starts: Bools
    """Whether the step is the first one of an episode in its world."""
    seeds: NDArray[np.uint64]
    """The seed of the episode to which the step belongs."""
    weights: int = 0
    """The version of the weights: the number of times they were set before the fragment began."""
    memory: dict[str, Any] = {}  # noqa: RUF012 (never changed)
    """The memory of a `RecurrentPolicy` before the first step, by agent: (worlds, ...)."""

    @property
    def unfinished(self) -> dict[str, Bools]:
        """Whether the agent's episode continues after the last step, (worlds,), by agent.

        For such an episode, neither `terminations` nor `truncations` marks an end: estimate the
        rest of the return by the value of the last row of `next_observations`.
        """
        return {
            agent: live[-1] & ~self.terminations[agent][-1] & ~self.truncations[agent][-1]
            for agent, live in self.live.items()
        }


def allocated(space: spaces.Space[Any], shape: tuple[int, ...], what: str) -> Any:
    """Returns zeros for members of a space; `shape` holds the sizes of the leading axes.

    Raises:
        TypeError: Members of the space differ in size; the message calls them `what`.
    """
    flat = create_empty_array(space, math.prod(shape), np.zeros)
    try:
        return leafwise(lambda part: part.reshape(*shape, *part.shape[1:]), flat)
    except AttributeError:  # Gymnasium keeps values of varying size in a tuple.
        raise TypeError(
            f"{what} must be of a Box, Discrete, MultiBinary, MultiDiscrete, Dict or Tuple space "
            f"to fit an array, got {space}"
        ) from None


def put_batch(records: Any, place: Any, batch: Any, what: str) -> None:
    """Writes a batch from a policy into the records, at the index `place`.

    Raises:
        ValueError: The batch has the wrong number of rows, structure or type; the message calls it
            `what`.
    """

    def put(record: Any, part: Any) -> None:
        array, row = np.asarray(part), record[place]
        if array.shape != row.shape:
            raise ValueError(
                f"{what} must have a row for each of {len(row)} observations and the shape "
                f"{row.shape}, got {array.shape}"
            )
        if array.dtype != record.dtype and not np.can_cast(array.dtype, record.dtype, "same_kind"):
            raise ValueError(f"{what} must be {record.dtype} numbers, got {array.dtype}")
        record[place] = array

    try:
        leafwise(put, records, batch)
    except (KeyError, IndexError, TypeError):
        raise ValueError(f"{what} has another structure than its space, got {batch!r}") from None
