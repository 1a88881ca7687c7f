# SPDX-License-Identifier: Apache-2.0
"""The models that backends are tested with, as SDF 1.6, which every engine can read."""

from __future__ import annotations


def _sdf(model: str) -> str:
    return f'<?xml version="1.0"?><sdf version="1.6">{model}</sdf>'


GROUND = _sdf("""
<model name="ground">
  <static>true</static>
  <link name="link">
    <collision name="collision">
      <geometry><plane><normal>0 0 1</normal><size>100 100</size></plane></geometry>
      <surface><friction><ode><mu>1</mu><mu2>1</mu2></ode></friction></surface>
    </collision>
  </link>
</model>""")
"""A static plane at z = 0 of its frame, friction coefficient 1."""

BOX_SIZE = (0.4, 0.4, 0.2)
BOX_MU = 0.3
_BOX_SHAPE = "<geometry><box><size>0.4 0.4 0.2</size></box></geometry>"

BOX = _sdf(f"""
<model name="box">
  <link name="link">
    <inertial>
      <mass>2</mass>
      <inertia>
        <ixx>0.03333333333333333</ixx><iyy>0.03333333333333333</iyy><izz>0.05333333333333334</izz>
        <ixy>0</ixy><ixz>0</ixz><iyz>0</iyz>
      </inertia>
    </inertial>
    <collision name="collision">
      {_BOX_SHAPE}
      <surface><friction><ode><mu>{BOX_MU}</mu><mu2>{BOX_MU}</mu2></ode></friction></surface>
    </collision>
    <visual name="paint">
      {_BOX_SHAPE}
      <material>
        <ambient>0.8 0.1 0.1 1</ambient><diffuse>0.9 0.2 0.1 1</diffuse>
        <specular>0.3 0.3 0.3 1</specular><emissive>0 0 0 1</emissive>
      </material>
      <transparency>0.25</transparency>
    </visual>
  </link>
</model>""")
"""A free box of `BOX_SIZE` [m] and 2 kg, friction coefficient `BOX_MU`, one visual."""

BLOCK = _sdf(f"""
<model name="block">
  <static>true</static>
  <link name="link">
    <collision name="collision">{_BOX_SHAPE}</collision>
    <visual name="paint">
      {_BOX_SHAPE}
      <material><ambient>0 0.7 0 1</ambient><diffuse>0 0.8 0 1</diffuse></material>
    </visual>
  </link>
</model>""")
"""A static box of `BOX_SIZE` [m], green."""

PAIR_OFFSET = (0.3, 0.2, 0.5, 0.0, 0.0, 0.4794255386042030, 0.8775825618903728)

PAIR = _sdf("""
<model name="pair">
  <link name="base">
    <gravity>false</gravity>
    <inertial>
      <mass>1</mass>
      <inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia>
    </inertial>
  </link>
  <link name="top">
    <gravity>false</gravity>
    <pose>0.3 0.2 0.5 0 0 1</pose>
    <inertial>
      <mass>1</mass>
      <inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia>
    </inertial>
  </link>
  <joint name="weld" type="fixed"><parent>base</parent><child>top</child></joint>
</model>""")
"""Two links fixed to each other, free of gravity; ``top`` is at `PAIR_OFFSET` of the model."""

HINGED = _sdf("""
<model name="hinged">
  <link name="base">
    <inertial>
      <mass>1</mass>
      <inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia>
    </inertial>
  </link>
  <link name="door">
    <pose>0.5 0 0 0 0 0</pose>
    <inertial>
      <mass>1</mass>
      <inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia>
    </inertial>
  </link>
  <joint name="hinge" type="revolute">
    <parent>base</parent>
    <child>door</child>
    <axis><xyz>0 0 1</xyz></axis>
  </joint>
</model>""")
"""A link that turns about the z axis of its own frame, on a free base."""

HAMMER_CENTRE = (0.3, 0.1, -0.2)

