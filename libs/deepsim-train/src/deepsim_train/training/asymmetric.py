# SPDX-License-Identifier: Apache-2.0
"""Networks of PPO whose value function also reads the privileged keys of observations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableMultiInputActorCriticPolicy
from sb3_contrib.common.recurrent.policies import RecurrentMultiInputActorCriticPolicy
from stable_baselines3.common.policies import MultiInputActorCriticPolicy
from stable_baselines3.common.torch_layers import MlpExtractor
from torch import nn


class _Asymmetric:
    """Gives policy and value function their own features (L. Pinto et al., 2018).

    Args:
        arguments: The arguments of Stable-Baselines3's policies.
        privileged: The keys of observations that only the value function reads.
    """

    def __init__(self, *arguments: Any, privileged: Sequence[str], **more: Any) -> None:
        self._privileged = tuple(privileged)
        more["share_features_extractor"] = False
        super().__init__(*arguments, **more)  # of the other base class

    def _build(self: Any, lr_schedule: Any) -> None:
        """Builds all networks; the features of the value function have been made by now."""
        seen = self.observation_space.spaces
        own = spaces.Dict({key: part for key, part in seen.items() if key not in self._privileged})
        features = self.features_extractor_class(own, **self.features_extractor_kwargs)
        self.features_extractor = self.pi_features_extractor = features
        self.features_dim = features.features_dim
        super()._build(lr_schedule)  # type: ignore[misc]  # of the other base class


class _AsymmetricLayers(_Asymmetric):
    """The same for networks that pass features on to layers."""

    def _build_mlp_extractor(self: Any) -> None:
        super()._build_mlp_extractor()  # type: ignore[misc]  # of the other base class
        size = self.vf_features_extractor.features_dim
        layers = MlpExtractor(size, self.net_arch, self.activation_fn, self.device)
        self.mlp_extractor.value_net = layers.value_net


class AsymmetricPolicy(_AsymmetricLayers, MultiInputActorCriticPolicy):  # type: ignore[misc]
    """The networks for PPO."""


class AsymmetricMaskablePolicy(_AsymmetricLayers, MaskableMultiInputActorCriticPolicy):  # type: ignore[misc]
    """The networks for MaskablePPO."""


class AsymmetricRecurrentPolicy(_Asymmetric, RecurrentMultiInputActorCriticPolicy):  # type: ignore[misc]
    """The networks for RecurrentPPO: the value function has an LSTM of its own."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        size, rate = self.vf_features_extractor.features_dim, self.optimizer.defaults["lr"]
        self.lstm_critic = nn.LSTM(size, self.lstm_output_dim)
        self.optimizer: Any = self.optimizer_class(
            self.parameters(), lr=rate, **self.optimizer_kwargs
        )
