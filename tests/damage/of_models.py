# SPDX-License-Identifier: Apache-2.0
"""Models and worlds: SDF, URDF, xacro, MJCF, meshes and pictures of heights."""

from __future__ import annotations

import contextlib
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import trimesh
from kind import MODELS, Kind
from PIL import Image

from deepsim_math import Pose, Vector3
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import (
    GazeboXMLLoader,
    Heightmap,
    Mesh,
    MjcfModel,
    ModelFormatError,
    VisualDescription,
    WorldDescription,
    heightmap_heights,
    mesh_triangles,
    textured_surface,
)
from deepsim_sync import DeepSimError, World

SDF = """<?xml version="1.0"?>
<sdf version="1.7"><world name="w"><gravity>0 0 -9.8</gravity>
<physics type="ode"><max_step_size>0.001</max_step_size></physics>
<light name="sun" type="directional"><pose>0 0 9 0 0 0</pose><direction>0 0 -1</direction></light>
<include><uri>ball.sdf</uri><name>one</name><pose>1 0 1 0 0 0</pose></include>
<model name="robot"><pose relative_to="table">0 0 1 0 0 0</pose>
<link name="base"><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia>
</inertial><collision name="c"><geometry><box><size>1 1 1</size></box></geometry>
<surface><friction><ode><mu>0.5</mu></ode></friction></surface></collision>
<visual name="v"><geometry><mesh><uri>part.obj</uri><scale>1 2 1</scale></mesh></geometry>
<material><ambient>1 0 0 1</ambient></material></visual></link>
<link name="arm"><inertial><mass>1</mass></inertial>
<collision name="c"><geometry><cylinder><radius>.1</radius><length>.4</length></cylinder></geometry>
</collision><collision name="p"><geometry><polyline><point>0 0</point><point>1 0</point>
<point>1 1</point><point>0.4 0.5</point><height>.3</height></polyline></geometry></collision>
<sensor name="eye" type="camera"><update_rate>30</update_rate><camera>
<horizontal_fov>1</horizontal_fov>
<image><width>64</width><height>48</height></image></camera></sensor>
<sensor name="scan" type="ray"><ray><scan><horizontal><samples>20</samples>
<min_angle>-1</min_angle>
<max_angle>1</max_angle></horizontal></scan><range><min>.1</min><max>9</max></range></ray></sensor>
</link><joint name="j" type="revolute"><parent>base</parent><child>arm</child>
<axis><xyz expressed_in="base">0 0 1</xyz><limit><lower>-1</lower><upper>1</upper><effort>9</effort>
</limit></axis></joint></model>
<model name="hill"><static>true</static><link name="l"><collision name="c"><geometry><heightmap>
<uri>hill.png</uri><size>9 9 1</size></heightmap></geometry></collision></link></model>
<frame name="table"><pose>0 0 1 0 0 0</pose></frame></world></sdf>
"""
BALL = """<sdf version="1.6"><model name="ball"><link name="link"><inertial><mass>1</mass>
</inertial><collision name="c"><geometry><sphere><radius>0.1</radius></sphere></geometry>
</collision></link></model></sdf>
"""
URDF = """<?xml version="1.0"?>
<robot name="r"><material name="red"><color rgba="1 0 0 1"/></material>
<link name="base"><visual><geometry><mesh filename="part.obj"/></geometry><material name="red"/>
</visual><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
</inertial></link>
<link name="arm"><inertial><origin xyz="0 0 .1" rpy="0 .1 0"/><mass value="2"/></inertial>
<collision><geometry><cylinder radius=".1" length=".5"/></geometry></collision></link>
<link name="finger"><collision><geometry><box size=".1 .1 .2"/></geometry></collision></link>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
<origin xyz="0 0 1" rpy="0 0 0"/><limit lower="-1" upper="1" effort="9" velocity="2"/>
<dynamics damping=".1" friction=".2"/></joint>
<joint name="k" type="prismatic"><parent link="arm"/><child link="finger"/><axis xyz="1 0 0"/>
<limit lower="0" upper=".1" effort="9" velocity="2"/><mimic joint="j" multiplier=".1"/></joint>
<transmission name="t"><type>transmission_interface/SimpleTransmission</type><joint name="j">
<hardwareInterface>EffortJointInterface</hardwareInterface></joint><actuator name="m"/>
</transmission>
<gazebo reference="base"><mu1>0.5</mu1></gazebo></robot>
"""
MJCF = (
    """<mujoco model="arm"><compiler angle="radian" meshdir="."/><option timestep="0.002"/>
<default><geom friction="1 .1 .1"/><default class="a"><joint damping=".1"/></default></default>
<asset><texture name="t" type="2d" builtin="checker" width="64" height="64"/>
<material name="m" texture="t"/><mesh name="part" file="part.obj"/>
<hfield name="h" nrow="10" ncol="12" size="2 2 1 .1"/></asset>
<worldbody><geom type="plane" size="4 4 .1" material="m"/><light pos="0 0 4"/>
<geom type="hfield" hfield="h" pos="9 0 0"/>
<body name="base" pos="0 0 1"><freejoint/><geom size=".1" mass="1"/><site name="s" pos="0 0 .1"/>
<body name="arm" pos=".2 0 0" childclass="a"><joint name="j" type="hinge" axis="0 1 0"
range="-1 1"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".04"/>
<geom type="mesh" mesh="part" mass=".1"/>
</body></body>
<replicate count="3" offset="1 0 0"><body pos="0 3 1"><freejoint/><geom type="box" size=".1 .2 .1"/>
</body></replicate></worldbody>
<contact><exclude body1="base" body2="arm"/></contact>
<actuator><position joint="j" kp="9" ctrlrange="-1 1"/><motor joint="j" gear="2"/></actuator>
<sensor><gyro site="s"/><jointpos joint="j"/></sensor>
<keyframe><key name="home" qpos="0 0 1 1 0 0 0 .1 0 3 1 1 0 0 0 1 3 1 1 0 0 0 2 3 1 1 0 0 0"/>
</keyframe></mujoco>
""",
    """<mujoco><worldbody><body pos="0 0 2"><flexcomp type="grid" count="4 4 1" spacing=".1 .1 .1"
name="cloth" dim="2" radius=".01" mass="1"><edge equality="true"/></flexcomp></body>
<body name="rope" pos="0 0 1"><composite prefix="r" type="cable" curve="s" count="9 1 1" size="1"
initial="none"><joint kind="main" damping=".01"/><geom type="capsule" size=".01"/>
</composite></body>
<replicate count="2" offset="0 1 0"><replicate count="3" offset="1 0 0"><geom size=".1"/>
</replicate></replicate></worldbody></mujoco>
""",
    """<mujoco model="outer"><include file="inner.xml"/><worldbody><body name="b"><joint name="x"/>
<geom size=".2"/><frame pos="1 0 0" euler="0 90 0"><body><geom type="ellipsoid" size=".1 .2 .3"/>
</body></frame></body></worldbody>
<tendon><fixed name="f"><joint joint="x" coef="2"/></fixed></tendon>
<equality><joint joint1="x" polycoef="0 1 0 0 0"/></equality></mujoco>
""",
)
INNER = """<mujoco><default><geom rgba="1 0 0 1"/></default><worldbody><geom size="1" pos="0 0 -2"/>
</worldbody></mujoco>
"""


