# SPDX-License-Identifier: Apache-2.0
"""The house: three rooms in a row along x, sliding doors between them, a lamp in each, a table."""

from __future__ import annotations

from collections.abc import Iterator

from deepsim import GazeboXMLLoader
from deepsim_spawn import ModelDescription, WorldDescription

ROOMS = {"hall": -4.0, "kitchen": 0.0, "study": 4.0}  # middle of each along x [m]
DOORS = {"west_door": -2.0, "east_door": 2.0}  # [m]
SIZE = 4.0  # of a room along x and y [m]
GAP = 1.1  # width of a doorway, in the middle of a wall [m]
TABLE = 0.4  # height of its top [m]

WALL, FLOOR, WOOD, GLASS = ".82 .8 .76 1", ".55 .5 .44 1", ".5 .33 .2 1", ".25 .5 .6 1"


def box(name: str, size: str, color: str, place: str = "0 0 0") -> str:
    """Returns a box that is seen and touched; size and place in m."""
    shape = f"<pose>{place} 0 0 0</pose><geometry><box><size>{size}</size></box></geometry>"
    material = f"<material><ambient>{color}</ambient><diffuse>{color}</diffuse></material>"
    return (
        f'<collision name="{name}">{shape}</collision>'
        f'<visual name="{name}">{shape}{material}</visual>'
    )


def parts() -> Iterator[str]:
    """Yields the walls, low enough to see over them, and the table."""
    length, side = 3 * SIZE, 0.5 * (SIZE - GAP)
    for number, y in enumerate((-0.5 * SIZE, 0.5 * SIZE)):
        yield box(f"long_{number}", f"{length} .1 1", WALL, f"0 {y} .5")
    for number, x in enumerate((-0.5 * length, 0.5 * length)):
        yield box(f"end_{number}", f".1 {SIZE} 1", WALL, f"{x} 0 .5")
    for name, x in DOORS.items():
        for number, y in enumerate((-0.5 * (GAP + side), 0.5 * (GAP + side))):
            yield box(f"{name}_{number}", f".1 {side} 1", WALL, f"{x} {y} .5")
    yield box("table", f"1.2 .8 {TABLE}", WOOD, f"0 1.5 {0.5 * TABLE}")


def door(name: str, x: float) -> str:
    """Returns a panel that slides along y, beside the wall; at 0 m it closes the doorway."""
    return f"""<model name="{name}"><pose>{x + 0.1} 0 .5 0 0 0</pose>
      <link name="panel"><gravity>false</gravity>
        <inertial><mass>8</mass>
          <inertia><ixx>1.5</ixx><iyy>.7</iyy><izz>.8</izz></inertia></inertial>
        {box("panel", f".04 {GAP + 0.1} .9", GLASS)}</link>
      <joint name="slide" type="prismatic"><parent>world</parent><child>panel</child>
        <axis><xyz>0 1 0</xyz><limit><lower>0</lower><upper>{GAP}</upper><effort>200</effort>
        <velocity>1.5</velocity></limit></axis></joint></model>"""


def lamp(room: str, x: float) -> str:
    """Returns a light above a room, dark at first, and the bulb that shows it."""
    return f"""<light name="{room}_lamp" type="point"><pose>{x} 0 1.9 0 0 0</pose>
        <diffuse>0 0 0 1</diffuse><specular>0 0 0 1</specular>
        <attenuation><range>6</range><constant>.4</constant><linear>.15</linear></attenuation></light>
      <model name="{room}_bulb"><static>true</static><pose>{x} 0 2 0 0 0</pose><link name="link">
        <visual name="bulb"><geometry><sphere><radius>.07</radius></sphere></geometry>
        <material><ambient>.9 .8 .5 1</ambient><diffuse>.9 .8 .5 1</diffuse>
        <specular>.1 .1 .1 1</specular></material></visual></link></model>"""


def house() -> WorldDescription:
    """Returns the house without robots."""
    doors = "".join(door(name, x) for name, x in DOORS.items())
    lamps = "".join(lamp(room, x) for room, x in ROOMS.items())
    return GazeboXMLLoader().load_world(f"""<sdf version="1.7"><world name="house">
      <physics type="ode"><max_step_size>0.002</max_step_size></physics>
      <light name="moon" type="directional"><direction>-.3 .4 -.9</direction>
        <diffuse>.3 .3 .36 1</diffuse></light>
      <model name="building"><static>true</static><link name="link">
        <collision name="ground"><geometry><plane/></geometry></collision>
        <visual name="floor"><pose>0 0 .001 0 0 0</pose>
          <geometry><plane><size>{3 * SIZE} {SIZE}</size></plane></geometry>
          <material><ambient>{FLOOR}</ambient><diffuse>{FLOOR}</diffuse></material></visual>
        {"".join(parts())}</link></model>
      {doors}{lamps}</world></sdf>""")


def cup() -> ModelDescription:
    """Returns a cup, 8 cm high, that stands on its frame's origin."""
    shape = "<geometry><cylinder><radius>.028</radius><length>.08</length></cylinder></geometry>"
    return GazeboXMLLoader().load_model(f"""<sdf version="1.7"><model name="cup"><link name="link">
      <inertial><pose>0 0 .04 0 0 0</pose><mass>.2</mass>
        <inertia><ixx>.00015</ixx><iyy>.00015</iyy><izz>.00008</izz></inertia></inertial>
      <collision name="side"><pose>0 0 .04 0 0 0</pose>{shape}
        <surface><friction><ode><mu>1</mu><mu2>1</mu2></ode></friction></surface></collision>
      <visual name="side"><pose>0 0 .04 0 0 0</pose>{shape}
        <material><ambient>.8 .2 .15 1</ambient><diffuse>.85 .2 .15 1</diffuse></material></visual>
      </link></model></sdf>""")
