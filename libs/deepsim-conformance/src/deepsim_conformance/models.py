# SPDX-License-Identifier: Apache-2.0
"""The models that simulators are tested with, as SDF 1.6, which every engine can read."""

from __future__ import annotations


def _model(name: str, *parts: str, static: bool = False) -> str:
    inside = f"<static>{str(static).lower()}</static>{''.join(parts)}"
    return f'<?xml version="1.0"?><sdf version="1.6"><model name="{name}">{inside}</model></sdf>'


def _link(name: str, *parts: str, pose: str = "", gravity: bool = True) -> str:
    place = f"<pose>{pose}</pose>" if pose else ""
    falls = f"<gravity>{str(gravity).lower()}</gravity>"
    return f'<link name="{name}">{place}{falls}{"".join(parts)}</link>'


def _inertial(
    mass: float, ixx: float, iyy: float, izz: float, centre: tuple[float, float, float] = (0, 0, 0)
) -> str:
    pose = "<pose>{} {} {} 0 0 0</pose>".format(*centre)
    inertia = f"<inertia><ixx>{ixx}</ixx><iyy>{iyy}</iyy><izz>{izz}</izz></inertia>"
    return f"<inertial>{pose}<mass>{mass}</mass>{inertia}</inertial>"


def _collision(shape: str, mu: float = 1.0) -> str:
    friction = f"<friction><ode><mu>{mu}</mu><mu2>{mu}</mu2></ode></friction>"
    return f'<collision name="collision">{shape}<surface>{friction}</surface></collision>'


def _visual(name: str, shape: str, looks: str = "") -> str:
    return f'<visual name="{name}">{shape}{looks}</visual>'


def _joint(kind: str, parent: str, child: str, axis: str = "", name: str = "joint") -> str:
    ends = f"<parent>{parent}</parent><child>{child}</child>"
    return f'<joint name="{name}" type="{kind}">{ends}{axis}</joint>'


_PLANE = "<geometry><plane><normal>0 0 1</normal><size>100 100</size></plane></geometry>"
_BOX = "<geometry><box><size>0.4 0.4 0.2</size></box></geometry>"
_BALL = "<geometry><sphere><radius>0.1</radius></sphere></geometry>"
_SMALL = _inertial(1, 0.01, 0.01, 0.01)
_TURN = (0.0, 0.0, 0.4794255386042030, 0.8775825618903728)  # by 1 rad about z

GROUND = _model("ground", _link("link", _collision(_PLANE)), static=True)
"""A static plane at z = 0 in its frame, with a friction coefficient of 1."""

BOX_SIZE = (0.4, 0.4, 0.2)
BOX_MU = 0.3
_RED = (
    "<material><ambient>0.8 0.1 0.1 1</ambient><diffuse>0.9 0.2 0.1 1</diffuse>"
    "<specular>0.3 0.3 0.3 1</specular><emissive>0 0 0 1</emissive></material>"
    "<transparency>0.25</transparency>"
)
BOX = _model(
    "box",
    _link(
        "link",
        _inertial(2, 0.03333333333333333, 0.03333333333333333, 0.05333333333333334),
        _collision(_BOX, BOX_MU),
        _visual("paint", _BOX, _RED),
    ),
)
"""A free box of `BOX_SIZE` [m] and 2 kg, with friction coefficient `BOX_MU` and one visual."""

_GREEN = "<material><ambient>0 0.7 0 1</ambient><diffuse>0 0.8 0 1</diffuse></material>"
BLOCK = _model(
    "block", _link("link", _collision(_BOX), _visual("paint", _BOX, _GREEN)), static=True
)
"""A static box of `BOX_SIZE` [m], green."""

PAIR_OFFSET = (0.3, 0.2, 0.5, *_TURN)
PAIR = _model(
    "pair",
    _link("base", _SMALL, gravity=False),
    _link("top", _SMALL, pose="0.3 0.2 0.5 0 0 1", gravity=False),
    _joint("fixed", "base", "top"),
)
"""Two links fixed to each other, free of gravity; ``top`` is at `PAIR_OFFSET` in the model."""

