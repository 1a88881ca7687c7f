# SPDX-License-Identifier: Apache-2.0
"""Runs episodes of a task, one in each world: records them, or collects their trajectories."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from importlib import import_module
from itertools import count
from numbers import Real
from pathlib import Path
from time import perf_counter
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from deepsim_envs import Environment, StepResult, Trajectory, TrajectoryCollector, replay
from deepsim_envs.viewing import equal_spaces
from deepsim_sync import DeepSimError, Seeds

from .policies.slot_policy import SlotPolicy, places_of
from .task_code import TaskError, call_task_code
from .tasks.loading import env_spec
from .tasks.search import TaskFolder
from .tasks.task import Task

Collect: TypeAlias = Callable[[Environment], list[Trajectory]]
"""Returns the trajectories of all agents of an environment."""


class Steppable(Protocol):
    """Resets and steps an environment, such as the environment itself or a recorder."""

    def reset(self, seed: Sequence[int], /) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begins episodes in all worlds; see `Environment.reset`."""

    def step(self, action_dict: Mapping[str, Any], /) -> StepResult:
        """Steps all worlds; see `Environment.step`."""


COLUMNS = (
    "episode", "world", "step", "time", "agent", "x", "y", "z", "qx", "qy", "qz", "qw", "reward"
)  # fmt: skip
"""The columns of a trajectory file: time [s], position [m] and unit quaternion of the agent."""


@dataclass(slots=True)
class Episode:
    """The record of one episode in one world.

    Attributes:
        number: Number of the episode, from 1.
        world: Number of the world.
        steps: Number of environment steps.
        duration: Simulated time [s].
        wall_time: This world's share of the real time of all steps, without pictures [s].
        rewards: Sum of rewards by agent.
        info: The latest info from the area; an agent's entry is from its last step.
        diverged: Whether the physics diverged, which ended the episode.
        rows: One tuple of `COLUMNS` per step and agent that is also a model.
    """

    number: int
    world: int = 0
    steps: int = 0
    duration: float = 0.0
    wall_time: float = 0.0
    rewards: dict[str, float] = field(default_factory=dict)
    info: dict[str, Any] = field(default_factory=dict)
    diverged: bool = False
    rows: list[tuple[Any, ...]] = field(default_factory=list)

    @property
    def success(self) -> bool | None:
        """Whether all agents whose info has ``success`` succeeded; None if none has it."""
        found = [
            bool(info["success"])
            for agent, info in self.info.items()
            if agent in self.rewards and "success" in info
        ]
        return all(found) if found else None

    def line(self, agent: str) -> NDArray[np.float64]:
        """Returns the path of an agent in the ground plane, (n, 2) [m], world frame."""
        where = COLUMNS.index("x")
        points = [row[where : where + 2] for row in self.rows if row[where - 1] == agent]
        return np.array(points, dtype=np.float64).reshape(-1, 2)


def run_episodes(
    environment: Environment,
    policy: SlotPolicy,
    number: int,
    seed: int,
    on_step: Callable[[Sequence[Episode]], object] | None = None,
    *,
    same_seed: bool = False,
    through: Steppable | None = None,
) -> list[Episode]:
    """Runs one episode in each world to its end; all worlds are stepped together.

    World w gives the same bits as a run of one world with the seed ``seed + w``.

    Args:
        environment: Environment of the task.
        policy: Policy of all slots, from `slot_policy`.
        number: Number of the episodes, from 1.
        seed: Seed of the run; an episode's own seed follows from ``seed + w`` and the number.
        on_step: Called after the reset and after each step; its time is not part of ``wall_time``.
        same_seed: Whether the episodes of all worlds have the seed of world 0.
        through: A recorder that resets and steps the environment; by default the environment.

    Raises:
        TaskCodeError: The reset or a step of the task's code raised an error.
    """
    stepped = environment if through is None else through
    episodes = [Episode(number, world) for world in range(len(environment))]
    places = places_of(environment)
    own = not same_seed
    seeds = [episode_seed(seed + own * episode.world, number) for episode in episodes]
    observations, info = call_task_code("the reset", stepped.reset, seeds)
    _keep_info(episodes, info, places)
    if on_step is not None:
        on_step(episodes)
    for step in count(1):
        start = perf_counter()
        actions = policy(observations)
        result = call_task_code(f"step {step}", stepped.step, actions)
        spent = (perf_counter() - start) / len(episodes)
        models, times = environment.world.models, environment.world.time.tolist()
        names, poses = models.names, models.pose
        for slot, reward in result.reward.items():
            world, agent = places[slot]
            episode = episodes[world]
            episode.steps, episode.duration = step, times[world]
            episode.rewards[agent] = episode.rewards.get(agent, 0.0) + reward
            if agent in names:  # else the agent is not a model, and has no pose
                pose = poses[world, names.row(agent)].tolist()
                episode.rows.append((number, world, step, times[world], agent, *pose, reward))
        for episode in episodes:
            episode.wall_time += spent
        _keep_info(episodes, result.info, places)
        if on_step is not None:
            on_step(episodes)
        observations = {s: seen for s, seen in result.observation.items() if not result.done[s]}
        if not observations:
            break
    return episodes


