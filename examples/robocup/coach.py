# SPDX-License-Identifier: Apache-2.0
"""Plays a match that a coach commands over UDP: stop, restarts, start and parking.

python -m examples.robocup.coach

plays with a coach of its own, who follows a plan. With --port 2050 it obeys whoever sends
datagrams to that port of this machine, in one of NuBot's two layouts.
"""

from __future__ import annotations

import argparse
import json
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from deepsim import GazeboXMLLoader, World, open_simulator
from deepsim_soccer import (
    CoachBridge,
    CoachMessage,
    Fouls,
    Mode,
    Perception,
    Phase,
    Pitch,
    Referee,
    world_sdf,
)
from deepsim_soccer.mind import TeamMind

CYAN = 0  # the coach's own team
STEPS_PER_TICK, TICKS_PER_DECISION, TICKS_PER_REPORT = 4, 2, 4
PLAN = {  # when a coach sends what [s]
    0.5: Mode.STOP,
    1.0: Mode.OUR_KICK_OFF,
    2.0: Mode.START,
    8.0: Mode.STOP,
    8.5: Mode.OPPONENT_THROW_IN,
    10.0: Mode.START,
    14.0: Mode.STOP,
    14.5: Mode.OUR_PENALTY,
    15.5: Mode.START,
    20.0: Mode.PARKING,
}


@dataclass
class Coach:
    """A coach who sends what `PLAN` says, and reads what comes back.

    Attributes:
        reports: Number of reports that came.
        places: Where the robots of the team were in the latest one, by number [m].
    """

    address: tuple[str, int]
    reports: int = 0
    places: dict[str, list[float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        self._socket.connect(self.address)
        self._plan = sorted(PLAN.items())
        self._previous = Mode.STOP

    def tick(self, time: float) -> None:
        """Sends what is due at a time [s], and reads all reports."""
        while self._plan and self._plan[0][0] <= time + 1e-9:
            mode = self._plan.pop(0)[1]
            self._socket.send(CoachMessage(mode, self._previous).to_bytes())
            self._previous = mode
        while True:
            try:
                report = json.loads(self._socket.recv(65536))
            except BlockingIOError:
                break
            self.reports += 1
            self.places = {number: each["place"] for number, each in report.items()}

    def close(self) -> None:
        """Closes the socket."""
        self._socket.close()


def play(
    bridge: CoachBridge, coach: Coach | None, seconds: float, robots: int = 3
) -> Iterator[tuple[float, Mode, Pitch, Referee]]:
    """Plays a match; yields time [s], command, pitch and referee whenever a coach commands."""
    world = World(
        open_simulator(GazeboXMLLoader().load_world(world_sdf()), 1), steps_per_tick=STEPS_PER_TICK
    )
    pitch, every = Pitch(world, robots), np.array([0])
    mind = TeamMind(pitch, period=world.delta_time * TICKS_PER_DECISION)
    referee = Referee(pitch, fouls=Fouls(pitch), stop=2.0, set_piece=4.0)
    perception, ours = Perception(pitch), np.flatnonzero(pitch.team == CYAN).tolist()
    referee.begin(every, every)
    for tick in range(round(seconds / world.delta_time)):
        if coach is not None:
            coach.tick(float(world.time[0]))
        message = bridge.receive()
        if message is not None:
            message.apply(referee, every, coach=CYAN)
            yield float(world.time[0]), message.mode, pitch, referee
        if tick % TICKS_PER_DECISION == 0:
            mind.tick()
        pitch.drive()
        world.tick()
        pitch.sense()
        referee.judge(every)
        seen = perception.look()
        if tick % TICKS_PER_REPORT == 0:
            bridge.send(seen, ours)
    world.close()


def main() -> None:
    """Plays, and prints each command and what it led to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--port", type=int, default=0, help="of another coach; 0 for one of ours")
    parser.add_argument("--seconds", type=float, default=22.0)
    asked = parser.parse_args()
    with CoachBridge(port=asked.port) as bridge:
        coach = None if asked.port else Coach(bridge.address)
        for time, mode, pitch, referee in play(bridge, coach, asked.seconds):
            x, y, _ = pitch.ball_place[0]
            phase = Phase(referee.phase[0]).name
            cyan, magenta = referee.score[0]
            score = f"{cyan}:{magenta}"
            print(f"{time:5.1f} s  {mode.name:18} {phase:9} {score}  ball at {x:5.2f}, {y:5.2f}")
        if coach is not None:
            print(f"the coach read {coach.reports} reports of {len(coach.places)} robots")
            coach.close()


if __name__ == "__main__":
    main()
