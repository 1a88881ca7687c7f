# SPDX-License-Identifier: Apache-2.0
"""The settings of a training run: the command line overrides the task's, and these the defaults."""

from __future__ import annotations

import contextlib
import difflib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeAlias

from deepsim_spawn.backends import Backend
from deepsim_train.task_code import TaskError

GameOver: TypeAlias = Literal["all", "any"]
Policies: TypeAlias = "str | Mapping[str, Sequence[str]]"
POLICIES = ("one", "agent", "group")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingConfig:
    """Settings of a training run with PPO (J. Schulman et al., 2017) of Stable-Baselines3.

    Attributes:
        steps: Total number of steps of all agents, rounded up to whole rollouts.
        worlds: The number of worlds that are stepped together.
        backend: The simulator, as `deepsim_spawn.Backend` names it; None for the one chosen outside
            of the training, which is ``"mujoco"`` by default.
        seed: Seed of all random numbers; the same seed gives the same policies on the same machine.
        agent: The agent that learns; None for one policy that learns from all agents.
        policies: The policies that learn: ``"one"`` for all agents, ``"agent"`` for one each,
            ``"group"`` for one for each group of agents with equal spaces; or the agents of each
            policy by its name, where ``red_*`` stands for all agents with names that begin
            with ``red_``.
        others: The task's policy for all agents that do not learn.
        self_play: The number of past policies kept as opponents; each episode of each world draws
            one for the agents that do not learn. 0 for none.
        self_play_every: Updates between two of these policies; the newest replaces the oldest.
        game_over: Whether a world's episode ends when ``"all"`` agents are done, or ``"any"``.
        rollout: Environment steps in each world between two updates.
        minibatch: The number of samples in one step of gradient descent.
        epochs: The number of passes of an update over its samples.
        learning_rate: The learning rate of Adam.
        decay: Whether the learning rate falls linearly to 0.
        desired_kl: KL divergence between the policies before and after an update, to which the
            learning rate is adapted, often 0.01; 0 for a learning rate that is not adapted.
        gamma: Discount per step.
        gae_lambda: The lambda of generalised advantage estimation.
        clip_range: PPO's clip range: the relative change of an action's probability beyond which
            an update gains nothing.
        entropy: Weight of the policy's entropy in the loss.
        hidden: Sizes of the hidden layers of policy and value function, with tanh.
        lstm: Size of the LSTM before the hidden layers, a memory of the episode; 0 for none.
        log_std: Logarithm of the initial standard deviation of continuous actions.
        normalize: Whether observations and rewards are scaled by their running standard deviation.
        demonstrations: A dataset of Minari (its id or folder) or LeRobot (its folder) whose actions
            the policy first learns, by behaviour cloning; with 0 steps it learns from these alone.
        cloning_epochs: The number of passes over the demonstrations.
        evaluate: The number of episodes of each evaluation, which uses separate worlds, fixed seeds
            and the most likely actions; 0 for no evaluations.
        evaluate_every: Updates between two evaluations.
        checkpoint: Least real time between two checkpoints [s].
        wandb: Weights & Biases project that also gets the curves, by default offline; or None.
        make: Options of the task's ``make``, by name.

    >>> TrainingConfig().changed({"gamma": 0.98, "hidden": [32, 32]}).gamma
    0.98
    """

    steps: int = 100_000
    worlds: int = 4
    backend: str | None = None
    seed: int = 0
    agent: str | None = None
    policies: Policies = "one"
    others: str | None = None
    self_play: int = 0
    self_play_every: int = 10
    game_over: GameOver = "all"
    rollout: int = 512
    minibatch: int = 256
    epochs: int = 10
    learning_rate: float = 3e-4
    decay: bool = False
    desired_kl: float = 0.0
    gamma: float = 0.99
    gae_lambda: float = 0.95
    clip_range: float = 0.2
    entropy: float = 0.0
    hidden: Sequence[int] = (64, 64)
    lstm: int = 0
    log_std: float = 0.0
    normalize: bool = True
    demonstrations: str | None = None
    cloning_epochs: int = 50
    evaluate: int = 0
    evaluate_every: int = 10
    checkpoint: float = 30.0
    wandb: str | None = None
    make: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.steps < 0 or (self.steps == 0 and self.demonstrations is None):
            raise TaskError(f"steps must be >= 1, or 0 with demonstrations, got {self.steps}")
        for name in ("worlds", "rollout", "minibatch", "epochs", "evaluate_every",
                     "self_play_every", "cloning_epochs"):  # fmt: skip
            if getattr(self, name) < 1:
                raise TaskError(f"{name} must be >= 1, got {getattr(self, name)}")
        for name in ("seed", "evaluate", "checkpoint", "self_play", "lstm", "desired_kl"):
            if getattr(self, name) < 0:
                raise TaskError(f"{name} must be >= 0, got {getattr(self, name)}")
        if self.learning_rate <= 0.0:
            raise TaskError(f"learning_rate must be > 0, got {self.learning_rate}")
        if self.decay and self.desired_kl:
            raise TaskError("decay lowers the learning rate, and desired_kl adapts it: set one")
        for name in ("gamma", "gae_lambda"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise TaskError(f"{name} must lie in 0 .. 1, got {getattr(self, name)}")
        if self.game_over not in ("all", "any"):
            raise TaskError(f"game_over must be 'all' or 'any', got {self.game_over!r}")
        if isinstance(self.policies, str) and self.policies not in POLICIES:
            raise TaskError(
                f"policies must be one of {', '.join(POLICIES)}, or the agents of each policy by "
                f"its name, got {self.policies!r}"
            )
        if self.agent is not None and self.policies != "one":
            raise TaskError("agent says who learns, and so do policies: give one of them")
        all_learn = self.agent is None and isinstance(self.policies, str)
        if self.others is not None and all_learn:
            raise TaskError(
                f"others {self.others!r} needs agent, or policies by name: else nobody is left"
            )
        if self.self_play and (all_learn or self.others is not None):
            raise TaskError(
                "self_play needs agent, the one that learns, or policies by name, and no others: "
                "they act by what was learned before"
            )
        if any(size < 1 for size in self.hidden):
            raise TaskError(f"hidden must be sizes >= 1, got {list(self.hidden)}")

    def on_backend(self) -> contextlib.AbstractContextManager[object]:
        """Returns a context in which simulators are of the backend.

        Raises:
            BackendError: The backend is not installed.
        """
        return contextlib.nullcontext() if self.backend is None else Backend(self.backend)

    def changed(self, settings: Mapping[str, Any]) -> TrainingConfig:
        """Returns a copy with some settings replaced.

        Raises:
            TaskError: A setting does not exist, or a value has the wrong type or range.
        """
        values = {known.name: getattr(self, known.name) for known in fields(self)}
        for name, value in settings.items():
            if name not in values:
                close = difflib.get_close_matches(name, values, n=1)
                hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(values)}"
                raise TaskError(f"there is no setting {name!r}: {hint}")
            values[name] = _typed(name, value)
        return TrainingConfig(**values)


