# SPDX-License-Identifier: Apache-2.0
"""Behaviour cloning: a policy learns the actions of demonstrations, before or without PPO."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecTransposeImage

from deepsim_envs.spaces import leafwise
from deepsim_train.task_code import TaskError

from .config import TrainingConfig
from .learner import Learner

_HELD_BACK = 0.1  # the share of samples whose loss shows how well the policy generalises


def clone(learner: Learner, config: TrainingConfig) -> list[dict[str, float]]:
    """Trains the policy network of a learner on the demonstrations that the settings name.

    The loss is the mean squared difference of the most likely action, or the cross-entropy of a
    choice (D. Pomerleau, 1991). The scales of observations become those of the demonstrations. A
    random tenth of the samples is held back.

    Args:
        learner: The learner; its value function does not change.
        config: The settings; ``demonstrations`` names a dataset of Minari or LeRobot.

    Returns:
        For each pass over the samples its number, ``"loss"``, and the loss on the samples that are
        held back, ``"held_back"``.

    Raises:
        TaskError: The policy has a memory, or the dataset cannot be read or is of another task.
    """
    if config.lstm:
        raise TaskError("demonstrations train policies without a memory: set lstm=0")
    own = learner.worlds.venv
    while isinstance(own, VecTransposeImage):  # the spaces of the task, with channels last
        own = own.venv
    seen, acted = _samples(str(config.demonstrations), own.observation_space, own.action_space)
    _learn_scales(learner, seen)
    policy = learner.model.policy
    parameters = [
        each
        for name, each in policy.named_parameters()
        if not name.startswith(("value_net", "vf_", "mlp_extractor.value_net"))
    ]
    optimizer = torch.optim.Adam(parameters, lr=config.learning_rate)
    rng = np.random.default_rng(config.seed)
    order = rng.permutation(len(acted))
    held_back, used = np.split(order, [int(_HELD_BACK * len(order))])
    rows = []
    for number in range(1, config.cloning_epochs + 1):
        losses = []
        for part in np.array_split(rng.permutation(used), -(-len(used) // config.minibatch)):
            loss = _loss(learner, seen, acted, part)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        with torch.no_grad():
            other = _loss(learner, seen, acted, held_back).item() if len(held_back) else np.nan
        rows.append({"epoch": number, "loss": float(np.mean(losses)), "held_back": other})
    return rows


def _samples(
    name: str, observation_space: spaces.Space[Any], action_space: spaces.Space[Any]
) -> tuple[Any, NDArray[Any]]:
    """Returns observations and actions (n, ...) of a dataset, in the types of the spaces."""
    folder = Path(name)
    try:
        if (folder / "meta" / "info.json").is_file():
            # An extra, for datasets of this format alone.
            from deepsim_train import lerobot  # noqa: PLC0415 (see above)

            seen, acted = lerobot.read_dataset(folder, observation_space)
        else:
            # An extra, for datasets of this format alone.
            from deepsim_train import minari  # noqa: PLC0415 (see above)

            seen, acted = minari.read_dataset(folder if folder.is_dir() else name)
        if isinstance(observation_space, spaces.Dict) and isinstance(seen, dict):
            seen = {key: seen[key] for key in observation_space.spaces if key in seen}
        acted, shape = np.asarray(acted, action_space.dtype), action_space.shape or ()
        if np.prod(shape) == acted[0].size:  # else the message below has the shape of the dataset
            acted = acted.reshape(-1, *shape)
        for what, space, values in (
            ("observation", observation_space, seen),
            ("action", action_space, acted),
        ):
            if _shapes(values) != (wanted := _shapes(space)):
                raise ValueError(f"{what}s of shape {wanted} were expected, got {_shapes(values)}")
    except ImportError as error:
        raise TaskError(str(error)) from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TaskError(f"cannot learn from {name}: {error}") from error
    return seen, acted


def _shapes(of: Any) -> Any:
    """Returns the shape of members of a space, or of the rows of arrays; for a dict, by key."""
    if isinstance(of, (spaces.Dict, dict)):
        return {key: _shapes(part) for key, part in of.items()}
    return (of.shape or ()) if isinstance(of, spaces.Space) else np.shape(of)[1:]


def _learn_scales(learner: Learner, seen: Any) -> None:
    """Sets the scales of observations to those of the demonstrations."""
    worlds = learner.worlds
    if not worlds.norm_obs:
        return
    for key in worlds.norm_obs_keys or [None]:
        values = seen if key is None else seen[key]
        scale = worlds.obs_rms if key is None else worlds.obs_rms[key]
        scale.mean, scale.var = values.mean(axis=0), values.var(axis=0)
        scale.count = float(len(values))


def _loss(learner: Learner, seen: Any, acted: NDArray[Any], rows: NDArray[np.intp]) -> Any:
    own = leafwise(lambda part: part[rows], seen)
    if isinstance(learner.worlds.venv, VecTransposeImage):
        own = learner.worlds.venv.transpose_observations(own)
    policy = learner.model.policy
    tensors, _ = policy.obs_to_tensor(learner.worlds.normalize_obs(own))
    distribution = policy.get_distribution(tensors)
    actions = torch.from_numpy(acted[rows])
    if isinstance(learner.model.action_space, spaces.Box):
        means = distribution.mode().flatten(1)
        return torch.nn.functional.mse_loss(means, actions.flatten(1).to(means.dtype))
    return -distribution.log_prob(actions).mean()
