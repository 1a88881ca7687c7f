# SPDX-License-Identifier: Apache-2.0
"""Does `deepsim train` cost more, or learn less, than PPO of Stable-Baselines3 by hand?

    python benchmarks/train.py [TASK] [--seeds 5] [--steps 100000]

Both train the same task with the same settings, in turn, in one process on one thread; which of
them comes first changes from seed to seed. By hand means a script as in docs/training.md: no log,
no checkpoints, no file but the model at the end. Times are of the processor, from the first step;
the return is the mean of the latest 100 episodes of agents.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, median, stdev
from tempfile import TemporaryDirectory
from time import process_time

import torch
from report import write
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecNormalize

from deepsim import Task, load_task
from deepsim_train import TrainingConfig
from deepsim_train.sb3 import AgentsVecEnv
from deepsim_train.training.ppo import train

EXAMPLES = Path(__file__).parents[1] / "examples"


def by_hand(task: Task, config: TrainingConfig, folder: Path) -> tuple[float, float]:
    """Trains as a script of a user would; returns seconds and return."""
    worlds = AgentsVecEnv(
        task.environments(config.envs, config.seed, **config.make), game_over=config.game_over
    )
    scaled = VecNormalize(worlds, gamma=config.gamma)
    rate = config.learning_rate
    model = PPO(
        "MlpPolicy",
        scaled,
        seed=config.seed,
        device="cpu",
        n_steps=config.rollout,
        batch_size=config.minibatch,
        n_epochs=config.epochs,
        learning_rate=(lambda left: rate * max(left, 0.0)) if config.decay else rate,
        gamma=config.gamma,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip_range,
        ent_coef=config.entropy,
        policy_kwargs={
            "net_arch": list(config.hidden),
            "log_std_init": config.log_std,
            "activation_fn": torch.nn.Tanh,
        },
    )
    began: list[float] = []
    model.learn(config.steps, callback=lambda *_: began or began.append(process_time()) or True)
    model.save(folder / "model.zip")
    seconds = process_time() - began[0]
    worlds.close()
    return seconds, mean(episode["r"] for episode in model.ep_info_buffer)


def by_command(task: Task, config: TrainingConfig, folder: Path) -> tuple[float, float]:
    """Trains as `deepsim train` does, with all its files; returns seconds and return."""
    began: list[float] = []
    training = train(task, config, folder, lambda *_: began or began.append(process_time()))
    return process_time() - began[0], float(training.rows[-1]["reward"])


def main(arguments: Sequence[str] | None = None) -> None:
    """Trains by both with each seed, and writes the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("task", nargs="?", default="cartpole")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=100_000)
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    task = load_task(EXAMPLES / options.task)
    ways = {"by hand": by_hand, "deepsim train": by_command}
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    returns: dict[str, list[float]] = {name: [] for name in ways}
    for seed in range(-1, options.seeds):  # the first warms up
        steps = options.steps if seed >= 0 else options.steps // 4
        config = TrainingConfig().changed(task.training).changed({"steps": steps})
        config = config.changed({"seed": max(seed, 0)})
        for name in list(ways)[:: 1 if seed % 2 else -1]:
            with TemporaryDirectory() as folder:
                took, earned = ways[name](task, config, Path(folder))
            if seed >= 0:
                seconds[name].append(took)
                returns[name].append(earned)
    hand, ours = seconds.values()
    figures = {
        "task": options.task,
        "steps": options.steps,
        "seconds": seconds,
        "returns": returns,
        "time ratio, median": median(b / a for a, b in zip(hand, ours, strict=True)),
        "return, difference of means": mean(returns["deepsim train"]) - mean(returns["by hand"]),
        "return, deviation by hand": stdev(returns["by hand"]) if options.seeds > 1 else 0.0,
    }
    write("train", figures, "stable-baselines3", "torch", "mujoco", "numpy")


if __name__ == "__main__":
    main()