HAMMER = _sdf("""
<model name="hammer">
  <link name="link">
    <gravity>false</gravity>
    <inertial>
      <pose>0.3 0.1 -0.2 0 0 0</pose>
      <mass>3</mass>
      <inertia><ixx>0.02</ixx><iyy>0.03</iyy><izz>0.04</izz></inertia>
    </inertial>
  </link>
</model>""")
"""A free body without gravity, whose centre of mass is at `HAMMER_CENTRE` of its frame."""

RAISED_OFFSET = (0.2, -0.1, 0.3, 0.0, 0.0, 0.4794255386042030, 0.8775825618903728)

RAISED = _sdf("""
<model name="raised">
  <link name="link">
    <gravity>false</gravity>
    <pose>0.2 -0.1 0.3 0 0 1</pose>
    <inertial>
      <mass>1</mass>
      <inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia>
    </inertial>
  </link>
</model>""")
"""A free body without gravity, whose only link is at `RAISED_OFFSET` of the model frame."""

OUTER = _sdf("""
<model name="outer">
  <static>true</static>
  <link name="link"><visual name="skin"><geometry><sphere><radius>0.1</radius></sphere></geometry>
  </visual></link>
  <model name="inner">
    <pose>0 0 1 0 0 0</pose>
    <link name="core"><visual name="skin">
      <geometry><sphere><radius>0.1</radius></sphere></geometry>
    </visual></link>
  </model>
</model>""")
"""A static model with another one in it, one metre above."""

LAMP = _sdf("""
<model name="lamp">
  <static>true</static>
  <link name="link">
    <light type="point" name="bulb">
      <diffuse>0.9 0.8 0.7 1</diffuse>
      <specular>0.2 0.1 0.1 1</specular>
      <attenuation>
        <range>20</range><constant>0.5</constant><linear>0.25</linear><quadratic>0.125</quadratic>
      </attenuation>
    </light>
  </link>
</model>""")
"""A static model with a point light."""

EYE = _sdf("""
<model name="eye">
  <static>true</static>
  <link name="link">
    <sensor type="camera" name="camera">
      <camera>
        <horizontal_fov>1.0</horizontal_fov>
        <image><width>64</width><height>48</height></image>
        <clip><near>0.05</near><far>50</far></clip>
      </camera>
    </sensor>
  </link>
</model>""")
"""A static camera of 64 x 48 pixels that looks along +x of its frame."""

SINKER_MASS, SINKER_DAMPING = 2.0, 40.0

SINKER = _sdf(f"""
<model name="sinker">
  <link name="link">
    <inertial>
      <mass>{SINKER_MASS}</mass>
      <inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia>
    </inertial>
  </link>
  <joint name="rail" type="prismatic">
    <parent>world</parent>
    <child>link</child>
    <axis><xyz>0 0 1</xyz><dynamics><damping>{SINKER_DAMPING}</damping></dynamics></axis>
  </joint>
</model>""")
"""A link of `SINKER_MASS` [kg] on a vertical rail that is damped by `SINKER_DAMPING` [N s/m]."""

PENDULUM_MASS, PENDULUM_ARM, PENDULUM_INERTIA = 1.0, 0.3, 0.5

PENDULUM = _sdf(f"""
<model name="pendulum">
  <link name="link">
    <inertial>
      <pose>{PENDULUM_ARM} 0 0 0 0 0</pose>
      <mass>{PENDULUM_MASS}</mass>
      <inertia>
        <ixx>{PENDULUM_INERTIA}</ixx><iyy>{PENDULUM_INERTIA}</iyy><izz>{PENDULUM_INERTIA}</izz>
      </inertia>
    </inertial>
  </link>
  <joint name="hinge" type="revolute">
    <parent>world</parent>
    <child>link</child>
    <axis><xyz>0 1 0</xyz></axis>
  </joint>
</model>""")
"""A link on a hinge along y, its centre of mass at `PENDULUM_ARM` [m] along x: it falls at once."""
