# SPDX-License-Identifier: Apache-2.0
"""Files that are broken, or mean harm: always ModelFormatError, never anything else."""

from __future__ import annotations

import contextlib
import warnings

import pytest
from lxml import etree

from deepsim_spawn import GazeboXMLLoader, ModelFormatError, ModelFormatWarning, ModelIndex

SDF = """<?xml version="1.0"?>
<sdf version="1.7">
  <world name="w">
    <physics type="ode"><max_step_size>0.001</max_step_size></physics>
    <light name="sun" type="directional"><direction>0 0 -1</direction></light>
    <model name="robot">
      <pose relative_to="table">0 0 1 0 0 0</pose>
      <link name="base">
        <inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>
        <collision name="c"><geometry><box><size>1 1 1</size></box></geometry></collision>
        <visual name="v"><geometry><plane><normal>0 0 1</normal></plane></geometry>
          <material><ambient>1 0 0 1</ambient></material></visual>
      </link>
      <link name="arm"><sensor name="eye" type="camera"><camera/></sensor></link>
      <joint name="j" type="revolute"><parent>base</parent><child>arm</child>
        <axis><xyz expressed_in="base">0 0 1</xyz></axis></joint>
    </model>
    <frame name="table"><pose>0 0 1 0 0 0</pose></frame>
  </world>
</sdf>"""
URDF = """<?xml version="1.0"?>
<robot name="r">
  <material name="red"><color rgba="1 0 0 1"/></material>
  <link name="base"><visual><geometry><box size="1 1 1"/></geometry><material name="red"/></visual>
    <inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
  </link>
  <link name="arm"/>
  <joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint>
  <gazebo reference="base"><mu1>0.5</mu1></gazebo>
</robot>"""
XACRO = URDF.replace('name="r"', 'name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"').replace(
    'value="1"', 'value="${1 + 1}"'
)
WHOLE = {"sdf": SDF, "urdf": URDF, "xacro": XACRO}


@pytest.mark.parametrize("suffix", WHOLE)
def test_the_whole_file_is_valid(loader, suffix, tmp_path):
    path = tmp_path / f"whole.{suffix}"
    path.write_text(WHOLE[suffix])
    assert loader.load(path)
    assert GazeboXMLLoader(xacro=True).load(WHOLE[suffix])


@pytest.mark.parametrize("suffix", WHOLE)
def test_a_truncated_file_is_a_format_error(loader, suffix, tmp_path):
    data = WHOLE[suffix].encode()
    path = tmp_path / f"part.{suffix}"
    for length in range(0, len(data) - 1, 50):
        path.write_bytes(data[:length])
        with pytest.raises(ModelFormatError):
            loader.load(path)


@pytest.mark.parametrize("suffix", ["sdf", "urdf"])
def test_a_file_that_lost_any_one_element_loads_or_is_a_format_error(loader, suffix):
    """Every element is cut out in turn, with all that it holds."""
    count = len(list(etree.fromstring(WHOLE[suffix].encode()).iter()))
    for index in range(1, count):
        root = etree.fromstring(WHOLE[suffix].encode())
        element = list(root.iter())[index]
        element.getparent().remove(element)
        with contextlib.suppress(ModelFormatError), warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelFormatWarning)
            loader.load(etree.tostring(root, encoding="unicode"))


BOMB = (
    "<!DOCTYPE x [<!ENTITY a0 'ha'>"
    + "".join(f"<!ENTITY a{n} '&a{n - 1};&a{n - 1};&a{n - 1};&a{n - 1};'>" for n in range(1, 20))
    + "]>"
)
FILE = "<!DOCTYPE x [<!ENTITY file SYSTEM 'file:///etc/hostname'>]>"
DTD = "<!DOCTYPE sdf SYSTEM 'http://example.org/x.dtd'>"


@pytest.mark.parametrize("suffix", ["sdf", "urdf", "xacro"])
@pytest.mark.parametrize(
    ("doctype", "name"),
    [
        (BOMB, "&a19;"),
        (FILE, "&file;"),
        (DTD, "m"),
        ("<!DOCTYPE x>", "m"),
        ("<!-- x -->\n<?x y?>\n<!DOCTYPE x>", "m"),
        ("<!doctype x>", "m"),
    ],
)
def test_a_doctype_is_refused_before_it_is_parsed(loader, tmp_path, suffix, doctype, name):
    text = f"{doctype}<robot name='{name}'><link name='l'>{name}</link></robot>"
    path = tmp_path / f"x.{suffix}"
    path.write_text(text)
    for source in (path, text, f"<?xml version='1.0'?>\n{text}", "\ufeff" + text):
        with pytest.raises(ModelFormatError, match="DOCTYPE"):
            loader.load(source)


