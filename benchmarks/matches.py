# SPDX-License-Identifier: Apache-2.0
"""How well does the team of behaviour trees play soccer?

    python benchmarks/matches.py --robots 11
    python benchmarks/matches.py --robots 5 --against random
    python benchmarks/matches.py --robots 5 --against OLD/deepsim_soccer/mind

plays matches of it against itself, against robots that do anything, or against the `TeamMind` of
another version, which is the folder of its package. The team plays to the right in one half of the
matches and to the left in the other one; the referee is simatch's.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from report import RESULTS, write
from rich.progress import track

from deepsim import GazeboXMLLoader, World, open_simulator
from deepsim_soccer import Call, Decision, Foul, Fouls, Pitch, Referee, world_sdf
from deepsim_soccer.mind import TeamMind

STEPS_PER_TICK, TICKS_PER_DECISION = 4, 2
STOP, SET_PIECE = 2.0, 4.0  # as in simatch [s]

Decide = Callable[[np.ndarray], None]  # commands the robots of a team in the worlds (w,)


class Tally:
    """Counts what happens in all matches, for cyan and magenta, (W, 2) each."""

    def __init__(self, pitch: Pitch) -> None:
        self.pitch, shape = pitch, (len(pitch.world), 2)
        self.goals, self.fouls, self.passes, self.kicks, self.lobs = np.zeros((5, *shape), int)
        self.held = np.zeros(shape)
        self.changes, self.heap, self.seconds = np.zeros((3, shape[0]))
        self.calls = dict.fromkeys(Call, 0)
        self._kicker, self._owner = np.full((2, shape[0]), -1)

    def add(self, decision: Decision) -> None:
        """Takes note of a tick."""
        pitch = self.pitch
        holder, kicked, every = pitch.holder, pitch.kicked, np.arange(len(pitch.world))
        kicks, holds = np.flatnonzero(kicked >= 0), np.flatnonzero(holder >= 0)
        self.kicks[kicks, pitch.team[kicked[kicks]]] += 1
        self.lobs[kicks, pitch.team[kicked[kicks]]] += pitch.ball_velocity[kicks, 2] > 1.0
        self._kicker[kicks] = kicked[kicks]
        team = pitch.team[holder]
        self.held[holds, team[holds]] += pitch.world.delta_time
        took = holds[(self._kicker[holds] >= 0) & (self._kicker[holds] != holder[holds])]
        mates = took[pitch.team[self._kicker[took]] == team[took]]
        self.passes[mates, team[mates]] += 1
        self._kicker[holds] = -1
        self.changes[holds] += (self._owner[holds] >= 0) & (self._owner[holds] != team[holds])
        self._owner[holds] = team[holds]
        self._kicker[decision.call > 0] = -1
        self.goals[:, 0] += decision.goal > 0
        self.goals[:, 1] += decision.goal < 0
        fouls = np.flatnonzero(decision.foul != Foul.NONE)
        self.fouls[fouls, pitch.team[decision.robot[fouls]]] += 1
        for call in decision.call[decision.call > 0]:
            self.calls[Call(call)] += 1
        way = pitch.place[:, :, None] - pitch.place[:, None]
        near = (way * way).sum(axis=-1) < 0.8**2
        same = (pitch.team[:, None] == pitch.team) & ~np.eye(len(pitch.team), dtype=bool)
        self.heap[every] += (near & same).any(axis=2).sum(axis=1)
        self.seconds += pitch.world.delta_time


def team(name: str, pitch: Pitch, robots: np.ndarray, period: float) -> Decide:
    """Returns what lets some robots decide: "trees", "random", or the `TeamMind` of a folder."""
    if name != "random":
        mind = (TeamMind if name == "trees" else former(Path(name)))(pitch, robots, period=period)
        return mind.tick
    on = np.ix_(np.arange(len(pitch.world)), robots)

    def decide(worlds: np.ndarray) -> None:
        drawn = pitch.world.uniform(-1.0, 1.0, (len(robots), 4), worlds)
        pitch.command[on] = drawn[..., :3] * [3.0, 3.0, 4.0]
        pitch.kick[(*on, 0)] = 10.0 * np.maximum(drawn[..., 3], 0.0)

    return decide


def former(folder: Path) -> Any:
    """Returns the `TeamMind` of another version, the folder ``mind`` of its package."""
    place = folder / "__init__.py"
    spec = importlib.util.spec_from_file_location("former_mind", place)
    if spec is None or spec.loader is None or not place.is_file():
        raise SystemExit(f"{folder} is no folder of a package with a TeamMind")
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.TeamMind


def play(
    robots: int, minutes: float, worlds: int, seed: int, teams: tuple[str, str]
) -> tuple[Tally, Referee]:
    """Plays matches of two teams, of which the first one plays to the right."""
    simulator = open_simulator(GazeboXMLLoader().load_world(world_sdf()), worlds)
    world = World(simulator, seed=seed, steps_per_tick=STEPS_PER_TICK)
    pitch = Pitch(world, robots)
    period = world.delta_time * TICKS_PER_DECISION
    sides = [
        team(name, pitch, np.flatnonzero(pitch.team == i), period) for i, name in enumerate(teams)
    ]
    referee = Referee(pitch, fouls=Fouls(pitch), stop=STOP, set_piece=SET_PIECE)
    tally, every = Tally(pitch), np.arange(worlds)
    referee.begin(every, every % 2)
    title = f"{robots} v {robots}, {teams[0]} : {teams[1]}"
    for tick in track(range(round(60.0 * minutes / world.delta_time)), title):
        if tick % TICKS_PER_DECISION == 0:
            for decide in sides:
                decide(every)
        pitch.drive()
        world.tick()
        pitch.sense()
        tally.add(referee.judge(every))
    world.close()
    return tally, referee


def figures(tallies: list[Tally], swapped: list[bool]) -> dict[str, Any]:
    """Returns means over all matches, "ours : theirs" where both teams have a figure."""

    def both(name: str) -> np.ndarray:
        parts = [
            getattr(t, name)[:, ::-1] if s else getattr(t, name)
            for t, s in zip(tallies, swapped, strict=True)
        ]
        return np.concatenate(parts)

    goals, count = both("goals"), sum(len(t.seconds) for t in tallies)
    minutes = sum(t.seconds.sum() for t in tallies) / 60.0
    lead = goals[:, 0] - goals[:, 1]
    held = both("held").sum(axis=0)
    ticks = sum(t.seconds.sum() / t.pitch.world.delta_time for t in tallies)
    found = {
        "matches": count,
        "goals in 10 minutes": float(goals.sum() / minutes * 10.0),
        "goals": "{:.2f} : {:.2f}".format(*goals.mean(axis=0)),
        "won, drawn, lost": f"{(lead > 0).sum()}, {(lead == 0).sum()}, {(lead < 0).sum()}",
        "possession": "{:.2f} : {:.2f}".format(*(held / max(held.sum(), 1e-9))),
        "fouls a minute": float(both("fouls").sum() / minutes),
        "changes of possession a minute": float(sum(t.changes.sum() for t in tallies) / minutes),
        "robots within 0.8 m of a mate": sum(t.heap.sum() for t in tallies) / ticks,
    }
    for name in ("kicks", "lobs", "passes"):
        found[name] = "{:.1f} : {:.1f}".format(*both(name).mean(axis=0))
    for call in (Call.THROW_IN, Call.CORNER, Call.GOAL_KICK, Call.DROP_BALL):
        found[f"{call.name.lower()} a match"] = float(sum(t.calls[call] for t in tallies) / count)
    return found


def main() -> None:
    """Plays, and writes the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--robots", type=int, default=5)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--matches", type=int, default=20, help="an even number")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--against", default="trees", help="trees, random, or the folder of a mind")
    asked = parser.parse_args()
    half = asked.matches // 2
    tallies = []
    for swapped in (False, True):
        teams = (asked.against, "trees") if swapped else ("trees", asked.against)
        seed = asked.seed + half * swapped
        tallies.append(play(asked.robots, asked.minutes, half, seed, teams)[0])
    print(f"{asked.robots} v {asked.robots}, {asked.minutes:g} minutes, against {asked.against}")
    found = figures(tallies, [False, True])
    name = asked.against if asked.against in ("trees", "random") else "former"
    write(f"matches_{asked.robots}_{name}", found, "mujoco", "numpy")
    print(f"written to {RESULTS}")


if __name__ == "__main__":
    main()
