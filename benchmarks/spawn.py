# SPDX-License-Identifier: Apache-2.0
"""Models spawned per second, at once and one by one, by how many there are.

All are compiled at once. MuJoCo takes quadratic time for free bodies, each of which gets its
inverse weight by a solve over all of them (`mj_setConst`), and to a lesser degree for whatever is
added to a spec, which it lists anew. So its calls have a clock of their own: what is left is
DeepSim's own part. The function calls of that are linear; its seconds rise somewhat in worlds of
thousands, where MuJoCo's lists push what Python works with out of the processor's cache.

Seconds are those of the processor, and every count has its turn in every round, so that what else
the machine does falls on all alike.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from cProfile import Profile
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any, NamedTuple

import mujoco
import trimesh
from report import write

from deepsim import GazeboXMLLoader, ModelDescription, ModelSpawner, MujocoSimulator, Pose, World

COUNTS = (125, 250, 500, 1000, 2000, 4000)
ONE_BY_ONE = 125
MESHES = 250
MANY = 1000
CALLS = (
    (mujoco.MjSpec, "compile"),
    (mujoco.MjSpec, "recompile"),
    (mujoco.MjSpec, "delete"),
    (mujoco.MjsBody, "add_body"),
    (mujoco.MjsBody, "add_freejoint"),
    (mujoco.MjsBody, "add_geom"),
)
"""Those whose time grows with the world."""
BOX = """<sdf version="1.6"><model name="box"><static>{}</static><link name="link">
<inertial><mass>1</mass><inertia><ixx>0.0067</ixx><iyy>0.0067</iyy><izz>0.0067</izz></inertia></inertial>
<collision name="c"><geometry><box><size>0.2 0.2 0.2</size></box></geometry></collision>
<visual name="v"><geometry><box><size>0.2 0.2 0.2</size></box></geometry></visual>
</link></model></sdf>"""


class Clock:
    """Seconds within `CALLS`."""

    def __init__(self) -> None:
        self.seconds = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Puts this clock around the calls."""
        calls = [(owner, name, getattr(owner, name)) for owner, name in CALLS]
        try:
            for owner, name, call in calls:
                setattr(owner, name, self._timed(call))
            yield
        finally:
            for owner, name, call in calls:
                setattr(owner, name, call)

    def _timed(self, call: Any) -> Any:
        def timed(*args: Any, **kwargs: Any) -> Any:
            start = process_time()
            try:
                return call(*args, **kwargs)
            finally:
                self.seconds += process_time() - start

        return timed


class Seconds(NamedTuple):
    """To spawn many in one batch: in all, and within MuJoCo."""

    total: float
    within: float


def at_once(description: ModelDescription, count: int) -> Seconds:
    """Spawns many in one batch."""
    world, spawner = World(MujocoSimulator()), ModelSpawner(description)
    poses = {f"m{n}": Pose((n % 50, n // 50, 1)) for n in range(count)}
    clock = Clock()
    with clock.running():
        start = process_time()
        spawner.spawn_many(world, poses)
        return Seconds(process_time() - start, clock.seconds)


def calls(description: ModelDescription, count: int) -> int:
    """Function calls to spawn many in one batch."""
    world, spawner = World(MujocoSimulator()), ModelSpawner(description)
    poses = {f"m{n}": Pose((n % 50, n // 50, 1)) for n in range(count)}
    profile = Profile()
    profile.runcall(spawner.spawn_many, world, poses)
    return sum(entry.callcount for entry in profile.getstats())


def one_by_one(description: ModelDescription, count: int) -> float:
    """Seconds to spawn as many, one after the other."""
    world, spawner = World(MujocoSimulator()), ModelSpawner(description)
    start = process_time()
    for n in range(count):
        spawner.spawn(world, f"m{n}", Pose((n % 50, n // 50, 1)))
    return process_time() - start


def one_more(description: ModelDescription, count: int) -> dict[str, Seconds]:
    """Spawns one model into many, and deletes it again."""
    world, spawner = World(MujocoSimulator()), ModelSpawner(description)
    spawner.spawn_many(world, {f"m{n}": Pose((n % 50, n // 50, 1)) for n in range(count)})
    found = {}
    for name, call in (
        ("spawn one into", lambda: spawner.spawn(world, "one", Pose((0, 0, 9)))),
        ("delete one from", lambda: world.delete("one")),
    ):
        clock = Clock()
        with clock.running():
            start = process_time()
            call()
            found[name] = Seconds(process_time() - start, clock.seconds)
    return found


def mesh(folder: Path) -> ModelDescription:
    """A static ball, in a file that all models share."""
    trimesh.creation.icosphere(4).export(folder / "ball.obj")
    shape = "<mesh><uri>ball.obj</uri></mesh>"
    box = "<box><size>0.2 0.2 0.2</size></box>"
    (folder / "model.sdf").write_text(BOX.format("true").replace(box, shape))
    return GazeboXMLLoader().load_model(folder / "model.sdf")


def main() -> None:
    """Measures free and static boxes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    figures: dict[str, float] = {}
    for kind, static in (("free", "false"), ("static", "true")):
        box = GazeboXMLLoader().load_model(BOX.format(static))
        runs: dict[int, list[Seconds]] = {count: [] for count in COUNTS}
        alone = float("inf")
        for _ in range(rounds):
            for count in COUNTS:
                runs[count].append(at_once(box, count))
            alone = min(alone, one_by_one(box, ONE_BY_ONE))
        for count, each in runs.items():
            best = min(each)
            own = min(run.total - run.within for run in each)
            figures[f"{count} {kind} at once, function calls per model"] = calls(box, count) / count
            figures[f"{count} {kind} at once [models/s]"] = count / best.total
            figures[f"{count} {kind} at once, of which MuJoCo [%]"] = 100 * best.within / best.total
            figures[f"{count} {kind} at once, DeepSim's own part [us/model]"] = 1e6 * own / count
        figures[f"{ONE_BY_ONE} {kind} one by one [models/s]"] = ONE_BY_ONE / alone
    box = GazeboXMLLoader().load_model(BOX.format("false"))
    many = [one_more(box, MANY) for _ in range(rounds)]
    for name in many[0]:
        best = min(each[name] for each in many)
        figures[f"{name} {MANY} free [ms]"] = 1e3 * best.total
        figures[f"{name} {MANY} free, over MuJoCo's own"] = best.total / best.within
    with TemporaryDirectory() as folder:
        ball = mesh(Path(folder))
        best = min(at_once(ball, MESHES) for _ in range(rounds))
    figures[f"{MESHES} static, of one mesh of 5120 faces, at once [models/s]"] = MESHES / best.total
    write("spawn", figures, "mujoco", "numpy")


if __name__ == "__main__":
    main()
