# SPDX-License-Identifier: Apache-2.0
"""Trained policies: small networks of plain arrays, which act without torch."""

from __future__ import annotations

import contextlib
import math
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from deepsim_envs import ArrayPolicy, Environment
from deepsim_envs.spaces import MASK, leafwise
from deepsim_sync.untrusted import expect_floats, read_arrays
from deepsim_train.task_code import TaskError

from .networks import (
    Floats,
    Layer,
    Lstm,
    Part,
    State,
    arrays_of,
    check_layer,
    dense,
    features_of,
    parts_of,
    whole_numbers,
)

FILE = "policy.npz"
_NAME = re.compile(
    r"shape|mean|scale|limit|low|high|counts|masked|(weights|bias)_\d{1,3}"
    r"|part_\d{1,3}_(shape|key|counts|weights|bias|(kernels|biases|stride)_\d{1,3})"
    r"|lstm_(weights_in|weights_out|bias)"
)
NAMED = "policy_"
"""Begin of the file names of several policies, as in ``policy_red.npz``."""


def policy_file(name: str) -> str:
    """Returns the file name of a policy: ``policy_red.npz`` for ``"red"``."""
    return f"policy_{name}.npz" if name else FILE


@dataclass(frozen=True, slots=True)
class TrainedPolicy(ArrayPolicy):
    """A perceptron with tanh between its layers, which chooses the most likely action.

    Attributes:
        mean: Mean of each feature, (n,).
        scale: Divisor of each feature after the mean is subtracted, (n,).
        limit: Greatest absolute value of a scaled feature; one number, or (n,).
        layers: Weights (out, in) and bias (out,) of each layer.
        low: Least action, (m,); None if actions are discrete.
        high: Greatest action, (m,); None if actions are discrete.
        shape: Shape of an action.
        parts: The parts of an observation; empty if its n numbers are the features.
        counts: The number of values of each entry of a multi-discrete action; else empty.
        masked: Whether the ``"action_mask"`` in observations marks the allowed values.

    >>> layer = np.array([[1.0, -1.0]], np.float32), np.zeros(1, np.float32)
    >>> low, high = -np.ones(1, np.float32), np.ones(1, np.float32)
    >>> policy = TrainedPolicy(np.zeros(2), np.ones(2), 10.0, (layer,), low, high, (1,))
    >>> policy.act("red_car", np.array([[0.75, 0.25], [5.0, 0.0]])).tolist()
    [[0.5], [1.0]]
    """

    mean: Floats
    scale: Floats
    limit: float | Floats
    layers: tuple[Layer, ...]
    low: Floats | None
    high: Floats | None
    shape: tuple[int, ...]
    parts: tuple[Part, ...] = ()
    counts: tuple[int, ...] = ()
    masked: bool = False

    def act(
        self,
        agent: str,
        observations: Any,
        action_space: Any = None,
        rngs: Sequence[np.random.Generator] = (),
    ) -> Any:
        """Returns the most likely action for each of k observations, (k, ...).

        Each row is bit-for-bit the same as if it had been computed alone.

        Args:
            agent: Any name.
            observations: (k, ...), or a dict of such arrays if the policy was trained on dicts.
            action_space: Not used.
            rngs: Not used.

        Raises:
            TaskError: An observation does not have the parts or the size used in training.
        """
        return self.actions(self.features(observations), observations)

    def features(self, observations: Any) -> Floats:
        """Returns the scaled features of k observations, (k, n).

        Raises:
            TaskError: An observation is not like those used in training.
        """
        values = features_of(self.parts or (Part(self.mean.shape),), observations)
        scaled: Floats = np.clip((values - self.mean) / self.scale, -self.limit, self.limit)
        return scaled

    def actions(self, values: Floats, observations: Any) -> Any:
        """Returns the most likely actions, (k, ...).

        Args:
            values: Inputs of the first layer, (k, in).
            observations: The observations; they include action masks if the policy is `masked`.
        """
        for number, layer in enumerate(self.layers):
            values = dense(layer, np.tanh(values) if number else values)
        if self.low is not None and self.high is not None:
            return np.clip(values, self.low, self.high).reshape(-1, *self.shape)
        if self.masked:  # the mask is one of the parts, so it was checked
            values = np.where(np.asarray(observations[MASK]) != 0, values, -np.inf)
        if not self.counts:
            return np.argmax(values, axis=1)
        ends = np.cumsum(self.counts[:-1])
        choices = [np.argmax(part, axis=1) for part in np.split(values, ends, axis=1)]
        return np.stack(choices, axis=1)

    def save(self, file: Path) -> None:
        """Writes the policy as an NPZ file of plain arrays."""
        with whole_file(file) as stream:
            np.savez(stream, **self.arrays())

    def arrays(self) -> dict[str, Any]:
        """Returns the policy as plain arrays by name."""
        arrays: dict[str, Any] = {"mean": self.mean, "scale": self.scale, "limit": self.limit}
        for number, (weights, bias) in enumerate(self.layers):
            arrays[f"weights_{number}"] = weights
            arrays[f"bias_{number}"] = bias
        if self.low is not None and self.high is not None:
            arrays |= {"low": self.low, "high": self.high}
        if self.counts:
            arrays["counts"] = np.array(self.counts, dtype=np.int64)
        if self.masked:
            arrays["masked"] = np.array(True)
        return {"shape": np.array(self.shape, dtype=np.int64), **arrays, **arrays_of(self.parts)}

    def check(self, memory: int | None = None) -> None:
        """Checks that the arrays fit each other, as a file may hold anything.

        Args:
            memory: Number of outputs of the memory in front of the layers; None without one.

        Raises:
            ValueError: An array has another shape or type than the others ask for, or a number is
                not finite; the message names it.
        """
        size = sum(part.size() for part in self.parts) if self.parts else self.mean.size
        expect_floats("mean", self.mean, (size,))
        expect_floats("scale", self.scale, (size,))
        limit = np.asarray(self.limit)
        if not (self.scale > 0.0).all():
            raise ValueError("scale must be > 0")
        if limit.shape not in {(), (size,)} or limit.dtype.kind != "f" or not (limit >= 0.0).all():
            raise ValueError(f"limit must be one number >= 0, or {size}")
        size = size if memory is None else memory
        for number, layer in enumerate(self.layers):
            size = check_layer(f"{{}}_{number}", layer, size)
        if not self.layers:
            raise ValueError("it has no layers")
        if (self.low is None) != (self.high is None):
            raise ValueError("low and high must both be there, or none of them")
        if self.low is not None and self.high is not None:
            if not (self.low.shape == self.high.shape == (size,) and (self.low <= self.high).all()):
                raise ValueError(f"low and high must be {size} numbers each, low <= high")
            entries = size
        elif self.counts:
            if min(self.counts) < 1 or sum(self.counts) != size:
                raise ValueError(f"counts must be >= 1 and add up to {size}, got {self.counts}")
            entries = len(self.counts)
        else:
            entries = 1
        if math.prod(self.shape) != entries:
            raise ValueError(f"shape must be of {entries} numbers, got {self.shape}")

    @classmethod
    def load(cls, file: Path) -> TrainedPolicy:
        """Reads a file written by `save`; an untrusted file is safe, because it contains no code.

        Raises:
            TaskError: The file cannot be read, or holds no policy without memory.
        """
        policy = load_policy(file)
        if not isinstance(policy, cls):
            raise TaskError(f"{file} is not a policy without memory: read it by load_policy")
        return policy

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, Any]) -> TrainedPolicy:
        """Makes the policy from plain arrays, as `arrays` returns them; see `check`.

        Raises:
            KeyError, TypeError: The arrays do not describe a policy.
        """
        count = sum(name.startswith("weights_") for name in arrays)
        limit = arrays["limit"]
        return cls(
            arrays["mean"],
            arrays["scale"],
            limit if limit.ndim else float(limit),
            tuple((arrays[f"weights_{n}"], arrays[f"bias_{n}"]) for n in range(count)),
            arrays.get("low"),
            arrays.get("high"),
            whole_numbers(arrays, "shape"),
            parts_of(arrays),
            whole_numbers(arrays, "counts") if "counts" in arrays else (),
            "masked" in arrays,
        )