def endless_episodes(
    environment: Environment, policy: SlotPolicy
) -> tuple[Callable[[Seeds], None], Callable[[], None]]:
    """Returns functions that begin episodes, and that take one step of episodes without end."""
    observation: Mapping[str, Any] = {}

    def begin(seeds: Seeds) -> None:
        nonlocal observation
        observation, _ = environment.reset(seeds)

    def step() -> None:
        nonlocal observation
        if not environment.live_agents:
            begin(None)
        found = environment.step(policy(observation)).observation
        observation = {slot: found[slot] for slot in environment.live_agents}

    return begin, step


def episode_seed(seed: int, number: int) -> int:
    """Returns the seed of an episode in a run; episodes are numbered from 1."""
    return int(np.random.SeedSequence((seed, number)).generate_state(1)[0])


def _keep_info(
    episodes: Sequence[Episode], info: Mapping[str, Any], places: Mapping[str, tuple[int, str]]
) -> None:
    """Stores the info of a reset or step in the episodes of the slots that took part."""
    diverged = info["deepsim"]["diverged"]
    worlds = {places[slot][0] for slot in diverged}
    for key, value in info.items():
        if key in places:
            world, agent = places[key]
            if key in diverged:
                episodes[world].info[agent] = value
        elif key != "deepsim":
            for world in worlds:
                episodes[world].info[key] = value if len(episodes) == 1 else value[world]
    for slot, has_diverged in diverged.items():
        episodes[places[slot][0]].diverged |= has_diverged


