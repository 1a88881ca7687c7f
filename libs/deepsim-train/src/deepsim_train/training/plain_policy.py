# SPDX-License-Identifier: Apache-2.0
"""Extracts the policy network from a PPO model, as plain arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecNormalize

from deepsim_envs.spaces import choices_of, has_action_mask
from deepsim_train.policies.features import Part
from deepsim_train.policies.networks import Convolution, Floats, Layer, Lstm, PictureNetwork
from deepsim_train.policies.recurrent_policy import RecurrentPolicy
from deepsim_train.policies.trained_policy import TrainedPolicy

from .suitable_spaces import is_picture, kind_of


def plain_policy(model: PPO, scaled: VecNormalize) -> TrainedPolicy | RecurrentPolicy:
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
    continuous = kind_of(space) == "Box"
    seen = model.observation_space
    extractor = model.policy.pi_features_extractor
    if kind_of(seen) == "Dict":
        parts = [
            _part(part, extractor.extractors[key], key, scaled) for key, part in seen.spaces.items()
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
        counts=choices_of(space) if kind_of(space) == "MultiDiscrete" else (),
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
    if not scales or kind_of(space) != "Box":
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
