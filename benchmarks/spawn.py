# SPDX-License-Identifier: Apache-2.0
"""Models spawned per second, at once and one by one, by how many there are.

The boxes are free: MuJoCo's compiler takes quadratic time for those, and next to none for static
ones. So that a machine's noise falls on all alike, every count has its turn in every round.
"""

from __future__ import annotations

import argparse
from time import perf_counter

from report import write

from deepsim import GazeboXMLLoader, ModelDescription, ModelSpawner, MujocoSimulator, Pose, World

COUNTS = (125, 250, 500, 1000, 2000)
ONE_BY_ONE = 125
BOX = """<sdf version="1.6"><model name="box"><static>{}</static><link name="link">
<inertial><mass>1</mass><inertia><ixx>0.0067</ixx><iyy>0.0067</iyy><izz>0.0067</izz></inertia></inertial>
<collision name="c"><geometry><box><size>0.2 0.2 0.2</size></box></geometry></collision>
<visual name="v"><geometry><box><size>0.2 0.2 0.2</size></box></geometry></visual>
</link></model></sdf>"""


def at_once(description: ModelDescription, count: int) -> float:
    """Seconds to spawn many in one batch."""
    world, spawner = World(MujocoSimulator()), ModelSpawner(description)
    poses = {f"m{n}": Pose((n % 50, n // 50, 1)) for n in range(count)}
    start = perf_counter()
    spawner.spawn_many(world, poses)
    return perf_counter() - start


def one_by_one(description: ModelDescription, count: int) -> float:
    """Seconds to spawn as many, one after the other."""
    world, spawner = World(MujocoSimulator()), ModelSpawner(description)
    start = perf_counter()
    for n in range(count):
        spawner.spawn(world, f"m{n}", Pose((n % 50, n // 50, 1)))
    return perf_counter() - start


def main() -> None:
    """Measures free and static boxes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    figures: dict[str, float] = {}
    for kind, static in (("free", "false"), ("static", "true")):
        box = GazeboXMLLoader().load_model(BOX.format(static))
        best = dict.fromkeys(COUNTS, float("inf"))
        alone = float("inf")
        for _ in range(rounds):
            for count in COUNTS:
                best[count] = min(best[count], at_once(box, count))
            alone = min(alone, one_by_one(box, ONE_BY_ONE))
        figures |= {f"{count} {kind} at once [models/s]": count / best[count] for count in COUNTS}
        figures[f"{ONE_BY_ONE} {kind} one by one [models/s]"] = ONE_BY_ONE / alone
    write("spawn", figures, "mujoco", "numpy")


if __name__ == "__main__":
    main()