def test_the_line_of_a_doctype_is_said(loader):
    with pytest.raises(ModelFormatError, match=r"<string>:3: <!DOCTYPE> is not allowed"):
        loader.load("\n<!-- \n --><!DOCTYPE x><sdf version='1.6'/>")


def test_a_doctype_in_an_included_xacro_file_is_refused(loader, tmp_path):
    head = "<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'>"
    (tmp_path / "inner.xacro").write_text(f"{BOMB}{head}<link name='&a19;'/></robot>")
    outer = tmp_path / "outer.xacro"
    outer.write_text(f"{head}<xacro:include filename='inner.xacro'/></robot>")
    with pytest.raises(ModelFormatError, match=r"inner\.xacro:1: <!DOCTYPE> is not allowed"):
        loader.load(outer)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-16-le"])
def test_an_encoding_that_could_hide_a_doctype_is_refused(loader, tmp_path, encoding):
    for suffix in WHOLE:
        path = tmp_path / f"x.{suffix}"
        path.write_bytes((FILE + URDF).encode(encoding))
        with pytest.raises(ModelFormatError, match="not text in UTF-8"):
            loader.load(path)


def test_a_doctype_in_utf_7_is_refused_too(loader, tmp_path):
    text = "<?xml version='1.0' encoding='UTF-7'?>" + (FILE + "<robot name='r'/>").replace(
        "<", "+ADw-"
    ).replace("!", "+ACE-")
    path = tmp_path / "x.urdf"
    path.write_text(text)
    with pytest.raises(ModelFormatError):
        loader.load(path)


def test_an_encoding_that_is_declared_is_read(loader, tmp_path):
    path = tmp_path / "x.urdf"
    text = "<?xml version='1.0' encoding='iso-8859-1'?><robot name='Größe'><link name='l'/></robot>"
    path.write_bytes(text.encode("latin-1"))
    assert loader.load_model(path).name == "Größe"
    assert loader.load_model(text).name == "Größe"


@pytest.mark.parametrize(
    "declaration", ["<?xml version='0.0' ?>", '<?xml version="1.1"?>', "<?xml version=''?>"]
)
def test_any_version_of_xml_is_read_as_1_0(loader, tmp_path, declaration):
    path = tmp_path / "x.urdf"
    path.write_text(declaration + URDF[URDF.index("<robot") :])
    assert loader.load_model(path).name == "r"


def test_blanks_before_the_declaration_are_accepted_and_counted(loader, tmp_path):
    path = tmp_path / "x.urdf"
    path.write_text("\n\n" + URDF)
    assert loader.load_model(path).name == "r"
    path.write_text("\n\n<?xml version='1.0'?>\n<robot name='r'>\n<link/></robot>")
    with pytest.raises(ModelFormatError) as caught:
        loader.load(path)
    assert (caught.value.file, caught.value.line) == (str(path), 5)
    path.write_text("\n\n<?xml version='1.0'?>\n<robot>\n</link></robot>")
    with pytest.raises(ModelFormatError, match="malformed XML") as caught:
        loader.load(path)
    assert caught.value.line == 5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ": the file is empty$"),
        ("<", "malformed XML"),
        ("<sdf>", "malformed XML: Premature end of data in tag sdf line 1$"),
        ("<sdf/><sdf/>", "malformed XML"),
        ("<sdf version='1.6'>&lt;&ghost;</sdf>", "malformed XML"),
        ("<a/>", "expected <sdf> or <robot>, got <a>"),
        ("<gazebo version='1.2'/>", "expected <sdf> or <robot>, got <gazebo>"),
        ("<sdf/>", "attribute 'version' is missing"),
        ("<a>" * 300 + "</a>" * 300, "malformed XML: Excessive depth"),
    ],
)
def test_what_is_no_model_is_a_format_error(loader, tmp_path, text, message):
    path = tmp_path / "x.sdf"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(ModelFormatError, match=message) as caught:
        loader.load(path)
    assert caught.value.file == str(path)


