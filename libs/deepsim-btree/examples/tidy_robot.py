# SPDX-License-Identifier: Apache-2.0
"""A robot fetches cups from three rooms, looks for them, drops some, and recharges in between.

The world is simulated in a few lines, on a clock of its own. With --view a page in the browser
shows the tree while it runs, ten times as fast as the world.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from random import Random

from deepsim_btree import (
    Input,
    PortLeaf,
    RandomSelector,
    ReactiveSelector,
    ReactiveSequence,
    Retry,
    Running,
    Selector,
    Sequence,
    Status,
    SubTree,
    Tree,
    Wait,
    action,
    condition,
    key,
)
from deepsim_btree.trace import Trace, render_html
from deepsim_btree.view import TreeViewer

PERIOD = 0.1  # [s] between two ticks
METRES = {"kitchen": 3.0, "office": 5.0, "laboratory": 8.0}


class World:
    """What there is outside the tree."""

    def __init__(self, seed: int = 0) -> None:
        self.time = 0.0  # [s]
        self.battery = 100.0  # [%]
        self.cups = 0
        self.chance = Random(seed)

    def use(self, power: float) -> None:
        """Takes energy out of the battery [%]."""
        self.battery -= power


@condition
def battery_low(world: World) -> bool:
    """Asks whether the robot should go to its dock."""
    return world.battery < 20.0


@action
def charge(world: World):
    """Stays at the dock until the battery is nearly full."""
    while world.battery < 95.0:
        world.battery += 4.0
        yield


class Drive(PortLeaf):
    """Drives a way, half a metre a second."""

    distance = Input(float)  # [m]

    def __init__(self, world: World, name: str, **ports: object) -> None:
        super().__init__(name, **ports)
        self.world = world
        self.left = 0.0

    def initialize(self) -> None:
        """Measures the way."""
        self.left = self.distance

    def update(self) -> Status:
        """Drives on."""
        self.left -= 0.5 * PERIOD
        self.world.use(0.3)
        self.feedback_message = f"{max(0.0, self.left):.1f} m to go"
        return Status.RUNNING if self.left > 1e-9 else Status.SUCCESS

    def terminate(self, new_status: Status) -> None:
        """Is there, or was called away."""
        self.feedback_message = ""


@condition
def sees_cup(world: World) -> bool:
    """Looks once."""
    return world.chance.random() < 0.4


@action
def grasp(world: World):
    """Closes the fingers, which miss one time in four."""
    for _ in range(5):
        world.use(0.2)
        yield
    return Status.SUCCESS if world.chance.random() < 0.75 else Status.FAILURE


@action
def put_away(world: World) -> Status:
    """Counts the cup."""
    world.cups += 1
    return Status.SUCCESS


def fetch(world: World, room: str) -> SubTree:
    """Returns the branch for one room, which has a blackboard of its own."""
    look = Selector([sees_cup(world), Wait("turn around", seconds=0.5)], "look")
    branch = Sequence(
        [
            Drive(world, "drive there", distance=key("metres")),
            Retry(Sequence([look, grasp(world)], "take"), "take a cup", attempts=3),
            Drive(world, "drive back", distance=key("metres")),
            put_away(world),
        ],
        room,
    )
    return SubTree(branch, f"cup of the {room}", values={"metres": METRES[room]})


def make_tree(world: World) -> Tree:
    """Returns the whole tree."""
    recharge = Sequence(
        [battery_low(world), Drive(world, "drive to dock", distance=2.0), charge(world)], "recharge"
    )
    tidy_up = RandomSelector([fetch(world, room) for room in METRES], "tidy up")

    @action
    def report(tree_of: list[Tree]) -> Status:
        tree_of[0].blackboard.update(battery=round(world.battery), cups=world.cups)
        return Status.SUCCESS

    trees: list[Tree] = []
    jobs = ReactiveSelector([recharge, tidy_up, Running("idle")], "decide")
    tree = Tree(ReactiveSequence([report(trees), jobs], "tidy robot"), clock=lambda: world.time)
    trees.append(tree)
    return tree


def run(world: World, tree: Tree, ticks: int, pause: float = 0.0) -> None:
    """Ticks the tree; pauses after each tick [s]."""
    for _ in range(ticks):
        world.time += PERIOD
        tree.tick()
        time.sleep(pause)


def main() -> None:
    """Reads the arguments and runs the robot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ticks", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--view", action="store_true", help="show the tree in the browser")
    parser.add_argument("--html", type=Path, help="write the recording as a page")
    arguments = parser.parse_args()
    world = World(arguments.seed)
    tree = make_tree(world)
    with Trace(tree, blackboard=True) as trace:
        if arguments.view:
            with TreeViewer(tree) as viewer:
                try:
                    print(f"open {viewer.url}; Ctrl-C ends")
                    while True:
                        run(world, tree, 1, PERIOD / 10)
                except KeyboardInterrupt:
                    pass
        else:
            run(world, tree, arguments.ticks)
    if arguments.html:
        arguments.html.write_text(render_html(trace.recording, "Tidy robot"), encoding="utf-8")
    print(f"{world.cups} cups in {world.time:.0f} s, battery at {world.battery:.0f} %")
    print(tree)


if __name__ == "__main__":
    main()