def _beside(folder: Path) -> None:
    """Writes the mesh and the picture that models use."""
    shutil.copy(MODELS / "racetrack/models/car/meshes/paint.obj", folder / "part.obj")
    rng = np.random.default_rng(1)
    Image.fromarray(rng.integers(0, 255, (17, 17), np.uint8)).save(folder / "hill.png")


def _texts(folder: Path, suffix: str, *texts: str) -> list[Path]:
    _beside(folder)
    paths = [folder / f"file_{number}{suffix}" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, encoding="utf-8")
    return paths


def _sdf(folder: Path) -> list[Path]:
    files = _texts(folder, ".sdf", SDF)
    (folder / "ball.sdf").write_text(BALL, encoding="utf-8")
    shutil.copytree(MODELS / "racetrack/models/van", folder / "van")
    for one in ("clutter/models/shelf/model.sdf", "clutter/models/table/model.sdf"):
        files.append(folder / f"{Path(one).parent.name}.sdf")
        shutil.copy(MODELS / one, files[-1])
    return [*files, folder / "ball.sdf", folder / "van/model.sdf"]


def _xacro(folder: Path) -> list[Path]:
    robots = MODELS.parents[2] / "deepsim-robots/src/deepsim_robots/models"
    for each in robots.glob("*.xacro"):
        shutil.copy(each, folder)
    return [folder / f"{name}.xacro" for name in ("cartpole", "diffbot", "quadruped")]


def _mjcf(folder: Path) -> list[Path]:
    (folder / "inner.xml").write_text(INNER, encoding="utf-8")
    return [*_texts(folder, ".xml", *MJCF), folder / "inner.xml"]


def _read_model(path: Path) -> None:
    loader = GazeboXMLLoader([path.parent], skip_missing_collisions=True)
    found = loader.load(path)
    text = found.to_sdf()
    assert not re.search(r"[>\s]-?(nan|inf)[<\s]", text), "a number is not finite"
    _simulate(found)


