# SPDX-License-Identifier: Apache-2.0
"""How many small pictures does a core draw for learners, beside MuJoCo's own renderer?

A chain of six capsules and balls over a ground is stepped, and seen by a camera of 64 x 64 pixels.
Figures are steps with a picture per CPU second, in turns with `mujoco.Renderer` on the same file.
Each pixel of DeepSim's pictures is drawn four times finer, so that edges are smooth.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import process_time

import mujoco
from report import write

from deepsim import ModelSpawner, MujocoSimulator, World

SIZE = 64  # pixels
STEPS = 10  # of physics between two pictures
ROUNDS, PICTURES = 7, 128  # in each round
LINK = """<body pos="0 0 .25"><joint axis="{axis}" damping=".1"/>
  <geom type="capsule" fromto="0 0 0 0 0 .2" size=".04" rgba=".8 .4 .1 1"/>
  <geom type="sphere" pos="0 0 .22" size=".06" rgba=".2 .3 .5 1"/>"""
AXES = ("1 0 0", "0 1 0") * 3
CHAIN = f"""<mujoco><option timestep=".002"/><worldbody>
  <geom type="plane" size="5 5 .1" pos="0 0 -2" rgba=".5 .5 .5 1"/>
  <body name="base"><geom type="box" size=".2 .2 .1"/>
    <camera name="eye" pos="0 -2.5 .8" xyaxes="1 0 0 0 0 1" fovy="60" resolution="{SIZE} {SIZE}"/>
    {"".join(LINK.format(axis=axis) for axis in AXES)}{"</body>" * len(AXES)}
  </body></worldbody></mujoco>"""


def ours(worlds: int) -> Callable[[], object]:
    """Returns a step of all worlds, with the pictures of all."""
    world = World(MujocoSimulator(worlds=worlds), steps_per_tick=STEPS)
    ModelSpawner(CHAIN).spawn(world, "chain")
    camera = world.sensors["chain::eye"]

    def step() -> object:
        world.tick()
        return camera.rgb

    return step


def plain() -> Callable[[], object]:
    """Returns a step of one world, with its picture by `mujoco.Renderer`."""
    model = mujoco.MjModel.from_xml_string(CHAIN)
    data, renderer = mujoco.MjData(model), mujoco.Renderer(model, SIZE, SIZE)

    def step() -> object:
        mujoco.mj_step(model, data, STEPS)
        renderer.update_scene(data, "eye")
        return renderer.render()

    return step


def main() -> None:
    """Prints and writes the medians over rounds."""
    calls = {f"worlds_{worlds}": (ours(worlds), worlds) for worlds in (1, 16, 64)}
    calls["mujoco_renderer"] = (plain(), 1)
    rates: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(ROUNDS):
        for name, (step, worlds) in calls.items():
            start = process_time()
            for _ in range(PICTURES // worlds):
                step()
            rates[name].append(PICTURES / (process_time() - start))
    figures = {f"{name}_per_cpu_second": median(values) for name, values in rates.items()}
    write("pictures", figures, "deepsim", "mujoco")


if __name__ == "__main__":
    main()
