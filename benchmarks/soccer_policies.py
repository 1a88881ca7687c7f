# SPDX-License-Identifier: Apache-2.0
"""What have the striker and the team of two learned?

The first table is the share of 100 episodes with a goal against a keeper that stands still; the
second one the matches of two against two that are won, drawn and lost, of 100. Each is of five
seeds that no policy was trained with.
"""

from __future__ import annotations

import sys

from policies import APART, EXAMPLES, SEEDS, played, success
from report import write
from rich.progress import track

from deepsim import load_task

sys.path.insert(0, str(EXAMPLES.parent))

from examples.duo import matches

PLAYERS = ("trained", "chase", "random")


def main() -> None:
    """Plays, prints both tables, and writes them."""
    task = load_task(EXAMPLES / "striker")
    found: dict[str, object] = {}
    for player in PLAYERS:
        found[f"striker, {player}"] = [
            success(played("striker", task.policy(player), 100, seed * APART)) for seed in SEEDS
        ]
    tables = [matches.table(seed * APART) for seed in track(SEEDS, "playing")]
    for team, against in tables[0]:
        found[f"{team} against {against}"] = [table[team, against] for table in tables]
    write("soccer_policies", found, "mujoco", "numpy")


if __name__ == "__main__":
    main()
