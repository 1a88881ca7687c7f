# SPDX-License-Identifier: Apache-2.0
"""Learners: policies in training, each with its model and its view of the worlds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3 import PPO
from stable_baselines3.common.utils import ConstantSchedule
from stable_baselines3.common.vec_env import VecEnv, VecNormalize, VecTransposeImage

from deepsim_envs.spaces import MASK, choices_of, has_action_mask
from deepsim_train.policies.networks import (
    Convolution,
    Floats,
    Layer,
    Lstm,
    Part,
    PictureNetwork,
    is_picture,
)
from deepsim_train.policies.trained_policy import RecurrentPolicy, TrainedPolicy
from deepsim_train.sb3.vec_env import SlotsVecEnv
from deepsim_train.task_code import TaskError

from .config import TrainingConfig
from .progress import WINDOW

_RATES = 1e-5, 1e-2  # the least and greatest adapted learning rate, as in rsl-rl
_LEAST_PICTURE = 36  # side of the smallest picture that the convolutions accept [pixels]


@dataclass(frozen=True, slots=True)
class Learner:
    """A policy in training.

    Attributes:
        name: The policy's name; empty if it is the only one.
        agents: The agents for which it acts.
        model: The model from Stable-Baselines3.
        worlds: The model's view of the worlds, with scaled observations and rewards.
        desired_kl: The KL divergence of an update to which the learning rate is adapted, or 0.
    """

    name: str
    agents: Sequence[str]
    model: PPO
    worlds: VecNormalize
    desired_kl: float = 0.0

    def adapt_rate(self) -> None:
        """Adapts the learning rate of the next update to the KL divergence of the latest one.

        A divergence above twice the desired one divides the rate by 1.5, one below half of it
        multiplies the rate by 1.5, between 1e-5 and 1e-2. This is the rule of ``PPO`` in rsl-rl
        with ``schedule="adaptive"`` (C. Schwarke et al., 2025), which applies it after every
        minibatch; here it is applied once per update, to the mean over the last epoch.
        """
        kl = self.model.logger.name_to_value.get("train/approx_kl")
        if not self.desired_kl or kl is None:
            return
        # The optimizer is part of checkpoints, so that a resumed run adapts the same rate.
        rate = self.model.policy.optimizer.param_groups[0]["lr"]
        if kl > 2.0 * self.desired_kl:
            rate = max(rate / 1.5, _RATES[0])
        elif 0.0 < kl < 0.5 * self.desired_kl:
            rate = min(rate * 1.5, _RATES[1])
        self.model.lr_schedule = ConstantSchedule(rate)

    def plain(self) -> TrainedPolicy | RecurrentPolicy:
        """Returns the current policy as plain arrays."""
        return _plain_policy(self.model, self.worlds)

    def saved(self) -> bytes:
        """Returns the model as the bytes of a ZIP file of Stable-Baselines3."""
        stream = BytesIO()
        self.model.save(stream)
        return stream.getvalue()


def make_learner(
    name: str, agents: Sequence[str], view: SlotsVecEnv, config: TrainingConfig, seed: int
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
    algorithm, policy, arguments = _algorithm_of(worlds, view.privileged, config)
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
    return Learner(name, agents, model, worlds, config.desired_kl)


def _algorithm_of(
    worlds: VecEnv, privileged: Sequence[str], config: TrainingConfig
) -> tuple[Any, Any, dict[str, Any]]:
    """Returns the algorithm's class, its policy class or the name of it, and its arguments.

    Raises:
        TaskError: The task masks actions and the settings request a memory, which no algorithm
            combines; or SB3-Contrib is needed but not installed.
    """
    seen = worlds.observation_space
    kind = "MultiInput" if isinstance(seen, spaces.Dict) else "Cnn" if is_picture(seen) else "Mlp"
    masked = has_action_mask(seen, worlds.action_space)
    if masked and config.lstm:
        raise TaskError("the task masks actions, which PPO with a memory does not obey: set lstm=0")
    if not masked and not config.lstm and not privileged:
        return PPO, f"{kind}Policy", {"log_std_init": config.log_std}
    try:  # an optional package, and only where it is needed
        from sb3_contrib import MaskablePPO, RecurrentPPO  # noqa: PLC0415 (see above)

        from . import asymmetric  # noqa: PLC0415 (see above)
    except ImportError as error:
        why = "the task has masks of actions" if masked else "lstm makes policies with a memory"
        if privileged:
            why = f"the task has privileged observations, {', '.join(privileged)}"
        raise TaskError(
            f"{why}, which need the PPO of SB3-Contrib: "
            "pip install --find-links dist 'deepsim-train[ppo]'"
        ) from error
    arguments: dict[str, Any] = {} if masked else {"log_std_init": config.log_std}
    if config.lstm:
        arguments["lstm_hidden_size"] = config.lstm
    algorithm = MaskablePPO if masked else RecurrentPPO if config.lstm else PPO
    if not privileged:
        return algorithm, f"{kind}{'Lstm' if config.lstm else ''}Policy", arguments
    policies = {
        PPO: asymmetric.AsymmetricPolicy,
        MaskablePPO: asymmetric.AsymmetricMaskablePolicy,
        RecurrentPPO: asymmetric.AsymmetricRecurrentPolicy,
    }
    return algorithm, policies[algorithm], {"privileged": privileged, **arguments}


def scaled_worlds(worlds: VecEnv, config: TrainingConfig, *, learning: bool = True) -> VecNormalize:
    """Returns worlds with scaled observations and rewards, if the settings request it.

    Only the numbers of a `Box` are scaled, neither discrete values nor pictures.

    Args:
        worlds: The worlds.
        config: The settings of the training run.
        learning: Whether to update the scale with each observation, and to scale rewards too.
    """
    seen = worlds.observation_space
    keys = None
    scales = _is_numbers(seen)
    if isinstance(seen, spaces.Dict):
        masked = has_action_mask(seen, worlds.action_space)
        parts = {key: part for key, part in seen.spaces.items() if not (masked and key == MASK)}
        keys = [key for key, part in parts.items() if _is_numbers(part)]
        scales = bool(keys)
    if any(map(is_picture, seen.spaces.values() if isinstance(seen, spaces.Dict) else [seen])):
        worlds = _ChannelsFirst(worlds)
    return VecNormalize(
        worlds,
        training=learning,
        norm_obs=config.normalize and scales,
        norm_reward=config.normalize and learning,
        gamma=config.gamma,
        norm_obs_keys=keys if config.normalize and scales else None,
    )


def _is_numbers(space: Any) -> bool:
    return isinstance(space, spaces.Box) and not is_picture(space)


class _ChannelsFirst(VecTransposeImage):  # type: ignore[misc]  # not typed where not installed
    """Makes pictures C-contiguous as in checkpoints, because torch's rounding depends on it."""

    @staticmethod
    def transpose_image(image: NDArray[Any]) -> NDArray[Any]:
        """Returns one picture, or a batch of them, with the channels before height and width."""
        return np.ascontiguousarray(VecTransposeImage.transpose_image(image))


