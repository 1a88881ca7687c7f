# SPDX-License-Identifier: Apache-2.0
"""Loads the robots of MuJoCo Menagerie that are on disk, and writes docs/menagerie.md.

    MENAGERIE_ROOT=... python benchmarks/menagerie.py

Each robot is put on the ground at home, and held there for two seconds; so is the robot of the
scene that comes with it, stepped by MuJoCo alone. Where they differ, a second run, ``--alike``, has
the floor, the friction cone and the height of the scene, and MuJoCo alone iterates as often as a
world. With the name of a robot, its row is printed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timezone
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from deepsim_math import Pose, Vector3
from deepsim_mujoco import MujocoSimulator
from deepsim_robots import Robot
from deepsim_spawn import (
    STANDING,
    GazeboXMLLoader,
    MjcfModel,
    MujocoOptions,
    Physics,
    WorldDescription,
)
from deepsim_sync import SCOPE, World

GROUND = """<sdf version="1.9"><world name="ground"><model name="ground"><static>true</static>
<link name="link"><collision name="plane"><geometry><plane/></geometry></collision></link></model>
</world></sdf>"""
PLANE = int(mujoco.mjtGeom.mjGEOM_PLANE)
SECONDS = 2.0
CLOSE = 1.0  # [mm or mrad]
STEADY = 100.0  # [mrad or mm]; what moves more falls or swings, and differs by chance
PAGE = Path(__file__).resolve().parents[1] / "docs" / "menagerie.md"
NOTES = {"shadow_dexee": "MuJoCo's plugin lets targets jump that `slewmax` limits"}
"""Explanations of differences, by robot."""
HEAD = """# Robots of MuJoCo Menagerie