HINGED = _model(
    "hinged",
    _link("base", _SMALL),
    _link("door", _SMALL, pose="0.5 0 0 0 0 0"),
    _joint("revolute", "base", "door", "<axis><xyz>0 0 1</xyz></axis>"),
)
"""A link that turns about the z axis of its own frame, on a free base."""

HAMMER_CENTRE = (0.3, 0.1, -0.2)
HAMMER = _model(
    "hammer", _link("link", _inertial(3, 0.02, 0.03, 0.04, HAMMER_CENTRE), gravity=False)
)
"""A free body without gravity, whose centre of mass is at `HAMMER_CENTRE` in its frame."""

RAISED_OFFSET = (0.2, -0.1, 0.3, *_TURN)
RAISED = _model("raised", _link("link", _SMALL, pose="0.2 -0.1 0.3 0 0 1", gravity=False))
"""A free body without gravity, whose only link is at `RAISED_OFFSET` in the model frame."""

_INNER = _link("core", _visual("skin", _BALL))
OUTER = _model(
    "outer",
    _link("link", _visual("skin", _BALL)),
    f'<model name="inner"><pose>0 0 1 0 0 0</pose>{_INNER}</model>',
    static=True,
)
"""A static model with a nested model one metre above it."""

BULB_OFFSET = (0.1, -0.2, 0.3, *_TURN)
LAMP = _model(
    "lamp",
    _link(
        "link",
        '<light type="point" name="bulb"><pose>0.1 -0.2 0.3 0 0 1</pose>',
        "<diffuse>0.9 0.8 0.7 1</diffuse>",
        "<specular>0.2 0.1 0.1 1</specular><attenuation><range>20</range>",
        "<constant>0.5</constant><linear>0.25</linear><quadratic>0.125</quadratic>",
        "</attenuation></light>",
    ),
    static=True,
)
"""A static model with a point light at `BULB_OFFSET` in the frame of its link."""

EYE = _model(
    "eye",
    _link(
        "link",
        '<sensor type="camera" name="camera"><camera><horizontal_fov>1.0</horizontal_fov>',
        "<image><width>64</width><height>48</height></image>",
        "<clip><near>0.05</near><far>50</far></clip></camera></sensor>",
    ),
    static=True,
)
"""A static camera of 64 x 48 pixels that looks along +x of its frame."""

BRAKE = 20.0  # dry friction of the rail of `BRAKED` [N]
BRAKED = _model(
    "braked",
    _link("link", _inertial(2, 0.01, 0.01, 0.01)),
    _joint(
        "prismatic",
        "world",
        "link",
        f"<axis><xyz>0 0 1</xyz><dynamics><friction>{BRAKE}</friction></dynamics></axis>",
    ),
)
"""A link of 2 kg on a vertical rail with dry friction."""

SINKER_RATE = 20.0
_RAIL = "<axis><xyz>0 0 1</xyz><dynamics><damping>40</damping></dynamics></axis>"
SINKER = _model(
    "sinker",
    _link("link", _inertial(2, 0.01, 0.01, 0.01)),
    _joint("prismatic", "world", "link", _RAIL),
)
"""A link on a vertical rail; `SINKER_RATE` [1/s] is the rail's damping over the link's mass."""

PENDULUM_INERTIA = 0.5 + 0.3**2  # about the hinge [kg m^2]
PENDULUM_LEVER = 0.3 / PENDULUM_INERTIA
PENDULUM = _model(
    "pendulum",
    _link("link", _inertial(1, 0.5, 0.5, 0.5, centre=(0.3, 0, 0))),
    _joint("revolute", "world", "link", "<axis><xyz>0 1 0</xyz></axis>"),
)
"""A link on a hinge along y, with its centre of mass 0.3 m along x, so that it falls at once.

`PENDULUM_LEVER` [1/m] is m l / (I + m l^2), its angular acceleration divided by gravity.
"""

