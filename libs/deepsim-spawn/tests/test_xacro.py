# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from deepsim_spawn import Box, GazeboXMLLoader, ModelFormatError

ROBOT = """<?xml version="1.0"?>
<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="size" default="1"/>
  <xacro:property name="twice" value="${2 * int('$(arg size)')}"/>
  <xacro:macro name="box" params="name">
    <link name="${name}">
      <collision><geometry><box size="$(arg size) ${twice} 3"/></geometry></collision>
    </link>
  </xacro:macro>
  <xacro:box name="base"/>
</robot>"""
PLAIN = "<robot xmlns:xacro='http://www.ros.org/wiki/xacro' name='r'>{}<link name='l'/></robot>"


@pytest.fixture
def loader():
    """A loader that trusts text."""
    return GazeboXMLLoader(xacro=True)


@pytest.fixture
def write(tmp_path):
    """Writes a file and returns its path."""

    def to(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    return to


@pytest.mark.parametrize(
    ("arguments", "size"), [({}, (1, 2, 3)), ({"size": "4"}, (4, 8, 3)), ({"size": 5}, (5, 10, 3))]
)
def test_macros_are_expanded_with_arguments(loader, write, arguments, size):
    for source in (write("r.urdf.xacro", ROBOT), ROBOT, "\n" + ROBOT):
        model = loader.load_model(source, arguments)
        assert model.links[0].name == "base"
        assert model.links[0].collisions[0].geometry == Box(size)


def test_the_arguments_of_a_caller_are_not_changed(loader):
    arguments = {}
    loader.load_model(ROBOT, arguments)
    assert arguments == {}


def test_one_load_does_not_reach_the_next(loader):
    loader.load_model(ROBOT, {"size": "4"})
    assert loader.load_model(ROBOT).links[0].collisions[0].geometry == Box((1, 2, 3))


def test_a_xacro_file_may_make_sdf(loader, write):
    path = write(
        "w.world.xacro",
        "<sdf version='1.6' xmlns:xacro='http://www.ros.org/wiki/xacro'><world name='w'>"
        "<gravity>0 0 ${-2 * 0.5}</gravity></world></sdf>",
    )
    assert loader.load_world(path).gravity.z == -1


def test_files_are_included_from_where_they_stand(loader, write):
    write("parts/wheel.xacro", PLAIN.format("<link name='wheel'/>").replace("'l'", "'k'"))
    write(
        "parts/all.xacro",
        PLAIN.format("<xacro:include filename='wheel.xacro'/>").replace("'l'", "'m'"),
    )
    path = write("r.xacro", PLAIN.format("<xacro:include filename='parts/all.xacro'/>"))
    with pytest.raises(ModelFormatError, match="no joint's child, got wheel, k, m, l"):
        loader.load(path)


def test_an_optional_include_may_be_missing(loader, write):
    path = write("r.xacro", PLAIN.format("<xacro:include filename='x' optional='true'/>"))
    assert loader.load_model(path).links[0].name == "l"


def test_find_looks_in_the_search_path_without_ros(write, tmp_path):
    write("packages/arm/parts.xacro", PLAIN.format("").replace("'l'", "'part'"))
    path = write(
        "r.xacro",
        "<robot xmlns:xacro='http://www.ros.org/wiki/xacro' name='r'>"
        "<xacro:include filename='$(find arm)/parts.xacro'/></robot>",
    )
    loader = GazeboXMLLoader([tmp_path / "packages"])
    assert loader.load_model(path).links[0].name == "part"
    with pytest.raises(
        ModelFormatError, match=r"r\.xacro: xacro: 'package://arm' was not found; [^']*$"
    ):
        GazeboXMLLoader().load(path)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("<xacro:include filename='ghost.xacro'/>", "there is no file .*ghost.xacro"),
        ("<xacro:ghost/>", "ghost"),
        ("<a>${1 / 0}</a>", "division by zero"),
        ("<a>${ghost}</a>", "'ghost' is not defined"),
        ("<a>$(arg ghost)</a>", "argument 'ghost' has no default and was not given"),
        (
            "<xacro:macro name='m' params='n'><xacro:m n='1'/></xacro:macro><xacro:m n='1'/>",
            "recurs",
        ),
    ],
)
def test_what_xacro_refuses_is_an_error_with_its_file(loader, write, body, message):
    path = write("r.xacro", PLAIN.format(body))
    with pytest.raises(ModelFormatError, match=message) as caught:
        loader.load(path)
    assert caught.value.file == str(path)


def test_an_error_in_an_included_file_names_that_file(loader, write):
    inner = write("inner.xacro", PLAIN.format("<a>${ghost}</a>"))
    path = write("r.xacro", PLAIN.format("<xacro:include filename='inner.xacro'/>"))
    with pytest.raises(ModelFormatError, match="ghost") as caught:
        loader.load(path)
    assert caught.value.file == str(inner)


@pytest.mark.parametrize("name", ["inner.xacro", "r.xacro"])
def test_malformed_xml_names_file_and_line(loader, write, name):
    write("inner.xacro", PLAIN.format(""))
    write("r.xacro", PLAIN.format("<xacro:include filename='inner.xacro'/>"))
    broken = write(name, "<robot>\n\n<link></robot>")
    with pytest.raises(ModelFormatError, match="mismatched tag") as caught:
        loader.load(broken.parent / "r.xacro")
    assert (caught.value.file, caught.value.line) == (str(broken), 3)


def test_an_error_after_expansion_says_that_the_line_is_of_the_expanded_text(loader):
    with pytest.raises(
        ModelFormatError, match=r"<string> \(expanded by xacro\):6: robot\[r\]/link"
    ):
        loader.load(ROBOT, {"size": "-1"})


@pytest.mark.parametrize("suffix", ["urdf", "sdf", "world"])
def test_a_file_without_the_suffix_is_never_expanded(loader, write, suffix):
    """Its expressions are code, which a plain model file must not bring along."""
    with pytest.raises(ModelFormatError, match="xacro, which is code, is only expanded"):
        loader.load(write(f"r.{suffix}", ROBOT))


def test_arguments_for_a_plain_file_are_an_error(loader):
    with pytest.raises(ModelFormatError, match="only xacro takes arguments, got size"):
        loader.load("<robot name='r'><link name='l'/></robot>", {"size": "1"})


def test_text_that_only_names_a_package_is_expanded(loader, tmp_path):
    """It declares xacro, but has neither an element nor an expression of it."""
    text = PLAIN.replace("'r'", "'$(optenv NO_SUCH_NAME bot)'").format("")
    assert loader.load_model(text).name == "bot"