def _plain_policy(model: PPO, scaled: VecNormalize) -> TrainedPolicy | RecurrentPolicy:
    """Returns the policy network of a model, with the current scales of observations."""
    network = _network(model, scaled)
    memory = getattr(model.policy, "lstm_actor", None)
    if memory is None:
        return network
    weights = {name: value.detach().numpy().copy() for name, value in memory.named_parameters()}
    bias = weights["bias_ih_l0"] + weights["bias_hh_l0"]
    return RecurrentPolicy(network, Lstm(weights["weight_ih_l0"], weights["weight_hh_l0"], bias))


def _network(model: PPO, scaled: VecNormalize) -> TrainedPolicy:
    network = [*model.policy.mlp_extractor.policy_net, model.policy.action_net]
    space = model.action_space
    continuous = isinstance(space, spaces.Box)
    seen = model.observation_space
    extractor = model.policy.pi_features_extractor
    if isinstance(seen, spaces.Dict):
        parts = [  # without privileged keys, which the extractor does not read
            _part(seen[key], each, key, scaled) for key, each in extractor.extractors.items()
        ]
    else:
        parts = [_part(seen, extractor, None, scaled)]
    scales = [scale for _, scale in parts]
    mean, scale, limit = (np.concatenate(column) for column in zip(*scales, strict=True))
    return TrainedPolicy(
        mean,
        scale,
        limit,
        tuple(_layer(layer) for layer in network if isinstance(layer, torch.nn.Linear)),
        space.low.ravel() if continuous else None,
        space.high.ravel() if continuous else None,
        space.shape,
        parts=tuple(part for part, _ in parts),
        counts=choices_of(space) if isinstance(space, spaces.MultiDiscrete) else (),
        masked=has_action_mask(seen, space),
    )