def parse_settings(texts: Sequence[str]) -> dict[str, Any]:
    """Parses settings from the command line; values are JSON, or else strings.

    Raises:
        TaskError: A setting has no equals sign.

    >>> parse_settings(["gamma=0.98", "hidden=[32,32]"])
    {'gamma': 0.98, 'hidden': [32, 32]}
    """
    settings = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise TaskError(f"a setting is written name=value, got {text!r}")
        try:
            settings[name.strip()] = json.loads(value)
        except ValueError:
            settings[name.strip()] = value.strip()
    return settings


def parse_policies(texts: Sequence[str]) -> Policies:
    """Parses policies from the command line: one word, or ``NAME=AGENT,AGENT`` for each.

    Raises:
        TaskError: A policy names no agents, or a name occurs twice.

    >>> parse_policies(["red=red_1,red_2", "blue=blue_*"])
    {'red': ['red_1', 'red_2'], 'blue': ['blue_*']}
    """
    if len(texts) == 1 and "=" not in texts[0]:
        return texts[0]
    policies: dict[str, Sequence[str]] = {}
    for text in texts:
        name, equals, agents = text.partition("=")
        if not equals or name in policies:
            raise TaskError(f"policies are written name=agent,agent, each once, got {text!r}")
        policies[name.strip()] = [agent.strip() for agent in agents.split(",")]
    return policies


_KINDS: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
    "GameOver": (str,),
    "Policies": (str, Mapping),
    "str | None": (str, type(None)),
    "Sequence[int]": (list, tuple),
    "Mapping[str, Any]": (Mapping,),
}


def _typed(name: str, value: Any) -> Any:
    wanted = next(str(known.type) for known in fields(TrainingConfig) if known.name == name)
    fits = isinstance(value, _KINDS[wanted]) and (wanted == "bool" or not isinstance(value, bool))
    if fits and wanted == "Sequence[int]":
        fits = all(isinstance(size, int) and not isinstance(size, bool) for size in value)
    if fits and wanted == "Policies" and isinstance(value, Mapping):
        fits = all(
            isinstance(policy, str)
            and isinstance(agents, (list, tuple))
            and all(isinstance(agent, str) for agent in agents)
            for policy, agents in value.items()
        )
    if not fits:
        raise TaskError(f"{name} must be of type {wanted}, got {value!r}")
    if wanted == "float":
        try:
            return float(value)
        except OverflowError:
            raise TaskError(f"{name} must be a number up to 1e308") from None
    return tuple(value) if wanted == "Sequence[int]" else value