`make menagerie MENAGERIE_ROOT=...` loads each robot of
[MuJoCo Menagerie](https://github.com/google-deepmind/mujoco_menagerie) whose files are in a
folder, and writes this page. Last: {date}, MuJoCo {mujoco}. {loaded} of {robots} robots load, with
{actuators} of the {of_files} actuators and {sensors} of the {of_sensors} sensors of their files.

Each robot is put on the ground at home by `Robot.load(world, "menagerie/NAME")`, and held there for
2 s, as is the robot of its own scene in plain MuJoCo, with the same controls. The columns are
actuators and sensors with us and in the file, then the difference of the height of a free base
[mm], the largest difference of a joint [mrad, or mm of slides], and how far a joint of plain
MuJoCo's moved. Objects of a scene touch nothing. Where the two differ, the column "alike" has
the larger difference of a second run, with the floor, the start and `cone`, `impratio` and
`integrator` of the scene in place of the ground and the options of a DeepSim world, and with the
solver of a world in place of the scene's. Of the {steady} robots whose joints move by at most
{moved:g} there, {close} end within 1 mm and 1 mrad; of all {loaded}, {alike} do if the second run
counts.

{note}| robot | actuators | sensors | base | joints | moved | alike | |
|---|---|---|---|---|---|---|---|
"""


@dataclass
class Row:
    """What became of a robot."""

    name: str
    error: str = ""
    actuators: int = 0
    controls: int = 0
    sensors: int = 0
    own_sensors: int = 0
    height: float | None = None
    """Difference of the heights of the free base after two seconds [mm]; None if it is fixed."""
    angle: float = 0.0
    """Largest difference of a joint's position after two seconds [mrad, or mm of slides]."""
    moved: float = 0.0
    """The same for plain MuJoCo between the beginning and the end."""
    alike: float | None = None
    """The larger difference with the floor and the options of the scene; None if not measured."""


def registry() -> dict[str, Any]:
    """Returns the robots of the installed package mujoco-menagerie."""
    files = distribution("mujoco-menagerie").files or ()
    found = next(file for file in files if file.name == "registry.json")
    robots: dict[str, Any] = json.loads(Path(str(found.locate())).read_text("utf-8"))["robots"]
    return robots


def measure(name: str, *, alike: bool) -> Row:
    """Loads one robot, and compares it with the bare engine.

    Args:
        name: Name of the robot.
        alike: Whether floor, friction cone and start are the scene's, whose solver converges.
    """
    row, entry = Row(name), registry()[name]
    folder = Path(os.environ["MENAGERIE_ROOT"]) / name
    points = entry["entry_points"]
    file = folder / points[entry["default_model"]]["file"]
    scene = folder / points[entry.get("default_scene") or entry["default_model"]]["file"]
    alone = mujoco.MjModel.from_xml_path(str(file))
    row.actuators, row.sensors = int(alone.nactuator), int(alone.nsensor)
    plain = mujoco.MjModel.from_xml_path(str(scene))
    robot = ours(name, plain) if alike else on_ground(name, float(plain.opt.timestep))
    world = robot.world
    for body in set(names(plain)) - set(names(alone)):  # objects of the scene
        own = (plain.geom_bodyid == plain.body(body).id) & (plain.geom_type != PLANE)
        plain.geom_contype[own] = plain.geom_conaffinity[own] = 0
    controls = world.simulator.descriptions.controls.get(name, ())
    row.controls = len(controls)
    row.own_sensors = sum(each.kind == "value" for each in world.simulator.sensors.infos.values())
    data = at_home(plain)
    for number, control in enumerate(controls):  # a scene adds no actuators
        table = world.joints if control.kind == "joints" else world.actuators
        value = table.select([control.row]).get(control.column)[0, 0]
        data.ctrl[number] = (value - control.offset) / control.scale
    start = data.qpos.copy()
    placed = world.links.pose[0, :, 2]
    for _ in range(round(SECONDS / plain.opt.timestep)):
        mujoco.mj_step(plain, data)
        world.tick()
    compare(row, world, robot, plain, (data, start, placed))
    return row


def names(model: mujoco.MjModel) -> list[str]:
    """Returns the names of the bodies."""
    return [model.body(number).name for number in range(model.nbody)]


def on_ground(name: str, step: float) -> Robot:
    """Returns a robot on the ground of a world."""
    physics = Physics(max_step_size=step)
    ground = replace(GazeboXMLLoader().load_world(GROUND), physics=physics)
    return Robot.load(World(MujocoSimulator(ground)), f"menagerie/{name}")


def ours(name: str, plain: mujoco.MjModel) -> Robot:
    """Returns a robot on the floor of its scene, in a world with the options of the scene."""
    plain.opt.iterations, plain.opt.ls_iterations, plain.opt.tolerance = 100, 50, 1e-10
    plain.opt.noslip_iterations = plain.opt.density = plain.opt.viscosity = 0  # a world has none
    integrator = ("euler", "rk4", "implicit", "implicitfast", "discrete")[plain.opt.integrator]
    options = MujocoOptions(
        integrator=integrator,
        cone="elliptic" if plain.opt.cone else "pyramidal",
        impratio=float(plain.opt.impratio),
    )
    physics = Physics(max_step_size=float(plain.opt.timestep), mujoco=options)
    gravity = Vector3(*plain.opt.gravity.tolist())
    world = World(MujocoSimulator(WorldDescription(gravity=gravity, physics=physics)))
    floors = np.flatnonzero(plain.geom_type == PLANE)
    geoms, height = "", 0.0
    for geom in floors:
        settings = {
            key: " ".join(map(repr, getattr(plain, f"geom_{key}")[geom].tolist()))
            for key in ("friction", "solref", "solimp")
        }
        settings["condim"] = str(plain.geom_condim[geom])
        for key in ("contype", "conaffinity"):  # bit 1 is for soles that touch by pairs
            settings[key] = str(getattr(plain, f"geom_{key}")[geom] | 1)
        text = " ".join(f'{key}="{value}"' for key, value in settings.items())
        geoms += f'<geom type="plane" size="0 0 .05" {text}/>'
        height = float(plain.geom_pos[geom, 2])
    robot = Robot.load(world, f"menagerie/{name}", pose=Pose((0.0, 0.0, -height)))
    floor = f'<mujoco><worldbody><body name="floor">{geoms}</body></worldbody></mujoco>'
    world.spawn(MjcfModel(floor), "floor", Pose())
    return robot


def at_home(model: mujoco.MjModel) -> mujoco.MjData:
    """Returns data at the keyframe that `MjcfModel` takes."""
    data = mujoco.MjData(model)
    names = [model.key(number).name for number in range(model.nkey)]
    usual = [each for each in STANDING if each in names]
    if usual or len(names) == 1:
        mujoco.mj_resetDataKeyframe(model, data, names.index(usual[0]) if usual else 0)
    return data


def compare(
    row: Row,
    world: World,
    robot: Robot,
    model: mujoco.MjModel,
    run: tuple[mujoco.MjData, np.ndarray, np.ndarray],
) -> None:
    """Fills in the differences after the run, of which the starts are given."""
    data, start, placed = run
    mine = dict(zip(robot.joints.names, robot.joints.rows.position[0], strict=True))
    for joint in map(model.joint, range(model.njnt)):
        at = int(joint.qposadr[0])
        if joint.name in mine and joint.type[0] > int(mujoco.mjtJoint.mjJNT_BALL):
            now = data.qpos[at]
            row.angle = max(row.angle, 1e3 * abs(mine[joint.name] - now))
            row.moved = max(row.moved, 1e3 * abs(now - start[at]))
        if joint.type[0] == int(mujoco.mjtJoint.mjJNT_FREE) and row.height is None:
            body = model.body(joint.bodyid[0]).name
            link = f"{robot.name}{SCOPE}{body}"
            if link in world.entities.links:
                number = world.entities.links.row(link)
                mine_from, plain_from = placed[number], start[at + 2]
                floor = [
                    data.geom_xpos[geom, 2] for geom in np.flatnonzero(model.geom_type == PLANE)
                ]
                if data.ncon and len(floor):  # it stands on the ground; else it flies or falls
                    mine_from, plain_from = 0.0, min(floor)
                height = world.links.pose[0, number, 2] - mine_from
                row.height = 1e3 * float(height - (data.qpos[at + 2] - plain_from))


def is_close(row: Row) -> bool:
    """Whether base and joints end where MuJoCo's do."""
    return not row.error and abs(row.height or 0.0) <= CLOSE and row.angle <= CLOSE


def is_alike(row: Row) -> bool:
    """Whether they do so in the second run."""
    return row.alike is not None and row.alike <= CLOSE


def page(rows: list[Row], note: str) -> str:
    """Returns the page with a row for each robot; the note is about their files."""
    loaded = [row for row in rows if not row.error]
    steady = [row for row in loaded if row.moved <= STEADY]
    head = HEAD.format(
        date=datetime.now(tz=timezone.utc).date(),
        mujoco=mujoco.__version__,
        robots=len(rows),
        loaded=len(loaded),
        actuators=sum(row.controls for row in loaded),
        of_files=sum(row.actuators for row in loaded),
        sensors=sum(row.own_sensors for row in loaded),
        of_sensors=sum(row.sensors for row in loaded),
        steady=len(steady),
        close=sum(map(is_close, steady)),
        alike=sum(is_close(row) or is_alike(row) for row in loaded),
        moved=STEADY,
        note=note + "\n\n" * bool(note),
    )
    lines = []
    for row in rows:
        if row.error:
            lines.append(f"| {row.name} | | | | | | | its files were incomplete here |")
            continue
        base = "fixed" if row.height is None else f"{row.height:.2f}"
        note = NOTES.get(
            row.name, "" if is_close(row) else "falls or swings" * (row.moved > STEADY)
        )
        alike = "" if row.alike is None else f"{row.alike:.2f}"
        lines.append(
            f"| {row.name} | {row.controls} of {row.actuators} | {row.own_sensors} of "
            f"{row.sensors} | {base} | {row.angle:.2f} | {row.moved:.0f} | {alike} | {note} |"
        )
    return head + "\n".join(lines) + "\n"


def worst(row: Row) -> float | None:
    """Returns the largest difference in a row [mm or mrad]; None if it was not measured."""
    return None if row.error else max(abs(row.height or 0.0), row.angle)


def measured_apart(name: str, *options: str) -> Row:
    """Measures a robot in a process of its own."""
    command = [sys.executable, __file__, name, *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    last = (done.stderr.strip().splitlines() or ["?"])[-1]
    return Row(**json.loads(done.stdout)) if done.stdout.strip() else Row(name, error=last)


def main() -> None:
    """Measures all robots, each in a process of its own, or one."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("robot", nargs="?")
    arguments.add_argument("--note", default="", help="a sentence about the files, for the page")
    arguments.add_argument(
        "--alike", action="store_true", help="with floor and options of the scene"
    )
    given = arguments.parse_args()
    if given.robot:
        print(json.dumps(asdict(measure(given.robot, alike=given.alike))))
        return
    root, rows = Path(os.environ["MENAGERIE_ROOT"]), list[Row]()
    for name in registry():
        if (root / name).is_dir():
            row = measured_apart(name)
            if not (row.error or is_close(row)):
                row.alike = worst(measured_apart(name, "--alike"))
            rows.append(row)
            print(row, flush=True)
    PAGE.write_text(page(rows, given.note), encoding="utf-8")


if __name__ == "__main__":
    main()
