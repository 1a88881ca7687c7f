# SPDX-License-Identifier: Apache-2.0
"""Small robots that the tests share."""

from __future__ import annotations

from deepsim_spawn import GazeboXMLLoader, WorldDescription


def empty_world(gravity: bool = True) -> WorldDescription:
    """A world of physics steps of 2 ms."""
    pull = "0 0 -9.81" if gravity else "0 0 0"
    return GazeboXMLLoader().load_world(
        f'<sdf version="1.7"><world name="w"><gravity>{pull}</gravity>'
        '<physics type="ode"><max_step_size>0.002</max_step_size></physics></world></sdf>'
    )


GROUND = GazeboXMLLoader().load_world("""<sdf version="1.7"><world name="hall"><model name="ground">
<static>true</static><link name="link"><collision name="c"><geometry><plane/></geometry></collision>
</link></model></world></sdf>""")
"""A world with a plane, in steps of 1 ms."""


def link(name: str, mass: float = 1.0, at: str = "0 0 0 0 0 0", center: str = "0 0 0") -> str:
    """A link without collisions."""
    return (
        f'<link name="{name}"><pose>{at}</pose><inertial><pose>{center} 0 0 0</pose>'
        f"<mass>{mass}</mass><inertia><ixx>.01</ixx><iyy>.01</iyy><izz>.01</izz></inertia>"
        "</inertial></link>"
    )


def joint(
    name: str,
    parent: str,
    child: str,
    axis: str = "0 0 1",
    kind: str = "revolute",
    limits: str = "<lower>-2</lower><upper>2</upper><effort>50</effort><velocity>3</velocity>",
) -> str:
    """A joint at the origin of its child."""
    if kind == "fixed":
        ends = f"<parent>{parent}</parent><child>{child}</child>"
        return f'<joint name="{name}" type="fixed">{ends}</joint>'
    return (
        f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>'
        f"<axis><xyz>{axis}</xyz><limit>{limits}</limit></axis></joint>"
    )


def model(*elements: str, name: str = "robot") -> str:
    """A model of elements."""
    return f'<sdf version="1.7"><model name="{name}">{"".join(elements)}</model></sdf>'


ARM = model(
    link("base"),
    link("upper", at="0 0 0.1 0 0 0", center="0.2 0 0"),
    link("lower", at="0.4 0 0.1 0 0 0", center="0.15 0 0"),
    joint("mount", "world", "base", kind="fixed"),
    joint("shoulder", "base", "upper"),
    joint("elbow", "upper", "lower"),
)
"""Two links that turn about z, with limits of -2..2 rad, 50 N m and 3 rad/s."""


def _seven() -> str:
    """Seven joints with the axes and lengths of a common arm, drawn as links without shapes."""
    heights = (
        (0.333, "0 0 1"),
        (0.0, "0 1 0"),
        (0.316, "0 0 1"),
        (0.0, "0 -1 0"),
        (0.384, "0 0 1"),
        (0.0, "0 -1 0"),
        (0.0, "0 0 -1"),
    )
    limits = (
        (-2.9, 2.9),
        (-1.76, 1.76),
        (-2.9, 2.9),
        (-3.07, -0.07),
        (-2.9, 2.9),
        (-0.02, 3.75),
        (-2.9, 2.9),
    )
    sides = (0.0, 0.0, 0.0, 0.0825, -0.0825, 0.0, 0.088)
    elements, x, z, parent = [link("base")], 0.0, 0.0, "base"
    elements.append(joint("mount", "world", "base", kind="fixed"))
    for n, ((height, axis), (low, high), side) in enumerate(
        zip(heights, limits, sides, strict=True), 1
    ):
        x, z = x + side, z + height
        elements.append(link(f"link{n}", 1.0, f"{x} 0 {z} 0 0 0"))
        text = f"<lower>{low}</lower><upper>{high}</upper><effort>90</effort>"
        elements.append(joint(f"joint{n}", parent, f"link{n}", axis, limits=text))
        parent = f"link{n}"
    return model(*elements, name="seven")


SEVEN = _seven()
"""An arm of seven joints, joint1 to joint7, fixed to the world."""


def wheels(*names: str, steering: tuple[str, ...] = ()) -> str:
    """A base with wheels that turn about y, and some joints that steer about z."""
    elements = [link("base")]
    elements.append(joint("mount", "world", "base", kind="fixed"))
    for name in (*names, *steering):
        axis = "0 0 1" if name in steering else "0 1 0"
        elements.append(link(f"{name}_link", 0.5))
        limits = "<effort>20</effort><velocity>50</velocity>"
        elements.append(joint(name, "base", f"{name}_link", axis, "continuous", limits))
    return model(*elements, name="wheels")
