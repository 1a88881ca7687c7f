# SPDX-License-Identifier: Apache-2.0
"""Learners: policies in training, each with its model and its view of the worlds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO

import torch
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecEnv, VecNormalize

from deepsim_train.policies.recurrent_policy import RecurrentPolicy
from deepsim_train.policies.trained_policy import TrainedPolicy

from .algorithm import algorithm_of
from .config import TrainingConfig
from .plain_policy import plain_policy
from .progress import WINDOW
from .scaling import scaled_worlds


@dataclass(frozen=True, slots=True)
class Learner:
    """A policy in training.

    Attributes:
        name: The policy's name; empty if it is the only one.
        agents: The agents for which it acts.
        model: The model from Stable-Baselines3.
        worlds: The model's view of the worlds, with scaled observations and rewards.
    """

    name: str
    agents: Sequence[str]
    model: PPO
    worlds: VecNormalize

    def plain(self) -> TrainedPolicy | RecurrentPolicy:
        """Returns the current policy as plain arrays."""
        return plain_policy(self.model, self.worlds)

    def saved(self) -> bytes:
        """Returns the model as the bytes of a ZIP file of Stable-Baselines3."""
        stream = BytesIO()
        self.model.save(stream)
        return stream.getvalue()


def make_learner(
    name: str, agents: Sequence[str], view: VecEnv, config: TrainingConfig, seed: int
) -> Learner:
    """Returns a learner with a new network.

    Args:
        name: The policy's name.
        agents: The agents for which it acts.
        view: The view of the worlds for these agents.
        config: The settings.
        seed: Seed of the network's weights and of the sampled actions.
    """
    worlds = scaled_worlds(view, config)
    rate = config.learning_rate
    algorithm, policy, arguments = algorithm_of(worlds, config)
    model = algorithm(
        policy,
        worlds,
        seed=seed,
        device="cpu",
        n_steps=config.rollout,
        batch_size=min(config.minibatch, worlds.num_envs * config.rollout),
        n_epochs=config.epochs,
        learning_rate=(lambda left: rate * max(left, 0.0)) if config.decay else rate,
        gamma=config.gamma,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip_range,
        ent_coef=config.entropy,
        stats_window_size=WINDOW,
        policy_kwargs={
            "net_arch": list(config.hidden),
            "activation_fn": torch.nn.Tanh,
            **arguments,
        },
    )
    return Learner(name, agents, model, worlds)
