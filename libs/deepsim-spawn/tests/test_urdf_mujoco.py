# SPDX-License-Identifier: Apache-2.0
"""What a URDF file asks of MuJoCo's compiler is done."""

from __future__ import annotations

import warnings

import pytest

from deepsim_spawn import GazeboXMLLoader, ModelFormatError, UnsupportedElementWarning

ROBOT = """<robot name="r"><mujoco>{inside}</mujoco><link name="base"><inertial>
<mass value="1e-6"/><inertia ixx="1e-9" iyy="1e-9" izz="1e-9" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><mesh filename="package://gone/deep/a.stl"/></geometry></visual>
<collision><geometry><sphere radius="1"/></geometry></collision></link></robot>"""


def load(folder, compiler, *, strict=False):
    path = folder / "urdf/robot.urdf"
    path.parent.mkdir(exist_ok=True)
    path.write_text(ROBOT.format(inside=f"<compiler {compiler}/>"))
    return GazeboXMLLoader([folder], strict=strict).load_model(path).links[0]


def test_meshes_are_found_in_the_folder_of_meshes_by_the_names_of_their_files(tmp_path):
    (tmp_path / "urdf/parts/deep").mkdir(parents=True)
    for place in ("parts/a.stl", "parts/deep/a.stl"):
        (tmp_path / "urdf" / place).write_bytes(b"")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        link = load(tmp_path, 'meshdir="parts" balanceinertia="true" fusestatic="false"')
    assert link.visuals[0].geometry.path == tmp_path / "urdf/parts/a.stl"
    with pytest.raises(ModelFormatError, match=r"'package://gone/deep/a\.stl' was not found"):
        load(tmp_path, 'meshdir="parts" strippath="false"', strict=True)
    (tmp_path / "urdf/parts/gone/deep").mkdir(parents=True)
    (tmp_path / "urdf/parts/gone/deep/a.stl").write_bytes(b"")
    link = load(tmp_path, 'meshdir="parts" strippath="false"')
    assert link.visuals[0].geometry.path == tmp_path / "urdf/parts/gone/deep/a.stl"


def test_visuals_are_discarded_and_masses_bounded(tmp_path):
    link = load(tmp_path, 'discardvisual="true" boundmass="0.01" boundinertia="1e-5"')
    assert not link.visuals
    assert len(link.collisions) == 1
    inertial = link.inertial
    assert (inertial.mass, inertial.ixx, inertial.iyy, inertial.izz) == (0.01, 1e-5, 1e-5, 1e-5)


def test_what_has_no_effect_is_told(tmp_path):
    with pytest.warns(UnsupportedElementWarning, match="settotalmass"):
        load(tmp_path, 'discardvisual="true" settotalmass="3"')
    text = ROBOT.format(inside="<compiler discardvisual='true'/><option timestep='1'/>")
    with pytest.warns(UnsupportedElementWarning, match="mujoco/option"):
        GazeboXMLLoader().load(text)
