# SPDX-License-Identifier: Apache-2.0
"""Plays a match of two teams of behaviour trees and reports it.

python -m examples.robocup.match --robots 5 --minutes 10 --out runs/match
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from deepsim import Backend, GazeboXMLLoader, World, open_simulator
from deepsim_soccer import Call, Decision, Field, Foul, Fouls, Pitch, Referee, world_sdf
from deepsim_soccer.mind import TeamMind

TEAMS = ("cyan", "magenta", "both")  # both at a drop ball
STEPS_PER_TICK = 4  # of 6.25 ms
TICKS_PER_DECISION = 2  # trees decide 20 times a second
STOP, SET_PIECE = 2.0, 4.0  # as in simatch [s]
FAST = 4.0  # what is slower is no shot [m/s]


@dataclass
class Report:
    """What happened in a match; lists have an entry for each team.

    Attributes:
        kicks: Of the ball.
        passes: Kicks that a mate took.
        shots: Kicks that would cross the opponents' goal line between the posts, or nearly.
        held: Time for which a team held the ball [s].
        log: The referee's decisions: time [s], call, team that it is for.
        fouls: Committed.
        way: Places of the ball, (n, 2) [m].
    """

    kicks: list[int] = field(default_factory=lambda: [0, 0])
    passes: list[int] = field(default_factory=lambda: [0, 0])
    shots: list[int] = field(default_factory=lambda: [0, 0])
    fouls: list[int] = field(default_factory=lambda: [0, 0])
    held: list[float] = field(default_factory=lambda: [0.0, 0.0])
    log: list[tuple[float, str, str]] = field(default_factory=list)
    way: list[NDArray[np.float64]] = field(default_factory=list)
    farthest: float = 0.0  # of a robot outside the lines [m]
    _kicker: int = -1

    def watch(self, pitch: Pitch, decision: Decision) -> None:
        """Takes note of one tick of world 0."""
        holder, kicked = int(pitch.holder[0]), int(pitch.kicked[0])
        if kicked >= 0:
            self.kicks[pitch.team[kicked]] += 1
            self.shots[pitch.team[kicked]] += int(is_shot(pitch, kicked))
            self._kicker = kicked
        if holder >= 0:
            team = int(pitch.team[holder])
            self.held[team] += pitch.world.delta_time
            if self._kicker >= 0:
                mates = pitch.team[self._kicker] == team and holder != self._kicker
                self.passes[team] += int(mates)
                self._kicker = -1
        if decision.call[0]:
            self._kicker = -1
            call = "GOAL" if decision.goal[0] else Call(decision.call[0]).name
            team = int(decision.goal[0] < 0) if decision.goal[0] else int(decision.team[0])
            if decision.foul[0]:
                self.fouls[1 - team] += 1
                call = f"{call} ({Foul(decision.foul[0]).name})"
            self.log.append((round(float(pitch.world.time[0]), 2), call, TEAMS[team]))
        self.way.append(pitch.ball_place[0, :2].copy())
        outside = np.abs(pitch.place[0]) - np.array([pitch.field.length, pitch.field.width]) / 2.0
        self.farthest = max(self.farthest, float(outside.max()))

    def table(self, score: NDArray[np.int64]) -> dict[str, Any]:
        """Returns the figures of each team."""
        calls = [(call, team) for _, call, team in self.log]
        total = max(sum(self.held), 1e-9)
        return {
            name: {
                "goals": int(score[team]),
                "kicks": self.kicks[team],
                "shots": self.shots[team],
                "passes": self.passes[team],
                "possession": round(self.held[team] / total, 3),
                "fouls": self.fouls[team],
                "throw-ins": calls.count(("THROW_IN", name)),
                "corners": calls.count(("CORNER", name)),
                "goal kicks": calls.count(("GOAL_KICK", name)),
            }
            for team, name in enumerate(TEAMS[:2])
        }


def is_shot(pitch: Pitch, kicker: int) -> bool:
    """Returns whether the ball flies at most half a metre past a post of the opponents' goal."""
    goal = pitch.side[kicker] * pitch.field.length / 2.0
    place, velocity = pitch.ball_place[0], pitch.ball_velocity[0]
    time = (goal - place[0]) / velocity[0] if velocity[0] else np.inf
    if not 0.0 < time < 3.0 or np.hypot(velocity[0], velocity[1]) < FAST:
        return False
    return abs(place[1] + velocity[1] * time) < pitch.field.goal_width / 2.0 + 0.5


def play(robots: int, seconds: float, seed: int = 0) -> tuple[Report, dict[str, Any]]:
    """Plays a match on the simulator that is chosen; returns the report and its table."""
    simulator = open_simulator(GazeboXMLLoader().load_world(world_sdf()), 1)
    world = World(simulator, seed=seed, steps_per_tick=STEPS_PER_TICK)
    pitch = Pitch(world, robots)
    mind = TeamMind(pitch, period=world.delta_time * TICKS_PER_DECISION)
    referee = Referee(pitch, fouls=Fouls(pitch), stop=STOP, set_piece=SET_PIECE)
    report, every = Report(), np.array([0])
    referee.line_up(every, np.array([seed % 2]))
    for tick in range(round(seconds / world.delta_time)):
        if tick % TICKS_PER_DECISION == 0:
            mind.tick()
        pitch.drive()
        world.tick()
        pitch.sense()
        report.watch(pitch, referee.judge(every))
    return report, report.table(referee.score[0])


def draw(report: Report, path: Path) -> None:
    """Draws the way of the ball over the lines of the field."""
    mpl.use("Agg")
    figure = Figure(figsize=(9, 6.2))
    axes = figure.add_subplot(facecolor="#1f6b2a")
    for line in Field().lines():
        axes.plot([line.x0, line.x1], [line.y0, line.y1], color="white", lw=2)
    x, y = np.array(report.way)[::4].transpose()
    axes.plot(x, y, ".", color="orange", ms=2, alpha=0.5)
    axes.set(aspect="equal", xlabel="x [m]", ylabel="y [m]", title="Places of the ball")
    figure.tight_layout()
    figure.savefig(path, dpi=80)


def main() -> None:
    """Plays, prints the table, and writes report, referee's log and picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robots", type=int, default=5)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--backend", default="mujoco", help="or gazebo, a running gzserver")
    parser.add_argument("--out", type=Path, default=Path("runs/match"))
    asked = parser.parse_args()
    with Backend(asked.backend):
        report, table = play(asked.robots, 60.0 * asked.minutes, asked.seed)
    asked.out.mkdir(parents=True, exist_ok=True)
    draw(report, asked.out / "ball.png")
    (asked.out / "report.json").write_text(json.dumps(table, indent=2) + "\n")
    log = [f"{time:8.2f} s  {call:26} {team}" for time, call, team in report.log]
    (asked.out / "referee.txt").write_text("\n".join([*log, ""]))
    for name in ("", *table["cyan"]):
        cells = TEAMS[:2] if not name else [str(table[team][name]) for team in TEAMS[:2]]
        print(f"{name:12}" + "".join(f"{cell:>10}" for cell in cells))
    print(f"nobody was more than {max(report.farthest, 0.0):.2f} m outside the lines")


if __name__ == "__main__":
    main()