def _part(
    space: Any, extractor: Any, key: str | None, scaled: VecNormalize
) -> tuple[Part, tuple[Floats, Floats, Floats]]:
    """Returns a part of the observations, and the mean, scale and limit of each of its features."""
    if is_picture(space):
        convolutions = tuple(
            Convolution(*_layer(layer), layer.stride[0])
            for layer in extractor.cnn
            if isinstance(layer, torch.nn.Conv2d)
        )
        network = PictureNetwork(convolutions, _layer(extractor.linear[0]))
        channels, height, width = space.shape or (0, 0, 0)
        part = Part((height, width, channels), key, network=network)
        return part, _scale(len(network.layer[1]))
    part = Part(space.shape or (), key, choices_of(space))
    size = sum(part.counts) or int(np.prod(part.shape))
    scales = scaled.norm_obs and (key is None or key in scaled.norm_obs_keys)
    if not scales or not isinstance(space, spaces.Box):
        return part, _scale(size)
    known = scaled.obs_rms if key is None else scaled.obs_rms[key]
    scale = np.sqrt(known.var.ravel() + scaled.epsilon)
    return part, (
        known.mean.ravel().astype(np.float32),
        scale.astype(np.float32),
        np.full(size, scaled.clip_obs, np.float32),
    )


def _scale(size: int) -> tuple[Floats, Floats, Floats]:
    """Returns a mean, scale and limit that change nothing."""
    return (
        np.zeros(size, np.float32),
        np.ones(size, np.float32),
        np.full(size, np.inf, np.float32),
    )


def _layer(layer: torch.nn.Linear | torch.nn.Conv2d) -> Layer:
    return layer.weight.detach().numpy().copy(), layer.bias.detach().numpy().copy()


def require_suitable(seen: Any, acted: Any, privileged: Sequence[str] = ()) -> None:
    """Checks that the networks can use the spaces of observations and actions.

    Args:
        seen: The space of observations.
        acted: The space of actions.
        privileged: The keys of observations that only the value function reads.

    Raises:
        TaskError: A space is not suitable; the message gives the reason.
    """
    if isinstance(seen, spaces.Dict):
        for key, part in seen.spaces.items():
            if not isinstance(key, str) or "." in key:
                raise TaskError(f"keys of observations must be strings without dots, got {key!r}")
            _require_part(part, f"the observation {key!r}")
    else:
        _require_part(seen, "the observation")
    try:
        masked = has_action_mask(seen, acted)
    except ValueError as error:
        raise TaskError(str(error)) from error
    if masked and MASK in privileged:
        raise TaskError(f"{MASK!r} cannot be privileged: the policy obeys it")
    if not isinstance(acted, spaces.Box) and not _is_choice(acted):
        raise TaskError(
            "deepsim train takes actions of a Box, or of a Discrete or a row of MultiDiscrete that "
            f"counts from 0, got {acted}"
        )


def _require_part(space: Any, what: str) -> None:
    if is_picture(space):
        height, width, channels = space.shape or (0, 0, 0)
        if channels >= min(height, width) or min(height, width) < _LEAST_PICTURE:
            raise TaskError(
                f"deepsim train takes pictures (height, width, channels) of at least "
                f"{_LEAST_PICTURE} x {_LEAST_PICTURE} pixels, got {space.shape} as {what}"
            )
    elif not isinstance(space, (spaces.Box, spaces.MultiBinary)) and not _is_choice(space):
        raise TaskError(
            "deepsim train takes observations of a Box, a MultiBinary, a Discrete or a row of "
            f"MultiDiscrete that counts from 0, or a Dict of these, got {space} as {what}"
        )


def _is_choice(space: Any) -> bool:
    if isinstance(space, spaces.Discrete):
        return int(space.start) == 0
    if isinstance(space, spaces.MultiDiscrete):
        return space.nvec.ndim == 1 and not np.any(space.start)
    return False
