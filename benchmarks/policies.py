# SPDX-License-Identifier: Apache-2.0
"""How often do the policies that ship with the tasks succeed, on both engines?

    python benchmarks/policies.py
    python tools/gazebo run -- python benchmarks/policies.py --backend gazebo
    python benchmarks/policies.py walk clutter

The first plays 100 episodes of each of 5 seeds on the embedded engine. The second plays the same
policies, which were trained there, on Gazebo, one episode after the other. Each leaves the figures
of others in the file.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

import numpy as np
from report import RESULTS, write
from rich.progress import track

from deepsim import Backend, DeepSimError, load_task
from deepsim_envs import PolicyMaker
from deepsim_train.episodes import Episode, run_episodes
from deepsim_train.policies.slot_policy import slot_policy
from deepsim_train.tasks.search import installed_tasks

SEEDS = range(5)
APART = 1000  # between the seeds of two runs, of which world w takes the seed + w
TEAMS = {"tag?scripted=1.0": ("chaser_1", "chaser_2")}  # whose success counts, where teams compete
Plays = dict[str, object]


def played(
    name: str, policy: PolicyMaker | None, worlds: int, seed: int, rounds: int = 1
) -> list[Episode]:
    """Returns episodes of a task by a policy, by default that which ships with it."""
    task = load_task(name)
    with task.environment(seed, worlds) as environment:
        act = slot_policy(policy or task.policy("trained"), environment, seed)
        numbers = range(1, rounds + 1)
        runs = [run_episodes(environment, act, number, seed) for number in numbers]
    return [episode for run in runs for episode in run]


def success(episodes: list[Episode], agents: Sequence[str] | None = None) -> float:
    """Returns the share of episodes that succeeded, by default of all agents."""
    infos = [each.info[agent] for each in episodes for agent in agents or each.rewards]
    return float(np.mean([info["success"] for info in infos]))


def figures(name: str, backend: str, worlds: int, rounds: int) -> Plays:
    """Returns the share of successes of each seed, and the mean return; or why there are none."""
    shares, returns = [], []
    for seed in SEEDS:
        try:
            with Backend(backend):
                episodes = played(name, None, worlds, seed * APART, rounds)
        except DeepSimError as error:
            return {"refused": str(error)}
        team = TEAMS.get(name) or list(episodes[0].rewards)
        shares.append(success(episodes, team))
        returns.extend(sum(each.rewards[agent] for agent in team) for each in episodes)
    return {"success": shares, "return": float(np.mean(returns)), "episodes": len(returns)}


def main() -> None:
    """Plays them all and writes what came of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--backend", choices=("mujoco", "gazebo"), default="mujoco")
    parser.add_argument("--episodes", type=int, default=None, help="of each seed")
    shipped = [t.name for t in installed_tasks() if (t.folder / "policy.npz").is_file()]
    shipped += TEAMS
    parser.add_argument("tasks", nargs="*", metavar="TASK", help=", ".join(shipped))
    options = parser.parse_args()
    embedded = options.backend == "mujoco"
    count = options.episodes or (100 if embedded else 4)
    worlds, rounds = (count, 1) if embedded else (1, count)
    file = RESULTS / "policies.json"
    known = json.loads(file.read_text()) if file.is_file() else {}
    found = {name: known.get(name, {}) for name in shipped}
    for name in track(options.tasks or shipped, "playing"):
        found[name] |= {options.backend: figures(name, options.backend, worlds, rounds)}
    write("policies", found, "mujoco", "numpy")


if __name__ == "__main__":
    main()
