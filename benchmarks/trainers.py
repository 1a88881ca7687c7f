# SPDX-License-Identifier: Apache-2.0
"""Does every trainer solve the cart-pole?

    python benchmarks/trainers.py [TRAINER ...]

The pole starts nearly upright, and a step in which it stands earns 1, for 500 steps at most: the
task is solved by 475, as Gymnasium's CartPole-v1. The most likely actions play 20 episodes with
seeds that no training uses. It writes the table of docs/training.md. Each trainer begins with the
same global random state, alone or after others. One that is not installed is left out and named;
those that are left out keep their figures.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
from collections.abc import Callable, Mapping
from importlib.metadata import packages_distributions, version
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import gymnasium
import numpy as np
from report import RESULTS, write, write_table

from deepsim_envs import GymnasiumVectorEnv
from deepsim_train import load_policy, load_task, register_task
from deepsim_train.training.config import TrainingConfig

# ruff: noqa: PLC0415 (only the trainers that are asked for, since they are extras)

TASK = "cartpole?swing_up=false"
PAGE = Path(__file__).parents[1] / "docs" / "training.md"
SOLVED, EPISODES, UNSEEN = 475.0, 20, 10_000
Act = Callable[[Any], Any]
"""Takes observations (n, 5), and returns the most likely actions (n, 1)."""


def deepsim() -> Act:
    """`deepsim train`, with the settings of the task."""
    from deepsim_train.training.ppo import train

    task = load_task(TASK)
    settings = {**task.training, "steps": 120_000, "desired_kl": 0.01, "decay": False}
    with TemporaryDirectory() as folder:
        train(task, TrainingConfig().changed(settings), Path(folder), lambda *_: None)
        policy = load_policy(Path(folder, "policy.npz"))
    return lambda seen: policy.act("cart", seen)


def sb3_ppo() -> Act:
    """PPO of Stable-Baselines3."""
    from stable_baselines3 import PPO

    from deepsim_train.sb3 import AgentsVecEnv

    worlds = AgentsVecEnv(load_task(TASK).environment(worlds=32))
    model = PPO(
        "MlpPolicy", worlds, n_steps=64, batch_size=512, gamma=0.98, learning_rate=2e-3, seed=0,
        device="cpu",
    )  # fmt: skip
    model.learn(80_000)
    return lambda seen: model.predict(seen, deterministic=True)[0]


def sb3_sac() -> Act:
    """SAC of Stable-Baselines3, one agent."""
    from stable_baselines3 import SAC

    return _sac(SAC)


def sbx_sac() -> Act:
    """SAC of SBX, the same on JAX."""
    from sbx import SAC

    return _sac(SAC)


def _sac(algorithm: Any) -> Act:
    from deepsim_train.sb3 import AgentsVecEnv

    worlds = AgentsVecEnv(load_task(TASK).environment(worlds=4))
    model = algorithm(
        "MlpPolicy", worlds, learning_starts=500, gradient_steps=4, gamma=0.98, tau=0.01,
        learning_rate=1e-3, seed=0, device="cpu",
    )  # fmt: skip
    model.learn(30_000)
    return lambda seen: model.predict(seen, deterministic=True)[0]


def rsl_rl() -> Act:
    """PPO of rsl-rl, with its learning rate that adapts."""
    import torch
    from rsl_rl.runners import OnPolicyRunner
    from tensordict import TensorDict

    from deepsim_train.rsl_rl import RslRlVecEnv

    network = {"class_name": "MLPModel", "hidden_dims": [64, 64], "activation": "elu"}
    gaussian = {"class_name": "GaussianDistribution", "init_std": 1.0}
    config: dict[str, Any] = {
        "num_steps_per_env": 64,
        "save_interval": 1000,
        "obs_groups": {"actor": ["policy"], "critic": ["policy"]},
        "algorithm": {"class_name": "PPO", "gamma": 0.98, "num_learning_epochs": 10},
        "actor": {**network, "distribution_cfg": gaussian},
        "critic": network,
    }
    worlds = RslRlVecEnv(load_task(TASK).environment(worlds=32), seed=0)
    runner = OnPolicyRunner(worlds, config)
    runner.learn(60)
    policy = runner.get_inference_policy()

    def act(seen: Any) -> Any:
        with torch.inference_mode():
            rows = torch.tensor(seen, dtype=torch.float32)
            return policy(TensorDict({"policy": rows}, batch_size=[len(rows)])).numpy()

    return act


def skrl() -> Act:
    """PPO of skrl."""
    import torch
    from skrl.agents.torch.ppo import PPO, PPO_CFG
    from skrl.envs.wrappers.torch import wrap_env
    from skrl.memories.torch import RandomMemory
    from skrl.models.torch import DeterministicMixin, GaussianMixin, Model
    from skrl.trainers.torch import SequentialTrainer, SequentialTrainerCfg
    from torch import nn

    class Policy(GaussianMixin, Model):  # type: ignore[misc]  # not typed where not installed
        def __init__(self, **spaces: Any) -> None:
            Model.__init__(self, device="cpu", **spaces)
            GaussianMixin.__init__(self)
            self.net = _network(nn, 1)
            self.log_std = nn.Parameter(torch.zeros(1))

        def compute(self, inputs: Any, role: str = "") -> Any:
            return self.net(inputs["observations"]), {"log_std": self.log_std}

    class Value(DeterministicMixin, Model):  # type: ignore[misc]  # not typed where not installed
        def __init__(self, **spaces: Any) -> None:
            Model.__init__(self, device="cpu", **spaces)
            DeterministicMixin.__init__(self)
            self.net = _network(nn, 1)

        def compute(self, inputs: Any, role: str = "") -> Any:
            return self.net(inputs["observations"]), {}

    worlds = wrap_env(
        gymnasium.make_vec(register_task(TASK), 32, clip_actions=True, autoreset_mode="SameStep")
    )
    spaces = {
        "observation_space": worlds.observation_space,
        "state_space": worlds.state_space,
        "action_space": worlds.action_space,
    }
    models = {"policy": Policy(**spaces), "value": Value(**spaces)}
    settings = PPO_CFG(
        rollouts=64, learning_epochs=10, mini_batches=4, discount_factor=0.98, learning_rate=2e-3,
        time_limit_bootstrap=True,
    )  # fmt: skip
    settings.experiment.write_interval = settings.experiment.checkpoint_interval = 0
    memory = RandomMemory(memory_size=64, num_envs=32, device="cpu")
    agent = PPO(models=models, memory=memory, cfg=settings, device="cpu", **spaces)
    trainer = SequentialTrainer(
        cfg=SequentialTrainerCfg(timesteps=3840, headless=True, disable_progressbar=True),
        env=worlds,
        agents=agent,
    )
    trainer.train()

    def act(seen: Any) -> Any:
        with torch.no_grad():
            return models["policy"].net(torch.tensor(seen, dtype=torch.float32)).numpy()

    return act


def torchrl() -> Act:
    """PPO of TorchRL, which takes agents in groups: here one of one."""
    import torch
    from tensordict import TensorDict
    from tensordict.nn import NormalParamExtractor, TensorDictModule
    from torch import nn
    from torchrl.collectors import Collector
    from torchrl.envs.utils import ExplorationType, set_exploration_type
    from torchrl.modules import ProbabilisticActor, TanhNormal
    from torchrl.objectives import ClipPPOLoss, ValueEstimators

    from deepsim_train.torchrl import TorchRLEnv

    torch.manual_seed(0)
    worlds = TorchRLEnv(load_task(TASK).environment(worlds=32), group_map={"carts": ["cart"]})
    worlds.set_seed(0)
    keys = {
        name: ("carts", name)
        for name in ("action", "sample_log_prob", "value", "reward", "done", "terminated")
    }
    seen, loc, scale = (("carts", name) for name in ("observation", "loc", "scale"))
    gaussian = nn.Sequential(_network(nn, 2), NormalParamExtractor())
    actor = ProbabilisticActor(
        TensorDictModule(gaussian, in_keys=[seen], out_keys=[loc, scale]),
        in_keys=[loc, scale], out_keys=[keys["action"]], distribution_class=TanhNormal,
        return_log_prob=True, log_prob_key=keys["sample_log_prob"],
    )  # fmt: skip
    critic = TensorDictModule(_network(nn, 1), in_keys=[seen], out_keys=[keys["value"]])
    loss = ClipPPOLoss(actor, critic, entropy_bonus=False, normalize_advantage=True)
    loss.set_keys(**keys)
    loss.make_value_estimator(ValueEstimators.GAE, gamma=0.98, lmbda=0.95)
    descent = torch.optim.Adam(loss.parameters(), 2e-3)
    collector = Collector(
        worlds, actor, frames_per_batch=2048, total_frames=40 * 2048,
        auto_register_policy_transforms=False,
    )  # fmt: skip
    for data in collector:
        with torch.no_grad():
            loss.value_estimator(data)
        steps = data.reshape(-1)
        for _ in range(10):
            for rows in torch.randperm(len(steps)).split(512):
                losses = loss(steps[rows])
                descent.zero_grad()
                (losses["loss_objective"] + losses["loss_critic"]).backward()
                nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
                descent.step()
    collector.shutdown(close_env=True)

    def act(rows: Any) -> Any:
        with torch.no_grad(), set_exploration_type(ExplorationType.DETERMINISTIC):
            agents = torch.tensor(rows, dtype=torch.float32)[:, None]
            return actor(TensorDict({seen: agents}, len(rows)))[keys["action"]][:, 0].numpy()

    return act


def cleanrl() -> Act:
    """The program of the page on training in the style of CleanRL."""
    import torch

    section = PAGE.read_text(encoding="utf-8").split("## In the style of CleanRL")[1]
    found = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    names: dict[str, Any] = {}
    exec(found.group(1) if found else "", names)

    def act(seen: Any) -> Any:
        with torch.no_grad():
            return names["actor"](torch.tensor(seen, dtype=torch.float32)).numpy()

    return act


TRAINERS: dict[str, tuple[str, Callable[[], Act]]] = {
    "deepsim train": ("stable_baselines3", deepsim),
    "Stable-Baselines3 PPO": ("stable_baselines3", sb3_ppo),
    "Stable-Baselines3 SAC": ("stable_baselines3", sb3_sac),
    "SBX SAC": ("sbx", sbx_sac),
    "rsl-rl PPO": ("rsl_rl", rsl_rl),
    "skrl PPO": ("skrl", skrl),
    "TorchRL PPO": ("torchrl", torchrl),
    "in the style of CleanRL": ("torch", cleanrl),
}


def _network(nn: Any, outputs: int) -> Any:
    return nn.Sequential(
        nn.Linear(5, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, outputs)
    )


def seed_all() -> None:
    """Seeds the global generators, from which some trainers draw; torch gets one thread."""
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002 (trainers use it)
    if find_spec("torch") is not None:
        import torch

        torch.manual_seed(0)
        torch.set_num_threads(1)  # the fastest for small networks


def played(act: Act) -> float:
    """Returns the mean return of episodes with other seeds."""
    worlds = GymnasiumVectorEnv(
        load_task(TASK).environment(worlds=EPISODES), autoreset_mode="SameStep", clip_actions=True
    )
    seen, _ = worlds.reset(seed=UNSEEN)
    returns, over = np.zeros(EPISODES), np.zeros(EPISODES, np.bool_)
    while not over.all():
        seen, reward, terminated, truncated, _ = worlds.step(act(seen))
        returns += reward * ~over
        over |= terminated | truncated
    worlds.close()
    return float(returns.mean())


def table(figures: Mapping[str, Any]) -> None:
    """Writes the table of the page."""
    lines = ["| trainer | on | CPU seconds | mean return, of 500 |", "|---|---|---:|---:|"]
    for name in TRAINERS:
        if name in figures:
            row = figures[name]
            cells = row["on"], str(row["CPU seconds"]), f"{row['return']:.0f}"
            lines.append(f"| {name} | {' | '.join(cells)} |")
    write_table(PAGE, "python benchmarks/trainers.py", lines)


def main() -> None:
    """Trains with each trainer, and writes the table; fails if one does not solve the task."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("trainers", nargs="*", help=f"by default all: {', '.join(TRAINERS)}")
    asked = parser.parse_args().trainers or list(TRAINERS)
    file = RESULTS / "trainers.json"
    figures = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    failed = False
    for name in asked:
        package, train = TRAINERS[name]
        if find_spec(package) is None:
            print(f"{name}: not installed")
            continue
        seed_all()
        start = time.process_time()
        act = train()
        seconds, found = time.process_time() - start, played(act)
        failed |= found < SOLVED
        distribution = packages_distributions()[package][0].replace("_", "-")
        figures[name] = {
            "on": f"{distribution} {version(distribution)}",
            "CPU seconds": round(seconds),
            "return": found,
        }
        print(f"{name}: {seconds:.0f} CPU s, mean return {found:.1f}", flush=True)
    table(figures)
    write("trainers", figures, "mujoco", "numpy")
    sys.exit(failed)


if __name__ == "__main__":
    main()
