# SPDX-License-Identifier: Apache-2.0
"""Takes pictures of every effect and randomizer: ``python examples/effects.py``.

Writes docs/effects.md and its pictures, rendered on the embedded engine.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from deepsim import CameraView, GazeboXMLLoader, MujocoSimulator, Pose, World
from deepsim_fx import (
    AbstractEffect,
    AbstractRandomizer,
    BlinkEffect,
    CameraRandomizer,
    FadeEffect,
    InvisibleEffect,
    LightRandomizer,
    ModelVisualRandomizer,
    PhysicsRandomizer,
    PoseRandomizer,
    TintEffect,
)
from deepsim_math import Euler

Picture = NDArray[np.uint8]

SIZE = (200, 150)  # [pixels] of one frame
VIEW = CameraView(Pose((-1.5, 1.2, 1.15), Euler(0, 0.5, -0.68)), 0.75, *SIZE)

TRUCK = """<sdf version="1.7"><model name="truck"><link name="chassis">
  <inertial><mass>2</mass><inertia><ixx>.01</ixx><iyy>.01</iyy><izz>.01</izz></inertia></inertial>
  <collision name="c"><pose>0 0 .13 0 0 0</pose>
    <geometry><box><size>.6 .34 .26</size></box></geometry>
    <surface><friction><ode><mu>.3</mu><mu2>.3</mu2></ode></friction></surface></collision>
  <visual name="body"><pose>0 0 .13 0 0 0</pose>
    <geometry><box><size>.6 .3 .1</size></box></geometry>
    <material><ambient>.1 .2 .6 1</ambient><diffuse>.15 .3 .8 1</diffuse></material></visual>
  <visual name="cabin"><pose>.08 0 .24 0 0 0</pose>
    <geometry><box><size>.24 .26 .14</size></box></geometry>
    <material><ambient>.6 .6 .6 1</ambient><diffuse>.8 .8 .8 1</diffuse></material></visual>
  {wheels}
  <sensor name="eye" type="camera"><pose>-1.6 0 .8 0 .35 0</pose><camera>
    <horizontal_fov>.8</horizontal_fov><image><width>200</width><height>150</height></image>
  </camera></sensor></link></model></sdf>"""
WHEEL = """<visual name="wheel_{n}"><pose>{x} {y} .08 1.5708 0 0</pose>
  <geometry><cylinder><radius>.08</radius><length>.05</length></cylinder></geometry>
  <material><ambient>.1 .1 .1 1</ambient><diffuse>.15 .15 .15 1</diffuse></material></visual>"""
PLACES = [(x, y) for x in (-0.18, 0.18) for y in (-0.16, 0.16)]
STREET = """<sdf version="1.7"><world name="street">
  <light name="lamp" type="point"><pose>-.6 .8 1.8 0 0 0</pose><diffuse>.9 .9 .85 1</diffuse>
    <attenuation><range>20</range><constant>.6</constant><linear>.1</linear></attenuation></light>
  <model name="ground"><static>true</static><link name="link">
    <collision name="c"><geometry><plane><normal>0 0 1</normal><size>9 9</size></plane></geometry>
    </collision><visual name="v"><geometry><plane><normal>0 0 1</normal><size>9 9</size></plane>
    </geometry></visual></link></model></world></sdf>"""


class Row(NamedTuple):
    """A row of pictures on the page."""

    title: str
    text: str
    shoot: Callable[[World], Iterable[Picture]]


def street() -> World:
    """Returns a truck on a plane under a lamp, always the same."""
    world = World(MujocoSimulator(GazeboXMLLoader().load_world(STREET)), seed=4, steps_per_tick=50)
    wheels = "".join(WHEEL.format(n=n, x=x, y=y) for n, (x, y) in enumerate(PLACES))
    world.spawn(GazeboXMLLoader().load_model(TRUCK.format(wheels=wheels)), "truck", Pose())
    return world


def effect(make: Callable[[World], AbstractEffect]) -> Callable[[World], Iterable[Picture]]:
    """Takes pictures before an effect of 1 s, at 0.1, 0.35, 0.6 and 0.85 s, and after it."""

    def shoot(world: World) -> Iterable[Picture]:
        for _ in range(20):  # until the truck has settled
            world.tick()
        yield world.render(VIEW)
        make(world).attach()
        for ticks in (3, 5, 5, 5, 6):  # of 50 ms
            for _ in range(ticks):
                world.tick()
            yield world.render(VIEW)

    return shoot


def randomizer(
    make: Callable[[World], AbstractRandomizer],
    camera: CameraView | str = VIEW,
    act: Callable[[World], None] = lambda _: None,
) -> Callable[[World], Iterable[Picture]]:
    """Takes pictures as described and of five draws, each after a reset."""

    def shoot(world: World) -> Iterable[Picture]:
        drawn = make(world)
        for number in range(6):
            world.reset()
            if number:
                drawn.randomize()
            act(world)
            yield world.render(camera)

    return shoot


def slide(world: World) -> None:
    """Pushes the truck at 2 m/s, for a second."""
    truck = world.models.select(["truck"])
    truck.put(pose=[Pose((-0.7, 0, 0))], twist=[(2, 0, 0, 0, 0, 0)])
    for _ in range(20):
        world.tick()


ROWS = [
    Row(
        "BlinkEffect",
        "`BlinkEffect('truck', min_alpha=0.1, interval=0.8, duration=1)`",
        effect(lambda w: BlinkEffect("truck", min_alpha=0.1, interval=0.8, duration=1, world=w)),
    ),
    Row(
        "InvisibleEffect",
        "`InvisibleEffect('truck::chassis::cabin', duration=1)`",
        effect(lambda w: InvisibleEffect("truck::chassis::cabin", duration=1, world=w)),
    ),
    Row(
        "FadeEffect",
        "`FadeEffect('truck', duration=1)`",
        effect(lambda w: FadeEffect("truck", duration=1, world=w)),
    ),
    Row(
        "TintEffect",
        "`TintEffect('truck', (1, 0, 0), strength=0.6, duration=1)`",
        effect(lambda w: TintEffect("truck", (1, 0, 0), strength=0.6, duration=1, world=w)),
    ),
    Row(
        "ModelVisualRandomizer, visual by visual",
        "`ModelVisualRandomizer('truck', 'visual')`",
        randomizer(lambda w: ModelVisualRandomizer("truck", "visual", world=w)),
    ),
    Row(
        "ModelVisualRandomizer, one of two visuals in warm colours",
        "`ModelVisualRandomizer('truck', 'visual', visuals=('body', 'cabin'), num_selection=1, "
        "color=('uniform', (0.7, 0.2, 0), (1, 0.6, 0.1)))`",
        randomizer(
            lambda w: ModelVisualRandomizer(
                "truck",
                "visual",
                visuals=("body", "cabin"),
                num_selection=1,
                color=("uniform", (0.7, 0.2, 0.0), (1.0, 0.6, 0.1)),
                world=w,
            )
        ),
    ),
    Row(
        "LightRandomizer",
        "`LightRandomizer('lamp', color=('uniform', 0.3, 1), linear=('uniform', 0, 0.6))`",
        randomizer(
            lambda w: LightRandomizer(
                "lamp", color=("uniform", 0.3, 1), linear=("uniform", 0, 0.6), world=w
            )
        ),
    ),
    Row(
        "PoseRandomizer",
        "`PoseRandomizer('truck', position=[('normal', 0, 0.25), ('normal', 0, 0.25), 0], "
        "rotation=[0, 0, ('uniform', -3.14, 3.14)])`",
        randomizer(
            lambda w: PoseRandomizer(
                "truck",
                position=[("normal", 0, 0.25), ("normal", 0, 0.25), 0],
                rotation=[0, 0, ("uniform", -3.14, 3.14)],
                world=w,
            )
        ),
    ),
    Row(
        "PhysicsRandomizer",
        "`PhysicsRandomizer('truck', friction=('log-uniform', 0.7, 3))`: where a truck stops "
        "that was pushed at 2 m/s",
        randomizer(
            lambda w: PhysicsRandomizer("truck", friction=("log-uniform", 0.7, 3), world=w),
            act=slide,
        ),
    ),
    Row(
        "CameraRandomizer",
        "`CameraRandomizer('truck::chassis::eye', position=('normal', 0, 0.1), "
        "rotation=('normal', 0, 0.05), horizontal_fov=('uniform', 0.6, 1.1))`",
        randomizer(
            lambda w: CameraRandomizer(
                "truck::chassis::eye",
                position=("normal", 0, 0.1),
                rotation=("normal", 0, 0.05),
                horizontal_fov=("uniform", 0.6, 1.1),
                world=w,
            ),
            camera="truck::chassis::eye",
        ),
    ),
]

HEAD = """# Effects and randomizers in pictures

Drawn by `python examples/effects.py` on the embedded engine. A row shows an effect before it
begins, at 0.1, 0.35, 0.6 and 0.85 s, and after it; of a randomizer, the description and five draws.
"""


def write_page(folder: Path) -> None:
    """Writes effects.md and images/effects/*.png into a folder."""
    images = folder / "images" / "effects"
    images.mkdir(parents=True, exist_ok=True)
    page = [HEAD]
    for number, row in enumerate(ROWS, 1):
        world = street()
        strip = np.concatenate(list(row.shoot(world)), axis=1)
        world.close()
        name = f"{number:02}-{row.title.partition(',')[0].lower()}.png"
        Image.fromarray(strip).save(images / name, optimize=True)
        page.append(f"## {row.title}\n\n{row.text}\n\n![{row.title}](images/effects/{name})\n")
    (folder / "effects.md").write_text("\n".join(page))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(__file__).parents[1] / "docs"
    parser.add_argument("folder", nargs="?", type=Path, default=default, help="by default docs")
    write_page(parser.parse_args().folder)
