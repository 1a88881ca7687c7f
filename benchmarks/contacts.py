# SPDX-License-Identifier: Apache-2.0
"""What contacts, wheels and servos do: theory, Gazebo 11 and the embedded engine.

They are played at the defaults and at MuJoCo's own settings, which deepsim-mujoco 0.3 had, in steps
of 1 ms unless a row says otherwise, and the table in docs/embedded-and-gazebo.md is written anew.
The scenes are those of the tests. Gazebo's figures are kept in results/contacts_gazebo.json and
measured anew, for all scenes or those whose names match a pattern, by

    python tools/gazebo run -- .venv/bin/python benchmarks/contacts.py --gazebo [PATTERN]
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from report import RESULTS, write, write_table

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "libs/deepsim-mujoco/tests"))

from contact_scenes import (  # noqa: E402, the tests' scenes
    BEFORE,
    Scene,
    bounces,
    carried,
    creep,
    grasped,
    impact,
    kick,
    precession,
    slide,
    spun_down,
    sunk,
    tumbling,
)
from servo_scenes import momentum_felt, settling  # noqa: E402
from wheel_scenes import (  # noqa: E402
    DIFFERENTIAL,
    SKID,
    braked,
    circling,
    quasi_static,
    turning,
)

from deepsim_gazebo import GazeboSimulator  # noqa: E402
from deepsim_spawn import MujocoOptions, WorldDescription  # noqa: E402
from deepsim_sync import SimulationError  # noqa: E402

PAGE = ROOT / "docs/embedded-and-gazebo.md"


class Row(NamedTuple):
    """One line of the table.

    Attributes:
        name: What is played.
        unit: Of the figures.
        theory: What a rigid body would do.
        measure: Plays it with some options.
        scale: From the measured unit to that of the table.
        advised: Options that suit it better than the defaults.
        phased: Whether it is the mean of many worlds; Gazebo, which has one, plays one.
    """

    name: str
    unit: str
    theory: str
    measure: Callable[..., float]
    scale: float = 1.0
    advised: MujocoOptions | None = None
    phased: bool = False

    @property
    def key(self) -> str:
        """Its name among the figures."""
        return f"{self.name} [{self.unit or 1}]"


def returned(restitution: float) -> Callable[..., float]:
    """Returns the mean speed of 40 phases after a bounce over that before."""
    return lambda **settings: float(np.mean(bounces(restitution, **settings)))


def along_a_belt(**settings: object) -> float:
    """Returns the speed of a box along a belt of 0.5 m/s."""
    return carried(**settings)[0]


def turned(
    places: Sequence[tuple[float, float]], load: float = 8.0, step: float = 0.001
) -> Callable[..., float]:
    """Returns the yaw rate over quasi-static theory of a robot whose servos have kv 50."""
    theory = quasi_static(places, 50.0, load)
    return lambda **settings: turning(places, 50.0, load, step, **settings) / theory


def effort_felt(**settings: object) -> float:
    """Returns the impulse of a servo's efforts over the momentum that its slide has."""
    return momentum_felt(10.0, **settings)[0]


def acceleration_felt(**settings: object) -> float:
    """Returns the integral of an inertial unit on that slide over the slide's velocity."""
    return momentum_felt(10.0, **settings)[1]