class MemoryPolicy(ABC):
    """A policy maker for policies that keep a memory of each agent's episode."""

    __slots__ = ()

    @abstractmethod
    def step(
        self, agent: str, observations: Any, action_space: Any, memory: Any
    ) -> tuple[Any, Any]:
        """Returns the action for one observation, (1, ...), and the agent's new memory.

        Args:
            agent: The agent's name.
            observations: One observation, (1, ...), or a dict of such arrays.
            action_space: The space of one action.
            memory: The agent's memory, or None at the beginning of an episode.

        Raises:
            TaskError: The observation is not like those used in training.
        """

    def __call__(self, environment: Environment, rng: np.random.Generator) -> RememberingPolicy:
        """Returns the policy of one world; `rng` is not used."""
        return RememberingPolicy(self, environment)


class RememberingPolicy:
    """The policy of one world, with the memory of each agent.

    Args:
        policy: The trained policy.
        environment: The environment of the world, or another object with its ``action_space``.
    """

    def __init__(self, policy: MemoryPolicy, environment: Environment) -> None:
        self.policy = policy
        self._environment = environment
        self._memories: dict[str, Any] = {}

    def begin_episode(self) -> None:
        """Clears the memories of all agents."""
        self._memories = {}

    def get_state(self) -> dict[str, Any]:
        """Returns the memories by agent, for `set_state`."""
        return dict(self._memories)

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restores the memories returned by `get_state`."""
        self._memories = dict(state)

    def __call__(self, agent: str, observation: Any) -> Any:
        """Returns the agent's most likely action, and updates its memory.

        Raises:
            TaskError: The observation is not like those used in training.
        """
        batch = leafwise(lambda part: np.asarray(part)[None], observation)
        space, memory = self._environment.action_space[agent], self._memories.get(agent)
        actions, self._memories[agent] = self.policy.step(agent, batch, space, memory)
        return actions[0]


@dataclass(frozen=True, slots=True)
class RecurrentPolicy(MemoryPolicy):
    """A network with an LSTM as its memory.

    Attributes:
        network: Computes features from observations, and actions from the outputs of the LSTM.
        memory: The LSTM between features and actions.
    """

    network: TrainedPolicy
    memory: Lstm

    def step(
        self, agent: str, observations: Any, action_space: Any, memory: State | None
    ) -> tuple[Any, State]:
        """Returns the most likely action, and the agent's new memory; see `MemoryPolicy`."""
        state = self.memory.first_state() if memory is None else memory
        state = self.memory(self.network.features(observations), state)
        return self.network.actions(state[0], observations), state

    def save(self, file: Path) -> None:
        """Writes the policy as an NPZ file of plain arrays."""
        memory = {f"lstm_{name}": array for name, array in self.memory._asdict().items()}
        with whole_file(file) as stream:
            np.savez(stream, **self.network.arrays(), **memory)


