# SPDX-License-Identifier: Apache-2.0
"""`deepsim scenes falsify`: searches for scenes of a scenario in which a policy fails."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from deepsim.output import say, table
from deepsim_envs import Environment, PolicyMaker
from deepsim_scenes import (
    Falsification,
    Outcome,
    Scene,
    Search,
    Trial,
    falsify,
    load_scenario,
    read_models,
)
from deepsim_scenes.falsification import Stage, read_trials, write_trials
from deepsim_spawn.backends import DEFAULT, Backend
from deepsim_sync import DeepSimError
from deepsim_train.episodes import Episode, run_episodes
from deepsim_train.policies.slot_policy import slot_policy
from deepsim_train.task_code import TaskError
from deepsim_train.training.run_folder import chosen, results_folder

from .options import BackendName, Root, TaskName, fail, stoppable, without_effect


def falsify_task(
    context: typer.Context,
    name: TaskName,
    scenario: Annotated[
        Path, typer.Argument(help="A Scenic file. It is a program that runs with your rights.")
    ],
    policy: Annotated[
        str | None,
        typer.Option(help="A policy of the task, a folder of `deepsim train`, or an ONNX model."),
    ] = None,
    models: Annotated[
        Path | None,
        typer.Option(help="YAML list of models; by default models.yaml beside the scenario."),
    ] = None,
    search: Annotated[
        Search, typer.Option(help="How scenes are chosen: at random, or like the worst so far.")
    ] = Search.RANDOM,
    rounds: Annotated[int, typer.Option(min=1, help="Number of rounds.")] = 8,
    batch: Annotated[
        int, typer.Option(min=1, help="Scenes in a round, each in a world of its own.")
    ] = 32,
    below: Annotated[
        float | None,
        typer.Option(help="An episode with less reward failed; default: one without success."),
    ] = None,
    keep: Annotated[int, typer.Option(min=1, help="Number of the worst scenes to write.")] = 5,
    replay: Annotated[
        Path | None, typer.Option(help="Play the scenes of this scenes.yaml instead of a search.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Output folder; runs/TASK_POLICY_falsify_SEED by default.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same search.")] = 0,
    root: Root = Path(),
    backend: BackendName = DEFAULT,
) -> None:
    """Searches for scenes of a scenario in which a policy fails.

    The make function of the task takes `scenes`, which gives the scenes of worlds that are reset.
    The worst scenes are written as worlds with plots, and their seeds and numbers to scenes.yaml.
    """
    console = Console(stderr=True)
    if replay is not None:
        without_effect(context, "on a replay", "search", "rounds", "batch", "keep", "out")
    try:
        _, task, who, maker = chosen(name, root, policy)
        listed = read_models(models or scenario.parent / "models.yaml")
        compiled = load_scenario(scenario, listed)
        say(console, f"{scenario}: {compiled.meaning}")
        given = read_trials(replay) if replay else []
        stage = Stage([compiled.sample(seed)] * (len(given) or batch))
        with stoppable(), Backend(backend):
            with task.environment(seed, len(stage.scenes), scenes=stage) as environment:
                player = _Player(environment, maker, stage, seed, below)
                if given:
                    scenes = [compiled.sample(each["seed"], each["number"]) for each in given]
                    found = Falsification(tuple(map(Trial, scenes, player(scenes))))
                else:
                    found = falsify(
                        compiled, player, search=search, rounds=rounds, batch=batch, seed=seed
                    )
            _show(found, keep if not given else len(given))
            if not given:
                folder = out or Path("runs") / f"{task.name}_{who}_falsify_{seed}"
                with results_folder(folder):
                    write_trials(found.worst(keep), folder)
                say(console, f"wrote {min(keep, len(found.trials))} scenes to {folder}")
    except (DeepSimError, OSError, ImportError, ValueError) as error:
        fail(console, error)


class _Player:
    """Plays a policy in scenes, at most one for each world; all episodes have the same seed."""

    def __init__(
        self,
        environment: Environment,
        maker: PolicyMaker,
        stage: Stage,
        seed: int,
        below: float | None,
    ) -> None:
        self._played = environment, maker, seed
        self._stage, self._below = stage, below

    def __call__(self, scenes: Sequence[Scene]) -> list[Outcome]:
        environment, maker, seed = self._played
        self._stage.scenes = [*scenes, *[scenes[-1]] * (len(environment) - len(scenes))]
        act = slot_policy(maker, environment, seed)
        episodes = run_episodes(environment, act, 1, seed, same_seed=True)
        return [self._outcome(episode) for episode in episodes[: len(scenes)]]

    def _outcome(self, episode: Episode) -> Outcome:
        score = sum(episode.rewards.values()) / len(episode.rewards)
        if self._below is not None:
            return Outcome(score, score < self._below or episode.diverged)
        if (success := episode.success) is None:
            raise TaskError("the task's info has no `success`: say --below REWARD")
        return Outcome(score, not success or episode.diverged)


def _show(found: Falsification, count: int) -> None:
    rows = [
        {
            "seed": trial.scene.seed,
            "number": trial.scene.number,
            "reward": round(trial.outcome.score, 3),
            "failed": trial.outcome.failed,
        }
        for trial in found.worst(count)
    ]
    coverage = [
        {
            "feature": row.feature,
            "from": round(row.lowest, 2),
            "to": round(row.highest, 2),
            "covered": f"{row.covered:.0%}",
            "failures": f"{row.worst_share:.0%}",
            "between": f"{row.worst[0]:.2f} and {row.worst[1]:.2f}",
        }
        for row in found.coverage()[:10]
    ]
    console = Console()
    failed = f"{found.failures} of {len(found.trials)} scenes failed; the worst:"
    console.print(table(rows, title=failed))
    if coverage:
        console.print(table(coverage, title="where failures are most frequent:"))