RK4 = MujocoOptions("rk4")
DAMPED = MujocoOptions(contact_damping=3.0)
RATIO = "of theory"
ROWS = (
    Row("cube slides down 1.1 of its friction angle", RATIO, "1", partial(slide, 0)),
    Row("the same, slope along the cube's diagonal", RATIO, "1", partial(slide, 45)),
    Row("the same, slope at 22.5 degrees to the cube", RATIO, "1", partial(slide, 22.5)),
    Row("the same, tile 0.04 m high", RATIO, "1", partial(slide, 22.5, height=0.04)),
    Row(
        "the same, cube down 1.5 of its friction angle",
        RATIO,
        "1",
        partial(slide, 22.5, steepness=1.5),
    ),
    Row("cube of mu 0.5 at rest on 17 degrees, 10 s", "mm", "0", partial(creep, 0), 1000.0),
    Row(
        "the same at rest, slope at 22.5 degrees to the cube",
        "mm",
        "0",
        partial(creep, 22.5),
        1000.0,
    ),
    Row("depth of a ball that falls from 1 m", "mm", "0", impact, 1000.0),
    Row("stack of ten cubes, too low by", "mm", "0", partial(sunk, [1.0] * 10), 1000.0),
    Row("100 kg on 1 kg, too low by", "mm", "0", partial(sunk, [1.0, 100.0]), 1000.0),
    Row("1000 kg on 1 kg, too low by", "mm", "0", partial(sunk, [1.0, 1000.0]), 1000.0),
    Row("0.5 kg between two fingers of 10 N slips in 10 s", "mm", "0", grasped, 1000.0),
    Row("restitution 0.2, mean of 40 phases", "", "0.2", returned(0.2), phased=True),
    Row("restitution 0.5", "", "0.5", returned(0.5), phased=True),
    Row("restitution 0.8", "", "0.8", returned(0.8), phased=True),
    Row("restitution 1", "", "1", returned(1.0), phased=True),
    Row(
        "robot of 31 kg kicks a ball at 1.5 m/s, no friction",
        "m/s",
        "1.5",
        partial(kick, 0),
        1.0,
        DAMPED,
        phased=True,
    ),
    Row("the same robot, both of mu 0.5", "m/s", "", partial(kick, 0.5), 1.0, DAMPED, phased=True),
    Row("cube on a belt of 0.5 m/s", "m/s", "0.5", along_a_belt),
    Row("ball with a patch of 5 cm spins down, ground without one", RATIO, "1", spun_down),
    Row("two wheels 5 cm wide turn a robot of 9 kg", RATIO, "1", turned(DIFFERENTIAL)),
    Row("four such wheels turn a robot of 10 kg, skid steering", RATIO, "1", turned(SKID)),
    Row("the same with 3 kg, steps of 5 ms", RATIO, "1", turned(SKID, 1.0, 0.005)),
    Row(
        "car with steered wheels in a circle of 1 m, steps of 5 ms",
        RATIO,
        "1",
        partial(circling, 0.005),
    ),
    Row("tyres with brakes creep on 15 degrees, 3 s", "mm", "0", partial(braked, 0.001), 1000.0),
    Row(
        "velocity servo with an effort limit settles in I dv / L",
        RATIO,
        "1",
        partial(settling, 8.0, 0.05),
    ),
    Row("efforts of an accelerating servo add up to the momentum", RATIO, "1", effort_felt),
    Row("and readings of the inertial unit on it to the velocity", RATIO, "1", acceleration_felt),
    Row("energy of a body that tumbles at 10 rad/s, 10 s", "%", "0", tumbling, 100.0, RK4),
    Row("precession of a top of 300 rad/s", RATIO, "1", precession, 1.0, RK4),
)


def figure(row: Row, options: MujocoOptions | None) -> float | None:
    """Returns what a row measures; None where it diverges."""
    try:
        return row.scale * row.measure(options=options)
    except SimulationError:
        return None


def on_gazebo(pattern: str) -> None:
    """Plays scenes with matching names on the gzserver that this was started beside."""
    gazebo = GazeboSimulator()

    def make(world: WorldDescription, worlds: int) -> GazeboSimulator:
        assert worlds == 1
        gazebo.load(world)
        return gazebo

    Scene.make = staticmethod(make)
    figures = json.loads((RESULTS / "contacts_gazebo.json").read_text())
    for row in ROWS:
        if re.search(pattern, row.name) and row.measure is not precession:  # sets joint velocity
            found = row.measure(phases=1) if row.phased else row.measure()
            figures[row.key] = row.scale * found
    write("contacts_gazebo", figures)


def main() -> None:
    """Plays all scenes, there or here."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--gazebo", nargs="?", const="", metavar="PATTERN", help="play matching ones on Gazebo"
    )
    pattern = parser.parse_args().gazebo
    if pattern is None:
        compare()
    else:
        on_gazebo(pattern)


def compare() -> None:
    """Plays all scenes on the embedded engine, and writes the table."""
    gazebo = json.loads((RESULTS / "contacts_gazebo.json").read_text())
    lines = [
        "| scene | unit | theory | Gazebo 11 | MuJoCo's own settings | default | with options |",
        "|---|---|---|---|---|---|---|",
    ]
    figures: dict[str, float | None] = {}
    for row in ROWS:
        texts = []
        for kind, options in (("before", BEFORE), ("now", None), ("advised", row.advised)):
            if kind == "advised" and options is None:
                texts.append("")
                continue
            value = figure(row, options)
            figures[f"{row.key}, {kind}"] = value
            texts.append("diverges" if value is None else f"{value:.3g}")
        if row.advised is not None:
            texts[-1] += " `integrator` rk4" if row.advised == RK4 else " `contact_damping` 3"
        there = f"{gazebo[row.key]:.3g}" if row.key in gazebo else ""
        cells = [row.name, row.unit, row.theory, there, *texts]
        lines.append("| " + " | ".join(cells).replace("  ", " ") + " |")
    write_table(PAGE, "python benchmarks/contacts.py", lines)
    write("contacts", figures, "mujoco", "numpy")


if __name__ == "__main__":
    main()
