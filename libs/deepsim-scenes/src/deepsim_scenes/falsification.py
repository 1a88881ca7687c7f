# SPDX-License-Identifier: Apache-2.0
"""Searches a scenario for the scenes in which something scores lowest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import yaml
from numpy.typing import NDArray

from deepsim_sync.untrusted import check_yaml_text

from .files import MODELS, write_plot, write_scene
from .language.scenario import Scenario
from .scene import Scene

Floats: TypeAlias = NDArray[np.float64]

ELITE = 0.15
"""Share of the trials, the worst ones, that the cross-entropy method follows."""
_LEAST_SPREAD = 0.15  # of a feature among the worst trials, relative to that of all scenes
_BINS = 10


class Search(str, Enum):
    """Methods that choose the scenes to play.

    >>> Search("random") is Search.RANDOM
    True
    """

    RANDOM = "random"
    """Each scene is a sample of the scenario."""
    CROSS_ENTROPY = "cross-entropy"
    """From round to round, scenes are samples that resemble the worst trials."""


class Outcome(NamedTuple):
    """The result of playing a scene.

    >>> Outcome(score=1.5, failed=False) < Outcome(score=2.0, failed=False)
    True
    """

    score: float
    """The lower, the worse."""
    failed: bool
    """Whether it failed; failures are worse than any other outcome."""


class Trial(NamedTuple):
    """A scene, and the result of playing it."""

    scene: Scene
    """The scene: ``scenario.sample(scene.seed, scene.number)`` is the same one."""
    outcome: Outcome
    """The result."""


Play: TypeAlias = Callable[[Sequence[Scene]], Sequence[Outcome]]
"""Plays scenes, and returns an outcome for each."""


class Coverage(NamedTuple):
    """The values of a feature in the scenes that were played.

    >>> row = Coverage("crate_0 x", -1.0, 1.0, 0.9, 0.2, (-1.0, -0.8), 0.5)
    >>> row.worst_share > row.failed_share
    True
    """

    feature: str
    """A global parameter, or an object with ``x`` or ``y`` [m], ``heading`` [rad] or a length."""
    lowest: float
    """The lowest value."""
    highest: float
    """The highest value."""
    covered: float
    """The share of ten equal intervals between them in which there are scenes."""
    failed_share: float
    """The share of all scenes that failed."""
    worst: tuple[float, float]
    """The interval with the largest share of failures, among those with two scenes or more."""
    worst_share: float
    """The share of scenes in this interval that failed."""


@dataclass(frozen=True, slots=True)
class Falsification:
    """The result of a search.

    Attributes:
        trials: All trials in the order in which they were played.

    >>> Falsification(()).worst(3)
    []
    """

    trials: tuple[Trial, ...]

    @property
    def failures(self) -> int:
        """The number of failed trials."""
        return sum(trial.outcome.failed for trial in self.trials)

    def worst(self, count: int) -> list[Trial]:
        """Returns the worst trials, the worst first: failures, then the lowest scores."""
        return sorted(self.trials, key=lambda trial: _badness(trial.outcome))[:count]

    def coverage(self) -> list[Coverage]:
        """Returns a row for each feature that differs between scenes, by its worst share."""
        if not self.trials:
            return []
        scenes = [trial.scene for trial in self.trials]
        failed = np.array([trial.outcome.failed for trial in self.trials])
        values = np.array([[*features(scene).values()] for scene in scenes])
        rows = [
            _coverage(name, column, failed)
            for name, column in zip(features(scenes[0]), values.T, strict=True)
            if np.ptp(column) > 0.0
        ]
        return sorted(rows, key=lambda row: -row.worst_share)


def features(scene: Scene) -> dict[str, float]:
    """Returns the numbers of a scene: parameters, places [m], headings [rad] and sizes [m]."""
    found = {
        name: float(value)
        for name, value in scene.parameters.items()
        if isinstance(value, (int, float))
    }
    for each in scene.objects:
        numbers = (*each.position[:2], each.heading, *each.size)
        names = ("x", "y", "heading", "width", "length", "height")
        found |= {
            f"{each.name} {name}": float(number)
            for name, number in zip(names, numbers, strict=True)
        }
    return found


def falsify(
    scenario: Scenario,
    play: Play,
    *,
    search: Search = Search.RANDOM,
    rounds: int = 8,
    batch: int = 32,
    seed: int = 0,
    candidates: int = 10,
) -> Falsification:
    """Searches for the scenes with the worst outcomes.

    Every played scene is a sample of the scenario, so it meets all requirements. The cross-entropy
    method draws `candidates` times as many scenes as it plays. From the second round on, it prefers
    those whose features are likelier under normal distributions of the worst trials so far than
    under those of all scenes. That helps where failures depend on the places of single objects; it
    does not where they depend on how several objects lie together.

    Args:
        scenario: The scenario. Its scenes have the same objects.
        play: Plays up to `batch` scenes. An outcome depends only on its scene.
        search: The method.
        rounds: The number of rounds, >= 1.
        batch: The number of scenes in a round, >= 1.
        seed: Seed of the scenes and of the search, >= 0.
        candidates: Number of scenes to draw for each scene to play, >= 1.

    Raises:
        RejectedError: No sample met all requirements.
        ScenarioError: A requirement raised an error, or an object has no model.
        ValueError: A number is too small, or the scenes have different objects.

    Example::

        found = falsify(scenario, play, rounds=10, seed=1)
        print(found.failures, [trial.scene.number for trial in found.worst(5)])
    """
    for name, value in (("rounds", rounds), ("batch", batch), ("candidates", candidates)):
        if value < 1:
            raise ValueError(f"{name} must be >= 1, got {value}")
    rng = np.random.default_rng((seed, len("falsify")))
    numbers = iter(range(rounds * batch * candidates))
    trials: list[Trial] = []
    for _ in range(rounds):
        follows = search is Search.CROSS_ENTROPY and bool(trials)
        count = batch * (candidates if follows else 1)
        drawn = [scenario.sample(seed, next(numbers)) for _ in range(count)]
        scenes = _likely(drawn, trials, batch, rng) if follows else drawn
        trials += map(Trial, scenes, play(scenes))
    return Falsification(tuple(trials))


class Stage:
    """Gives a task its scenes: one for each world.

    Attributes:
        scenes: The scenes by world.
    """

    def __init__(self, scenes: Sequence[Scene]) -> None:
        self.scenes = scenes

    def __call__(self, worlds: NDArray[Any]) -> list[Scene]:
        """Returns the scenes of some worlds, by number."""
        return [self.scenes[world] for world in worlds.tolist()]


def write_trials(trials: Sequence[Trial], folder: Path) -> None:
    """Writes scenes as worlds with plots, and their seeds, numbers and outcomes to scenes.yaml."""
    listed = []
    for index, (scene, outcome) in enumerate(trials):
        place = folder / f"{index:03d}"
        write_scene(scene, place, folder / MODELS)
        write_plot(scene, place / "plot.png")
        listed.append({"seed": scene.seed, "number": scene.number, **outcome._asdict()})
    text = yaml.safe_dump(listed, sort_keys=False)
    folder.joinpath("scenes.yaml").write_text(text, encoding="utf-8")


def read_trials(file: Path) -> list[dict[str, Any]]:
    """Returns the seeds and numbers of scenes in a file that `write_trials` wrote.

    Raises:
        ValueError: The file holds something else.
    """
    try:
        if file.exists() and not file.is_file():
            raise ValueError("it is not a regular file")
        text = file.read_text(encoding="utf-8")
        check_yaml_text(text)
        listed = yaml.safe_load(text)
        return [{"seed": int(each["seed"]), "number": int(each["number"])} for each in listed]
    except (yaml.YAMLError, TypeError, KeyError, ValueError, RecursionError) as error:
        raise ValueError(f"{file}: is not a list of scenes with seed and number") from error


def _badness(outcome: Outcome) -> tuple[bool, float]:
    return not outcome.failed, outcome.score


def _likely(
    drawn: list[Scene], trials: list[Trial], count: int, rng: np.random.Generator
) -> list[Scene]:
    """Returns scenes that resemble the worst trials, chosen at random by their likelihoods."""
    ordered = Falsification(tuple(trials)).worst(len(trials))
    elite = [trial.scene for trial in ordered[: max(2, round(ELITE * len(trials)))]]
    points = _points([*drawn, *elite])
    every, worst = points[: len(drawn)], points[len(drawn) :]
    spread = every.std(axis=0)
    varies = spread > 1e-9
    every, worst = (
        (each[:, varies] - every[:, varies].mean(axis=0)) / spread[varies]
        for each in (every, worst)
    )
    middle, width = worst.mean(axis=0), np.maximum(worst.std(axis=0), _LEAST_SPREAD)
    gain = 0.5 * every**2 - 0.5 * ((every - middle) / width) ** 2 - np.log(width)
    chosen = np.argsort(-(gain.sum(axis=1) + rng.gumbel(size=len(drawn))), kind="stable")[:count]
    return [drawn[index] for index in sorted(chosen.tolist())]


def _points(scenes: list[Scene]) -> Floats:
    """Returns the features of scenes, (n, d), with cosine and sine in place of a heading."""
    named = [features(scene) for scene in scenes]
    if any(each.keys() != named[0].keys() for each in named):
        raise ValueError("the scenes of the scenario have different objects or parameters")
    return np.array([[*_flat(each)] for each in named])


def _flat(named: dict[str, float]) -> Iterator[float]:
    for name, value in named.items():
        if name.endswith(" heading"):
            yield from (np.cos(value), np.sin(value))
        else:
            yield value


def _coverage(name: str, values: Floats, failed: NDArray[np.bool_]) -> Coverage:
    edges = np.linspace(values.min(), values.max(), _BINS + 1)
    bins = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, _BINS - 1)
    counts = np.bincount(bins, minlength=_BINS)
    fails = np.bincount(bins, weights=failed, minlength=_BINS)
    shares = np.where(counts >= min(2, counts.max()), fails / np.maximum(counts, 1), -1.0)
    worst = int(shares.argmax())
    return Coverage(
        name,
        float(edges[0]),
        float(edges[-1]),
        float((counts > 0).mean()),
        float(failed.mean()),
        (float(edges[worst]), float(edges[worst + 1])),
        float(shares[worst]),
    )
