# SPDX-License-Identifier: Apache-2.0
"""Lets the team that learned play matches to the first goal, from a kick-off.

python -m examples.robocup.duo
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim import load_task
from deepsim_train import TrainedPolicy
from deepsim_train.tasks.search import find_task

WORLDS = 100
APART = 1000  # between the seeds of two runs, of which world w takes the seed + w
SECONDS = 60.0  # of the longest match [s]

Actions = Callable[[NDArray[np.float32]], NDArray[np.float32]]
"""Takes the observations of a team (W, 2, 26), and returns its actions (W, 2, 5)."""


def learned() -> Actions:
    """Returns the team that learned; both robots have the same policy."""
    policy = TrainedPolicy.load(find_task("duo").folder / "policy.npz")
    return lambda seen: np.stack([policy.act("", seen[:, robot]) for robot in (0, 1)], axis=1)


def random(seed: int) -> Actions:
    """Returns a team that does anything, evenly."""
    rng = np.random.default_rng(seed)
    return lambda seen: rng.uniform(-1.0, 1.0, (len(seen), 2, 5)).astype(np.float32)


def play(
    cyan: Actions,
    opponents: str,
    seed: int,
    magenta: Actions | None = None,
    matches: int = WORLDS,
) -> list[int]:
    """Returns how many matches cyan won, nobody won, and cyan lost.

    Args:
        cyan: The team that plays to the right.
        opponents: Of `make` of the task robocup.
        seed: Of the first match.
        magenta: The other team, if `opponents` is ``"agents"``.
        matches: How many, each in a world of its own.
    """
    task = load_task("robocup")
    options = {"robots": 2, "opponents": opponents, "until_goal": False, "seconds": SECONDS + 1.0}
    with task.environment(seed, matches, **options) as environment:
        environment.reset_worlds()
        area: Any = environment.area
        winner = np.zeros(matches, np.int64)
        for _ in range(round(SECONDS / 0.1)):
            seen = area.observe().astype(np.float32)
            actions = cyan(seen[:, :2])
            if magenta is not None:
                actions = np.concatenate([actions, magenta(seen[:, 2:])], axis=1)
            environment.step_worlds((actions,))
            winner = np.where(winner == 0, area.goal, winner)
    return [int((winner == each).sum()) for each in (1, 0, -1)]


def table(seed: int) -> dict[tuple[str, str], list[int]]:
    """Returns the matches won, drawn and lost of a team against another, 100 each."""
    return {
        ("learned", "random"): play(learned(), "agents", seed, random(seed)),
        ("random", "random"): play(random(seed), "agents", seed, random(seed + 1)),
        ("learned", "trees"): play(learned(), "tree", seed),
        ("random", "trees"): play(random(seed), "tree", seed),
    }


def main() -> None:
    """Plays 100 matches of each of some seeds against each opponent, and prints the results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    seeds = [APART * number for number in range(parser.parse_args().seeds)]
    print("| team | against | won | drawn | lost |\n|---|---|---:|---:|---:|")
    for seed in seeds:
        for (team, against), (won, drawn, lost) in table(seed).items():
            print(f"| {team} | {against}, seed {seed} | {won} | {drawn} | {lost} |", flush=True)


if __name__ == "__main__":
    main()
