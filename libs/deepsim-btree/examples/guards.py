# SPDX-License-Identifier: Apache-2.0
"""Five guards of a game patrol a wall; one that sees the thief runs after him.

One function makes the tree of each guard.
"""

from __future__ import annotations

from dataclasses import dataclass

from deepsim_btree import ReactiveSelector, Sequence, Status, Tree, action, condition

WALL = 100  # [m]


@dataclass
class Thief:
    """He climbs over the wall somewhere, and runs along it."""

    place: int = 48


@dataclass
class Guard:
    """Where a guard is on the wall, and which way he walks."""

    place: int
    thief: Thief
    step: int = 1
    has_caught: bool = False


@condition
def sees_thief(guard: Guard) -> bool:
    """Sees 10 m to either side."""
    return abs(guard.thief.place - guard.place) <= 10


@action
def chase(guard: Guard) -> Status:
    """Runs 3 m a tick."""
    way = guard.thief.place - guard.place
    guard.place += max(-3, min(3, way))
    guard.has_caught = guard.place == guard.thief.place
    return Status.SUCCESS if guard.has_caught else Status.RUNNING


@action
def patrol(guard: Guard) -> Status:
    """Walks to the end of the wall and back."""
    if not 0 <= guard.place + guard.step <= WALL:
        guard.step = -guard.step
    guard.place += guard.step
    return Status.RUNNING


def guarding(guard: Guard) -> Tree:
    """Returns the tree of a guard."""
    return Tree(ReactiveSelector([Sequence([sees_thief(guard), chase(guard)]), patrol(guard)]))


def main() -> None:
    """Runs until the thief is caught."""
    thief = Thief()
    guards = [Guard(place, thief) for place in range(0, WALL, 20)]
    trees = [guarding(guard) for guard in guards]
    for second in range(1, 100):
        thief.place = min(WALL, thief.place + 2)
        for tree in trees:
            tree.tick()
        caught = [number for number, guard in enumerate(guards) if guard.has_caught]
        if caught:
            names = ", ".join(map(str, caught))
            print(f"caught after {second} s at {thief.place} m by {names}")
            return
    print("he got away")


if __name__ == "__main__":
    main()