@pytest.mark.parametrize(
    "source", ["ghost.sdf", "model://ghost", "http://x/y.sdf", "a\0b", "x" * 999]
)
def test_a_source_that_does_not_exist_is_a_format_error(loader, source):
    with pytest.raises(ModelFormatError, match="cannot be opened"):
        loader.load(source)


def test_a_file_that_is_too_large_is_refused(loader, tmp_path):
    path = tmp_path / "x.sdf"
    with path.open("wb") as file:
        file.truncate(33 * 2**20)
    with pytest.raises(ModelFormatError, match="must be <= 33554432 bytes"):
        loader.load(path)


@pytest.mark.parametrize("shape", ["mesh", "heightmap"])
@pytest.mark.parametrize(
    "uri", ["../secret.stl", "/etc/hostname", "file:///etc/hostname", "model://m/../../secret.stl"]
)
def test_a_shape_outside_of_the_model_is_refused(tmp_path, shape, uri):
    (tmp_path / "secret.stl").touch()
    folder = tmp_path / "models" / "m"
    folder.mkdir(parents=True)
    path = folder / "m.sdf"
    path.write_text(
        "<sdf version='1.6'>\n<model name='m'><link name='l'><visual name='v'><geometry>\n"
        f"<{shape}><uri>{uri}</uri></{shape}></geometry></visual></link></model></sdf>"
    )
    with pytest.raises(
        ModelFormatError, match=rf"{shape}/uri: .* leads to .*, outside of"
    ) as caught:
        GazeboXMLLoader([tmp_path / "models"]).load(path)
    assert (caught.value.file, caught.value.line) == (str(path), 3)


def test_no_model_file_outside_of_the_folder_is_reached(tmp_path):
    (tmp_path / "secret.sdf").touch()
    folder = tmp_path / "models" / "m"
    folder.mkdir(parents=True)
    (folder / "model.config").write_text("<model><sdf>../../secret.sdf</sdf></model>")
    with pytest.raises(ModelFormatError, match="outside of"):
        GazeboXMLLoader([tmp_path / "models"]).load("model://m")
    with pytest.raises(ModelFormatError, match="outside of"):
        ModelIndex([tmp_path / "models"])["m"]


@pytest.mark.parametrize("number", ["1e308", "-1e101", "9" * 400, "0x1", "٣", "1_0", "nan", "inf"])
@pytest.mark.parametrize(
    "element",
    [
        "<pose>{} 0 0 0 0 0</pose>",
        "<inertial><mass>{}</mass></inertial>",
        "<inertial><inertia><ixx>{}</ixx></inertia></inertial>",
        "<velocity_decay><linear>{}</linear></velocity_decay>",
    ],
)
def test_a_number_that_no_model_can_mean_is_a_format_error(load_link, element, number):
    with pytest.raises(ModelFormatError, match=r"expected .*number"):
        load_link(element.format(number))


def test_text_runs_no_code_unless_it_may(loader):
    """A URDF that xacro made declares it still, but has none."""
    with pytest.raises(
        ModelFormatError, match=r"xacro, which is code, .*GazeboXMLLoader\(xacro=True\)"
    ):
        loader.load(XACRO)
    with pytest.raises(ModelFormatError, match="xacro, which is code"):
        loader.load(XACRO.replace("${1 + 1}", "1").replace("</robot>", "<xacro:x/></robot>"))
    assert loader.load(XACRO.replace("${1 + 1}", "1"))


@pytest.mark.parametrize("tail", ["x", ".", "e", ".5.", " 1"])
def test_a_long_number_takes_no_time(loader, tail):
    """A hundred thousand digits took ten minutes, as their square."""
    text = SDF.replace("<mass>1", f"<mass>{'1' * 100_000}{tail}", 1)
    assert text != SDF
    with pytest.raises(ModelFormatError, match="expected a finite number"):
        loader.load(text)


def test_a_long_word_in_a_tag_takes_no_time(loader):
    """Where an attribute is expected: three million letters took hours, as their square."""
    with pytest.raises(ModelFormatError, match="malformed XML"):
        loader.load(f"<robot name='r'><link name='l'/><{'a' * 9} {'a' * 3_000_000} x='></robot>")