def write_trajectory(path: Path, episodes: list[Episode]) -> None:
    """Writes all rows as CSV in full precision; equal runs give equal bytes."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for episode in episodes:
            writer.writerows(episode.rows)


def facts(episode: Episode) -> dict[str, Any]:
    """Returns the record of an episode, without its rows, as plain data for JSON."""
    return {
        "episode": episode.number,
        "world": episode.world,
        "steps": episode.steps,
        "duration_s": episode.duration,
        "rewards": episode.rewards,
        "diverged": episode.diverged,
        "info": _plain(episode.info),
    }


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value if isinstance(value, bool | int | float | str | None) else repr(value)


def columns_of_each(agents: list[tuple[Episode, str]]) -> list[tuple[str, list[Any]]]:
    """Returns columns with a row for each agent of an episode: its results, and its info."""
    infos = [_info(episode, agent) for episode, agent in agents]
    columns: list[tuple[str, list[Any]]] = [
        ("episode", [episode.number for episode, _ in agents]),
        ("world", [episode.world for episode, _ in agents]),
        ("agent", [agent for _, agent in agents]),
        ("reward", [float(episode.rewards[agent]) for episode, agent in agents]),
        ("diverged", [episode.diverged for episode, _ in agents]),
        *((str(key), [row.get(key) for row in infos]) for key in _keys(infos)),
    ]
    # Most tasks run in one world, and diverge in none.
    return [each for each in columns if each[0] not in ("world", "diverged") or any(each[1])]


def columns_of_means(agents: list[tuple[Episode, str]]) -> list[tuple[str, list[Any]]]:
    """Returns columns with a row for each agent: means over its episodes, of booleans the share."""
    columns: dict[str, list[Any]] = {}
    names = list(dict.fromkeys(agent for _, agent in agents))
    for row, name in enumerate(names):
        own = [episode for episode, agent in agents if agent == name]
        infos = [_info(episode, name) for episode in own]
        means: dict[str, Any] = {
            "agent": name,
            "episodes": len(own),
            "mean reward": _mean([episode.rewards[name] for episode in own]),
            "diverged": _mean([episode.diverged for episode in own]) or None,
        }
        for key in _keys(infos):
            means[str(key)] = _mean([info.get(key) for info in infos])
        for key, value in means.items():
            columns.setdefault(key, [None] * len(names))[row] = value
    # Most tasks diverge in no world, and text has no mean.
    return [each for each in columns.items() if any(value is not None for value in each[1])]


def _mean(values: list[Any]) -> float | None:
    numbers = [float(value) for value in values if isinstance(value, Real | np.bool_)]
    return sum(numbers) / len(numbers) if numbers else None


def _info(episode: Episode, agent: str) -> Mapping[Any, Any]:
    info = episode.info.get(agent)
    return info if isinstance(info, Mapping) else {}


def _keys(rows: list[Mapping[Any, Any]]) -> list[Any]:
    keys = dict.fromkeys(key for row in rows for key in row)
    in_step = {
        key.replace("return/", "reward/", 1) for key in keys if str(key).startswith("return/")
    }
    return [key for key in keys if key not in in_step]


def collect_episodes(
    environment: Environment, policy: SlotPolicy, episodes: int, seed: int
) -> list[Trajectory]:
    """Plays the same episodes as `deepsim run`, and returns their trajectories.

    Args:
        environment: Environment of the task.
        policy: Policy of all slots, from `slot_policy`.
        episodes: The number of episodes in each world.
        seed: Seed of the run.

    Raises:
        TaskCodeError: A reset or step of the task's code raised an error.
    """
    collector = TrajectoryCollector(environment)
    for number in range(1, episodes + 1):
        seeds = [episode_seed(seed + world, number) for world in range(len(environment))]
        seen, _ = call_task_code("the reset", collector.reset, seeds)
        while seen:
            actions = policy(seen)
            result = call_task_code(f"a step of episode {number}", collector.step, actions)
            seen = {
                slot: each for slot, each in result.observation.items() if not result.done[slot]
            }
    return collector.trajectories


def replay_episodes(environment: Environment, file: Path) -> list[Trajectory]:
    """Replays recorded episodes, and returns their trajectories.

    Raises:
        TaskError: The file cannot be read.
    """
    collector = TrajectoryCollector(environment)
    try:
        for _ in replay(collector, file):
            pass
    except OSError as error:
        raise TaskError(f"cannot read {file}: {error.strerror or error}") from error
    return collector.trajectories


def learnable(
    environment: Environment, trajectories: Sequence[Trajectory], agents: str | None
) -> list[Trajectory]:
    """Returns the trajectories of some agents, which must have equal spaces.

    Args:
        environment: Environment of the task.
        trajectories: The trajectories of all agents.
        agents: The names of agents, as in ``red_1,red_2`` or ``red_*``; None for all agents.

    Raises:
        TaskError: An agent does not exist, the agents' spaces differ, or no episode has ended.
    """
    names = list(environment.agents)
    own: dict[str, None] = {}
    for pattern in ["*"] if agents is None else agents.split(","):
        fitting = [name for name in names if fnmatchcase(name, pattern.strip())]
        if not fitting:
            raise TaskError(f"agent must be one of {names}, got {pattern.strip()!r}")
        own |= dict.fromkeys(fitting)
    groups = {name: group for group in environment.groups for name in group.names}
    try:
        equal_spaces({name: groups[name] for name in own}, "a dataset has one of each space")
    except ValueError as error:
        raise TaskError(f"{error}; choose by --agent") from error
    chosen = [each for each in trajectories if each.agent in own]
    if not chosen:
        raise TaskError("no episode has ended, so that there is nothing to write")
    return chosen


def write_episodes(
    format: Literal["minari", "lerobot"],
    found: TaskFolder,
    task: Task,
    collect: Collect,
    dataset_id: str,
    worlds: int,
    seed: int,
    agent: str | None,
    who: str,
    root: Path | None,
) -> tuple[Path, int, int]:
    """Collects episodes of a task, and writes them as a dataset.

    Args:
        format: The format of the dataset.
        found: The folder of the task.
        task: The task.
        collect: Returns the trajectories of all agents.
        dataset_id: The id of the dataset.
        worlds: The number of worlds.
        seed: Seed of the environment.
        agent: The agents to write; see `learnable`.
        who: The policy, in words.
        root: Folder of all datasets; None for that of the format.

    Returns:
        The folder of the dataset, and its numbers of episodes and steps.

    Raises:
        TaskError: The format needs an extra, or the dataset cannot be written.
    """
    try:
        writer = import_module(f"deepsim_train.{format}")  # an extra
    except ImportError as error:
        extra = "dataset" if format == "minari" else "lerobot"
        raise TaskError(
            f"datasets need an extra: pip install --find-links dist 'deepsim[{extra}]'"
        ) from error
    try:
        writer.new_dataset_folder(dataset_id, root)  # before the work
        with task.environment(seed, worlds) as environment:
            chosen = learnable(environment, collect(environment), agent)
            shown = chosen[0].agent
            slot = environment.slots[environment.agents.index(shown)]
            spaces = environment.observation_space[slot], environment.action_space[slot]
            facts: dict[str, Any] = {"algorithm_name": who, "env_spec": env_spec(found, shown)}
            if format == "lerobot":
                period = environment.world.timestep * environment.frame_skip
                facts = {"fps": 1.0 / period, "task": task.name}
            folder = writer.write_dataset(dataset_id, chosen, *spaces, root, **facts)
    except (ValueError, OSError) as error:
        if isinstance(error, DeepSimError):
            raise
        raise TaskError(f"cannot write the dataset {dataset_id}: {error}") from error
    return folder, len(chosen), sum(len(episode.rewards) for episode in chosen)