def _read_mjcf(path: Path) -> None:
    main = path if path.name != "inner.xml" else path.with_name("file_2.xml")
    _simulate(MjcfModel(main))


def _simulate(found: Any) -> None:
    """Spawns what was read, ticks, and requires finite poses; MuJoCo may refuse it."""
    is_world = isinstance(found, WorldDescription)
    with (
        contextlib.suppress(DeepSimError),
        World(MujocoSimulator(found if is_world else None)) as world,
    ):
        if not is_world:
            world.spawn(found, "one", Pose())
        world.tick()
        assert np.isfinite(world.links.pose).all(), "a pose is not finite"


def _meshes(folder: Path) -> list[Path]:
    shape = trimesh.creation.icosphere(1)
    files = []
    for suffix in ("stl", "ply", "glb", "gltf", "off", "obj"):
        files.append(folder / f"ball.{suffix}")
        if suffix == "gltf":
            for name, content in trimesh.exchange.gltf.export_gltf(trimesh.Scene(shape)).items():
                (folder / (files[-1].name if name.endswith("gltf") else name)).write_bytes(content)
        else:
            shape.export(files[-1])
    files.append(folder / "text.stl")
    files[-1].write_text(trimesh.exchange.stl.export_stl_ascii(shape), encoding="utf-8")
    files.append(folder / "text.ply")
    files[-1].write_bytes(trimesh.exchange.ply.export_ply(shape, encoding="ascii"))
    files.append(folder / "ball.dae")
    files[-1].write_text(_DAE, encoding="utf-8")
    (folder / "paint.mtl").write_text("newmtl red\nKd 1 0 0\nmap_Kd hill.png\n", encoding="utf-8")
    files.append(folder / "painted.obj")
    rows = ["mtllib paint.mtl", "v 0 0 0", "v 1 0 0", "v 0 1 0", "v 0 0 1", "vt 0 0", "vt 1 0.5"]
    faces = ["o part", "usemtl red", "f 1/1 2/2 3/1", "f 1/1 2/1 4/2", "f -1 -2 -3"]
    files[-1].write_text("\n".join([*rows, *faces, ""]), encoding="utf-8")
    _beside(folder)
    return [*files, folder / "paint.mtl"]


_DAE = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="1"/><up_axis>Z_UP</up_axis></asset>
<library_effects><effect id="e"><profile_COMMON><technique sid="t"><lambert><diffuse>
<color>1 0 0 1</color></diffuse></lambert></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="12">0 0 0 1 0 0 0 1 0 0 0 1</float_array>
<technique_common><accessor source="#pa" count="4" stride="3"><param type="float"/>
</accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="2" material="m"><input semantic="VERTEX" source="#v" offset="0"/>
<p>0 1 2 0 1 3</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n"><translate>1 0 0</translate>
<rotate>0 0 1 90</rotate><instance_geometry url="#g"><bind_material><technique_common>
<instance_material symbol="m" target="#m"/></technique_common></bind_material>
</instance_geometry></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>
"""


def _read_mesh(path: Path) -> None:
    mesh = Mesh(path if path.suffix != ".mtl" else path.with_name("painted.obj"))
    points, faces = mesh_triangles(mesh)
    assert np.isfinite(points).all(), "a vertex is not finite"
    assert faces.min() >= 0, "a face has a negative corner"
    assert faces.max() < len(points), "a face has no corner"
    textured_surface(VisualDescription("visual", mesh))


def _heights(folder: Path) -> list[Path]:
    rng = np.random.default_rng(2)
    grey = rng.integers(0, 255, (33, 33), np.uint8)
    Image.fromarray(grey).save(folder / "grey.png")
    Image.fromarray(np.stack([grey] * 3, axis=2)).save(folder / "colour.png")
    Image.fromarray(grey.astype(np.uint16) * 200).save(folder / "deep.png")
    return [folder / name for name in ("grey.png", "colour.png", "deep.png")]


def _read_heights(path: Path) -> bytes:
    found = heightmap_heights(Heightmap(path, Vector3(9.0, 9.0, 2.0)))
    assert np.isfinite(found).all(), "a height is not finite"
    return found.tobytes()


ERRORS = (ModelFormatError,)
KINDS = {
    "sdf": Kind(_sdf, _read_model, ERRORS, text=True),
    "urdf": Kind(lambda folder: _texts(folder, ".urdf", URDF), _read_model, ERRORS, text=True),
    "xacro": Kind(_xacro, _read_model, ERRORS, text=True, is_program=True),
    "mjcf": Kind(_mjcf, _read_mjcf, ERRORS, text=True),
    "mesh": Kind(_meshes, _read_mesh, ERRORS, text=True),
    "heights": Kind(_heights, _read_heights, ERRORS, checked=True),
}