def load_policy(file: Path) -> TrainedPolicy | RecurrentPolicy:
    """Reads the file of a policy with or without memory; it contains no code that could run.

    Raises:
        TaskError: The file cannot be read, or holds no policy.
    """
    try:
        arrays = read_arrays(file, _NAME)
        network = TrainedPolicy.of_arrays(arrays)
        if "lstm_weights_in" not in arrays:
            network.check()
            return network
        memory = Lstm(*(arrays[f"lstm_{name}"] for name in Lstm._fields))
        network.check(memory.check(network.mean.size))
        return RecurrentPolicy(network, memory)
    except Exception as error:  # arrays that do not fit raise almost anything
        raise TaskError(f"{file} is not a trained policy: {error}") from error


@contextlib.contextmanager
def whole_file(file: Path) -> Iterator[IO[bytes]]:
    """Yields a stream; its content replaces the file when the block ends without an error.

    Raises:
        OSError: The stream cannot be written; the file is unchanged.
    """
    part = file.with_name(f".{file.name}.part")
    try:
        with part.open("wb") as stream:
            yield stream
        os.replace(part, file)
    finally:
        part.unlink(missing_ok=True)


def trained_policies(folder: Path) -> dict[str, TrainedPolicy | RecurrentPolicy]:
    """Returns the policies in a folder by name; the name of a single policy is empty.

    Raises:
        TaskError: The folder has no policy, or one cannot be read.
    """
    files = {file.stem.removeprefix(NAMED): file for file in sorted(folder.glob(f"{NAMED}*.npz"))}
    if (folder / FILE).is_file() or not files:
        files = {"": folder / FILE}
    return {name: load_policy(file) for name, file in files.items()}