ARM_JOINTS = ("shoulder", "elbow", "hand")
ARM = _model(
    "arm",
    _link("upper", _inertial(2, 0.02, 0.03, 0.04, centre=(0.2, 0, 0))),
    _link("lower", _inertial(1, 0.01, 0.02, 0.02, centre=(0.1, 0.1, 0)), pose="0.4 0 0 0.3 0 0"),
    _link("hand", _inertial(0.5, 0.01, 0.01, 0.01), pose="0.4 0.3 0 0 0 0.5"),
    _joint("revolute", "world", "upper", "<axis><xyz>0 1 0</xyz></axis>", name="shoulder"),
    _joint("revolute", "upper", "lower", "<axis><xyz>0 0 1</xyz></axis>", name="elbow"),
    _joint("prismatic", "lower", "hand", "<axis><xyz>1 0 0</xyz></axis>", name="hand"),
)
"""Three links on two hinges and a slide, fixed to the world."""

CHAIN_MASSES = {
    "chain::base": (2.0, (0.1, 0.0, 0.05)),
    "chain::middle": (1.0, (0.2, 0.0, 0.0)),
    "chain::end": (0.5, (0.1, 0.05, 0.0)),
}
"""Mass [kg] and centre of mass [m] of each link of `CHAIN`, as spawned under the name chain."""
CHAIN = _model(
    "chain",
    _link("base", _inertial(2, 0.02, 0.03, 0.04, centre=(0.1, 0, 0.05)), gravity=False),
    _link(
        "middle",
        _inertial(1, 0.01, 0.02, 0.02, centre=(0.2, 0, 0)),
        pose="0.4 0 0 0.3 0 0",
        gravity=False,
    ),
    _link(
        "end",
        _inertial(0.5, 0.01, 0.01, 0.01, centre=(0.1, 0.05, 0)),
        pose="0.8 0 0 0 0 0.5",
        gravity=False,
    ),
    _joint("revolute", "base", "middle", "<axis><xyz>0 1 0</xyz></axis>", name="first"),
    _joint("revolute", "middle", "end", "<axis><xyz>0 0 1</xyz></axis>", name="second"),
)
"""Three links on two hinges, free to fly and free of gravity; see `CHAIN_MASSES`."""

TURNTABLE = _model(
    "turntable",
    _link("disk", _inertial(50, 20, 20, 20), gravity=False),
    _link("carriage", _inertial(1, 0.01, 0.01, 0.01), pose="0.5 0 0 0 0 0", gravity=False),
    _joint("revolute", "world", "disk", "<axis><xyz>0 0 1</xyz></axis>", name="turn"),
    _joint("prismatic", "disk", "carriage", "<axis><xyz>0 1 0</xyz></axis>", name="slide"),
)
"""A heavy disk that turns about z, and a carriage on a slide along y, 0.5 m beside its centre."""

PARTS = _model(
    "parts",
    _link("base", _SMALL, gravity=False),
    _link("door", _SMALL, pose="0.5 0 0 0 0 0", gravity=False),
    _link("loose", _SMALL, pose="0 1 0.5 0 0 0", gravity=False),
    _joint("revolute", "base", "door", "<axis><xyz>0 0 1</xyz></axis>"),
)
"""Two links on a hinge and a loose one, free of gravity."""

GIMBAL_INERTIA = 0.1  # about any axis [kg m^2]
GIMBAL = _model(
    "gimbal",
    _link(
        "link", _inertial(1, GIMBAL_INERTIA, GIMBAL_INERTIA, GIMBAL_INERTIA), pose="0.2 0 0 0.3 0 0"
    ),
    _joint("ball", "world", "link"),
)
"""A link on a ball joint at its centre of mass, so that it does not fall."""

STOP = 0.4
STOPPED_INERTIA = 0.05
STOPPED = _model(
    "stopped",
    _link("link", _inertial(1, STOPPED_INERTIA, STOPPED_INERTIA, STOPPED_INERTIA)),
    _joint(
        "revolute",
        "world",
        "link",
        f"<axis><xyz>0 0 1</xyz><limit><lower>-1</lower><upper>{STOP}</upper></limit></axis>",
    ),
)
"""A link on a hinge along z through its centre of mass, with an upper limit of `STOP` [rad]."""
